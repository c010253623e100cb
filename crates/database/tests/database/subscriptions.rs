//! When subscriptions end, and that table counts are right.

use std::sync::Arc;

use crate::common::*;
use convex_wasm_database::{Subscription, Timestamp};
use serde_json::{Value as Json, json};

fn between(low: i32, high: i32) -> Json {
    let range = json!([
        {"type": "Gte", "fieldPath": "n", "value": low},
        {"type": "Lt", "fieldPath": "n", "value": high},
    ]);
    index_range("t.by_n", range, "asc")
}

async fn numbers() -> Fixture {
    Fixture::with_schema(json!({"t": [null, {"by_n": ["n"]}]})).await
}

async fn subscribe(fixture: &Fixture, query: Json) -> (Subscription, Timestamp) {
    let mut transaction = fixture.begin();
    let timestamp = transaction.timestamp();
    collect(&mut transaction, query).await.unwrap();
    let reads = Arc::new(transaction.into_read_set());
    (fixture.database.subscribe(reads, timestamp).unwrap(), timestamp)
}

#[tokio::test]
async fn a_commit_ends_those_that_read_what_it_changes() {
    let fixture = numbers().await;
    let mut subscriptions = Vec::new();
    for low in 0..50 {
        subscriptions.push(subscribe(&fixture, between(low * 10, low * 10 + 15)).await.0);
    }
    let id = fixture.insert("t", json!({"n": 122})).await;
    let ended = |subscriptions: &[Subscription]| -> Vec<usize> {
        (0..50).filter(|number| subscriptions[*number].check().is_err()).collect()
    };
    assert_eq!(ended(&subscriptions), [11, 12]);
    let mut transaction = fixture.begin();
    patch(&mut transaction, &id, json!({"n": 301})).await.unwrap();
    let committed = fixture.database.commit(transaction).await.unwrap();
    assert_eq!(ended(&subscriptions), [11, 12, 29, 30]);
    let conflict = subscriptions[30].invalidated().await.unwrap();
    assert_eq!(conflict.timestamp, committed.timestamp);
    assert_eq!(conflict.writer.as_deref(), Some("test:function"));
    assert_eq!(subscriptions[0].check(), Ok(committed.timestamp));
}

#[tokio::test]
async fn a_change_before_the_subscription_counts() {
    let fixture = numbers().await;
    let mut transaction = fixture.begin();
    let timestamp = transaction.timestamp();
    collect(&mut transaction, between(0, 10)).await.unwrap();
    let reads = Arc::new(transaction.into_read_set());
    fixture.insert("t", json!({"n": 20})).await;
    assert!(fixture.database.subscribe(reads.clone(), timestamp).unwrap().check().is_ok());
    fixture.insert("t", json!({"n": 5})).await;
    let after = fixture.database.latest_timestamp();
    let mut late = fixture.database.subscribe(reads, timestamp).unwrap();
    assert_eq!(late.check().unwrap_err().timestamp, after);
    assert_eq!(late.invalidated().await.unwrap().timestamp, after);
}

#[tokio::test]
async fn a_new_table_ends_those_that_looked_for_it() {
    let fixture = numbers().await;
    let (subscription, _) = subscribe(&fixture, full_scan("later")).await;
    fixture.insert("t", json!({"n": 1})).await;
    assert!(subscription.check().is_ok());
    fixture.insert("later", json!({})).await;
    assert!(subscription.check().is_err());
}

#[tokio::test]
async fn counts_are_right_at_every_snapshot_and_after_a_restart() {
    let fixture = numbers().await;
    let mut snapshots = Vec::new();
    let mut ids = Vec::new();
    for n in 0..20 {
        ids.push(fixture.insert("t", json!({"n": n})).await);
        if n % 3 == 0 {
            let mut transaction = fixture.begin();
            delete(&mut transaction, &ids.swap_remove(0)).await.unwrap();
            assert_eq!(transaction.count("t").unwrap(), ids.len() as u64);
            fixture.database.commit(transaction).await.unwrap();
        }
        snapshots.push((fixture.database.latest_timestamp(), ids.len() as u64));
    }
    for (timestamp, count) in snapshots {
        assert_eq!(fixture.database.begin_at(timestamp, begin()).unwrap().count("t").unwrap(), count);
    }
    let Fixture { database, directory } = fixture;
    // Without a checkpoint: the database was not shut down.
    drop(database);
    let database = open_again(directory.path()).await;
    assert_eq!(database.begin(begin()).count("t").unwrap(), ids.len() as u64);
    database.shut_down().await;
    // With a checkpoint, and commits after it.
    let database = open_again(directory.path()).await;
    let mut transaction = database.begin(begin());
    insert(&mut transaction, "t", json!({"n": 1})).await.unwrap();
    database.commit(transaction).await.unwrap();
    drop(database);
    let database = open_again(directory.path()).await;
    assert_eq!(database.begin(begin()).count("t").unwrap(), ids.len() as u64 + 1);
}
