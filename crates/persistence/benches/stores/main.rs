//! The same operations on every store, one table: SQLite in a file, PostgreSQL and MariaDB started on this machine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops when something is wrong"
)]

#[path = "../../tests/conformance/mod.rs"]
mod conformance;
#[path = "../../tests/servers/mod.rs"]
mod servers;

use std::sync::Arc;
use std::time::Instant;

use convex_wasm_persistence::{
    DocumentKey, IndexEntry, KeyRange, Order, Portable, Revision, SqlitePersistence, TabletId, Timestamp, WriteBatch,
};
use convex_wasm_values::{ConvexObject, ConvexValue, InternalId};

use conformance::{Store as _, table};
use servers::mariadb::Mariadb;
use servers::postgres::Postgres;
use servers::{Kind, Server};

/// Documents before the measurements.
const DOCUMENTS: u64 = 20_000;
/// Documents of a batch while the table is filled, and rows of a range.
const MANY: u64 = 100;
/// Times that each operation is done.
const ROUNDS: u64 = 300;

/// A document's key in the index: nothing in its order is the order in which documents are written.
fn key(number: u64) -> Vec<u8> {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes().to_vec()
}

/// A batch of new documents of 200 bytes, each with an entry in one index.
fn batch(numbers: std::ops::Range<u64>) -> WriteBatch {
    let mut batch = WriteBatch::default();
    for number in numbers {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.to_be_bytes());
        let document = DocumentKey { tablet: TabletId(InternalId([9; 16])), id: InternalId(id) };
        let text = ConvexValue::from("x".repeat(180).as_str());
        let content = Some(Arc::new(ConvexObject::from([("text".to_owned(), text)])));
        let timestamp = Timestamp(number + 1);
        batch.revisions.push(Revision { timestamp, key: document, content, previous: None });
        batch.entries.push(IndexEntry { index: table(), key: key(number), timestamp, document: Some(document) });
    }
    batch
}

/// Microseconds that a round takes.
async fn micros(mut round: impl AsyncFnMut(u64)) -> f64 {
    let start = Instant::now();
    for number in 0..ROUNDS {
        round(number).await;
    }
    start.elapsed().as_secs_f64() * 1e6 / ROUNDS as f64
}

async fn measure(name: &str, store: &dyn Portable) {
    for first in (0..DOCUMENTS).step_by(MANY as usize) {
        store.write(batch(first..first + MANY)).await.unwrap();
    }
    let now = Timestamp(DOCUMENTS);
    let number = |round: u64| round * 61 % DOCUMENTS;
    let get = micros(async |round| {
        let found = store.get(table(), vec![key(number(round))], now).await.unwrap();
        assert!(found[0].is_some());
    });
    let get = get.await;
    let get_many = micros(async |round| {
        let keys = (0..MANY).map(|one| key((number(round) + one) % DOCUMENTS)).collect();
        assert!(store.get(table(), keys, now).await.unwrap().iter().all(Option::is_some));
    });
    let get_many = get_many.await;
    let scan = micros(async |round| {
        let range = KeyRange { start: (round * (u64::MAX / 2 / ROUNDS)).to_be_bytes().to_vec(), end: None };
        let rows = store.scan(table(), range, now, Order::Ascending, MANY as usize).await.unwrap();
        assert_eq!(rows.len() as u64, MANY);
    });
    let scan = scan.await;
    let one = micros(async |round| store.write(batch(DOCUMENTS + round..DOCUMENTS + round + 1)).await.unwrap()).await;
    let first = DOCUMENTS + ROUNDS;
    let many = micros(async |round| {
        store.write(batch(first + round * MANY..first + (round + 1) * MANY)).await.unwrap();
    });
    let many = many.await;
    println!("| {name:<10} | {get:>8.0} | {get_many:>8.0} | {scan:>8.0} | {one:>8.0} | {many:>8.0} |");
}

async fn measure_server<K: Kind>(name: &str) {
    if let Some(server) = Server::<K>::start() {
        measure(name, &server.new_store().open().await).await;
    }
}

#[tokio::main]
async fn main() {
    println!("Microseconds each, one client, {DOCUMENTS} documents of 200 bytes:");
    println!("| store      |      get |  get 100 | scan 100 |   commit | commit 100 |");
    println!("| ---------- | -------: | -------: | -------: | -------: | ---------: |");
    let directory = tempfile::TempDir::new().unwrap();
    measure("SQLite", &SqlitePersistence::open(directory.path().join("bench.sqlite3")).unwrap()).await;
    measure_server::<Postgres>("PostgreSQL").await;
    measure_server::<Mariadb>("MariaDB").await;
}
