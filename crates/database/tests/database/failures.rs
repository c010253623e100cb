//! Stores that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::common::*;
use bytes::Bytes;
use convex_wasm_database::{
    BlobId, Database, Error, MemoryPersistence, Options, Persistence, PersistenceError, SqlitePersistence, Timestamp,
};
use convex_wasm_persistence::{
    DocumentKey, IndexId, IndexRow, Key, KeyRange, Order, Prune, Revision, Versioned, WriteBatch,
};
use convex_wasm_values::ConvexObject;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use tempfile::TempDir;

type Stored<T> = Result<T, PersistenceError>;

const WORKS: u8 = 0;
/// The write is refused.
const DISK_FULL: u8 = 1;
/// The write is done, but an error comes back, as from a connection that breaks in between.
const ANSWER_LOST: u8 = 2;

/// A store whose writes can be made to fail.
struct Failing {
    inner: SqlitePersistence,
    mode: Arc<AtomicU8>,
}

impl Persistence for Failing {
    fn write(&self, batch: WriteBatch) -> BoxFuture<'_, Stored<()>> {
        let failure = PersistenceError::Failed("no".to_owned());
        match self.mode.load(Ordering::SeqCst) {
            WORKS => self.inner.write(batch),
            DISK_FULL => async { Err(failure) }.boxed(),
            _ => async { self.inner.write(batch).await.and(Err(failure)) }.boxed(),
        }
    }

    fn max_timestamp(&self) -> BoxFuture<'_, Stored<Timestamp>> {
        self.inner.max_timestamp()
    }

    fn get(&self, index: IndexId, keys: Vec<Key>, at: Timestamp) -> BoxFuture<'_, Stored<Vec<Option<Versioned>>>> {
        self.inner.get(index, keys, at)
    }

    fn scan(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> BoxFuture<'_, Stored<Vec<IndexRow>>> {
        self.inner.scan(index, range, at, order, limit)
    }

    fn count(&self, index: IndexId, at: Timestamp) -> BoxFuture<'_, Stored<u64>> {
        self.inner.count(index, at)
    }

    fn revisions(&self, after: Timestamp, limit: usize) -> BoxFuture<'_, Stored<Vec<Revision>>> {
        self.inner.revisions(after, limit)
    }

    fn contents(&self, keys: Vec<(Timestamp, DocumentKey)>) -> BoxFuture<'_, Stored<Vec<Option<Arc<ConvexObject>>>>> {
        self.inner.contents(keys)
    }

    fn prune(&self, prune: Prune) -> BoxFuture<'_, Stored<()>> {
        self.inner.prune(prune)
    }

    fn prune_index(&self, index: IndexId, limit: usize) -> BoxFuture<'_, Stored<usize>> {
        self.inner.prune_index(index, limit)
    }

    fn get_global(&self, name: &'static str) -> BoxFuture<'_, Stored<Option<serde_json::Value>>> {
        self.inner.get_global(name)
    }

    fn set_global(&self, name: &'static str, value: serde_json::Value) -> BoxFuture<'_, Stored<()>> {
        self.inner.set_global(name, value)
    }

    fn put_blob(&self, content: Bytes) -> BoxFuture<'_, Stored<BlobId>> {
        self.inner.put_blob(content)
    }

    fn get_blob(&self, id: BlobId) -> BoxFuture<'_, Stored<Option<Bytes>>> {
        self.inner.get_blob(id)
    }
}

async fn failing() -> (Fixture, Arc<AtomicU8>) {
    let directory = TempDir::new().unwrap();
    let mode = Arc::new(AtomicU8::new(WORKS));
    let inner = SqlitePersistence::open(directory.path().join("test.sqlite3")).unwrap();
    let persistence = Arc::new(Failing { inner, mode: mode.clone() });
    (Fixture { database: Database::open(persistence).await.unwrap(), directory }, mode)
}

async fn try_insert(fixture: &Fixture) -> Result<(), Error> {
    let mut transaction = fixture.begin();
    insert(&mut transaction, "t", json!({})).await.unwrap();
    fixture.database.commit(transaction).await.map(|_| ())
}

#[tokio::test]
async fn a_full_disk_refuses_commits_until_there_is_room() {
    let (fixture, mode) = failing().await;
    try_insert(&fixture).await.unwrap();
    mode.store(DISK_FULL, Ordering::SeqCst);
    assert!(matches!(try_insert(&fixture).await, Err(Error::Persistence(_))));
    assert_eq!(fixture.collect(full_scan("t")).await.len(), 1);
    mode.store(WORKS, Ordering::SeqCst);
    try_insert(&fixture).await.unwrap();
    assert_eq!(fixture.collect(full_scan("t")).await.len(), 2);
}

#[tokio::test]
async fn a_commit_of_unknown_outcome_ends_commits_until_the_database_is_opened_again() {
    let (fixture, mode) = failing().await;
    try_insert(&fixture).await.unwrap();
    mode.store(ANSWER_LOST, Ordering::SeqCst);
    assert!(matches!(try_insert(&fixture).await, Err(Error::Persistence(_))));
    mode.store(WORKS, Ordering::SeqCst);
    assert!(matches!(try_insert(&fixture).await, Err(Error::ShutDown)));
    // Reading goes on, without what was not acknowledged.
    assert_eq!(fixture.collect(full_scan("t")).await.len(), 1);
    let Fixture { database, directory } = fixture;
    database.shut_down().await;
    let database = open(directory.path()).await;
    let fixture = Fixture { database, directory };
    assert_eq!(fixture.collect(full_scan("t")).await.len(), 2);
    try_insert(&fixture).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn writing_is_slowed_down_to_its_limit_and_refused_beyond() {
    let options = Options { max_bytes_written_per_second: 100_000, ..Options::default() };
    let database = in_memory(&MemoryPersistence::new(), options).await;
    let write = async |bytes: usize| {
        let mut transaction = database.begin(begin());
        insert(&mut transaction, "t", json!({"text": "x".repeat(bytes)})).await.unwrap();
        database.commit(transaction).await
    };
    let start = tokio::time::Instant::now();
    for _ in 0..30 {
        write(10_000).await.unwrap();
    }
    let elapsed = start.elapsed().as_secs_f64();
    assert!((1.5..3.5).contains(&elapsed), "300 kB took {elapsed} s");
    write(900_000).await.unwrap();
    let refused = write(1).await.unwrap_err();
    assert_eq!(refused.code(), "TooManyWrites");
    assert!(refused.to_string().contains("Too many writes per second"));
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    write(1).await.unwrap();
}

#[tokio::test]
async fn a_closed_database_refuses_commits() {
    let fixture = Fixture::new().await;
    fixture.database.clone().shut_down().await;
    assert!(matches!(try_insert(&fixture).await, Err(Error::ShutDown)));
    fixture.database.clone().shut_down().await;
}
