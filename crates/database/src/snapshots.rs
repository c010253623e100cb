//! What is published: snapshots for new transactions, the write log for conflict checks and subscriptions.

use std::sync::Arc;

use convex_wasm_persistence::{DocumentKey, IndexId, IndexRow, KeyRange, TabletId, Timestamp, Versioned};
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use crate::cache::Cache;
use crate::catalog::Catalog;
use crate::counts::Counts;
use crate::history::{History, LogEntry};
use crate::options::Options;
use crate::subscriptions::{SubscriberId, Subscription, Subscriptions};
use crate::{Conflict, Error, ReadSet, Result};

/// The published state, shared by all handles of a database and its committer.
pub struct Snapshots {
    history: RwLock<History>,
    /// Locked before the history where both are.
    subscriptions: Mutex<Subscriptions>,
    cache: Cache,
    /// The newest timestamp, for those who wait for it to change.
    newest: watch::Sender<Timestamp>,
}

impl Snapshots {
    /// The state after a database was opened.
    pub fn new(timestamp: Timestamp, catalog: Arc<Catalog>, counts: Counts, options: &Options) -> Self {
        Self {
            history: RwLock::new(History::new(timestamp, catalog, counts, options.write_log)),
            subscriptions: Mutex::default(),
            cache: Cache::new(options.cache_size),
            newest: watch::Sender::new(timestamp),
        }
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

    /// Publishes durable commits, and ends the subscriptions that they invalidate.
    pub fn publish(&self, entries: Vec<Arc<LogEntry>>) {
        let mut subscriptions = self.subscriptions.lock();
        let newest = {
            // While the lock is held nobody begins on the new snapshots, nor puts older ones in the cache.
            let mut history = self.history.write();
            for entry in &entries {
                self.cache.apply(entry);
                for dropped in history.append(entry.clone()) {
                    self.cache.compact(&dropped, history.oldest());
                }
            }
            history.latest().0
        };
        entries.iter().for_each(|entry| subscriptions.invalidate(entry));
        drop(subscriptions);
        self.newest.send_replace(newest);
    }

    /// Watches over what was read at a snapshot.
    pub fn subscribe(self: &Arc<Self>, reads: Arc<ReadSet>, from: Timestamp) -> Result<Subscription> {
        // While the lock is held nothing is published: a commit is either in the log now or meets the subscription.
        let mut subscriptions = self.subscriptions.lock();
        if let Some(conflict) = self.first_conflict(&reads, from)? {
            return Ok(Subscription::ended(conflict));
        }
        let (id, invalidated) = subscriptions.add(reads);
        Ok(Subscription::registered(self.clone(), id, invalidated))
    }

    /// Forgets a subscription.
    pub fn unsubscribe(&self, id: SubscriberId) {
        self.subscriptions.lock().remove(id);
    }

    /// The newest snapshot whose commits have ended all subscriptions that they had to.
    pub fn settled(&self) -> Timestamp {
        let _publishing = self.subscriptions.lock();
        self.latest().0
    }

    /// Documents and index rows in memory.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Puts a document in memory that was read at a snapshot.
    pub fn cache_document(&self, key: DocumentKey, at: Timestamp, found: Option<Versioned>) {
        let history = self.history.read();
        if let Some(later) = history.few_after(at) {
            self.cache.put_document(key, at, found, &later);
        }
    }

    /// Puts the rows of a range of an index in memory, all that there are at a snapshot.
    pub fn cache_rows(&self, index: IndexId, range: KeyRange, at: Timestamp, rows: Vec<IndexRow>) {
        let history = self.history.read();
        if let Some(later) = history.few_after(at) {
            self.cache.put_rows(index, range, at, rows, &later);
        }
    }

    /// Documents of a table at a snapshot.
    pub fn count(&self, table: TabletId, at: Timestamp) -> Result<u64> {
        self.history.read().count_at(table, at)
    }

    /// The newest snapshot with the documents of each table.
    pub fn counts(&self) -> (Timestamp, Counts) {
        let history = self.history.read();
        (history.latest().0, history.counts().clone())
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
