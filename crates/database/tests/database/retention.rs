//! Old revisions go, and nobody misses them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use crate::common::*;
use convex_wasm_database::{
    Database, MemoryPersistence, Options, Persistence, RetentionOptions, World, WriteLogOptions,
};
use convex_wasm_persistence::Timestamp;
use serde_json::json;

const SECOND: u64 = 1_000_000_000;

/// A clock that a test sets.
#[derive(Clone)]
struct Clock(Arc<AtomicU64>);

impl World for Clock {
    fn unix_nanos(&self) -> u64 {
        self.0.load(SeqCst)
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|byte| *byte = self.0.fetch_add(1, SeqCst) as u8 ^ 0x5A);
    }
}

impl Clock {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_760_000_000 * SECOND)))
    }

    fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds * SECOND, SeqCst);
    }
}

fn options(clock: &Clock, index_delay: u64, document_delay: u64) -> Options {
    let retention = RetentionOptions {
        index_delay: Duration::from_secs(index_delay),
        document_delay: Duration::from_secs(document_delay),
        chunk: 7,
        pause: Duration::from_millis(1),
        idle: Duration::from_millis(1),
    };
    let write_log = WriteLogOptions {
        min_retention: Duration::from_secs(10),
        max_retention: Duration::from_secs(10),
        soft_max_size: usize::MAX,
    };
    Options { world: Arc::new(clock.clone()), retention, write_log, cache_size: 0, ..Options::default() }
}

async fn revisions(store: &MemoryPersistence) -> usize {
    store.revisions(Timestamp::MIN, usize::MAX).await.unwrap().len()
}

/// Waits until retention has nothing more to do.
async fn settle() {
    tokio::time::sleep(Duration::from_secs(5)).await;
}

/// Ten documents, each changed and moved in an index ten times; two deleted. Returns their ids.
async fn churn(database: &Database, clock: &Clock) -> Vec<String> {
    database.set_schema(&schema(json!({"t": [null, {"by_n": ["n"]}]}))).await.unwrap();
    let mut ids = Vec::new();
    for n in 0..10 {
        let mut transaction = database.begin(begin());
        ids.push(insert(&mut transaction, "t", json!({"n": n})).await.unwrap());
        database.commit(transaction).await.unwrap();
    }
    for round in 1..10 {
        for (n, id) in ids.iter().enumerate() {
            let mut transaction = database.begin(begin());
            // Some move back and forth, some stay.
            patch(&mut transaction, id, json!({"n": n * (round % 3), "round": round})).await.unwrap();
            database.commit(transaction).await.unwrap();
        }
        clock.advance(1);
    }
    for id in ids.split_off(8) {
        let mut transaction = database.begin(begin());
        delete(&mut transaction, &id).await.unwrap();
        database.commit(transaction).await.unwrap();
    }
    ids
}

#[tokio::test(start_paused = true)]
async fn what_was_replaced_goes_after_its_time() {
    let (store, clock) = (MemoryPersistence::new(), Clock::new());
    let database = in_memory(&store, options(&clock, 60, 600)).await;
    let ids = churn(&database, &clock).await;
    let full = revisions(&store).await;
    settle().await;
    assert_eq!(revisions(&store).await, full);
    clock.advance(100);
    settle().await;
    let entries = store.entries();
    assert_eq!(revisions(&store).await, full, "index entries go before revisions");
    clock.advance(1_000);
    settle().await;
    let kept = revisions(&store).await;
    assert!(kept < full - 85, "{kept} of {full} are kept");
    assert_eq!(store.entries(), entries);
    // The newest commit is one that deletes; it has to wait for the next one.
    let mut transaction = database.begin(begin());
    patch(&mut transaction, &ids[0], json!({"n": -1})).await.unwrap();
    database.commit(transaction).await.unwrap();
    clock.advance(1_000);
    settle().await;
    let by_n = index_range("t.by_n", json!([]), "asc");
    let rows = collect(&mut database.begin(begin()), by_n.clone()).await.unwrap();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows, {
        database.clone().shut_down().await;
        let database = in_memory(&store, options(&clock, 60, 600)).await;
        assert_eq!(database.begin(begin()).count("t").unwrap(), 8);
        collect(&mut database.begin(begin()), by_n).await.unwrap()
    });
    // Documents of users are in three indexes; those of the system's tables too, but for schemas, which are in two.
    let kept = revisions(&store).await;
    assert!(kept < 8 + 20, "{kept} revisions are kept");
    assert!(store.entries() <= 3 * kept, "{} entries for {kept} revisions", store.entries());
}

#[tokio::test(start_paused = true)]
async fn a_reader_keeps_what_it_reads() {
    let (store, clock) = (MemoryPersistence::new(), Clock::new());
    let database = in_memory(&store, options(&clock, 0, 0)).await;
    churn(&database, &clock).await;
    let mut reader = database.begin(begin());
    let by_n = || index_range("t.by_n", json!([]), "asc");
    let before = collect(&mut database.begin(begin()), by_n()).await.unwrap();
    for round in 0..20 {
        for row in &before {
            let mut transaction = database.begin(begin());
            patch(&mut transaction, row["_id"].as_str().unwrap(), json!({"n": round})).await.unwrap();
            database.commit(transaction).await.unwrap();
        }
        clock.advance(5);
        settle().await;
    }
    assert_eq!(collect(&mut reader, by_n()).await.unwrap(), before);
    let while_read = revisions(&store).await;
    drop(reader);
    settle().await;
    assert!(revisions(&store).await < while_read);
}

#[tokio::test(start_paused = true)]
async fn delays_may_change_back_and_forth() {
    let (store, clock) = (MemoryPersistence::new(), Clock::new());
    let mut database = in_memory(&store, options(&clock, 1_000, 1_000)).await;
    let ids = churn(&database, &clock).await;
    for delay in [0, 1_000, 50, 1_000, 0] {
        database.shut_down().await;
        database = in_memory(&store, options(&clock, delay, delay)).await;
        for id in &ids {
            let mut transaction = database.begin(begin());
            patch(&mut transaction, id, json!({"delay": delay, "at": clock.0.load(SeqCst)})).await.unwrap();
            database.commit(transaction).await.unwrap();
        }
        clock.advance(100);
        settle().await;
        let rows = collect(&mut database.begin(begin()), full_scan("t")).await.unwrap();
        assert!(rows.len() == 8 && field(&rows, "delay").iter().all(|found| *found == delay as f64));
    }
}
