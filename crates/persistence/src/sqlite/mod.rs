//! The store in one SQLite file.
//!
//! The file is in write-ahead-log mode with `synchronous=FULL`: a commit is durable when it returns, and readers never
//! wait for the writer. One thread owns the one connection that writes, and each of a few others one that reads. A lock file beside the database keeps a second process out, whose commits this one
//! would not see.

mod layout;
mod list;
mod log;
mod read;
mod write;

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use bytes::Bytes;
use convex_wasm_knobs::SQLITE_MAX_READERS;
use convex_wasm_values::ConvexObject;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{
    BlobId, DocumentKey, IndexEntry, IndexId, IndexRow, Key, KeyRange, Order, Persistence, PersistenceError, Portable,
    Prune, Result, Revision, Timestamp, Versioned, WriteBatch,
};

/// Work for the thread that writes.
type Job = Box<dyn FnOnce(&mut Connection) + Send>;
/// Work for a thread that reads. It opens its connection for the first one.
type ReadJob = Box<dyn FnOnce(&mut Option<Connection>) + Send>;

/// A store in one SQLite file. Closed when dropped.
pub struct SqlitePersistence {
    /// `None` only while it is being dropped.
    writer: Option<mpsc::Sender<Job>>,
    writer_thread: Option<JoinHandle<()>>,
    /// `None` only while it is being dropped.
    readers: Option<mpsc::Sender<ReadJob>>,
    reader_threads: Vec<JoinHandle<()>>,
    path: Arc<Path>,
    /// Held for as long as the database is open.
    _lock: File,
}

impl SqlitePersistence {
    /// Opens a file, and creates it if there is none.
    ///
    /// # Errors
    /// [`PersistenceError::Foreign`] for a file that is something else, [`PersistenceError::Damaged`] for a database that
    /// does not read, [`PersistenceError::InUse`] if another process has it open.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let lock = lock(&path)?;
        let mut connection = layout::open_writer(&path)?;
        let (writer, jobs) = mpsc::channel::<Job>();
        let writer_thread = spawn("sqlite-writer", &path, move || {
            for job in jobs {
                job(&mut connection);
            }
        })?;
        let (readers, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let reader_threads = (0..SQLITE_MAX_READERS.get().max(1)).map(|_| {
            let jobs = jobs.clone();
            spawn("sqlite-reader", &path, move || read_jobs(&jobs))
        });
        let reader_threads = reader_threads.collect::<Result<_>>()?;
        Ok(Self {
            writer: Some(writer),
            writer_thread: Some(writer_thread),
            readers: Some(readers),
            reader_threads,
            path: path.into(),
            _lock: lock,
        })
    }

    fn on_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'_, Result<T>> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Nobody waits for the answer any more if the caller was cancelled; the work is done all the same.
            let _ = reply.send(work(connection));
        });
        let sent = self.writer.as_ref().is_some_and(|writer| writer.send(job).is_ok());
        async move {
            if sent { answer.await.unwrap_or(Err(PersistenceError::Closed)) } else { Err(PersistenceError::Closed) }
        }
        .boxed()
    }

    fn on_reader<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'_, Result<T>> {
        let (reply, answer) = oneshot::channel();
        let path = self.path.clone();
        let job: ReadJob = Box::new(move |connection| {
            let result =
                read::connected(connection, &path).and_then(|connection| read::in_transaction(connection, work));
            // Nobody waits for the answer any more if the caller was cancelled.
            let _ = reply.send(result);
        });
        let sent = self.readers.as_ref().is_some_and(|readers| readers.send(job).is_ok());
        async move {
            if sent { answer.await.unwrap_or(Err(PersistenceError::Closed)) } else { Err(PersistenceError::Closed) }
        }
        .boxed()
    }
}

fn spawn(name: &str, path: &Path, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map_err(|error| PersistenceError::CannotOpen { path: path.to_owned(), reason: error.to_string() })
}

/// What a thread that reads does until the store is closed. Whoever holds the lock waits for the next job.
fn read_jobs(jobs: &Mutex<mpsc::Receiver<ReadJob>>) {
    let mut connection = None;
    loop {
        let job = jobs.lock().recv();
        match job {
            Ok(job) => job(&mut connection),
            Err(_) => return,
        }
    }
}

