//! The recent past: the write log, and the catalog at each of its commits.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_persistence::{DocumentKey, IndexId, Key, TabletId, Timestamp};
use convex_wasm_values::ConvexObject;

use crate::catalog::Catalog;
use crate::counts::Counts;
use crate::options::WriteLogOptions;
use crate::{Conflict, Error, ReadSet, Result};

/// Commits that are few.
const FEW: usize = 256;

/// One commit in the write log.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// When.
    pub timestamp: Timestamp,
    /// The function that committed.
    pub writer: Option<String>,
    /// Old and new keys of the written documents, in every index.
    pub changes: Vec<IndexChange>,
    /// The written documents.
    pub documents: Vec<DocumentChange>,
    /// Tables, indexes and schemas from this commit on.
    pub catalog: Arc<Catalog>,
}

/// From a commit on, a key leads to another content, or nowhere.
#[derive(Clone, Debug)]
pub struct IndexChange {
    /// The index.
    pub index: IndexId,
    /// The key.
    pub key: Key,
    /// The content, or `None` if the key leads nowhere.
    pub content: Option<Arc<ConvexObject>>,
}

/// From a commit on, a document has another content, or none.
#[derive(Clone, Debug)]
pub struct DocumentChange {
    /// The document.
    pub key: DocumentKey,
    /// The content, or `None` if it was deleted.
    pub content: Option<Arc<ConvexObject>>,
    /// Bytes of the content.
    pub size: usize,
    /// Whether it was there before.
    pub existed: bool,
}

impl DocumentChange {
    /// How many documents its table has gained.
    pub fn gain(&self) -> i64 {
        i64::from(self.content.is_some()) - i64::from(self.existed)
    }
}

impl LogEntry {
    /// The first change of this commit to something that was read. Costs one look-up per key.
    pub fn conflict(&self, reads: &ReadSet) -> Option<Conflict> {
        let change = self.changes.iter().find(|change| reads.contains(change.index, &change.key))?;
        Some(self.conflict_with(change))
    }

    /// The conflict with someone who read what `change`, one of this commit's, changed.
    pub fn conflict_with(&self, change: &IndexChange) -> Conflict {
        let table = self.catalog.table_of_index(change.index).map(|table| table.name.clone());
        let mut hasher = DefaultHasher::new();
        (change.index, &change.key).hash(&mut hasher);
        Conflict { table, writer: self.writer.clone(), timestamp: self.timestamp, place: hasher.finish() }
    }

    fn size(&self) -> usize {
        let changes = self.changes.iter().map(|change| size_of::<IndexChange>() + change.key.len());
        let documents = self.documents.iter().map(|document| size_of::<DocumentChange>() + document.size);
        changes.sum::<usize>() + documents.sum::<usize>()
    }
}

/// Published commits, oldest first, and the state before them.
pub struct History {
    /// The newest commit that is not in the log any more: snapshots from here on can be read.
    oldest: (Timestamp, Arc<Catalog>),
    entries: VecDeque<Arc<LogEntry>>,
    /// Sum of [`LogEntry::size`].
    size: usize,
    /// Documents of each table in the newest snapshot.
    counts: Counts,
    options: WriteLogOptions,
}

impl History {
    /// A history that begins now.
    pub fn new(timestamp: Timestamp, catalog: Arc<Catalog>, counts: Counts, options: WriteLogOptions) -> Self {
        Self { oldest: (timestamp, catalog), entries: VecDeque::new(), size: 0, counts, options }
    }

    /// Documents of each table in the newest snapshot.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Documents of a table at a timestamp. Costs a step for each document written since then.
    pub fn count_at(&self, table: TabletId, timestamp: Timestamp) -> Result<u64> {
        let later = self.after(timestamp)?.flat_map(|entry| &entry.documents);
        let gained: i64 = later.filter(|change| change.key.tablet == table).map(DocumentChange::gain).sum();
        Ok(self.counts.get(table).saturating_add_signed(-gained))
    }

    /// The newest commit and its catalog.
    pub fn latest(&self) -> (Timestamp, &Arc<Catalog>) {
        match self.entries.back() {
            Some(entry) => (entry.timestamp, &entry.catalog),
            None => (self.oldest.0, &self.oldest.1),
        }
    }

