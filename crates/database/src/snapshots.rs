//! What is published: snapshots for new transactions, the write log for conflict checks and subscriptions.

use std::sync::Arc;

use convex_wasm_persistence::Timestamp;
use parking_lot::RwLock;
use tokio::sync::watch;

use crate::catalog::Catalog;
use crate::history::{History, LogEntry};
use crate::{Conflict, Error, ReadSet, Result};

/// The published state, shared by all handles of a database and its committer.
pub struct Snapshots {
    history: RwLock<History>,
    /// The newest timestamp, for those who wait for it to change.
    newest: watch::Sender<Timestamp>,
}

impl Snapshots {
    /// The state after a database was opened.
    pub fn new(timestamp: Timestamp, catalog: Arc<Catalog>) -> Self {
        Self { history: RwLock::new(History::new(timestamp, catalog)), newest: watch::Sender::new(timestamp) }
    }

    /// The newest snapshot.
    pub fn latest(&self) -> (Timestamp, Arc<Catalog>) {
        let history = self.history.read();
        let (timestamp, catalog) = history.latest();
        (timestamp, catalog.clone())
    }

    /// The catalog of a snapshot.
    pub fn catalog_at(&self, timestamp: Timestamp) -> Result<Arc<Catalog>> {
        let history = self.history.read();
        let newest = history.latest().0;
        if timestamp > newest {
            return Err(Error::developer(
                "TimestampInTheFuture",
                format!("Timestamp {timestamp} is in the future: the newest snapshot is {newest}"),
            ));
        }
        history.catalog_at(timestamp).cloned()
    }

    /// Publishes durable commits.
    pub fn publish(&self, entries: Vec<LogEntry>) {
        let newest = {
            let mut history = self.history.write();
            entries.into_iter().for_each(|entry| history.append(entry));
            history.latest().0
        };
        self.newest.send_replace(newest);
    }

    /// The first commit after a timestamp that changed something in a read set. Costs one look-up in the read set per
    /// index key written since then.
    pub fn first_conflict(&self, reads: &ReadSet, after: Timestamp) -> Result<Option<Conflict>> {
        Ok(self.history.read().after(after)?.find_map(|entry| entry.conflict(reads)))
    }

    /// A receiver of the newest timestamp.
    pub fn watch(&self) -> watch::Receiver<Timestamp> {
        self.newest.subscribe()
    }
}
