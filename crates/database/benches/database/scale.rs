//! A small table and a large one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_database::{Database, SqlitePersistence};

use crate::app;
use crate::report::{Report, best, micros, times};

const SMALL: usize = 10_000;
/// Documents of the large table; `CONVEX_WASM_BENCH_DOCUMENTS` says otherwise.
const LARGE: usize = 10_000_000;
/// Documents that are read.
const READS: usize = 1_000;

struct Costs {
    cold: Duration,
    get: Duration,
    range: Duration,
    insert: Duration,
}

/// Measures and prints.
pub async fn run(report: &mut Report) {
    let large = documents(LARGE);
    report.section(
        "Scale",
        &format!("One table with {SMALL} and with {large} documents on SQLite, microseconds for one operation."),
    );
    let (few, many) = (measure(SMALL).await, measure(large).await);
    report.table(&["operation", &format!("{SMALL}"), &format!("{large}"), "times"]);
    let mut row = |name: &str, cost: &dyn Fn(&Costs) -> Duration| {
        let (few, many) = (cost(&few), cost(&many));
        report.row(&[name.to_owned(), micros(few), micros(many), times(many, few)]);
    };
    row("point read, the first one of a document", &|costs| costs.cold);
    row("point read", &|costs| costs.get);
    row("range of 10", &|costs| costs.range);
    row("insert and commit", &|costs| costs.insert);
}

#[expect(clippy::disallowed_methods, reason = "a benchmark may be told its size")]
fn documents(default: usize) -> usize {
    std::env::var("CONVEX_WASM_BENCH_DOCUMENTS").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

async fn measure(documents: usize) -> Costs {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scale.sqlite3");
    let channels = documents / app::CHANNEL;
    let database = app::open(Arc::new(SqlitePersistence::open(&path).unwrap())).await;
    let ids = app::fill(&database, 0..documents, channels, &app::body(), documents / READS).await;
    database.shut_down().await;
    // Opened again, so that nothing is in memory.
    let database = reopen(&path).await;
    let gets = async || {
        let start = Instant::now();
        for id in &ids {
            let mut transaction = database.begin(app::begin());
            assert!(transaction.get(id).await.unwrap().is_some());
        }
        start.elapsed() / ids.len() as u32
    };
    let cold = gets().await;
    let get = best(gets).await;
    let range = best(async || {
        let start = Instant::now();
        for number in 0..READS {
            assert_eq!(app::collect(&database, &app::range(number * 31 % channels, 10)).await, 10);
        }
        start.elapsed() / READS as u32
    });
    let range = range.await;
    let insert = best(async || {
        let start = Instant::now();
        for number in 0..200 {
            app::insert(&database, number, channels, &app::body()).await;
        }
        start.elapsed() / 200
    });
    let insert = insert.await;
    database.shut_down().await;
    Costs { cold, get, range, insert }
}

async fn reopen(path: &std::path::Path) -> Database {
    // The last tasks of the database that was closed may still hold the file.
    loop {
        match SqlitePersistence::open(path) {
            Ok(persistence) => return Database::open(Arc::new(persistence)).await.unwrap(),
            Err(_) => tokio::task::yield_now().await,
        }
    }
}
