//! What is published: snapshots for new transactions, the write log for conflict checks and subscriptions.

use std::sync::Arc;

use convex_wasm_persistence::{DocumentKey, IndexId, IndexRow, KeyRange, TabletId, Timestamp, Versioned};
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use crate::cache::Cache;
use crate::catalog::Catalog;
use crate::counts::Counts;
use crate::history::{History, LogEntry};
use crate::leases::{Lease, Leases};
use crate::options::Options;
use crate::subscriptions::{SubscriberId, Subscription, Subscriptions};
use crate::{Conflict, Error, ReadSet, Result};

/// What a database is doing, for those who watch over it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Commits since it was opened.
    pub commits: u64,
    /// Groups in which they were written, each durable at once.
    pub groups: u64,
    /// Subscriptions that are valid.
    pub subscriptions: usize,
    /// Bytes of documents and index rows in memory, about.
    pub cache_size: usize,
}

/// The published state, shared by all handles of a database and its committer.
pub struct Snapshots {
    history: RwLock<History>,
    /// Locked before the history where both are.
    subscriptions: Mutex<Subscriptions>,
    cache: Cache,
    leases: Arc<Leases>,
    /// Commits so far, and groups that they were written in.
    written: Mutex<(u64, u64)>,
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
            leases: Arc::default(),
            written: Mutex::default(),
            newest: watch::Sender::new(timestamp),
        }
    }

    /// The newest snapshot.
    pub fn latest(&self) -> (Timestamp, Arc<Catalog>) {
        let history = self.history.read();
        let (timestamp, catalog) = history.latest();
        (timestamp, catalog.clone())
    }

    /// Begins to read the newest snapshot.
    pub fn lease_latest(&self) -> (Lease, Arc<Catalog>) {
        let history = self.history.read();
        let (timestamp, catalog) = history.latest();
        (self.leases.take(timestamp), catalog.clone())
    }

    /// Begins to read an older snapshot.
    pub fn lease(&self, timestamp: Timestamp) -> Result<(Lease, Arc<Catalog>)> {
        let history = self.history.read();
        let newest = history.latest().0;
        if timestamp > newest {
            return Err(Error::developer(
                "TimestampInTheFuture",
                format!("Timestamp {timestamp} is in the future: the newest snapshot is {newest}"),
            ));
        }
        // The horizon of retention does not pass the oldest snapshot of the history while that is locked.
        let catalog = history.catalog_at(timestamp)?.clone();
        Ok((self.leases.take(timestamp), catalog))
    }

    /// Forgets commits that are too old, and tells up to which timestamp nobody needs any more what a commit replaced.
    /// That is `wanted`, or less if older snapshots can be read or are being read. The newest commit is never included.
    pub fn advance_horizon(&self, now: Timestamp, wanted: Timestamp) -> Timestamp {
        let mut history = self.history.write();
        for dropped in history.expire(now) {
            self.cache.compact(&dropped, history.oldest());
        }
        let before_newest = Timestamp(history.latest().0.0.saturating_sub(1));
        let readable = self.leases.oldest().map_or(history.oldest(), |read| read.min(history.oldest()));
        wanted.min(readable).min(before_newest)
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
        let mut written = self.written.lock();
        *written = (written.0 + entries.len() as u64, written.1 + 1);
        drop(written);
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

    /// What the database is doing.
    pub fn statistics(&self) -> Statistics {
        let (commits, groups) = *self.written.lock();
        let subscriptions = self.subscriptions.lock().len();
        Statistics { commits, groups, subscriptions, cache_size: self.cache.bytes() }
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
