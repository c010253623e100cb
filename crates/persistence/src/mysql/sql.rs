//! SQL text. Everything in it is a number or hexadecimal digits, so that nothing need be escaped, and a statement is sent
//! and answered in one round trip, whatever its size.

use std::fmt;

use crate::remote::Parts;
use crate::{DocumentKey, IndexId};

/// Bytes of SQL that are sent at once; servers take 16 MiB if nobody has set them up otherwise.
const MAX_PACKET: usize = 6 << 20;

/// Bytes as a literal.
pub struct Bytes<'a>(pub &'a [u8]);

impl fmt::Display for Bytes<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "x'{}'", hex::encode(self.0))
    }
}

/// A value, or NULL.
pub struct Nullable<T>(pub Option<T>);

impl<T: fmt::Display> fmt::Display for Nullable<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(formatter),
            None => formatter.write_str("NULL"),
        }
    }
}

/// The condition that an entry is of a key.
pub fn is_key(index: IndexId, parts: &Parts<'_>) -> String {
    let (index, prefix, hash) = (Bytes(&index.0.0), Bytes(parts.prefix), Bytes(&parts.hash));
    format!("index_id = {index} AND key_prefix = {prefix} AND key_hash = {hash}")
}

/// The condition that a revision is of a document.
pub fn is_document(key: &DocumentKey) -> String {
    format!("table_id = {} AND id = {}", Bytes(&key.tablet.0.0), Bytes(&key.id.0))
}

/// Statements that are sent together, as many as fit in a packet.
#[derive(Default)]
pub struct Statements {
    packets: Vec<String>,
}

impl Statements {
    /// Appends a statement.
    pub fn push(&mut self, statement: &str) {
        match self.packets.last_mut() {
            Some(packet) if packet.len() + statement.len() < MAX_PACKET => {
                packet.push(';');
                packet.push_str(statement);
            }
            _ => self.packets.push(statement.to_owned()),
        }
    }

    /// Appends statements that begin like `head` and have as many of the rows as fit.
    pub fn push_rows(&mut self, head: &str, rows: impl Iterator<Item = String>) {
        let mut statement = String::new();
        for row in rows {
            if statement.len() + row.len() > MAX_PACKET / 2 {
                self.push(&statement);
                statement.clear();
            }
            statement.push_str(if statement.is_empty() { head } else { "," });
            statement.push_str(&row);
        }
        if !statement.is_empty() {
            self.push(&statement);
        }
    }

    /// What is to be sent, in order.
    pub fn packets(&self) -> &[String] {
        &self.packets
    }
}
