//! Files and addresses.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io;
use std::time::Duration;

use bytes::Bytes;
use convex_wasm_storage::{Addresses, ByteStream, FileKey, Files, TokenError};
use futures::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};

fn pieces(pieces: Vec<io::Result<&'static str>>) -> ByteStream {
    stream::iter(pieces.into_iter().map(|piece| piece.map(Bytes::from))).boxed()
}

async fn text(stream: ByteStream) -> String {
    let pieces: Vec<Bytes> = stream.try_collect().await.unwrap();
    String::from_utf8(pieces.concat()).unwrap()
}

#[tokio::test]
async fn a_file_is_what_was_written_whole_or_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::open(folder.path()).unwrap();
    let written = files.write(pieces(vec![Ok("hello "), Ok(""), Ok("world")])).await.unwrap();
    assert_eq!((written.size, written.sha256), (11, Sha256::digest("hello world").into()));
    // What is complete survives a restart.
    let files = Files::open(folder.path()).unwrap();
    assert_eq!(text(files.read(&written.key, 0..11).await.unwrap().unwrap()).await, "hello world");
    assert_eq!(text(files.read(&written.key, 6..8).await.unwrap().unwrap()).await, "wo");
    assert_eq!(files.older_than(Duration::ZERO).await.unwrap(), std::slice::from_ref(&written.key));
    assert_eq!(files.older_than(Duration::from_secs(3_600)).await.unwrap(), []);
    files.remove(&written.key).await.unwrap();
    files.remove(&written.key).await.unwrap();
    assert!(files.read(&written.key, 0..1).await.unwrap().is_none());
}

#[tokio::test]
async fn a_file_that_is_not_finished_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::open(folder.path()).unwrap();
    let broken = pieces(vec![Ok("begun"), Err(io::Error::other("the client went away"))]);
    assert_eq!(files.write(broken).await.unwrap_err().to_string(), "the client went away");
    assert_eq!(files.older_than(Duration::ZERO).await.unwrap(), []);
    assert_eq!(std::fs::read_dir(folder.path().join("unfinished")).unwrap().count(), 0);
}

#[test]
fn an_upload_address_is_valid_for_an_hour_and_only_here() {
    let addresses = Addresses::new("http://here", [1; 32]);
    let url = addresses.upload(1_000);
    let token = url.strip_prefix("http://here/api/storage/upload?token=").unwrap();
    assert_eq!(addresses.check_token(token, 3_601_000), Ok(()));
    assert_eq!(addresses.check_token(token, 3_601_001), Err(TokenError::Expired));
    let other = Addresses::new("http://here", [2; 32]);
    for wrong in [token.replacen('3', "4", 1).as_str(), "", "x.y", "1.00"] {
        assert_eq!(addresses.check_token(wrong, 0), Err(TokenError::Invalid), "{wrong}");
    }
    assert_eq!(other.check_token(token, 0), Err(TokenError::Invalid));
}

#[test]
fn keys_are_uuids() {
    let key = "01234567-89ab-4cde-8f01-23456789abcd";
    assert_eq!(FileKey::parse(key).unwrap().as_str(), key);
    for wrong in [
        "",
        "../../../../../../../../../etc/passwd",
        "01234567-89AB-4CDE-8F01-23456789ABCD",
        "0123456789ab4cde8f0123456789abcd",
    ] {
        assert_eq!(FileKey::parse(wrong), None, "{wrong}");
    }
}
