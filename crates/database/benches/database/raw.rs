//! Raw SQLite with the same rows, the same indexes and the same `fsync` setting.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::app;

/// A connection to a database with a table of documents and one of index entries.
pub struct RawSqlite {
    connection: Connection,
}

fn id(number: usize) -> [u8; 16] {
    // Spread over the keys as random ids are.
    let mixed = (number as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    mixed.to_be_bytes()
}

impl RawSqlite {
    pub fn new(path: &Path, documents: usize, channels: usize) -> Self {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;
                 CREATE TABLE documents (ts INTEGER, table_id BLOB, id BLOB, json_value TEXT, deleted INTEGER,
                     prev_ts INTEGER, PRIMARY KEY (ts, table_id, id));
                 CREATE TABLE indexes (index_id BLOB, key BLOB, ts INTEGER, deleted INTEGER, table_id BLOB,
                     document_id BLOB, PRIMARY KEY (index_id, key, ts)) WITHOUT ROWID;",
            )
            .unwrap();
        let raw = Self { connection };
        raw.connection.execute_batch("BEGIN").unwrap();
        (0..documents).for_each(|number| raw.insert(number, channels));
        raw.connection.execute_batch("COMMIT").unwrap();
        raw
    }

    fn insert(&self, number: usize, channels: usize) {
        let json = format!(
            r#"{{"_creationTime":1760000000000.25,"_id":"j57584wrpyf3v54b61v9v1g91x7s4mch","body":"{}","channel":"{}","number":{number}}}"#,
            app::body(),
            app::channel(number % channels)
        );
        let (table, id, ts) = ([1u8; 16], id(number), number as i64);
        let mut insert =
            self.connection.prepare_cached("INSERT INTO documents VALUES (?1, ?2, ?3, ?4, 0, NULL)").unwrap();
        insert.execute(params![ts, table, id, json]).unwrap();
        let mut insert = self.connection.prepare_cached("INSERT INTO indexes VALUES (?1, ?2, ?3, 0, ?4, ?5)").unwrap();
        let channel = app::channel(number % channels);
        let keys =
            [id.to_vec(), [&ts.to_be_bytes()[..], &id].concat(), [channel.as_bytes(), &ts.to_be_bytes(), &id].concat()];
        for (index, key) in (1u8..).zip(keys) {
            insert.execute(params![[index; 16], key, ts, table, id]).unwrap();
        }
    }

    /// Time of one insert of many in transactions of a size.
    pub fn inserts(&self, count: usize, group: usize, channels: usize) -> Duration {
        let newest: i64 = self.connection.query_row("SELECT max(ts) FROM documents", [], |row| row.get(0)).unwrap();
        let first = newest as usize + 1;
        let start = Instant::now();
        for chunk in 0..count.div_ceil(group) {
            self.connection.execute_batch("BEGIN").unwrap();
            let numbers = chunk * group..((chunk + 1) * group).min(count);
            numbers.for_each(|number| self.insert(first + number, channels));
            self.connection.execute_batch("COMMIT").unwrap();
        }
        start.elapsed() / count as u32
    }
}
