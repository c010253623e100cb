//! The recent past: the write log, and the catalog at each of its commits.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::{WRITE_LOG_MAX_RETENTION_SECS, WRITE_LOG_MIN_RETENTION_SECS, WRITE_LOG_SOFT_MAX_SIZE_BYTES};
use convex_wasm_persistence::{IndexId, Key, Timestamp};

use crate::catalog::Catalog;
use crate::{Conflict, Error, ReadSet, Result};

/// One commit in the write log.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// When.
    pub timestamp: Timestamp,
    /// The function that committed.
    pub writer: Option<String>,
    /// Old and new keys of the written documents, in every index.
    pub keys: Vec<(IndexId, Key)>,
    /// Tables, indexes and schemas from this commit on.
    pub catalog: Arc<Catalog>,
}

impl LogEntry {
    /// The first index in which this commit changed something that was read. Costs one look-up per key.
    pub fn conflict(&self, reads: &ReadSet) -> Option<Conflict> {
        let place = self.keys.iter().find(|(index, key)| reads.contains(*index, key))?;
        let table = self.catalog.table_of_index(place.0).map(|table| table.name.clone());
        let mut hasher = DefaultHasher::new();
        place.hash(&mut hasher);
        Some(Conflict { table, writer: self.writer.clone(), timestamp: self.timestamp, place: hasher.finish() })
    }

    fn size(&self) -> usize {
        self.keys.iter().map(|(_, key)| size_of::<(IndexId, Key)>() + key.len()).sum()
    }
}

/// Published commits, oldest first, and the state before them.
pub struct History {
    /// The newest commit that is not in the log any more: snapshots from here on can be read.
    oldest: (Timestamp, Arc<Catalog>),
    entries: VecDeque<LogEntry>,
    /// Sum of [`LogEntry::size`].
    size: usize,
}

impl History {
    /// A history that begins now.
    pub fn new(timestamp: Timestamp, catalog: Arc<Catalog>) -> Self {
        Self { oldest: (timestamp, catalog), entries: VecDeque::new(), size: 0 }
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
    pub fn after(&self, timestamp: Timestamp) -> Result<impl Iterator<Item = &LogEntry>> {
        self.check(timestamp)?;
        let first = self.entries.partition_point(|entry| entry.timestamp <= timestamp);
        Ok(self.entries.range(first..))
    }

    fn check(&self, timestamp: Timestamp) -> Result<()> {
        if timestamp < self.oldest.0 {
            return Err(Error::OutOfRetention { timestamp, oldest: self.oldest.0 });
        }
        Ok(())
    }

    /// Appends a commit, and drops old ones.
    pub fn append(&mut self, entry: LogEntry) {
        let now = entry.timestamp;
        self.size += entry.size();
        self.entries.push_back(entry);
        while let Some(first) = self.entries.front() {
            let age = Duration::from_nanos(now.0.saturating_sub(first.timestamp.0));
            let too_large = self.size > WRITE_LOG_SOFT_MAX_SIZE_BYTES.get();
            let expired = age > Duration::from_secs(WRITE_LOG_MAX_RETENTION_SECS.get())
                || too_large && age > Duration::from_secs(WRITE_LOG_MIN_RETENTION_SECS.get());
            if !expired {
                break;
            }
            self.size -= first.size();
            self.oldest = (first.timestamp, first.catalog.clone());
            self.entries.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn history(seconds: &[u64]) -> History {
        let catalog = Arc::new(Catalog::system());
        let mut history = History::new(Timestamp(1), catalog.clone());
        for second in seconds {
            let timestamp = Timestamp(second * SECOND);
            history.append(LogEntry { timestamp, writer: None, keys: Vec::new(), catalog: catalog.clone() });
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
