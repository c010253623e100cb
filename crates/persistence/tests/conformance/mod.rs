//! What every store has to do.
#![allow(dead_code, reason = "each store uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use convex_wasm_persistence::{
    BlobId, DocumentKey, IndexEntry, IndexId, IndexRow, KeyRange, MemoryPersistence, Order, Persistence,
    PersistenceError, Portable, Prune, Result, Revision, TabletId, Timestamp, TransferProgress, WriteBatch, transfer,
};
use convex_wasm_values::{ConvexObject, ConvexValue, InternalId};

/// A place where a store can be opened, closed and opened again.
pub trait Store {
    /// The store.
    type Opened: Portable;

    /// Opens it.
    fn open(&self) -> impl Future<Output = Self::Opened>;
}

/// Checks a kind of store; `new` makes an empty place for one.
pub async fn check<S: Store>(new: impl Fn() -> S) {
    an_empty_store_is_empty(&new().open().await).await;
    reads_see_their_timestamp(&new().open().await).await;
    scans_go_both_ways_and_stop(&new().open().await).await;
    a_scan_is_not_confused_by_many_versions(&new().open().await).await;
    a_repeated_batch_changes_nothing(&new().open().await).await;
    the_log_reads_in_its_order(&new().open().await).await;
    what_is_pruned_is_gone(&new().open().await).await;
    everything_survives_reopening(&new()).await;
    globals_and_blobs_are_kept(&new()).await;
    values_of_every_type_are_kept(&new().open().await).await;
    keys_may_be_long(&new().open().await).await;
    everything_can_be_moved(&new().open().await).await;
}

pub fn table() -> IndexId {
    IndexId(InternalId([1; 16]))
}

/// A document with an id made of one byte and a text.
pub fn document(id: u8, text: &str) -> (DocumentKey, ConvexObject) {
    let key = DocumentKey { tablet: TabletId(InternalId([9; 16])), id: InternalId([id; 16]) };
    (key, ConvexObject::from([("text".to_owned(), ConvexValue::from(text))]))
}

/// A batch that sets a document; its key in the index is its byte.
pub fn insert(at: u64, (key, content): (DocumentKey, ConvexObject)) -> WriteBatch {
    change(at, key, Some(content))
}

fn change(at: u64, key: DocumentKey, content: Option<ConvexObject>) -> WriteBatch {
    let timestamp = Timestamp(at);
    let entry =
        IndexEntry { index: table(), key: vec![key.id.0[0]], timestamp, document: content.is_some().then_some(key) };
    let revision = Revision { timestamp, key, content: content.map(Arc::new), previous: None };
    WriteBatch { revisions: vec![revision], entries: vec![entry] }
}

async fn scan(
    persistence: &dyn Persistence,
    range: KeyRange,
    at: u64,
    order: Order,
    limit: usize,
) -> Vec<(u8, String)> {
    let rows = persistence.scan(table(), range, Timestamp(at), order, limit).await.unwrap();
    rows.iter().map(|row| (row.key[0], text_of(&row.versioned.document))).collect()
}

/// Every row of an index, to see whether it can be read.
pub async fn scan_all(persistence: &dyn Persistence, index: IndexId, at: u64) -> Result<Vec<IndexRow>> {
    persistence.scan(index, KeyRange::all(), Timestamp(at), Order::Ascending, usize::MAX).await
}

fn text_of(document: &ConvexObject) -> String {
    document["text"].as_str().unwrap().to_owned()
}

fn rows(rows: &[(u8, &str)]) -> Vec<(u8, String)> {
    rows.iter().map(|(key, text)| (*key, (*text).to_owned())).collect()
}

async fn an_empty_store_is_empty(persistence: &dyn Persistence) {
    assert_eq!(persistence.max_timestamp().await.unwrap(), Timestamp::MIN);
    assert_eq!(persistence.get(table(), vec![vec![1]], Timestamp(9)).await.unwrap(), [None]);
    assert_eq!(scan_all(persistence, table(), 9).await.unwrap(), []);
    assert_eq!(persistence.get_global("nothing").await.unwrap(), None);
    assert_eq!(persistence.get_blob(BlobId::of(b"nothing")).await.unwrap(), None);
}

