//! What live subscriptions cost a commit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_database::{Database, DocumentArg, MemoryPersistence, PatchArg, Subscription};
use serde_json::json;

use crate::app;
use crate::report::{Report, median, micros, times};

const DOCUMENTS: usize = 100_000;
const SUBSCRIPTIONS: usize = 100_000;
const COMMITS: usize = 500;

/// Measures and prints. The store is the one in memory, so that no disk hides the difference.
pub async fn run(report: &mut Report) {
    report.section(
        "Subscriptions",
        "A commit of one changed document, in microseconds, the one in the middle of 500. The store is in memory: no disk hides \
         what subscriptions cost.",
    );
    let database = app::open(Arc::new(MemoryPersistence::default())).await;
    let ids = app::fill(&database, 0..DOCUMENTS, DOCUMENTS / app::CHANNEL, &app::body(), 1).await;
    let (touched, others) = ids.split_at(COMMITS);
    let without = commits(&database, touched, 0).await;
    let mut watched: Vec<Subscription> = Vec::new();
    for number in 0..SUBSCRIPTIONS {
        watched.push(watch(&database, &others[number % others.len()]).await);
    }
    let beside = commits(&database, touched, 0).await;
    let with = commits(&database, touched, 10).await;
    assert!(watched.iter().all(|subscription| subscription.check().is_ok()));
    report.table(&["subscriptions", "µs", "times"]);
    report.row(&["none".to_owned(), micros(without), times(without, without)]);
    report.row(&["100,000, none touched".to_owned(), micros(beside), times(beside, without)]);
    report.row(&["100,000, ten touched".to_owned(), micros(with), times(with, without)]);
}

/// The time of a commit that ends so many subscriptions.
async fn commits(database: &Database, ids: &[DocumentArg], touched: usize) -> Duration {
    let mut all = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        let mut ended = Vec::new();
        for _ in 0..touched {
            ended.push(watch(database, id).await);
        }
        let value = json!({"number": DOCUMENTS * (touched + 1) + number, "at": format!("{:?}", Instant::now())});
        let mut transaction = database.begin(app::begin());
        transaction.patch(&PatchArg { document: id.clone(), value }).await.unwrap();
        let start = Instant::now();
        database.commit(transaction).await.unwrap();
        all.push(start.elapsed());
        assert!(ended.iter().all(|subscription| subscription.check().is_err()));
    }
    median(all)
}

async fn watch(database: &Database, id: &DocumentArg) -> Subscription {
    let mut transaction = database.begin(app::begin());
    let snapshot = transaction.timestamp();
    transaction.get(id).await.unwrap();
    database.subscribe(Arc::new(transaction.into_read_set()), snapshot).unwrap()
}
