//! Commits beside raw SQLite writing the same rows with the same `fsync` in transactions as large as our groups.

use std::sync::Arc;
use std::time::Duration;

use convex_wasm_database::SqlitePersistence;

use crate::app;
use crate::operations::inserts;
use crate::raw::RawSqlite;
use crate::report::{Report, rate};

const DOCUMENTS: usize = 20_000;
const CHANNELS: usize = DOCUMENTS / app::CHANNEL;
const EACH: usize = 50;
const ROUNDS: usize = 8;

/// Measures and prints.
pub async fn run(report: &mut Report) {
    report.section(
        "Commits to SQLite",
        "Inserts a second, each committed alone by one of the writers; raw SQLite writes the same rows of documents and index \
         entries with the same fsync, in transactions as large as our groups.",
    );
    report.table(&["writers", "documents in a group", "ours", "raw SQLite", "ours / raw"]);
    let directory = tempfile::tempdir().unwrap();
    let persistence = SqlitePersistence::open(directory.path().join("ours.sqlite3")).unwrap();
    let database = app::open(Arc::new(persistence)).await;
    app::fill(&database, 0..DOCUMENTS, CHANNELS, &app::body(), 1).await;
    let raw = RawSqlite::new(&directory.path().join("raw.sqlite3"), DOCUMENTS, CHANNELS);
    for writers in [1, 8, 64] {
        let (mut group, mut ours, mut theirs) = (1, Duration::MAX, Duration::MAX);
        // By turns, since the disk is not always equally fast.
        for _ in 0..ROUNDS {
            let before = database.statistics();
            ours = ours.min(inserts(&database, writers, EACH, CHANNELS).await);
            let after = database.statistics();
            group = ((after.commits - before.commits) / (after.groups - before.groups)).max(1) as usize;
            theirs = theirs.min(raw.inserts(writers * EACH, group, CHANNELS));
        }
        let ratio = format!("{:.2}", theirs.as_secs_f64() / ours.as_secs_f64());
        report.row(&[writers.to_string(), group.to_string(), rate(ours), rate(theirs), ratio]);
    }
    database.shut_down().await;
}