async fn reads_see_their_timestamp(persistence: &dyn Persistence) {
    persistence.write(insert(10, document(1, "first"))).await.unwrap();
    persistence.write(insert(20, document(1, "second"))).await.unwrap();
    persistence.write(change(30, document(1, "").0, None)).await.unwrap();
    persistence.write(insert(40, document(1, "third"))).await.unwrap();
    assert_eq!(persistence.max_timestamp().await.unwrap(), Timestamp(40));
    for (at, expected) in
        [(9, None), (10, Some((10, "first"))), (29, Some((20, "second"))), (30, None), (99, Some((40, "third")))]
    {
        let found = persistence.get(table(), vec![vec![1], vec![2]], Timestamp(at)).await.unwrap();
        let found: Vec<_> =
            found.into_iter().map(|found| found.map(|found| (found.timestamp.0, text_of(&found.document)))).collect();
        assert_eq!(found, [expected.map(|(timestamp, text)| (timestamp, text.to_owned())), None], "at {at}");
        let scanned = scan(persistence, KeyRange::all(), at, Order::Ascending, 9).await;
        assert_eq!(scanned, rows(&expected.map(|(_, text)| vec![(1, text)]).unwrap_or_default()), "at {at}");
    }
    let other = IndexId(InternalId([2; 16]));
    assert_eq!(scan_all(persistence, other, 99).await.unwrap(), []);
}

async fn scans_go_both_ways_and_stop(persistence: &dyn Persistence) {
    for id in [3, 1, 4, 2, 5] {
        persistence.write(insert(u64::from(id), document(id, &format!("{id}")))).await.unwrap();
    }
    persistence.write(change(6, document(4, "").0, None)).await.unwrap();
    let range = |start: u8, end: Option<u8>| KeyRange { start: vec![start], end: end.map(|end| vec![end]) };
    let (up, down) = (Order::Ascending, Order::Descending);
    let all = rows(&[(1, "1"), (2, "2"), (3, "3"), (5, "5")]);
    assert_eq!(scan(persistence, KeyRange::all(), 9, up, 9).await, all);
    assert_eq!(scan(persistence, KeyRange::all(), 9, down, 9).await, all.iter().rev().cloned().collect::<Vec<_>>());
    assert_eq!(scan(persistence, range(2, Some(5)), 9, up, 9).await, rows(&[(2, "2"), (3, "3")]));
    assert_eq!(scan(persistence, range(2, Some(5)), 9, down, 9).await, rows(&[(3, "3"), (2, "2")]));
    assert_eq!(scan(persistence, range(3, None), 9, up, 1).await, rows(&[(3, "3")]));
    assert_eq!(scan(persistence, range(0, None), 9, down, 2).await, rows(&[(5, "5"), (3, "3")]));
    assert_eq!(scan(persistence, range(5, Some(2)), 9, up, 9).await, []);
    assert_eq!(scan(persistence, KeyRange::all(), 9, up, 0).await, []);
}

/// Keys with hundreds of versions, between keys with one, at every timestamp, both ways, against a simple model.
async fn a_scan_is_not_confused_by_many_versions(persistence: &dyn Persistence) {
    let mut batch = WriteBatch::default();
    let mut model = BTreeMap::new();
    for at in 1..=300u64 {
        let id = match at % 10 {
            0 => (at / 10) as u8,
            odd if odd % 2 == 1 => 7,
            _ => 20,
        };
        let (key, content) = document(id, &format!("{at}"));
        let content = (at % 7 != 0).then_some(content);
        model.insert((id, at), content.as_ref().map(text_of));
        let one = change(at, key, content);
        batch.revisions.extend(one.revisions);
        batch.entries.extend(one.entries);
    }
    persistence.write(batch).await.unwrap();
    for at in (0..=301).step_by(13) {
        let mut newest = BTreeMap::new();
        for ((id, _), text) in model.iter().filter(|((_, written), _)| *written <= at) {
            newest.insert(*id, text.clone());
        }
        let expected: Vec<(u8, String)> = newest.into_iter().filter_map(|(id, text)| Some((id, text?))).collect();
        let up = scan(persistence, KeyRange::all(), at, Order::Ascending, 1000).await;
        assert_eq!(up, expected, "at {at}");
        let mut down = scan(persistence, KeyRange::all(), at, Order::Descending, 1000).await;
        down.reverse();
        assert_eq!(down, expected, "at {at}");
        let first = scan(persistence, KeyRange::all(), at, Order::Ascending, 3).await;
        assert_eq!(first, expected.iter().take(3).cloned().collect::<Vec<_>>(), "at {at}");
    }
}

