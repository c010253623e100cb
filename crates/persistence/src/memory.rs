//! The store in memory: for tests and simulations. Nothing survives the last handle.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use convex_wasm_values::{ConvexObject, InternalId};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use parking_lot::RwLock;

use crate::{
    BlobId, DocumentKey, IndexEntry, IndexId, IndexRow, Key, KeyRange, Order, Persistence, PersistenceError, Portable,
    Prune, Result, Revision, TabletId, Timestamp, Versioned, WriteBatch, successor,
};

/// A store in memory. Clones are the same store.
#[derive(Clone, Default)]
pub struct MemoryPersistence {
    state: Arc<RwLock<State>>,
}

#[derive(Default)]
struct State {
    revisions: BTreeMap<(Timestamp, DocumentKey), Stored>,
    indexes: BTreeMap<IndexId, BTreeMap<(Key, Timestamp), Option<DocumentKey>>>,
    globals: HashMap<String, serde_json::Value>,
    blobs: HashMap<BlobId, Bytes>,
}

/// A revision without what it is stored under.
#[derive(Clone)]
struct Stored {
    content: Option<Arc<ConvexObject>>,
    previous: Option<Timestamp>,
}

impl MemoryPersistence {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many entries its indexes have.
    pub fn entries(&self) -> usize {
        self.state.read().indexes.values().map(BTreeMap::len).sum()
    }
}

impl Stored {
    fn revision(&self, timestamp: Timestamp, key: DocumentKey) -> Revision {
        Revision { timestamp, key, content: self.content.clone(), previous: self.previous }
    }
}

impl State {
    fn write(&mut self, batch: WriteBatch) {
        for Revision { timestamp, key, content, previous } in batch.revisions {
            self.revisions.insert((timestamp, key), Stored { content, previous });
        }
        for entry in batch.entries {
            self.indexes.entry(entry.index).or_default().insert((entry.key, entry.timestamp), entry.document);
        }
    }

    fn later_than(&self, after: Timestamp) -> impl Iterator<Item = (&(Timestamp, DocumentKey), &Stored)> {
        let first = DocumentKey { tablet: TabletId(InternalId([0; 16])), id: InternalId([0; 16]) };
        self.revisions.range((after.next(), first)..)
    }

    fn max_timestamp(&self) -> Timestamp {
        self.revisions.last_key_value().map_or(Timestamp::MIN, |((timestamp, _), _)| *timestamp)
    }

    /// The document that the newest entry of a key at or below a timestamp leads to.
    fn get(&self, index: IndexId, key: &Key, at: Timestamp) -> Result<Option<Versioned>> {
        let Some(entries) = self.indexes.get(&index) else { return Ok(None) };
        let newest = entries.range((key.clone(), Timestamp::MIN)..=(key.clone(), at)).next_back();
        let Some(((_, timestamp), Some(document))) = newest else { return Ok(None) };
        let stored = self.revisions.get(&(*timestamp, *document)).and_then(|stored| stored.content.clone());
        let document = stored.ok_or_else(PersistenceError::missing_revision)?;
        Ok(Some(Versioned { timestamp: *timestamp, document }))
    }

    fn scan(
        &self,
        index: IndexId,
        mut range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> Result<Vec<IndexRow>> {
        let mut rows = Vec::new();
        let Some(entries) = self.indexes.get(&index) else { return Ok(rows) };
        while rows.len() < limit && !range.is_empty() {
            let start = (range.start.clone(), Timestamp::MIN);
            let end = range.end.clone().map_or(Bound::Unbounded, |end| Bound::Excluded((end, Timestamp::MIN)));
            let mut found = entries.range((Bound::Included(start), end));
            let next = match order {
                Order::Ascending => found.next(),
                Order::Descending => found.next_back(),
            };
            let Some(((key, _), _)) = next else { break };
            match order {
                Order::Ascending => range.start = successor(key),
                Order::Descending => range.end = Some(key.clone()),
            }
            if let Some(versioned) = self.get(index, key, at)? {
                rows.push(IndexRow { key: key.clone(), versioned });
            }
        }
        Ok(rows)
    }
}

fn now<T: Send + 'static>(result: Result<T>) -> BoxFuture<'static, Result<T>> {
    ready(result).boxed()
}

impl Persistence for MemoryPersistence {
    fn write(&self, batch: WriteBatch) -> BoxFuture<'_, Result<()>> {
        self.state.write().write(batch);
        now(Ok(()))
    }