    /// The catalog at a timestamp.
    pub fn catalog_at(&self, timestamp: Timestamp) -> Result<&Arc<Catalog>> {
        self.check(timestamp)?;
        let later = self.entries.partition_point(|entry| entry.timestamp <= timestamp);
        Ok(later.checked_sub(1).and_then(|last| self.entries.get(last)).map_or(&self.oldest.1, |entry| &entry.catalog))
    }

    /// The commits after a timestamp, oldest first.
    pub fn after(&self, timestamp: Timestamp) -> Result<impl ExactSizeIterator<Item = &Arc<LogEntry>>> {
        self.check(timestamp)?;
        let first = self.entries.partition_point(|entry| entry.timestamp <= timestamp);
        Ok(self.entries.range(first..))
    }

    /// The commits after a timestamp, if they are few enough to take them in one by one.
    pub fn few_after(&self, timestamp: Timestamp) -> Option<Vec<Arc<LogEntry>>> {
        let later = self.after(timestamp).ok()?;
        (later.len() <= FEW).then(|| later.cloned().collect())
    }

    /// The oldest snapshot that can be read.
    pub fn oldest(&self) -> Timestamp {
        self.oldest.0
    }

    fn check(&self, timestamp: Timestamp) -> Result<()> {
        if timestamp < self.oldest.0 {
            return Err(Error::OutOfRetention { timestamp, oldest: self.oldest.0 });
        }
        Ok(())
    }

    /// Appends a commit, and returns those that are dropped for their age.
    pub fn append(&mut self, entry: Arc<LogEntry>) -> Vec<Arc<LogEntry>> {
        let now = entry.timestamp;
        entry.documents.iter().for_each(|change| self.counts.apply(change.key.tablet, change.gain()));
        self.size += entry.size();
        self.entries.push_back(entry);
        self.expire(now)
    }

    /// Drops commits that are too old, and returns them.
    pub fn expire(&mut self, now: Timestamp) -> Vec<Arc<LogEntry>> {
        let mut dropped = Vec::new();
        while let Some(first) = self.entries.front() {
            let age = Duration::from_nanos(now.0.saturating_sub(first.timestamp.0));
            let too_large = self.size > self.options.soft_max_size;
            let expired = age > self.options.max_retention || too_large && age > self.options.min_retention;
            if !expired {
                break;
            }
            self.size -= first.size();
            self.oldest = (first.timestamp, first.catalog.clone());
            dropped.extend(self.entries.pop_front());
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn history(seconds: &[u64]) -> History {
        let catalog = Arc::new(Catalog::system());
        let mut history = History::new(Timestamp(1), catalog.clone(), Counts::default(), WriteLogOptions::default());
        for second in seconds {
            let timestamp = Timestamp(second * SECOND);
            let (changes, documents) = (Vec::new(), Vec::new());
            let entry = LogEntry { timestamp, writer: None, changes, documents, catalog: catalog.clone() };
            history.append(Arc::new(entry));
        }
        history
    }

    fn after(history: &History, second: u64) -> Result<Vec<u64>> {
        Ok(history.after(Timestamp(second * SECOND))?.map(|entry| entry.timestamp.0 / SECOND).collect())
    }

    #[test]
    fn gives_the_commits_after_a_timestamp() {
        let history = history(&[10, 20, 30]);
        assert_eq!(after(&history, 1).unwrap(), [10, 20, 30]);
        assert_eq!(after(&history, 10).unwrap(), [20, 30]);
        assert_eq!(after(&history, 15).unwrap(), [20, 30]);
        assert!(after(&history, 30).unwrap().is_empty());
    }

    #[test]
    fn forgets_old_commits_and_says_so() {
        let history = history(&[10, 20, 315]);
        assert_eq!(after(&history, 20).unwrap(), [315]);
        assert_eq!(after(&history, 10).unwrap(), [20, 315]);
        let error = after(&history, 9).unwrap_err();
        assert!(matches!(error, Error::OutOfRetention { oldest, .. } if oldest == Timestamp(10 * SECOND)));
        assert!(error.is_retriable());
        assert!(history.catalog_at(Timestamp(9 * SECOND)).is_err());
        assert!(history.catalog_at(Timestamp(10 * SECOND)).is_ok());
    }
}
