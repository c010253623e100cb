//! The database: snapshots, commits, subscriptions, blobs.

use std::sync::Arc;

use bytes::Bytes;
use convex_wasm_knobs::COMMITTER_QUEUE_SIZE;
use convex_wasm_persistence::{DocumentKey, KeyRange, Order, Persistence, PersistenceError, Timestamp};
use convex_wasm_values::{ConvexValue, DocumentId};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::catalog::Catalog;
use crate::committer::{Committer, Message};
use crate::counts::Counts;
use crate::query::cursor::{CursorCipher, KEY_LENGTH};
use crate::reader::Reader;
use crate::retention::Retention;
use crate::snapshots::{Snapshots, Statistics};
use crate::system_tables::{INDEX, SCHEMAS, SystemTable, TABLES};
use crate::throttle::Throttle;
use crate::turns::{Turn, Turns};
use crate::world::World;
use crate::{Begin, BlobId, Conflict, Error, Options, ReadSet, Result, Subscription, Transaction};

/// The global that holds the key of cursors.
const CURSOR_KEY: &str = "cursor_key";
/// Rows of a table of the system that are read at once when a database is opened.
const LOAD_CHUNK: usize = 1024;

/// What came of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// When it was committed; the begin timestamp if nothing was written.
    pub timestamp: Timestamp,
}

/// A handle of an open database; clones are the same database.
#[derive(Clone)]
pub struct Database {
    pub(crate) inner: Arc<Inner>,
}

/// What transactions share.
pub struct Inner {
    pub(crate) persistence: Arc<dyn Persistence>,
    pub(crate) reader: Reader,
    pub(crate) snapshots: Arc<Snapshots>,
    pub(crate) cursors: CursorCipher,
    pub(crate) world: Arc<dyn World>,
    committer: mpsc::Sender<Message>,
    committer_task: Mutex<Option<JoinHandle<()>>>,
    retention_task: Mutex<Option<JoinHandle<()>>>,
    turns: Turns,
    throttle: Throttle,
}

impl Database {
    /// Opens a database on a store, which no one else may write to. Has to be called inside a Tokio runtime.
    pub async fn open(persistence: Arc<dyn Persistence>) -> Result<Self> {
        Self::open_with(persistence, Options::default()).await
    }

    /// Like [`Database::open`], with other choices than the knobs'.
    pub async fn open_with(persistence: Arc<dyn Persistence>, options: Options) -> Result<Self> {
        let world = options.world.clone();
        let cursors = CursorCipher::new(&cursor_key(persistence.as_ref(), world.as_ref()).await?);
        let timestamp = persistence.max_timestamp().await?;
        let catalog = load_catalog(persistence.as_ref(), timestamp).await?;
        let counts = Counts::load(persistence.as_ref(), &catalog, timestamp).await?;
        let snapshots = Arc::new(Snapshots::new(timestamp, Arc::new(catalog), counts, &options));
        let (committer, queue) = mpsc::channel(COMMITTER_QUEUE_SIZE.get().max(1));
        let task = tokio::spawn(Committer::new(persistence.clone(), world.clone(), snapshots.clone(), queue).run());
        let committer_task = Mutex::new(Some(task));
        let retention = Retention::load(persistence.as_ref(), options.retention).await?;
        let retention_task = Mutex::default();
        let turns = Turns::new();
        let throttle = Throttle::new(options.max_bytes_written_per_second);
        let reader = Reader::new(persistence.clone(), snapshots.clone());
        let inner = Inner {
            persistence,
            reader,
            snapshots,
            cursors,
            world,
            committer,
            committer_task,
            retention_task,
            turns,
            throttle,
        };
        let database = Self { inner: Arc::new(inner) };
        let weak = Arc::downgrade(&database.inner);
        *database.inner.retention_task.lock() = Some(tokio::spawn(retention.run(weak)));
        database.resume_schema();
        Ok(database)
    }

    /// Finishes the commits that are waiting, and refuses all later ones. The store is closed when the last handle is
    /// dropped.
    pub async fn shut_down(self) {
        let retention = self.inner.retention_task.lock().take();
        if let Some(retention) = retention {
            retention.abort();
            // It ends with an error, which says that it was aborted.
            let _ = retention.await;
        }
        let task = self.inner.committer_task.lock().take();
        // If the committer is gone already, there is nothing to wait for.
        if let Some(task) = task
            && self.inner.committer.send(Message::Stop).await.is_ok()
        {
            let _ = task.await;
            let (timestamp, counts) = self.inner.snapshots.counts();
            if let Err(error) = counts.store(self.inner.persistence.as_ref(), timestamp).await {
                tracing::warn!(%error, "the table counts were not stored; the next start takes longer");
            }
        }
    }

    /// The newest snapshot: everything acknowledged is in it.
    pub fn latest_timestamp(&self) -> Timestamp {
        self.inner.snapshots.latest().0
    }

    /// Begins a transaction on the newest snapshot.
    pub fn begin(&self, begin: Begin) -> Transaction {
        let (lease, catalog) = self.inner.snapshots.lease_latest();
        Transaction::new(self.inner.clone(), lease, catalog, begin)
    }