    fn max_timestamp(&self) -> BoxFuture<'_, Result<Timestamp>> {
        now(Ok(self.state.read().max_timestamp()))
    }

    fn get(&self, index: IndexId, keys: Vec<Key>, at: Timestamp) -> BoxFuture<'_, Result<Vec<Option<Versioned>>>> {
        let state = self.state.read();
        now(keys.iter().map(|key| state.get(index, key, at)).collect())
    }

    fn scan(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<IndexRow>>> {
        now(self.state.read().scan(index, range, at, order, limit))
    }

    fn count(&self, index: IndexId, at: Timestamp) -> BoxFuture<'_, Result<u64>> {
        let rows = self.state.read().scan(index, KeyRange::all(), at, Order::Ascending, usize::MAX);
        now(rows.map(|rows| rows.len() as u64))
    }

    fn revisions(&self, after: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        let mut revisions: Vec<Revision> = Vec::new();
        for ((timestamp, key), stored) in self.state.read().later_than(after) {
            if revisions.len() >= limit && revisions.last().is_some_and(|last| last.timestamp < *timestamp) {
                break;
            }
            revisions.push(stored.revision(*timestamp, *key));
        }
        now(Ok(revisions))
    }

    fn contents(&self, keys: Vec<(Timestamp, DocumentKey)>) -> BoxFuture<'_, Result<Vec<Option<Arc<ConvexObject>>>>> {
        let state = self.state.read();
        let content = |key| state.revisions.get(key).and_then(|stored: &Stored| stored.content.clone());
        now(Ok(keys.iter().map(content).collect()))
    }

    fn prune(&self, prune: Prune) -> BoxFuture<'_, Result<()>> {
        let mut state = self.state.write();
        for revision in &prune.revisions {
            state.revisions.remove(revision);
        }
        for (index, key, timestamp) in prune.entries {
            if let Some(entries) = state.indexes.get_mut(&index) {
                entries.remove(&(key, timestamp));
            }
        }
        now(Ok(()))
    }

    fn prune_index(&self, index: IndexId, limit: usize) -> BoxFuture<'_, Result<usize>> {
        let mut state = self.state.write();
        let Some(entries) = state.indexes.get_mut(&index) else { return now(Ok(0)) };
        let count = entries.len().min(limit);
        (0..count).for_each(|_| drop(entries.pop_first()));
        now(Ok(count))
    }

    fn get_global(&self, name: &'static str) -> BoxFuture<'_, Result<Option<serde_json::Value>>> {
        now(Ok(self.state.read().globals.get(name).cloned()))
    }

    fn set_global(&self, name: &'static str, value: serde_json::Value) -> BoxFuture<'_, Result<()>> {
        self.state.write().globals.insert(name.to_owned(), value);
        now(Ok(()))
    }

    fn put_blob(&self, content: Bytes) -> BoxFuture<'_, Result<BlobId>> {
        let id = BlobId::of(&content);
        self.state.write().blobs.insert(id, content);
        now(Ok(id))
    }

    fn get_blob(&self, id: BlobId) -> BoxFuture<'_, Result<Option<Bytes>>> {
        now(Ok(self.state.read().blobs.get(&id).cloned()))
    }
}

impl Portable for MemoryPersistence {
    fn entries(&self, after: Option<IndexEntry>, limit: usize) -> BoxFuture<'_, Result<Vec<IndexEntry>>> {
        let state = self.state.read();
        let after = after.map(|entry| (entry.index, entry.key, entry.timestamp));
        let first = after.as_ref().map_or(Bound::Unbounded, |(index, ..)| Bound::Included(*index));
        let all = state.indexes.range((first, Bound::Unbounded)).flat_map(|(index, entries)| {
            let rest = match &after {
                Some((same, key, timestamp)) if same == index => Bound::Excluded((key.clone(), *timestamp)),
                _ => Bound::Unbounded,
            };
            entries.range((rest, Bound::Unbounded)).map(|((key, timestamp), document)| IndexEntry {
                index: *index,
                key: key.clone(),
                timestamp: *timestamp,
                document: *document,
            })
        });
        now(Ok(all.take(limit).collect()))
    }

    fn globals(&self) -> BoxFuture<'_, Result<Vec<(String, serde_json::Value)>>> {
        now(Ok(self.state.read().globals.clone().into_iter().collect()))
    }

    fn set_globals(&self, globals: Vec<(String, serde_json::Value)>) -> BoxFuture<'_, Result<()>> {
        self.state.write().globals.extend(globals);
        now(Ok(()))
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>>> {
        now(Ok(self.state.read().blobs.keys().copied().collect()))
    }
}
