//! What the operations of a transaction cost, on an SQLite file in the temporary directory.
//!
//! `cargo bench --package convex-wasm-database`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use convex_wasm_database::{Begin, Database, DocumentArg, InsertArg, PatchArg, SqlitePersistence};
use convex_wasm_values::Schema;
use serde_json::{Value as Json, json};

const DOCUMENTS: usize = 10_000;

fn begin() -> Begin {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let mut id_seed = [0; 32];
    id_seed[..8].copy_from_slice(&SEED.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    Begin { id_seed, unix_nanos: 1_760_000_000_000_000_000, writer: None, journal: None }
}

fn message(number: usize) -> InsertArg {
    let value = json!({"channel": format!("c{}", number % 100), "body": "hello ".repeat(10), "number": number});
    InsertArg { table: "messages".to_owned(), value }
}

/// Prints the median and the 99th percentile of `count` runs.
async fn measure<F: Future<Output = ()>>(name: &str, count: usize, mut run: impl FnMut(usize) -> F) {
    let mut times = Vec::with_capacity(count);
    for number in 0..count {
        let start = Instant::now();
        run(number).await;
        times.push(start.elapsed());
    }
    times.sort();
    let at = |part: f64| micros(times[((count - 1) as f64 * part) as usize]);
    println!("{name:<44} {:>9.1} µs median {:>9.1} µs p99", at(0.5), at(0.99));
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
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

async fn prepare(database: &Database) -> Vec<DocumentArg> {
    let index = json!([{"indexDescriptor": "by_channel", "fields": ["channel"]}]);
    let schema = json!({"tables": [{"tableName": "messages", "indexes": index, "documentType": null}]});
    database.set_schema(&Schema::from_json(&schema).unwrap()).await.unwrap();
    let mut ids = Vec::new();
    for chunk in 0..DOCUMENTS / 1_000 {
        let start = Instant::now();
        let mut transaction = database.begin(begin());
        for number in 0..1_000 {
            let id = transaction.insert(&message(chunk * 1_000 + number)).await.unwrap().to_string();
            ids.push(DocumentArg { id, table: None, is_system: false });
        }
        database.commit(transaction).await.unwrap();
        if chunk == 0 {
            println!(
                "{:<44} {:>9.1} µs a document",
                "insert and commit 1,000 documents",
                micros(start.elapsed()) / 1e3
            );
        }
    }
    ids
}

async fn parallel_commits(database: &Database, tasks: usize, each: usize) {
    let start = Instant::now();
    let tasks: Vec<_> = (0..tasks)
        .map(|_| {
            let database = database.clone();
            tokio::spawn(async move {
                for number in 0..each {
                    let mut transaction = database.begin(begin());
                    transaction.insert(&message(number)).await.unwrap();
                    database.commit(transaction).await.unwrap();
                }
            })
        })
        .collect();
    let count = tasks.len() * each;
    for task in tasks {
        task.await.unwrap();
    }
    println!(
        "{:<44} {:>9.0} commits a second",
        format!("{} writers", count / each),
        count as f64 / start.elapsed().as_secs_f64()
    );
}

#[tokio::main]
async fn main() {
    let directory = tempfile::tempdir().unwrap();
    let persistence = SqlitePersistence::open(directory.path().join("bench.sqlite3")).unwrap();
    let database = &Database::open(Arc::new(persistence)).await.unwrap();
    let ids = &prepare(database).await;
    let pick = |number: usize| &ids[number * 7_919 % ids.len()];

    measure("begin and commit an empty transaction", 10_000, |_| async {
        database.commit(database.begin(begin())).await.unwrap();
    })
    .await;
    measure("get, alone in its transaction", 10_000, |number| async move {
        assert!(database.begin(begin()).get(pick(number)).await.unwrap().is_some());
    })
    .await;
    measure("get 100 in one batch", 500, |number| async move {
        let batch: Vec<_> = (0..100).map(|offset| pick(number * 100 + offset).clone()).collect();
        assert_eq!(database.begin(begin()).get_many(&batch).await.len(), 100);
    })
    .await;
    measure("take 20 of an index range", 2_000, |number| async move {
        let mut transaction = database.begin(begin());
        let query = transaction.query_stream(&range(number % 100, 20)).unwrap();
        while transaction.query_next(query).await.unwrap().is_some() {}
    })
    .await;
    measure("collect 100 of an index range", 1_000, |number| async move {
        let mut transaction = database.begin(begin());
        let query = transaction.query_stream(&range(number % 100, 1_000)).unwrap();
        while transaction.query_next(query).await.unwrap().is_some() {}
    })
    .await;
    measure("insert, without commit", 10_000, |number| async move {
        database.begin(begin()).insert(&message(number)).await.unwrap();
    })
    .await;
    measure("patch, without commit", 10_000, |number| async move {
        let arg = PatchArg { document: pick(number).clone(), value: json!({"number": -1}) };
        database.begin(begin()).patch(&arg).await.unwrap();
    })
    .await;
    measure("insert and commit, durable", 1_000, |number| async move {
        let mut transaction = database.begin(begin());
        transaction.insert(&message(number)).await.unwrap();
        database.commit(transaction).await.unwrap();
    })
    .await;
    for tasks in [1, 8, 64, 512] {
        parallel_commits(database, tasks, 4_096 / tasks.max(8)).await;
    }
}
