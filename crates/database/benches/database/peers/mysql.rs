//! MySQL, here MariaDB.

use std::ops::Range;
use std::time::{Duration, Instant};

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts};

use super::{Peer, RANGE, row};
use crate::app;

/// Connections that were made so far; the first one reads.
pub struct Client {
    url: String,
    connections: Vec<Conn>,
}

const INSERT: &str = "INSERT INTO messages VALUES (?, ?, ?, ?)";

impl Client {
    /// Makes the table.
    pub async fn open(url: &str) -> Self {
        let url = url.split_once('?').map_or(url, |(url, _)| url).to_owned();
        let mut client = Self { url, connections: Vec::new() };
        client.connect(1).await;
        let table = "CREATE TABLE messages (id CHAR(32) PRIMARY KEY, creation_time DOUBLE, channel VARCHAR(32),
            document TEXT, INDEX by_channel (channel, creation_time)) ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin";
        client.connections[0].query_drop(table).await.unwrap();
        client
    }

    async fn connect(&mut self, count: usize) {
        while self.connections.len() < count {
            self.connections.push(Conn::new(Opts::from_url(&self.url).unwrap()).await.unwrap());
        }
    }
}

impl Peer for Client {
    async fn fill(&mut self, documents: usize, channels: usize) {
        let connection = &mut self.connections[0];
        connection.query_drop("BEGIN").await.unwrap();
        connection.exec_batch(INSERT, (0..documents).map(|number| row(number, channels))).await.unwrap();
        connection.query_drop("COMMIT").await.unwrap();
    }

    async fn gets(&mut self, count: usize, each: usize) -> Duration {
        let connection = &mut self.connections[0];
        let select = connection.prep("SELECT document FROM messages WHERE id = ?").await.unwrap();
        let ids: Vec<String> = (0..count).map(|number| row(number, 1).0).collect();
        let start = Instant::now();
        for ids in ids.chunks(each) {
            if each > 1 {
                connection.query_drop("BEGIN").await.unwrap();
            }
            for id in ids {
                let document: Option<String> = connection.exec_first(&select, (id,)).await.unwrap();
                assert!(document.is_some());
            }
            if each > 1 {
                connection.query_drop("COMMIT").await.unwrap();
            }
        }
        start.elapsed()
    }

    async fn ranges(&mut self, count: usize) -> Duration {
        let connection = &mut self.connections[0];
        let select = connection.prep(RANGE.replace("$1", "?")).await.unwrap();
        let start = Instant::now();
        for number in 0..count {
            let rows: Vec<String> = connection.exec(&select, (app::channel(number % 50),)).await.unwrap();
            assert!(rows.len() >= app::CHANNEL);
        }
        start.elapsed()
    }

    async fn inserts(&mut self, numbers: Range<usize>, writers: usize, channels: usize) -> Duration {
        self.connect(writers).await;
        let start = Instant::now();
        let insert = async |(writer, connection): (usize, &mut Conn)| {
            for number in numbers.clone().skip(writer).step_by(writers) {
                connection.exec_drop(INSERT, row(number, channels)).await.unwrap();
            }
        };
        futures::future::join_all(self.connections.iter_mut().take(writers).enumerate().map(insert)).await;
        start.elapsed()
    }
}
