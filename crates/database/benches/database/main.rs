//! What the operations of a transaction cost, beside raw SQLite doing the same in the same run.
//!
//! `cargo bench --package convex-wasm-database`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod raw;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use convex_wasm_database::{Begin, Database, DocumentArg, InsertArg, ReadSet, SqlitePersistence, Subscription};
use convex_wasm_values::Schema;
use raw::RawSqlite;
use serde_json::{Value as Json, json};

const DOCUMENTS: usize = 100_000;
const CHANNELS: usize = 1_000;
const SUBSCRIPTIONS: usize = 100_000;
const WRITERS: usize = 64;

fn begin() -> Begin {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let mut id_seed = [0; 32];
    id_seed[..8].copy_from_slice(&SEED.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    Begin { id_seed, unix_nanos: 1_760_000_000_000_000_000, writer: None, journal: None }
}

fn message(number: usize) -> InsertArg {
    let channel = format!("c{}", number % CHANNELS);
    let value = json!({"channel": channel, "body": "hello ".repeat(10), "number": number});
    InsertArg { table: "messages".to_owned(), value }
}

fn range(channel: usize, limit: usize) -> Json {
    json!({
        "source": {
            "type": "IndexRange", "indexName": "messages.by_channel", "order": "desc",
            "range": [{"type": "Eq", "fieldPath": "channel", "value": format!("c{channel}")}],
        },
        "operators": [{"limit": limit}],
    })
}

/// The least of three measurements: other programs only make them longer.
async fn best(mut measure: impl AsyncFnMut() -> Duration) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        best = best.min(measure().await);
    }
    best
}

fn print(name: &str, ours: Duration, raw: Option<Duration>) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let rate = 1.0 / ours.as_secs_f64();
    let raw = raw.map_or_else(
        || format!("{:>12} {:>8}", "", ""),
        |raw| format!("{:>12.2} {:>7.2}x", micros(raw), raw.as_secs_f64() / ours.as_secs_f64()),
    );
    println!("| {name:<50} | {:>10.2} | {rate:>10.0} | {raw} |", micros(ours));
}

async fn prepare(database: &Database) -> Vec<DocumentArg> {
    let index = json!([{"indexDescriptor": "by_channel", "fields": ["channel"]}]);
    let schema = json!({"tables": [{"tableName": "messages", "indexes": index, "documentType": null}]});
    database.set_schema(&Schema::from_json(&schema).unwrap()).await.unwrap();
    let mut ids = Vec::new();
    for chunk in 0..DOCUMENTS / 1_000 {
        let mut transaction = database.begin(begin());
        for number in 0..1_000 {
            let id = transaction.insert(&message(chunk * 1_000 + number)).await.unwrap().to_string();
            ids.push(DocumentArg { id, table: None, is_system: false });
        }
        database.commit(transaction).await.unwrap();
    }
    ids
}

async fn point_reads(database: &Database, ids: &[DocumentArg], raw: &RawSqlite) {
    let hot = &ids[..10_000];
    let count = hot.len();
    let read_all = async |each: usize| {
        let start = Instant::now();
        for chunk in hot.chunks(each) {
            let mut transaction = database.begin(begin());
            for id in chunk {
                assert!(transaction.get(id).await.unwrap().is_some());
            }
        }
        start.elapsed() / count as u32
    };
    let raw_time = best(async || raw.gets(count)).await;
    print("get, cached, 100 in a transaction", best(async || read_all(100).await).await, Some(raw_time));
    print("get, cached, alone in its transaction", best(async || read_all(1).await).await, Some(raw_time));
}

async fn ranges(database: &Database, raw: &RawSqlite) {
    let read = async || {
        let start = Instant::now();
        for number in 0..1_000 {
            let mut transaction = database.begin(begin());
            let query = transaction.query_stream(&range(number % 100, 1_000)).unwrap();
            let mut rows = 0;
            while transaction.query_next(query).await.unwrap().is_some() {
                rows += 1;
            }
            assert!(rows >= DOCUMENTS / CHANNELS);
        }
        start.elapsed() / 1_000
    };
    print("collect an index range of 100, cached", best(read).await, Some(best(async || raw.ranges(1_000)).await));
}

