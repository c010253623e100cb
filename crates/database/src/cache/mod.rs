//! Documents and parts of indexes in memory.
//!
//! The cache keeps for each document, and for each row of the intervals that it has of an index, the last versions. Each
//! commit is applied to it before its snapshot can be read, so what it has is right for every snapshot from some point
//! on; an older snapshot reads from the store. A read that misses puts what it found in memory: the rows of its own
//! snapshot, then the commits that came after that.

pub mod eviction;
mod segments;
mod versions;

use std::collections::HashMap;
use std::sync::Arc;

use convex_wasm_persistence::{DocumentKey, IndexId, IndexRow, Key, KeyRange, Order, Timestamp, Versioned};
use parking_lot::RwLock;

use crate::history::{IndexChange, LogEntry};
use eviction::{Queues, Usage, Verdict};
use segments::Segments;
use versions::{Version, Versions};

pub use segments::{Gap, Scanned};

/// The cache.
pub struct Cache {
    state: RwLock<State>,
}

struct State {
    documents: HashMap<DocumentKey, Cached>,
    indexes: HashMap<IndexId, Segments>,
    queues: Queues<Name>,
}

/// A document in memory, or that there is none.
struct Cached {
    versions: Versions,
    usage: Usage,
}

/// What the eviction policy calls an item.
#[derive(Clone, Hash)]
enum Name {
    Document(DocumentKey),
    Segment(IndexId, Key),
}

impl Cache {
    /// An empty cache of so many bytes.
    pub fn new(budget: usize) -> Self {
        let state = State { documents: HashMap::new(), indexes: HashMap::new(), queues: Queues::new(budget) };
        Self { state: RwLock::new(state) }
    }

    /// A document at a snapshot, or that there is none; `None` if that is not known.
    pub fn document(&self, key: DocumentKey, at: Timestamp) -> Option<Option<Versioned>> {
        let state = self.state.read();
        let cached = state.documents.get(&key)?;
        let version = cached.versions.at(at)?;
        cached.usage.touch();
        Some(version.versioned())
    }

    /// The rows of a range of an index at a snapshot that are known without a gap, and the gap.
    pub fn scan(&self, index: IndexId, range: &KeyRange, at: Timestamp, order: Order, limit: usize) -> Scanned {
        match self.state.read().indexes.get(&index) {
            Some(segments) => segments.scan(range, at, order, limit),
            None => Scanned { rows: Vec::new(), gap: Some(Gap::all(range.clone())) },
        }
    }

    /// Takes in a document that was read at a snapshot, and the commits after it.
    pub fn put_document(&self, key: DocumentKey, at: Timestamp, found: Option<Versioned>, later: &[Arc<LogEntry>]) {
        let mut state = self.state.write();
        if state.documents.contains_key(&key) {
            return;
        }
        let mut versions = Versions::new(found.map_or(Version { since: at, content: None }, Version::from));
        for commit in later {
            for change in commit.documents.iter().filter(|change| change.key == key) {
                versions.push(Version { since: commit.timestamp, content: change.content.clone() });
            }
        }
        state.insert_document(key, versions);
        state.evict();
    }

    /// Takes in the rows of a range that were read at a snapshot, and the commits after it.
    pub fn put_rows(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        rows: Vec<IndexRow>,
        later: &[Arc<LogEntry>],
    ) {
        let mut state = self.state.write();
        let segments = state.indexes.entry(index).or_default();
        let Some(start) = segments.insert(range.clone(), at, rows, Usage::default()) else { return };
        state.enqueue_segment(index, start);
        for commit in later {
            let changes = commit.changes.iter().filter(|change| change.index == index && range.contains(&change.key));
            changes.for_each(|change| state.apply_to_index(change, commit.timestamp));
        }
        state.evict();
    }

    /// Takes in a commit.
    pub fn apply(&self, commit: &LogEntry) {
        let state = &mut *self.state.write();
        for change in &commit.documents {
            let version = Version { since: commit.timestamp, content: change.content.clone() };
            if let Some(cached) = state.documents.get_mut(&change.key) {
                cached.versions.push(version);
                cached.resize(&mut state.queues);
            } else if version.content.is_some() {
                // What was written is often read next.
                state.insert_document(change.key, Versions::new(version));
            }
        }
        commit.changes.iter().for_each(|change| state.apply_to_index(change, commit.timestamp));
        state.evict();
    }

    /// Forgets what a commit replaced, once no snapshot before `oldest` can be read any more.
    pub fn compact(&self, commit: &LogEntry, oldest: Timestamp) {
        let state = &mut *self.state.write();
        for change in &commit.documents {
            if let Some(cached) = state.documents.get_mut(&change.key)
                && cached.versions.trim(oldest)
            {
                cached.resize(&mut state.queues);
            }
        }
        for change in &commit.changes {
            if let Some(segments) = state.indexes.get_mut(&change.index)
                && let Some((usage, before)) = segments.compact(&change.key, oldest)
            {
                state.queues.resized(usage, before);
            }
        }
    }

    /// Bytes of memory, about.
    pub fn bytes(&self) -> usize {
        self.state.read().queues.bytes()
    }
}

fn document_footprint(versions: &Versions) -> usize {
    2 * size_of::<DocumentKey>() + size_of::<Cached>() + versions.footprint()
}

impl Cached {
    /// Tells the policy that the versions have another size than before.
    fn resize(&mut self, queues: &mut Queues<Name>) {
        let before = self.usage.bytes;
        self.usage.bytes = document_footprint(&self.versions);
        queues.resized(&self.usage, before);
    }
}

impl State {
    fn insert_document(&mut self, key: DocumentKey, versions: Versions) {
        let mut usage = Usage::of(document_footprint(&versions));
        self.queues.insert(Name::Document(key), &mut usage);
        self.documents.insert(key, Cached { versions, usage });
    }

    fn enqueue_segment(&mut self, index: IndexId, start: Key) {
        if let Some(segment) = self.indexes.get_mut(&index).and_then(|segments| segments.get_mut(&start)) {
            self.queues.insert(Name::Segment(index, start), &mut segment.usage);
        }
    }

    fn apply_to_index(&mut self, change: &IndexChange, at: Timestamp) {
        let Some(segments) = self.indexes.get_mut(&change.index) else { return };
        let Some((usage, before, split)) = segments.apply(change, at) else { return };
        self.queues.resized(usage, before);
        if let Some(start) = split {
            self.enqueue_segment(change.index, start);
        }
    }

    fn evict(&mut self) {
        while self.queues.is_full()
            && let Some(name) = self.queues.next()
        {
            self.judge(name);
        }
    }

    fn judge(&mut self, name: Name) {
        match &name {
            Name::Document(key) => {
                let key = *key;
                let Some(cached) = self.documents.get_mut(&key) else { return };
                if let Verdict::Remove = self.queues.judge(name, &mut cached.usage) {
                    self.documents.remove(&key);
                }
            }
            Name::Segment(index, start) => {
                let (index, start) = (*index, start.clone());
                let Some(segments) = self.indexes.get_mut(&index) else { return };
                let Some(segment) = segments.get_mut(&start) else { return };
                if let Verdict::Remove = self.queues.judge(name, &mut segment.usage) {
                    segments.remove(&start);
                    if segments.is_empty() {
                        self.indexes.remove(&index);
                    }
                }
            }
        }
    }
}
