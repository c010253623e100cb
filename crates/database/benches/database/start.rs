//! How long a large database takes to answer after it was opened.

use std::sync::Arc;
use std::time::Instant;

use convex_wasm_database::{Database, SqlitePersistence};

use crate::app;
use crate::report::Report;

/// Documents, of 1 kB each with their index entries.
const DOCUMENTS: usize = 1_000_000;

/// Measures and prints.
pub async fn run(report: &mut Report) {
    report.section(
        "Start",
        "Seconds until an SQLite database answers a point read and a range: after it was closed, and after its process was killed, \
         when table counts are brought up to date from the log.",
    );
    report.table(&["documents", "bytes", "closed, s", "killed, s"]);
    let directory = tempfile::tempdir().unwrap();
    let (path, copy) = (directory.path().join("start.sqlite3"), directory.path().join("killed.sqlite3"));
    let channels = DOCUMENTS / app::CHANNEL;
    let body = "x".repeat(780);
    let database = app::open(Arc::new(SqlitePersistence::open(&path).unwrap())).await;
    let ids = app::fill(&database, 0..DOCUMENTS, channels, &body, DOCUMENTS / 10).await;
    for suffix in ["", "-wal"] {
        let with = |path: &std::path::Path| format!("{}{suffix}", path.display());
        std::fs::copy(with(&path), with(&copy)).unwrap();
    }
    database.shut_down().await;
    let mut seconds = Vec::new();
    for path in [&path, &copy] {
        let start = Instant::now();
        let persistence = loop {
            if let Ok(persistence) = SqlitePersistence::open(path) {
                break persistence;
            }
            tokio::task::yield_now().await;
        };
        let database = Database::open(Arc::new(persistence)).await.unwrap();
        assert!(database.begin(app::begin()).get(&ids[5]).await.unwrap().is_some());
        assert_eq!(app::collect(&database, &app::range(7, 10)).await, 10);
        seconds.push(format!("{:.2}", start.elapsed().as_secs_f64()));
        database.shut_down().await;
    }
    let bytes = format!("{:.2} GB", std::fs::metadata(&path).unwrap().len() as f64 / 1e9);
    report.row(&[DOCUMENTS.to_string(), bytes, seconds[0].clone(), seconds[1].clone()]);
}
