//! SQLite, in write-ahead-log mode with `synchronous=FULL`, as our store.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::{Peer, RANGE, row};
use crate::app;

/// A connection.
pub struct Sqlite(Connection);

impl Sqlite {
    /// Makes the table.
    pub fn open(path: &Path) -> Self {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;
                 CREATE TABLE messages (id TEXT PRIMARY KEY, creation_time REAL, channel TEXT, document TEXT) WITHOUT ROWID;
                 CREATE INDEX by_channel ON messages (channel, creation_time);",
            )
            .unwrap();
        Self(connection)
    }

    fn insert(&self, number: usize, channels: usize) {
        let (id, time, channel, document) = row(number, channels);
        let mut insert = self.0.prepare_cached("INSERT INTO messages VALUES (?1, ?2, ?3, ?4)").unwrap();
        insert.execute(params![id, time, channel, document]).unwrap();
    }
}

impl Peer for Sqlite {
    async fn fill(&mut self, documents: usize, channels: usize) {
        self.0.execute_batch("BEGIN").unwrap();
        (0..documents).for_each(|number| self.insert(number, channels));
        self.0.execute_batch("COMMIT").unwrap();
    }

    async fn gets(&mut self, count: usize, each: usize) -> Duration {
        let ids: Vec<String> = (0..count).map(|number| row(number, 1).0).collect();
        let mut select = self.0.prepare("SELECT document FROM messages WHERE id = $1").unwrap();
        let start = Instant::now();
        for ids in ids.chunks(each) {
            if each > 1 {
                self.0.execute_batch("BEGIN").unwrap();
            }
            for id in ids {
                let document: String = select.query_row([id], |row| row.get(0)).unwrap();
                assert!(!document.is_empty());
            }
            if each > 1 {
                self.0.execute_batch("COMMIT").unwrap();
            }
        }
        start.elapsed()
    }

    async fn ranges(&mut self, count: usize) -> Duration {
        let mut select = self.0.prepare(RANGE).unwrap();
        let start = Instant::now();
        for number in 0..count {
            let rows = select.query_map([app::channel(number % 50)], |row| row.get::<_, String>(0)).unwrap();
            assert!(rows.count() >= app::CHANNEL);
        }
        start.elapsed()
    }

    /// SQLite has one writer at a time, so more of them are not faster than one.
    async fn inserts(&mut self, numbers: Range<usize>, _writers: usize, channels: usize) -> Duration {
        let start = Instant::now();
        numbers.for_each(|number| self.insert(number, channels));
        start.elapsed()
    }
}