async fn the_log_reads_in_its_order(persistence: &dyn Persistence) {
    let mut batch = WriteBatch::default();
    for (at, id, text) in [(5, 1, Some("1")), (5, 2, Some("2")), (5, 3, None), (7, 1, Some("4")), (8, 2, None)] {
        let (key, content) = document(id, text.unwrap_or_default());
        let one = change(at, key, text.map(|_| content));
        batch.revisions.extend(one.revisions);
        batch.entries.extend(one.entries);
    }
    batch.revisions[3].previous = Some(Timestamp(5));
    persistence.write(batch.clone()).await.unwrap();
    for (after, limit, expected) in
        [(0, 9, 0..5), (0, 3, 0..3), (0, 1, 0..3), (0, 4, 0..4), (5, 1, 3..4), (7, 9, 4..5), (8, 9, 5..5)]
    {
        let found = persistence.revisions(Timestamp(after), limit).await.unwrap();
        assert_eq!(found, batch.revisions[expected], "{limit} after {after}");
    }
    let keys = batch
        .revisions
        .iter()
        .map(|revision| (revision.timestamp, revision.key))
        .chain([(Timestamp(6), document(1, "").0)]);
    let contents = persistence.contents(keys.collect()).await.unwrap();
    let expected = batch.revisions.iter().map(|revision| revision.content.clone()).chain([None]);
    assert_eq!(contents, expected.collect::<Vec<_>>());
    for (at, expected) in [(4, 0), (5, 2), (7, 2), (8, 1)] {
        assert_eq!(persistence.count(table(), Timestamp(at)).await.unwrap(), expected, "at {at}");
    }
}

async fn what_is_pruned_is_gone(persistence: &dyn Persistence) {
    for (at, text) in [(5, "old"), (6, "new")] {
        persistence.write(insert(at, document(1, text))).await.unwrap();
    }
    let (key, _) = document(1, "");
    let prune = Prune { revisions: vec![(Timestamp(5), key)], entries: vec![(table(), vec![1], Timestamp(5))] };
    for _ in 0..2 {
        persistence.prune(prune.clone()).await.unwrap();
        assert_eq!(scan_all(persistence, table(), 5).await.unwrap(), []);
        assert_eq!(scan(persistence, KeyRange::all(), 6, Order::Ascending, 9).await, rows(&[(1, "new")]));
        assert_eq!(persistence.revisions(Timestamp::MIN, 9).await.unwrap().len(), 1);
    }
    assert_eq!(persistence.prune_index(IndexId(InternalId([2; 16])), 9).await.unwrap(), 0);
    persistence.write(insert(7, document(2, "more"))).await.unwrap();
    assert_eq!(persistence.prune_index(table(), 1).await.unwrap(), 1);
    assert_eq!(persistence.prune_index(table(), 9).await.unwrap(), 1);
    assert_eq!(scan_all(persistence, table(), 9).await.unwrap(), []);
}

async fn a_repeated_batch_changes_nothing(persistence: &dyn Persistence) {
    let batch = insert(5, document(1, "once"));
    persistence.write(batch.clone()).await.unwrap();
    persistence.write(batch).await.unwrap();
    assert_eq!(scan(persistence, KeyRange::all(), 9, Order::Ascending, 9).await, rows(&[(1, "once")]));
}

async fn everything_survives_reopening(store: &impl Store) {
    let persistence = store.open().await;
    persistence.write(insert(5, document(1, "kept"))).await.unwrap();
    drop(persistence);
    let persistence = store.open().await;
    assert_eq!(persistence.max_timestamp().await.unwrap(), Timestamp(5));
    assert_eq!(scan(&persistence, KeyRange::all(), 9, Order::Ascending, 9).await, rows(&[(1, "kept")]));
}

async fn globals_and_blobs_are_kept(store: &impl Store) {
    let persistence = store.open().await;
    persistence.set_global("a", 1.into()).await.unwrap();
    persistence.set_global("a", "two".into()).await.unwrap();
    let content = Bytes::from(vec![42; 20 << 20]);
    let id = persistence.put_blob(content.clone()).await.unwrap();
    assert_eq!(id, BlobId::of(&content));
    assert_eq!(BlobId::from_hex(&id.to_string()), Some(id));
    assert_eq!(persistence.put_blob(content.clone()).await.unwrap(), id);
    drop(persistence);
    let persistence = store.open().await;
    assert_eq!(persistence.get_global("a").await.unwrap(), Some("two".into()));
    assert_eq!(persistence.get_blob(id).await.unwrap(), Some(content));
}

async fn values_of_every_type_are_kept(persistence: &dyn Persistence) {
    let (key, _) = document(1, "");
    let fields = [
        ConvexValue::Null,
        ConvexValue::Int64(i64::MIN),
        ConvexValue::Float64(1_760_000_000_000.123_4),
        ConvexValue::Float64(-0.0),
        ConvexValue::Float64(f64::NAN),
        ConvexValue::Boolean(true),
        ConvexValue::from("\0\u{1F600}\"\\"),
        ConvexValue::Bytes(vec![0, 255]),
        ConvexValue::Array(vec![ConvexValue::Null]),
        ConvexValue::Object(ConvexObject::new()),
    ];
    let content: ConvexObject = (0..).zip(fields).map(|(number, value)| (format!("f{number}"), value)).collect();
    persistence.write(change(1, key, Some(content.clone()))).await.unwrap();
    let found = persistence.get(table(), vec![vec![1]], Timestamp(1)).await.unwrap();
    assert_eq!(*found[0].clone().unwrap().document, content);
}

