//! The same workload on our three stores and on three databases as apps use them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_database::{Database, DocumentArg, Persistence, SqlitePersistence};

use crate::app::{self, CHANNEL};
use crate::conformance::Store as _;
use crate::peers::{Peer, mysql, postgres, sqlite};
use crate::report::{Report, best, micros, rate};
use crate::servers::mariadb::Mariadb;
use crate::servers::postgres::Postgres;
use crate::servers::{Kind, Server};

const DOCUMENTS: usize = 20_000;
const CHANNELS: usize = DOCUMENTS / CHANNEL;
/// Documents that are read again and again.
const HOT: usize = 5_000;
const WRITERS: usize = 64;

/// What each operation takes.
pub struct Times {
    pub name: String,
    pub get: Duration,
    pub get_many: Duration,
    pub range: Duration,
    pub insert: Duration,
    pub inserts: Duration,
}

/// Measures all of them, and prints the table.
pub async fn run(report: &mut Report) {
    report.section(
        "Operations",
        &format!(
            "{DOCUMENTS} documents of 150 bytes in {CHANNELS} channels. Ours: the transaction API on each store, with everything \
             that is read in memory. The others: a table with a primary key and an index on channel and time, prepared \
             statements, default settings, every commit on disk. Microseconds for one; in the last line of one of {WRITERS} \
             at once."
        ),
    );
    let directory = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    let persistence = SqlitePersistence::open(directory.path().join("ours.sqlite3")).unwrap();
    all.push(ours("SQLite", Arc::new(persistence)).await);
    let servers = (Server::<Postgres>::start(), Server::<Mariadb>::start());
    all.extend(ours_on("PostgreSQL", servers.0.as_ref()).await);
    all.extend(ours_on("MariaDB", servers.1.as_ref()).await);
    all.push(theirs("SQLite", sqlite::Sqlite::open(&directory.path().join("plain.sqlite3"))).await);
    if let Some(server) = &servers.0 {
        all.push(theirs("PostgreSQL", postgres::Client::open(&server.kind.url(server.port, "postgres")).await).await);
    }
    if let Some(server) = &servers.1 {
        all.push(theirs("MariaDB", mysql::Client::open(&server.kind.url(server.port, "mysql")).await).await);
    }
    print(report, &all);
}

fn print(report: &mut Report, all: &[Times]) {
    let names: Vec<&str> = all.iter().map(|times| times.name.as_str()).collect();
    report.table(&[&["operation"], names.as_slice()].concat());
    let mut row = |operation: &str, time: &dyn Fn(&Times) -> Duration| {
        let cells: Vec<String> = all.iter().map(|times| micros(time(times))).collect();
        report.row(&[&[operation.to_owned()], cells.as_slice()].concat());
    };
    row("get by id", &|times| times.get);
    row("get by id, 100 in a transaction", &|times| times.get_many);
    row("range of an index, 100 documents", &|times| times.range);
    row("insert and commit, one writer", &|times| times.insert);
    row("insert and commit, 64 writers", &|times| times.inserts);
    if let Some(ours) = all.first() {
        let (alone, together) = (rate(ours.get), rate(ours.get_many));
        report.note(&format!("Point reads in memory on one core: {alone} a second alone, {together} in hundreds."));
    }
}

async fn ours_on<K: Kind>(name: &str, server: Option<&Server<K>>) -> Option<Times> {
    let store = server?.new_store().open().await;
    Some(ours(name, Arc::new(store)).await)
}

async fn ours(name: &str, persistence: Arc<dyn Persistence>) -> Times {
    let database = app::open(persistence).await;
    let ids = app::fill(&database, 0..DOCUMENTS, CHANNELS, &app::body(), 1).await;
    let hot = &ids[..HOT];
    let times = Times {
        name: format!("ours on {name}"),
        get: best(async || gets(&database, hot, 1).await).await,
        get_many: best(async || gets(&database, hot, 100).await).await,
        range: best(async || {
            let start = Instant::now();
            for number in 0..500 {
                let rows = app::collect(&database, &app::range(number % 50, 1_000)).await;
                assert!(rows >= CHANNEL);
            }
            start.elapsed() / 500
        })
        .await,
        insert: best(async || {
            let start = Instant::now();
            for number in 0..100 {
                app::insert(&database, number, CHANNELS, &app::body()).await;
            }
            start.elapsed() / 100
        })
        .await,
        inserts: best(async || inserts(&database, WRITERS, 30, CHANNELS).await).await,
    };
    database.shut_down().await;
    times
}

/// Reads documents, `each` of them in a transaction.
async fn gets(database: &Database, ids: &[DocumentArg], each: usize) -> Duration {
    let start = Instant::now();
    for chunk in ids.chunks(each) {
        let mut transaction = database.begin(app::begin());
        for id in chunk {
            assert!(transaction.get(id).await.unwrap().is_some());
        }
    }
    start.elapsed() / ids.len() as u32
}

/// Inserts messages from many tasks, each message in a transaction of its own.
pub async fn inserts(database: &Database, writers: usize, each: usize, channels: usize) -> Duration {
    let start = Instant::now();
    let writers_of = |writer: usize| {
        let database = database.clone();
        tokio::spawn(async move {
            for number in 0..each {
                app::insert(&database, writer * each + number, channels, &app::body()).await;
            }
        })
    };
    let tasks: Vec<_> = (0..writers).map(writers_of).collect();
    for task in tasks {
        task.await.unwrap();
    }
    start.elapsed() / (writers * each) as u32
}

async fn theirs<P: Peer>(name: &str, mut peer: P) -> Times {
    peer.fill(DOCUMENTS, CHANNELS).await;
    let mut next = DOCUMENTS;
    Times {
        name: name.to_owned(),
        get: best(async || peer.gets(HOT, 1).await / HOT as u32).await,
        get_many: best(async || peer.gets(HOT, 100).await / HOT as u32).await,
        range: best(async || peer.ranges(500).await / 500).await,
        insert: best(async || {
            next += 100;
            peer.inserts(next..next + 100, 1, CHANNELS).await / 100
        })
        .await,
        inserts: best(async || {
            next += WRITERS * 30;
            peer.inserts(next..next + WRITERS * 30, WRITERS, CHANNELS).await / (WRITERS * 30) as u32
        })
        .await,
    }
}
