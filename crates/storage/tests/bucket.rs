//! Files in an S3-compatible store.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::io;
use std::time::Duration;

use bytes::Bytes;
use convex_wasm_storage::{BucketOptions, ByteStream, FileKey, Files};
use futures::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use support::store;

fn pieces(pieces: Vec<io::Result<Bytes>>) -> ByteStream {
    stream::iter(pieces).boxed()
}

async fn content(files: &Files, key: &FileKey, range: std::ops::Range<u64>) -> Vec<u8> {
    let pieces: Vec<Bytes> = files.read(key, range).await.unwrap().unwrap().try_collect().await.unwrap();
    pieces.concat()
}

#[tokio::test]
async fn a_file_is_what_was_written_whole_or_in_part() {
    let (options, store) = store().await;
    let files = Files::in_bucket(options).unwrap();
    let written = files.write(pieces(vec![Ok("hello ".into()), Ok("world".into())])).await.unwrap();
    assert_eq!((written.size, written.sha256), (11, Sha256::digest("hello world").into()));
    assert_eq!(store.lock().objects.len(), 1);
    assert_eq!(content(&files, &written.key, 0..11).await, b"hello world");
    assert_eq!(content(&files, &written.key, 6..8).await, b"wo");
    assert_eq!(content(&files, &written.key, 0..0).await, b"");
    files.remove(&written.key).await.unwrap();
    files.remove(&written.key).await.unwrap();
    assert!(files.read(&written.key, 0..1).await.unwrap().is_none());
}

#[tokio::test]
async fn a_large_file_is_written_in_parts() {
    let (options, store) = store().await;
    let files = Files::in_bucket(options).unwrap();
    let piece = Bytes::from((0..3_000_017u32).map(|i| (i % 251) as u8).collect::<Vec<_>>());
    let whole = [piece.as_ref(); 8].concat();
    let written = files.write(pieces(std::iter::repeat_n(piece, 8).map(Ok).collect())).await.unwrap();
    assert_eq!((written.size, written.sha256), (whole.len() as u64, Sha256::digest(&whole).into()));
    assert_eq!(store.lock().objects[written.key.as_str()], whole);
    assert_eq!(content(&files, &written.key, 9_000_000..9_000_100).await, whole[9_000_000..9_000_100]);
}

#[tokio::test]
async fn a_file_that_is_not_finished_is_none() {
    let (options, store) = store().await;
    let files = Files::in_bucket(options).unwrap();
    let gone = || Err(io::Error::other("the client went away"));
    for begun in [1, 20 << 20] {
        let broken = pieces(vec![Ok(vec![1; begun].into()), gone()]);
        assert_eq!(files.write(broken).await.unwrap_err().to_string(), "the client went away");
        let store = store.lock();
        assert_eq!((store.objects.len(), store.parts.len()), (0, 0));
    }
}

#[tokio::test]
async fn all_pages_of_a_list_are_read_and_names_that_are_not_ours_left_alone() {
    let (options, store) = store().await;
    let files = Files::in_bucket(options).unwrap();
    let mut keys = Vec::new();
    for _ in 0..5 {
        keys.push(files.write(pieces(vec![Ok("x".into())])).await.unwrap().key);
    }
    store.lock().objects.insert("someone-elses".to_owned(), Bytes::new());
    keys.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    assert_eq!(files.older_than(Duration::from_secs(3_600)).await.unwrap(), keys);
    assert_eq!(files.older_than(Duration::from_secs(1_000_000_000)).await.unwrap(), []);
}

#[tokio::test]
async fn a_busy_store_is_asked_again_and_a_refusal_is_told() {
    let (options, store) = store().await;
    let files = Files::in_bucket(options.clone()).unwrap();
    store.lock().failures = 1;
    files.write(pieces(vec![Ok("x".into())])).await.unwrap();
    let stranger =
        Files::in_bucket(BucketOptions { secret_access_key: "wrong".to_owned(), ..options.clone() }).unwrap();
    let refused = stranger.write(pieces(vec![Ok("x".into())])).await.unwrap_err().to_string();
    assert!(refused.contains("403") && refused.contains("SignatureDoesNotMatch"), "{refused}");
    let nowhere = Files::in_bucket(BucketOptions { endpoint: Some("no address".to_owned()), ..options });
    assert!(nowhere.is_err());
}
