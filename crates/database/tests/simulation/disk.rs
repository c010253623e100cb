//! A disk that is slow, fails, and dies with its process.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use bytes::Bytes;
use convex_wasm_database::{BlobId, MemoryPersistence, Persistence, PersistenceError, Timestamp};
use convex_wasm_persistence::{
    DocumentKey, IndexId, IndexRow, Key, KeyRange, Order, Prune, Revision, Versioned, WriteBatch,
};
use convex_wasm_values::ConvexObject;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Notify;

use crate::chance::Chance;

type Stored<T> = Result<T, PersistenceError>;

/// How often something goes wrong: once in so many operations, 0 for never.
#[derive(Clone, Copy, Default)]
pub struct Faults {
    /// Longest time of an operation in milliseconds.
    pub slowness: usize,
    /// A read fails.
    pub read_fails: usize,
    /// A write is refused.
    pub write_refused: usize,
    /// A write is done, but an error comes back.
    pub answer_lost: usize,
    /// The connection is lost: an error comes back, and the write is done some time later, if at all.
    pub connection_lost: usize,
    /// The process dies right before or right after a write.
    pub crash: usize,
}

/// The disk as one process sees it.
pub struct Disk {
    store: MemoryPersistence,
    chance: Chance,
    faults: Faults,
    dead: Arc<AtomicBool>,
    death: Arc<Notify>,
    /// How often writes were settled.
    settled: Arc<AtomicU64>,
}

impl Disk {
    pub fn new(store: MemoryPersistence, chance: Chance, faults: Faults) -> Self {
        Self { store, chance, faults, dead: Arc::default(), death: Arc::default(), settled: Arc::default() }
    }

    /// Waits until the process dies of a crash.
    pub async fn death(&self) {
        self.death.notified().await;
    }

    async fn crash_point(&self) {
        if self.chance.one_in(self.faults.crash) {
            self.dead.store(true, SeqCst);
            self.death.notify_one();
        }
        if self.dead.load(SeqCst) {
            pending::<()>().await;
        }
    }

    fn failure<T>(&self, once_in: usize) -> Stored<Option<T>> {
        if self.chance.one_in(once_in) {
            return Err(PersistenceError::Failed("simulated".to_owned()));
        }
        Ok(None)
    }

    async fn read<T>(&self, read: BoxFuture<'_, Stored<T>>) -> Stored<T> {
        self.chance.pause(self.faults.slowness).await;
        self.crash_point().await;
        self.failure::<T>(self.faults.read_fails)?;
        read.await
    }

    async fn change<T>(&self, change: impl AsyncFnOnce() -> Stored<T>) -> Stored<T> {
        self.chance.pause(self.faults.slowness).await;
        self.crash_point().await;
        self.failure::<T>(self.faults.write_refused)?;
        let result = change().await?;
        self.crash_point().await;
        self.chance.pause(self.faults.slowness).await;
        self.failure::<T>(self.faults.answer_lost)?;
        Ok(result)
    }
}

impl Disk {
    /// Does a write later, unless writes are settled or the process dies before.
    fn write_late(&self, batch: WriteBatch) {
        let (store, chance, slowness) = (self.store.clone(), self.chance.clone(), self.faults.slowness);
        let (dead, settled) = (self.dead.clone(), self.settled.clone());
        let now = settled.load(SeqCst);
        tokio::spawn(async move {
            chance.pause(20 * slowness).await;
            if !dead.load(SeqCst) && settled.load(SeqCst) == now {
                store.write(batch).await.unwrap();
            }
        });
    }
}

impl Persistence for Disk {
    fn write(&self, batch: WriteBatch) -> BoxFuture<'_, Stored<()>> {
        async move {
            if self.chance.one_in(self.faults.connection_lost) {
                self.write_late(batch);
                return Err(PersistenceError::Failed("simulated: the connection was lost".to_owned()));
            }
            self.change(async || self.store.write(batch).await).await
        }
        .boxed()
    }

    fn settle(&self) -> BoxFuture<'_, Stored<()>> {
        async {
            let settle = async {
                self.settled.fetch_add(1, SeqCst);
                Ok(())
            };
            self.read(settle.boxed()).await
        }
        .boxed()
    }

    fn max_timestamp(&self) -> BoxFuture<'_, Stored<Timestamp>> {
        async { self.read(self.store.max_timestamp()).await }.boxed()
    }

    fn get(&self, index: IndexId, keys: Vec<Key>, at: Timestamp) -> BoxFuture<'_, Stored<Vec<Option<Versioned>>>> {
        async move { self.read(self.store.get(index, keys, at)).await }.boxed()
    }

    fn scan(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> BoxFuture<'_, Stored<Vec<IndexRow>>> {
        async move { self.read(self.store.scan(index, range, at, order, limit)).await }.boxed()
    }

    fn count(&self, index: IndexId, at: Timestamp) -> BoxFuture<'_, Stored<u64>> {
        async move { self.read(self.store.count(index, at)).await }.boxed()
    }

    fn revisions(&self, after: Timestamp, limit: usize) -> BoxFuture<'_, Stored<Vec<Revision>>> {
        async move { self.read(self.store.revisions(after, limit)).await }.boxed()
    }

    fn contents(&self, keys: Vec<(Timestamp, DocumentKey)>) -> BoxFuture<'_, Stored<Vec<Option<Arc<ConvexObject>>>>> {
        async move { self.read(self.store.contents(keys)).await }.boxed()
    }

    fn prune(&self, prune: Prune) -> BoxFuture<'_, Stored<()>> {
        async move { self.change(async || self.store.prune(prune).await).await }.boxed()
    }

    fn prune_index(&self, index: IndexId, limit: usize) -> BoxFuture<'_, Stored<usize>> {
        async move { self.change(async || self.store.prune_index(index, limit).await).await }.boxed()
    }

    fn get_global(&self, name: &'static str) -> BoxFuture<'_, Stored<Option<serde_json::Value>>> {
        async move { self.read(self.store.get_global(name)).await }.boxed()
    }

    fn set_global(&self, name: &'static str, value: serde_json::Value) -> BoxFuture<'_, Stored<()>> {
        async move { self.change(async || self.store.set_global(name, value).await).await }.boxed()
    }

    fn put_blob(&self, content: Bytes) -> BoxFuture<'_, Stored<BlobId>> {
        async move { self.change(async || self.store.put_blob(content).await).await }.boxed()
    }

    fn get_blob(&self, id: BlobId) -> BoxFuture<'_, Stored<Option<Bytes>>> {
        async move { self.read(self.store.get_blob(id)).await }.boxed()
    }
}
