//! Other databases, used as an app would use them: one table, a primary key, one index.

pub mod mysql;
pub mod postgres;
pub mod sqlite;

use std::ops::Range;
use std::time::Duration;

use crate::app;

/// A database with a table of messages.
pub trait Peer {
    /// Inserts the messages from 0 on.
    async fn fill(&mut self, documents: usize, channels: usize);
    /// Time of reading the first messages by id, `each` of them in a transaction.
    async fn gets(&mut self, count: usize, each: usize) -> Duration;
    /// Time of reading the messages of so many channels.
    async fn ranges(&mut self, count: usize) -> Duration;
    /// Time of inserting messages from many clients, each message committed alone.
    async fn inserts(&mut self, numbers: Range<usize>, writers: usize, channels: usize) -> Duration;
}

/// A message as a row: id, time, channel, document.
pub fn row(number: usize, channels: usize) -> (String, f64, String, String) {
    // Spread over the keys as random ids are.
    let id = format!("{:032x}", (number as u128 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835));
    let channel = app::channel(number % channels);
    let document = format!(r#"{{"body":"{}","channel":"{channel}","number":{number}}}"#, app::body());
    (id, 1.76e12 + number as f64, channel, document)
}

/// What a range of a channel asks for.
const RANGE: &str = "SELECT document FROM messages WHERE channel = $1 ORDER BY channel DESC, creation_time DESC";
