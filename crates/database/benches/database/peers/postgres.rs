//! PostgreSQL.

use std::ops::Range;
use std::time::{Duration, Instant};

use tokio_postgres::NoTls;

use super::{Peer, RANGE, row};
use crate::app;

/// Connections that were made so far; the first one reads.
pub struct Client {
    url: String,
    connections: Vec<tokio_postgres::Client>,
}

const INSERT: &str = "INSERT INTO messages VALUES ($1, $2, $3, $4)";

impl Client {
    /// Makes the table.
    pub async fn open(url: &str) -> Self {
        let mut client = Self { url: url.to_owned(), connections: Vec::new() };
        client.connect(1).await;
        let tables = "CREATE TABLE messages (id TEXT PRIMARY KEY, creation_time FLOAT8, channel TEXT, document TEXT);
            CREATE INDEX by_channel ON messages (channel, creation_time);";
        client.connections[0].batch_execute(tables).await.unwrap();
        client
    }

    async fn connect(&mut self, count: usize) {
        while self.connections.len() < count {
            let (connection, driver) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
            tokio::spawn(driver);
            self.connections.push(connection);
        }
    }
}

impl Peer for Client {
    async fn fill(&mut self, documents: usize, channels: usize) {
        let client = &self.connections[0];
        let insert = client.prepare(INSERT).await.unwrap();
        client.batch_execute("BEGIN").await.unwrap();
        for number in 0..documents {
            let (id, time, channel, document) = row(number, channels);
            client.execute(&insert, &[&id, &time, &channel, &document]).await.unwrap();
        }
        client.batch_execute("COMMIT; ANALYZE messages").await.unwrap();
    }

    async fn gets(&mut self, count: usize, each: usize) -> Duration {
        let client = &self.connections[0];
        let select = client.prepare("SELECT document FROM messages WHERE id = $1").await.unwrap();
        let ids: Vec<String> = (0..count).map(|number| row(number, 1).0).collect();
        let start = Instant::now();
        for ids in ids.chunks(each) {
            if each > 1 {
                client.batch_execute("BEGIN").await.unwrap();
            }
            for id in ids {
                client.query_one(&select, &[id]).await.unwrap();
            }
            if each > 1 {
                client.batch_execute("COMMIT").await.unwrap();
            }
        }
        start.elapsed()
    }

    async fn ranges(&mut self, count: usize) -> Duration {
        let client = &self.connections[0];
        let select = client.prepare(RANGE).await.unwrap();
        let start = Instant::now();
        for number in 0..count {
            let rows = client.query(&select, &[&app::channel(number % 50)]).await.unwrap();
            assert!(rows.len() >= app::CHANNEL);
        }
        start.elapsed()
    }

    async fn inserts(&mut self, numbers: Range<usize>, writers: usize, channels: usize) -> Duration {
        self.connect(writers).await;
        let mut statements = Vec::new();
        for client in &self.connections[..writers] {
            statements.push(client.prepare(INSERT).await.unwrap());
        }
        let start = Instant::now();
        let insert = async |writer: usize| {
            let (client, statement) = (&self.connections[writer], &statements[writer]);
            for number in numbers.clone().skip(writer).step_by(writers) {
                let (id, time, channel, document) = row(number, channels);
                client.execute(statement, &[&id, &time, &channel, &document]).await.unwrap();
            }
        };
        futures::future::join_all((0..writers).map(insert)).await;
        start.elapsed()
    }
}
