//! What the trait takes and gives.

use std::fmt;
use std::sync::Arc;

use convex_wasm_values::{ConvexObject, InternalId};
use sha2::{Digest, Sha256};

/// A point of the log: nanoseconds since the epoch, strictly rising from commit to commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Before every commit.
    pub const MIN: Self = Self(0);

    /// The next possible timestamp.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A table as the store knows it; survives a change of the table's name or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TabletId(pub InternalId);

/// An index as the store knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub InternalId);

/// A document as the store knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey {
    /// The table.
    pub tablet: TabletId,
    /// The document in the table.
    pub id: InternalId,
}

/// A key of an index. Its end is the document's id, so no two documents share one.
pub type Key = Vec<u8>;

/// The keys from `start`, inclusive, to `end`, exclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyRange {
    /// The least key of the range.
    pub start: Key,
    /// The least key above the range, or `None` if it has no upper bound.
    pub end: Option<Key>,
}

impl KeyRange {
    /// Every key.
    pub fn all() -> Self {
        Self { start: Vec::new(), end: None }
    }

    /// Exactly one key.
    pub fn point(key: &[u8]) -> Self {
        Self { start: key.to_vec(), end: Some(successor(key)) }
    }

    /// Whether the range holds the key.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && self.end.as_deref().is_none_or(|end| key < end)
    }

    /// Whether the range holds no key at all.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }
}

/// The least key above `key`.
pub fn successor(key: &[u8]) -> Key {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next
}

/// Direction of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the least key up.
    Ascending,
    /// From the greatest key down.
    Descending,
}

/// A document's content at a timestamp.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// When it was committed.
    pub timestamp: Timestamp,
    /// The document.
    pub key: DocumentKey,
    /// The content with `_id` and `_creationTime`, or `None` if this revision deletes the document.
    pub content: Option<Arc<ConvexObject>>,
    /// When the revision before this one was committed, if there was one.
    pub previous: Option<Timestamp>,
}

/// A key of an index begins to lead to a document's revision of the same timestamp, or stops to lead anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The index.
    pub index: IndexId,
    /// The key.
    pub key: Key,
    /// When; also the timestamp of the document's revision.
    pub timestamp: Timestamp,
    /// The document, or `None` if the key leads nowhere from now on.
    pub document: Option<DocumentKey>,
}

/// What is appended at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteBatch {
    /// Revisions of documents.
    pub revisions: Vec<Revision>,
    /// Entries of indexes.
    pub entries: Vec<IndexEntry>,
}

/// What is removed at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prune {
    /// Revisions of documents.
    pub revisions: Vec<(Timestamp, DocumentKey)>,
    /// Entries of indexes.
    pub entries: Vec<(IndexId, Key, Timestamp)>,
}

/// A document as it is at a timestamp.
#[derive(Clone, Debug, PartialEq)]
pub struct Versioned {
    /// When this revision was committed.
    pub timestamp: Timestamp,
    /// The content with `_id` and `_creationTime`.
    pub document: Arc<ConvexObject>,
}

/// A row of an index at a timestamp.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexRow {
    /// The key.
    pub key: Key,
    /// The document it leads to.
    pub versioned: Versioned,
}

/// The name of a blob: the SHA-256 of its content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId(pub [u8; 32]);

impl BlobId {
    /// The name of a content.
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// Reads the hexadecimal form that [`fmt::Display`] writes.
    pub fn from_hex(text: &str) -> Option<Self> {
        hex::decode(text).ok()?.try_into().ok().map(Self)
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BlobId({self})")
    }
}