    /// Begins a transaction on an older snapshot; `OutOfRetention` if it is too old.
    pub fn begin_at(&self, timestamp: Timestamp, begin: Begin) -> Result<Transaction> {
        let (lease, catalog) = self.inner.snapshots.lease(timestamp)?;
        Ok(Transaction::new(self.inner.clone(), lease, catalog, begin))
    }

    /// Commits. When this returns, the writes are durable and every transaction begun from now on sees them.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::OutOfRetention`]: run the function again on a newer snapshot.
    /// [`Error::Overloaded`]: more is being written than the database takes.
    pub async fn commit(&self, transaction: Transaction) -> Result<Committed> {
        if !transaction.has_writes() {
            return Ok(Committed { timestamp: transaction.timestamp() });
        }
        self.inner.throttle.admit(transaction.bytes_to_write()).await?;
        let (reply, answer) = oneshot::channel();
        let message = Message::Commit(transaction.into_request(reply));
        self.inner.committer.try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Error::Overloaded {
                code: "CommitterFullError",
                message: "Too many mutations are waiting to be committed. Try again later.".to_owned(),
            },
            mpsc::error::TrySendError::Closed(_) => Error::ShutDown,
        })?;
        let timestamp = answer.await.unwrap_or(Err(Error::ShutDown))?;
        Ok(Committed { timestamp })
    }

    /// Waits for the others that conflicted in the same place. Hold the turn while the function runs again and commits,
    /// and drop it before waiting for another.
    pub async fn wait_turn(&self, conflict: &Conflict) -> Turn {
        self.inner.turns.wait(conflict).await
    }

    /// Watches over what was read at a snapshot: [`Subscription::invalidated`] tells when a later commit changes
    /// something in it. A commit costs the subscriptions that it ends, not the others.
    ///
    /// # Errors
    /// [`Error::OutOfRetention`] if the snapshot is too old to tell: run the query again.
    pub fn subscribe(&self, reads: Arc<ReadSet>, snapshot: Timestamp) -> Result<Subscription> {
        self.inner.snapshots.subscribe(reads, snapshot)
    }

    /// The first commit after `from`, at or before `to`, that changes something in the read set.
    pub fn first_invalidation(&self, reads: &ReadSet, from: Timestamp, to: Timestamp) -> Result<Option<Timestamp>> {
        let conflict = self.inner.snapshots.first_conflict(reads, from)?;
        Ok(conflict.map(|conflict| conflict.timestamp).filter(|timestamp| *timestamp <= to))
    }

    /// What the database is doing.
    pub fn statistics(&self) -> Statistics {
        self.inner.snapshots.statistics()
    }

    /// Stores bytes durably under their hash. Not part of a transaction: refer to it from one afterwards.
    pub async fn put_blob(&self, content: Bytes) -> Result<BlobId> {
        Ok(self.inner.persistence.put_blob(content).await?)
    }

    /// Reads a blob.
    pub async fn get_blob(&self, id: BlobId) -> Result<Option<Bytes>> {
        Ok(self.inner.persistence.get_blob(id).await?)
    }
}

/// The database's key of cursors, made when it is opened for the first time.
async fn cursor_key(persistence: &dyn Persistence, world: &dyn World) -> Result<[u8; KEY_LENGTH]> {
    match persistence.get_global(CURSOR_KEY).await? {
        Some(json) => json.as_str().and_then(|text| hex::decode(text).ok()?.try_into().ok()).ok_or_else(|| {
            PersistenceError::Damaged { detail: format!("the global {CURSOR_KEY} is not a key") }.into()
        }),
        None => {
            let mut key = [0; KEY_LENGTH];
            world.fill_random(&mut key);
            persistence.set_global(CURSOR_KEY, hex::encode(key).into()).await?;
            Ok(key)
        }
    }
}

async fn load_catalog(persistence: &dyn Persistence, at: Timestamp) -> Result<Catalog> {
    let mut catalog = Catalog::system();
    for table in [&TABLES, &INDEX, &SCHEMAS] {
        load_table(persistence, at, table, &mut catalog).await?;
    }
    catalog.check()?;
    Ok(catalog)
}

async fn load_table(
    persistence: &dyn Persistence,
    at: Timestamp,
    table: &SystemTable,
    catalog: &mut Catalog,
) -> Result<()> {
    let mut range = KeyRange::all();
    loop {
        let rows = persistence.scan(table.index(0), range.clone(), at, Order::Ascending, LOAD_CHUNK).await?;
        for row in &rows {
            let content = &row.versioned.document;
            let id = content.get("_id").and_then(ConvexValue::as_str).and_then(|id| id.parse::<DocumentId>().ok());
            let id = id.ok_or_else(|| PersistenceError::Damaged {
                detail: format!("a row of table {} has no valid id", table.name),
            })?;
            catalog.apply(DocumentKey { tablet: table.tablet(), id: id.internal }, Some(content))?;
        }
        match rows.last() {
            Some(last) if rows.len() == LOAD_CHUNK => range.start = convex_wasm_persistence::successor(&last.key),
            _ => return Ok(()),
        }
    }
}
