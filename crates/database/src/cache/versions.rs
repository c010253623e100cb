//! What one key or one document led to over time.

use std::sync::Arc;

use convex_wasm_persistence::{Timestamp, Versioned};
use convex_wasm_values::ConvexObject;
use convex_wasm_values::value::object_footprint;

/// Most versions of one key. A transaction that needs an older one reads it from the store.
const MAX_VERSIONS: usize = 16;

/// A content and since when it is there.
#[derive(Clone)]
pub struct Version {
    /// The first timestamp at which it is known to be there.
    pub since: Timestamp,
    /// The content, or `None` if there is none from then on.
    pub content: Option<Arc<ConvexObject>>,
}

/// The last versions, at least one.
pub struct Versions {
    newest: Version,
    /// Those before, oldest first.
    older: Vec<Version>,
}

impl Version {
    /// The content with the timestamp of its revision.
    pub fn versioned(&self) -> Option<Versioned> {
        let document = self.content.clone()?;
        Some(Versioned { timestamp: self.since, document })
    }

    /// Bytes of memory.
    fn footprint(&self) -> usize {
        size_of::<Self>() + self.content.as_deref().map_or(0, object_footprint)
    }
}

impl From<Versioned> for Version {
    fn from(versioned: Versioned) -> Self {
        Self { since: versioned.timestamp, content: Some(versioned.document) }
    }
}

impl Versions {
    /// A first version.
    pub fn new(first: Version) -> Self {
        Self { newest: first, older: Vec::new() }
    }

    /// The version at a timestamp; `None` if that is before the first one.
    pub fn at(&self, timestamp: Timestamp) -> Option<&Version> {
        if self.newest.since <= timestamp {
            return Some(&self.newest);
        }
        self.older.iter().rev().find(|version| version.since <= timestamp)
    }

    /// The newest version.
    pub fn newest(&self) -> &Version {
        &self.newest
    }

    /// Adds a later version. If that drops the first one, returns the timestamp from which on the others tell everything.
    pub fn push(&mut self, next: Version) -> Option<Timestamp> {
        self.older.push(std::mem::replace(&mut self.newest, next));
        if self.older.len() < MAX_VERSIONS {
            return None;
        }
        self.older.remove(0);
        self.older.first().map(|first| first.since)
    }

    /// Drops the versions that no snapshot from `oldest` on shows; whether there were any.
    pub fn trim(&mut self, oldest: Timestamp) -> bool {
        let before = self.older.len();
        if self.newest.since <= oldest {
            self.older.clear();
        } else if let Some(shown) = self.older.iter().rposition(|version| version.since <= oldest) {
            self.older.drain(..shown);
        }
        self.older.len() < before
    }

    /// Bytes of memory.
    pub fn footprint(&self) -> usize {
        self.newest.footprint() + self.older.iter().map(Version::footprint).sum::<usize>()
    }
}
