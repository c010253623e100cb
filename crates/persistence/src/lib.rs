//! Durable storage of the document log behind one trait.
//!
//! The log is append-only and multi-version. A **revision** is a document's content, or its deletion, at a timestamp. An
//! **index entry** says at which timestamp a key of an index began to lead to a document, or stopped to. A read at
//! timestamp `T` takes the newest entry at or below `T` of each key. Everything else (transactions, conflicts, the
//! meaning of a key) is the business of the `database` crate; nothing above this crate sees SQL.

mod columns;
mod error;
mod location;
mod memory;
mod mysql;
mod postgres;
mod remote;
mod sqlite;
mod transfer;
mod types;

use std::sync::Arc;

use bytes::Bytes;
use convex_wasm_values::ConvexObject;
use futures::FutureExt;
use futures::future::BoxFuture;

pub use error::PersistenceError;
pub use location::Location;
pub use memory::MemoryPersistence;
pub use mysql::MysqlPersistence;
pub use postgres::PostgresPersistence;
pub use remote::{RemoteOptions, TlsMode};
pub use sqlite::SqlitePersistence;
pub use transfer::{Totals, TransferProgress, transfer};
pub use types::{
    BlobId, DocumentKey, IndexEntry, IndexId, IndexRow, Key, KeyRange, Order, Prune, Revision, TabletId, Timestamp,
    Versioned, WriteBatch, successor,
};

/// Result of every operation.
pub type Result<T> = std::result::Result<T, PersistenceError>;

/// A durable store of revisions, index entries, globals and blobs.
///
/// Implementations keep blocking work off the caller's threads: every method returns a future that only waits.
pub trait Persistence: Send + Sync + 'static {
    /// Appends a batch atomically. When the future is ready, the batch survives the death of the process and of the
    /// machine. Entries that exist already are overwritten, so repeating a batch changes nothing. No two revisions of a
    /// batch have the same timestamp and document, and no two entries the same index, key and timestamp.
    fn write(&self, batch: WriteBatch) -> BoxFuture<'_, Result<()>>;

    /// When this is ready, no write that failed before can take effect any more: what is there now stays so. On a server, a
    /// write of which nothing was heard may be carried out after the caller has given it up.
    fn settle(&self) -> BoxFuture<'_, Result<()>> {
        futures::future::ready(Ok(())).boxed()
    }

    /// The timestamp of the newest revision, or [`Timestamp::MIN`] of an empty store.
    fn max_timestamp(&self) -> BoxFuture<'_, Result<Timestamp>>;

    /// The documents that keys of an index lead to at a timestamp, in the order of `keys`.
    fn get(&self, index: IndexId, keys: Vec<Key>, at: Timestamp) -> BoxFuture<'_, Result<Vec<Option<Versioned>>>>;

    /// The first rows, at most `limit`, of a range of an index at a timestamp, in the order asked for. Fewer rows than
    /// `limit` mean that the range has no more.
    fn scan(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<IndexRow>>>;

    /// How many keys of an index lead to a document at a timestamp. Takes a scan of the index.
    fn count(&self, index: IndexId, at: Timestamp) -> BoxFuture<'_, Result<u64>>;

    /// The revisions after a timestamp in the order of the log: at least `limit` if there are so many, and never a part of
    /// those with one timestamp.
    fn revisions(&self, after: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<Revision>>>;

    /// The contents of revisions, in the order of `keys`; `None` for one that deletes, and for one that is not there.
    fn contents(&self, keys: Vec<(Timestamp, DocumentKey)>) -> BoxFuture<'_, Result<Vec<Option<Arc<ConvexObject>>>>>;

    /// Removes revisions and index entries that nobody needs any more, durably. What is not there is passed over.
    fn prune(&self, prune: Prune) -> BoxFuture<'_, Result<()>>;

    /// Removes entries of an index that nobody needs any more, at most `limit` of them; how many there were.
    fn prune_index(&self, index: IndexId, limit: usize) -> BoxFuture<'_, Result<usize>>;

    /// A value of a small store beside the log: what has to be known before documents can be read.
    fn get_global(&self, name: &'static str) -> BoxFuture<'_, Result<Option<serde_json::Value>>>;

    /// Stores a global, durably.
    fn set_global(&self, name: &'static str, value: serde_json::Value) -> BoxFuture<'_, Result<()>>;

    /// Stores bytes, tens of megabytes say, durably under the hash of their content.
    fn put_blob(&self, content: Bytes) -> BoxFuture<'_, Result<BlobId>>;

    /// Reads a blob, or `None` if there is none.
    fn get_blob(&self, id: BlobId) -> BoxFuture<'_, Result<Option<Bytes>>>;

    /// Ready when another backend has taken the store over and this one may not write any more.
    fn taken_over(&self) -> BoxFuture<'_, ()> {
        futures::future::pending().boxed()
    }
}

/// A store of which everything can be listed, so that it can be moved to another one.
pub trait Portable: Persistence {
    /// The entries of all indexes behind one, or from the first one on, at most `limit`, in some order of the store's own.
    fn entries(&self, after: Option<IndexEntry>, limit: usize) -> BoxFuture<'_, Result<Vec<IndexEntry>>>;

    /// Every global.
    fn globals(&self) -> BoxFuture<'_, Result<Vec<(String, serde_json::Value)>>>;

    /// Stores globals, durably.
    fn set_globals(&self, globals: Vec<(String, serde_json::Value)>) -> BoxFuture<'_, Result<()>>;

    /// The names of all blobs.
    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>>>;
}