/// Commits one insert each from many tasks.
async fn commits(database: &Database, raw: &RawSqlite) {
    let each = 100;
    let mut group = 1;
    let ours = best(async || {
        let before = database.statistics();
        let start = Instant::now();
        let tasks: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let database = database.clone();
                tokio::spawn(async move {
                    for number in 0..each {
                        let mut transaction = database.begin(begin());
                        transaction.insert(&message(writer * each + number)).await.unwrap();
                        database.commit(transaction).await.unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let time = start.elapsed() / (WRITERS * each) as u32;
        let after = database.statistics();
        group = ((after.commits - before.commits) / (after.groups - before.groups)).max(1) as usize;
        time
    })
    .await;
    let theirs = best(async || raw.inserts(WRITERS * each, group)).await;
    print(&format!("insert and commit, {WRITERS} writers (groups of {group})"), ours, Some(theirs));
    let alone = best(async || {
        let start = Instant::now();
        for number in 0..200 {
            let mut transaction = database.begin(begin());
            transaction.insert(&message(number)).await.unwrap();
            database.commit(transaction).await.unwrap();
        }
        start.elapsed() / 200
    })
    .await;
    print("insert and commit, one writer", alone, Some(best(async || raw.inserts(200, 1)).await));
}

async fn subscriptions(database: &Database, ids: &[DocumentArg]) {
    let patch = async |id: &DocumentArg, number: usize| {
        let arg = convex_wasm_database::PatchArg { document: id.clone(), value: json!({"number": number}) };
        let mut transaction = database.begin(begin());
        transaction.patch(&arg).await.unwrap();
        let start = Instant::now();
        database.commit(transaction).await.unwrap();
        start.elapsed()
    };
    let mut number = DOCUMENTS;
    let mut without = Vec::new();
    for id in &ids[..100] {
        number += 1;
        without.push(patch(id, number).await);
    }
    let reads = async |id: &DocumentArg| -> (Arc<ReadSet>, _) {
        let mut transaction = database.begin(begin());
        let snapshot = transaction.timestamp();
        transaction.get(id).await.unwrap();
        (Arc::new(transaction.into_read_set()), snapshot)
    };
    let mut others: Vec<Subscription> = Vec::new();
    for number in 0..SUBSCRIPTIONS {
        let (reads, snapshot) = reads(&ids[100 + number % (ids.len() - 100)]).await;
        others.push(database.subscribe(reads, snapshot).unwrap());
    }
    let mut with = Vec::new();
    for id in &ids[..100] {
        let (reads, snapshot) = reads(id).await;
        let touched: Vec<_> = (0..10).map(|_| database.subscribe(reads.clone(), snapshot).unwrap()).collect();
        number += 1;
        with.push(patch(id, number).await);
        assert!(touched.iter().all(|subscription| subscription.check().is_err()));
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    print("commit, no subscriptions", median(&mut without), None);
    print("commit, 100,000 subscriptions, ten touched", median(&mut with), None);
}

#[tokio::main]
async fn main() {
    let directory = tempfile::tempdir().unwrap();
    let persistence = SqlitePersistence::open(directory.path().join("bench.sqlite3")).unwrap();
    let database = &Database::open(Arc::new(persistence)).await.unwrap();
    let ids = &prepare(database).await;
    let raw = &RawSqlite::new(&directory.path().join("raw.sqlite3"), DOCUMENTS, CHANNELS);
    println!("| {:<50} | {:>10} | {:>10} | {:>12} {:>8} |", "operation", "µs", "a second", "SQLite, µs", "ratio");
    println!("| {:-<50} | {:->10} | {:->10} | {:->21} |", "", "", "", "");
    point_reads(database, ids, raw).await;
    ranges(database, raw).await;
    commits(database, raw).await;
    subscriptions(database, ids).await;
}
