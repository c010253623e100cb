//! Memory does not grow with time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_database::{
    Database, DocumentArg, Options, PatchArg, RetentionOptions, SqlitePersistence, WriteLogOptions,
};
use serde_json::json;

use crate::app;
use crate::report::Report;

/// Operations; `CONVEX_WASM_BENCH_OPERATIONS` says otherwise.
const OPERATIONS: usize = 10_000_000;
/// Operations after which the memory is looked at for the first time.
const WARM_UP: usize = 100_000;
/// Documents that are there at a time.
const DOCUMENTS: usize = 4_000;
const CHANNELS: usize = 40;
/// Tasks that work at once.
const CLIENTS: usize = 32;

/// Runs and prints. What the database keeps for minutes by default it keeps for seconds here, so that all of it is full when
/// the memory is looked at for the first time.
pub async fn run(report: &mut Report) {
    let operations = operations(OPERATIONS);
    report.section(
        "Soak",
        &format!(
            "{operations} mixed operations of {CLIENTS} clients on SQLite: reads by id and by index, inserts, patches, deletions \
             and subscriptions; with retention."
        ),
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("soak.sqlite3");
    let persistence = Arc::new(SqlitePersistence::open(&path).unwrap());
    drop(app::open(persistence.clone()).await);
    let seconds = Duration::from_secs;
    let options = Options {
        cache_size: 4 << 20,
        write_log: WriteLogOptions { min_retention: seconds(1), max_retention: seconds(3), soft_max_size: 4 << 20 },
        retention: RetentionOptions {
            index_delay: seconds(3),
            document_delay: seconds(3),
            pause: Duration::from_millis(5),
            ..RetentionOptions::default()
        },
        ..Options::default()
    };
    let database = Database::open_with(persistence, options).await.unwrap();
    report.table(&["operations", "resident memory, MB", "file, MB", "operations a second"]);
    let mut done = 0;
    let mut clients: Vec<Client> = (0..CLIENTS).map(Client::new).collect();
    let start = Instant::now();
    let marks = [WARM_UP, operations / 4, operations / 2, operations];
    for mark in marks.into_iter().filter(|mark| *mark >= WARM_UP) {
        let each = mark.saturating_sub(done) / CLIENTS;
        let tasks: Vec<_> = std::mem::take(&mut clients)
            .into_iter()
            .map(|mut client| {
                let database = database.clone();
                tokio::spawn(async move {
                    for _ in 0..each {
                        client.step(&database).await;
                    }
                    client
                })
            })
            .collect();
        for task in tasks {
            clients.push(task.await.unwrap());
        }
        done += each * CLIENTS;
        let file = std::fs::metadata(&path).unwrap().len() as f64 / 1e6;
        let rate = done as f64 / start.elapsed().as_secs_f64();
        report.row(&[
            done.to_string(),
            format!("{:.1}", resident() as f64 / 1e6),
            format!("{file:.0}"),
            format!("{rate:.0}"),
        ]);
    }
    database.shut_down().await;
}

#[expect(clippy::disallowed_methods, reason = "a benchmark may be told its size")]
fn operations(default: usize) -> usize {
    std::env::var("CONVEX_WASM_BENCH_OPERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

/// Bytes of memory that the process has.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// One client and the documents it made.
struct Client {
    mine: VecDeque<DocumentArg>,
    /// State of a linear congruential generator.
    random: u64,
    number: usize,
}

impl Client {
    fn new(number: usize) -> Self {
        Self { mine: VecDeque::new(), random: number as u64 + 1, number: number << 32 }
    }

    fn draw(&mut self, below: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % below
    }

    /// One operation; a conflict, which needs no repetition here, counts as one.
    async fn step(&mut self, database: &Database) {
        let kind = self.draw(100);
        if self.mine.is_empty() || kind < 10 {
            self.number += 1;
            let mut transaction = database.begin(app::begin());
            let id = transaction.insert(&app::message(self.number, CHANNELS, &app::body())).await.unwrap();
            database.commit(transaction).await.unwrap();
            self.mine.push_back(app::by_id(id.to_string()));
            if self.mine.len() > DOCUMENTS / CLIENTS
                && let Some(oldest) = self.mine.pop_front()
            {
                let mut transaction = database.begin(app::begin());
                transaction.delete(&oldest).await.unwrap();
                database.commit(transaction).await.unwrap();
            }
            return;
        }
        let chosen = self.draw(self.mine.len());
        let id = self.mine[chosen].clone();
        match kind {
            10..25 => {
                let value = json!({"number": self.draw(1_000_000)});
                let mut transaction = database.begin(app::begin());
                transaction.patch(&PatchArg { document: id, value }).await.unwrap();
                database.commit(transaction).await.unwrap();
            }
            25..35 => {
                let channel = self.draw(CHANNELS);
                app::collect(database, &app::range(channel, 10)).await;
            }
            35..40 => {
                let mut transaction = database.begin(app::begin());
                let snapshot = transaction.timestamp();
                transaction.get(&id).await.unwrap();
                drop(database.subscribe(Arc::new(transaction.into_read_set()), snapshot));
            }
            _ => {
                let mut transaction = database.begin(app::begin());
                assert!(transaction.get(&id).await.unwrap().is_some());
            }
        }
    }
}