/// Keys of up to 9,000 bytes that differ only at their ends, among short ones, at every limit, both ways.
async fn keys_may_be_long(persistence: &dyn Persistence) {
    let mut batch = WriteBatch::default();
    let mut keys = Vec::new();
    for length in [1, 2499, 2500, 2501, 2502, 2600, 3000, 3072, 9000] {
        for end in [0, 7, 255] {
            let id = keys.len() as u8;
            let mut key = vec![8; length];
            key.extend([end, id]);
            keys.push((key, id));
        }
    }
    // Written in an order that is not theirs.
    keys.sort_by_key(|(_, id)| id.wrapping_mul(101));
    for (key, id) in &keys {
        for (at, text) in [(1, "old"), (2, "new")] {
            let (document, content) = document(*id, text);
            let mut one = change(at, document, Some(content));
            one.entries[0].key.clone_from(key);
            batch.revisions.extend(one.revisions);
            batch.entries.extend(one.entries);
        }
    }
    persistence.write(batch.clone()).await.unwrap();
    persistence.write(batch).await.unwrap();
    keys.sort();
    let ids = |found: Vec<IndexRow>| found.into_iter().map(|row| row.key).collect::<Vec<_>>();
    let wanted: Vec<_> = keys.iter().map(|(key, _)| key.clone()).collect();
    let scan = |range, order, limit| persistence.scan(table(), range, Timestamp(9), order, limit);
    let found = persistence.get(table(), wanted.clone(), Timestamp(1)).await.unwrap();
    assert!(found.iter().all(|found| found.as_ref().is_some_and(|found| text_of(&found.document) == "old")));
    for limit in 0..=wanted.len() + 1 {
        let first = &wanted[..limit.min(wanted.len())];
        assert_eq!(ids(scan(KeyRange::all(), Order::Ascending, limit).await.unwrap()), first, "first {limit}");
        let last: Vec<_> = wanted.iter().rev().take(limit).cloned().collect();
        assert_eq!(ids(scan(KeyRange::all(), Order::Descending, limit).await.unwrap()), last, "last {limit}");
    }
    for start in 0..wanted.len() {
        for end in start..wanted.len() {
            let range = KeyRange { start: wanted[start].clone(), end: Some(wanted[end].clone()) };
            let found = ids(scan(range, Order::Ascending, 4).await.unwrap());
            assert_eq!(found, wanted[start..end.min(start + 4)], "{start}..{end}");
        }
    }
    let (last, _) = keys.pop().unwrap();
    let gone = Prune { revisions: Vec::new(), entries: vec![(table(), last, Timestamp(1))] };
    persistence.prune(gone).await.unwrap();
    assert_eq!(persistence.count(table(), Timestamp(1)).await.unwrap(), wanted.len() as u64 - 1);
    assert_eq!(persistence.count(table(), Timestamp(2)).await.unwrap(), wanted.len() as u64);
}

/// Into the store and out of it again; a store that is not empty is left alone.
async fn everything_can_be_moved(store: &impl Portable) {
    let source = MemoryPersistence::new();
    let mut long = insert(500, document(0, "long"));
    long.entries.push(IndexEntry { key: vec![7; 5000], ..long.entries[0].clone() });
    source.write(long).await.unwrap();
    for at in 1..400 {
        let (key, content) = document((at % 60) as u8, &format!("{at}"));
        source.write(change(at, key, (at % 9 != 0).then_some(content))).await.unwrap();
    }
    source.set_global("name", serde_json::json!({ "b": [1], "a": "\u{0}" })).await.unwrap();
    let blob = source.put_blob("content".into()).await.unwrap();
    let mut steps = Vec::new();
    let written = transfer(&source, store, "store", |step| steps.push(step)).await.unwrap();
    assert_eq!((written.revisions, written.entries, written.globals, written.blobs), (400, 401, 1, 1));
    assert!(steps.contains(&TransferProgress::Entries(401)) && steps.contains(&TransferProgress::Verified(802)));
    let back = MemoryPersistence::new();
    assert_eq!(transfer(store, &back, "back", |_| ()).await.unwrap(), written);
    assert_eq!(back.get_blob(blob).await.unwrap(), Some("content".into()));
    for at in [5, 100, 399, 500] {
        let (before, after) = (scan_all(&source, table(), at).await, scan_all(&back, table(), at).await);
        assert_eq!(before.unwrap(), after.unwrap());
    }
    let again = transfer(&source, store, "store", |_| ()).await.unwrap_err();
    assert!(matches!(&again, PersistenceError::NotEmpty { database } if database == "store"), "{again}");
}