impl Drop for SqlitePersistence {
    fn drop(&mut self) {
        // Threads end when their channel is closed and empty; then the file may be opened again. Whoever closes the last
        // connection moves the write-ahead log into the file, which a reader must not do.
        self.readers = None;
        for thread in self.reader_threads.drain(..) {
            let _ = thread.join();
        }
        self.writer = None;
        if let Some(thread) = self.writer_thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(path: &Path) -> Result<File> {
    let mut lock_path = path.as_os_str().to_owned();
    lock_path.push(".lock");
    let cannot_open =
        |error: std::io::Error| PersistenceError::CannotOpen { path: path.to_owned(), reason: error.to_string() };
    let file = File::create(lock_path).map_err(cannot_open)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PersistenceError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(error)) => Err(cannot_open(error)),
    }
}

impl Persistence for SqlitePersistence {
    fn write(&self, batch: WriteBatch) -> BoxFuture<'_, Result<()>> {
        self.on_writer(move |connection| write::batch(connection, &batch))
    }

    fn max_timestamp(&self) -> BoxFuture<'_, Result<Timestamp>> {
        self.on_reader(read::max_timestamp)
    }

    fn get(&self, index: IndexId, keys: Vec<Key>, at: Timestamp) -> BoxFuture<'_, Result<Vec<Option<Versioned>>>> {
        self.on_reader(move |connection| keys.iter().map(|key| read::get(connection, index, key, at)).collect())
    }

    fn scan(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<IndexRow>>> {
        self.on_reader(move |connection| read::scan(connection, index, range, at, order, limit))
    }

    fn count(&self, index: IndexId, at: Timestamp) -> BoxFuture<'_, Result<u64>> {
        self.on_reader(move |connection| read::count(connection, index, at))
    }

    fn revisions(&self, after: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        self.on_reader(move |connection| log::revisions(connection, after, limit))
    }

    fn contents(&self, keys: Vec<(Timestamp, DocumentKey)>) -> BoxFuture<'_, Result<Vec<Option<Arc<ConvexObject>>>>> {
        self.on_reader(move |connection| keys.iter().map(|key| log::content(connection, *key)).collect())
    }

    fn prune(&self, prune: Prune) -> BoxFuture<'_, Result<()>> {
        self.on_writer(move |connection| write::prune(connection, &prune))
    }

    fn prune_index(&self, index: IndexId, limit: usize) -> BoxFuture<'_, Result<usize>> {
        self.on_writer(move |connection| write::prune_index(connection, index, limit))
    }

    fn get_global(&self, name: &'static str) -> BoxFuture<'_, Result<Option<serde_json::Value>>> {
        self.on_reader(move |connection| read::global(connection, name))
    }

    fn set_global(&self, name: &'static str, value: serde_json::Value) -> BoxFuture<'_, Result<()>> {
        self.on_writer(move |connection| write::global(connection, name, &value))
    }

    fn put_blob(&self, content: Bytes) -> BoxFuture<'_, Result<BlobId>> {
        self.on_writer(move |connection| write::blob(connection, &content))
    }

    fn get_blob(&self, id: BlobId) -> BoxFuture<'_, Result<Option<Bytes>>> {
        self.on_reader(move |connection| read::blob(connection, id))
    }
}

impl Portable for SqlitePersistence {
    fn entries(&self, after: Option<IndexEntry>, limit: usize) -> BoxFuture<'_, Result<Vec<IndexEntry>>> {
        self.on_reader(move |connection| list::entries(connection, after.as_ref(), limit))
    }

    fn globals(&self) -> BoxFuture<'_, Result<Vec<(String, serde_json::Value)>>> {
        self.on_reader(list::globals)
    }

    fn set_globals(&self, globals: Vec<(String, serde_json::Value)>) -> BoxFuture<'_, Result<()>> {
        self.on_writer(move |connection| {
            globals.iter().try_for_each(|(name, value)| write::global(connection, name, value))
        })
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>>> {
        self.on_reader(list::blobs)
    }
}
