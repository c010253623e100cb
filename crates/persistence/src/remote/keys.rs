//! Keys of any length in a server's indexes.
//!
//! An entry of a B-tree has at most 2,704 bytes in PostgreSQL and 3,072 in InnoDB. So the column that is indexed has the
//! first [`MAX_PREFIX`] bytes of a key, a column beside it has the rest, and a hash of the rest keeps long keys with the
//! same beginning apart. Keys that fit, which nearly all do, have neither rest nor hash.

use sha2::{Digest, Sha256};

use crate::{Key, KeyRange, successor};

/// Bytes of a key that are indexed.
pub const MAX_PREFIX: usize = 2500;

/// A key in its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    /// Its beginning.
    pub prefix: &'a [u8],
    /// The rest of a long key.
    pub suffix: Option<&'a [u8]>,
    /// SHA-256 of the rest; empty if there is none.
    pub hash: Vec<u8>,
}

impl<'a> Parts<'a> {
    /// Splits a key.
    pub fn of(key: &'a [u8]) -> Self {
        match key.split_at_checked(MAX_PREFIX) {
            Some((prefix, suffix)) if !suffix.is_empty() => {
                Self { prefix, suffix: Some(suffix), hash: Sha256::digest(suffix).to_vec() }
            }
            _ => Self { prefix: key, suffix: None, hash: Vec::new() },
        }
    }
}

/// The key that was split.
pub fn join(mut prefix: Vec<u8>, suffix: Option<&[u8]>) -> Key {
    prefix.extend_from_slice(suffix.unwrap_or_default());
    prefix
}

/// The prefixes that keys of a range may have.
pub fn prefixes(range: &KeyRange) -> KeyRange {
    let start = Parts::of(&range.start).prefix.to_vec();
    let end = range.end.as_deref().map(Parts::of).map(|end| match end.suffix {
        // Keys below the end may begin as the end does.
        Some(_) => successor(end.prefix),
        None => end.prefix.to_vec(),
    });
    KeyRange { start, end }
}
