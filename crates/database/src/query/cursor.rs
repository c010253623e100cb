//! Cursors: where a page of a query starts or ends.
//!
//! A cursor holds an index key, so the value of fields which the function may not want to show. It is therefore encrypted,
//! with a key of the database, and authenticated together with a fingerprint of the query: a cursor of another query, or
//! a made-up one, is refused. AES-GCM-SIV needs no fresh nonce, so equal pages have equal cursors and executions stay
//! deterministic.

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes128GcmSiv, Nonce};
use convex_wasm_persistence::{Key, KeyRange, Order, successor};
use convex_wasm_values::{ConvexObject, ConvexValue};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// Bytes of the key.
pub const KEY_LENGTH: usize = 16;

/// A place in the range of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// Right after the row with this key.
    After(Key),
    /// After every row.
    End,
}

/// Writes and reads cursors of a database.
pub struct CursorCipher {
    cipher: Aes128GcmSiv,
}

impl CursorCipher {
    /// A cipher with the database's key.
    pub fn new(key: &[u8; KEY_LENGTH]) -> Self {
        Self { cipher: Aes128GcmSiv::new(key.into()) }
    }

    /// Writes a cursor for a query.
    pub fn seal(&self, position: &Position, query: &Json) -> Result<String> {
        let plain = match position {
            Position::End => vec![0],
            Position::After(key) => [&[1], key.as_slice()].concat(),
        };
        let fingerprint = fingerprint(query);
        self.cipher
            .encrypt(&Nonce::default(), Payload { msg: &plain, aad: &fingerprint })
            .map(hex::encode)
            .map_err(|_| Error::developer("InvalidCursor", "InvalidCursor: the position is too long for a cursor."))
    }

    /// Reads a cursor of a query.
    pub fn open(&self, cursor: &str, query: &Json) -> Result<Position> {
        let fingerprint = fingerprint(query);
        let plain = hex::decode(cursor)
            .ok()
            .and_then(|sealed| self.cipher.decrypt(&Nonce::default(), Payload { msg: &sealed, aad: &fingerprint }).ok())
            .ok_or_else(invalid_cursor)?;
        match plain.split_first() {
            Some((0, [])) => Ok(Position::End),
            Some((1, key)) => Ok(Position::After(key.to_vec())),
            _ => Err(invalid_cursor()),
        }
    }
}

impl Position {
    /// Removes from a range what a scan in this order meets before the position.
    pub fn cut_start(&self, range: &mut KeyRange, order: Order) {
        match (self, order) {
            (Self::After(key), Order::Ascending) => range.start = successor(key).max(std::mem::take(&mut range.start)),
            (Self::After(key), Order::Descending) => lower_end(range, key.clone()),
            // Nothing comes after the end.
            (Self::End, _) => range.end = Some(range.start.clone()),
        }
    }

    /// Removes from a range what a scan in this order meets after the position.
    pub fn cut_end(&self, range: &mut KeyRange, order: Order) {
        match (self, order) {
            (Self::After(key), Order::Ascending) => lower_end(range, successor(key)),
            (Self::After(key), Order::Descending) => range.start = key.clone().max(std::mem::take(&mut range.start)),
            (Self::End, _) => {}
        }
    }
}

fn lower_end(range: &mut KeyRange, end: Key) {
    range.end = Some(match range.end.take() {
        Some(other) => other.min(end),
        None => end,
    });
}

fn fingerprint(query: &Json) -> [u8; 32] {
    Sha256::digest(query.to_string()).into()
}

/// The error by which clients know that they have to start from the first page again.
fn invalid_cursor() -> Error {
    let data = ConvexObject::from([
        ("isConvexSystemError".to_owned(), ConvexValue::from(true)),
        ("paginationError".to_owned(), ConvexValue::from("InvalidCursor")),
    ]);
    Error::Developer {
        code: "InvalidCursor",
        message: "InvalidCursor: Tried to run a query starting from a cursor, but it looks like this cursor is from a \
                  different query."
            .to_owned(),
        data: Some(data.into()),
    }
}
