//! What is in memory, and results of queries that are.

use std::sync::Arc;

use crate::common::*;
use convex_wasm_database::{MemoryPersistence, Options, Persistence, QueryCache};
use convex_wasm_persistence::{Prune, Timestamp};
use serde_json::json;

/// Removes everything that is in a store, so that reads find what memory has and nothing else.
async fn empty(store: &MemoryPersistence) {
    let revisions = store.revisions(Timestamp::MIN, usize::MAX).await.unwrap();
    let revisions = revisions.iter().map(|revision| (revision.timestamp, revision.key)).collect();
    store.prune(Prune { revisions, entries: Vec::new() }).await.unwrap();
}

#[tokio::test]
async fn what_was_read_or_written_is_not_read_again() {
    let store = MemoryPersistence::new();
    let database = in_memory(&store, Options::default()).await;
    database.set_schema(&schema(json!({"t": [null, {"by_n": ["n"]}]}))).await.unwrap();
    let mut transaction = database.begin(begin());
    let mut ids = Vec::new();
    for n in 0..300 {
        ids.push(insert(&mut transaction, "t", json!({"n": n})).await.unwrap());
    }
    database.commit(transaction).await.unwrap();
    let query = || index_range("t.by_n", json!([{"type": "Gte", "fieldPath": "n", "value": 100}]), "desc");
    let before = collect(&mut database.begin(begin()), query()).await.unwrap();
    assert_eq!(before.len(), 200);
    empty(&store).await;
    assert_eq!(collect(&mut database.begin(begin()), query()).await.unwrap(), before);
    assert_eq!(get(&mut database.begin(begin()), &ids[7]).await.unwrap().unwrap()["n"], 7.0);
    // What was not read is asked from the store, which has lost it.
    let lower = index_range("t.by_n", json!([{"type": "Lt", "fieldPath": "n", "value": 100}]), "asc");
    assert!(collect(&mut database.begin(begin()), lower).await.is_err());
}

#[tokio::test]
async fn memory_is_bounded_and_survives_a_scan() {
    let store = MemoryPersistence::new();
    let cache_size = 400_000;
    let database = in_memory(&store, Options { cache_size, ..Options::default() }).await;
    let mut ids = Vec::new();
    for _ in 0..20 {
        let mut transaction = database.begin(begin());
        for n in 0..200 {
            ids.push(insert(&mut transaction, "t", json!({"n": n, "text": "text ".repeat(20)})).await.unwrap());
        }
        database.commit(transaction).await.unwrap();
        assert!(database.statistics().cache_size <= cache_size);
    }
    let hot = &ids[..20];
    for _ in 0..3 {
        for id in hot {
            get(&mut database.begin(begin()), id).await.unwrap().unwrap();
        }
    }
    assert_eq!(collect(&mut database.begin(begin()), full_scan("t")).await.unwrap().len(), ids.len());
    for id in &ids[20..] {
        get(&mut database.begin(begin()), id).await.unwrap().unwrap();
    }
    assert!(database.statistics().cache_size <= cache_size);
    empty(&store).await;
    for id in hot {
        assert!(get(&mut database.begin(begin()), id).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_query_result_is_known_until_something_changes_it() {
    let fixture = Fixture::new().await;
    fixture.insert("t", json!({"n": 1})).await;
    let cache = QueryCache::new(1_000);
    let subscribe = async || {
        let mut transaction = fixture.begin();
        let snapshot = transaction.timestamp();
        collect(&mut transaction, full_scan("t")).await.unwrap();
        let reads = Arc::new(transaction.into_read_set());
        (snapshot, fixture.database.subscribe(reads, snapshot).unwrap())
    };
    let (snapshot, subscription) = subscribe().await;
    cache.put("query", 1, 100, snapshot, subscription);
    fixture.insert("other", json!({})).await;
    let before = fixture.database.latest_timestamp();
    assert_eq!(cache.get(&"query", before), Some(1));
    assert_eq!(cache.get(&"another", before), None);
    assert_eq!(cache.get(&"query", Timestamp(snapshot.0 - 1)), None);
    fixture.insert("t", json!({"n": 2})).await;
    assert_eq!(cache.get(&"query", fixture.database.latest_timestamp()), None);
    assert_eq!(cache.get(&"query", before), Some(1));
    let (snapshot, subscription) = subscribe().await;
    cache.put("query", 2, 100, snapshot, subscription);
    assert_eq!(cache.get(&"query", fixture.database.latest_timestamp()), Some(2));
    for key in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"] {
        let (snapshot, subscription) = subscribe().await;
        cache.put(key, 3, 100, snapshot, subscription);
        assert!(cache.size() <= 1_000);
    }
    assert!(fixture.database.statistics().subscriptions <= 10);
    assert_eq!(cache.get(&"query", fixture.database.latest_timestamp()), Some(2));
}
