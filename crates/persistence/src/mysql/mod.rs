//! The store in a MySQL database (8 or newer) or a MariaDB database (10.11 or newer).
//!
//! Every operation can be repeated without harm, so it is tried again while the server is away. Reads are one statement
//! for each page, and writes one transaction. A lease keeps two backends from writing the same database: the one that opened it last may write.

mod connection;
mod layout;
mod list;
mod read;
mod sql;
mod write;

use std::sync::Arc;

use bytes::Bytes;
use convex_wasm_values::ConvexObject;
use futures::FutureExt;
use futures::future::BoxFuture;
use mysql_async::Row;

use crate::remote::{Lease, RemoteOptions, retry, scan};
use crate::{
    BlobId, DocumentKey, IndexEntry, IndexId, IndexRow, Key, KeyRange, Order, Persistence, Portable, Prune, Result,
    Revision, Timestamp, Versioned, WriteBatch,
};
use connection::Server;
use read::Snapshot;

/// A store in a MySQL or MariaDB database.
pub struct MysqlPersistence {
    server: Server,
    options: RemoteOptions,
    lease: Lease,
}

impl MysqlPersistence {
    /// Opens a database, makes its tables if it is empty, and takes it away from a backend that had it open. Waits for a
    /// server that is away or starting.
    ///
    /// # Errors
    /// [`PersistenceError::InvalidAddress`](crate::PersistenceError::InvalidAddress),
    /// [`Unreachable`](crate::PersistenceError::Unreachable), [`Refused`](crate::PersistenceError::Refused),
    /// [`Foreign`](crate::PersistenceError::Foreign), or [`NewerFormat`](crate::PersistenceError::NewerFormat).
    pub async fn open(options: RemoteOptions) -> Result<Self> {
        let server = Server::new(&options)?;
        let epoch = retry(options.timeout, options.retry, || async {
            let connection = server.connection().await?;
            layout::open(connection, &server).await
        })
        .await?;
        let lease = Lease::new(epoch, server.shown.clone());
        Ok(Self { server, options, lease })
    }

    /// Runs a statement, again and again while the server is away.
    async fn query(&self, statement: &str) -> Result<Vec<Row>> {
        retry(self.options.timeout, self.options.retry, || self.server.query(statement)).await
    }
}

impl Persistence for MysqlPersistence {
    fn write(&self, batch: WriteBatch) -> BoxFuture<'_, Result<()>> {
        async move { self.write_batch(&batch).await }.boxed()
    }

    fn settle(&self) -> BoxFuture<'_, Result<()>> {
        self.renew_lease().boxed()
    }

    fn max_timestamp(&self) -> BoxFuture<'_, Result<Timestamp>> {
        self.read_max_timestamp().boxed()
    }

    fn get(&self, index: IndexId, keys: Vec<Key>, at: Timestamp) -> BoxFuture<'_, Result<Vec<Option<Versioned>>>> {
        async move { self.read_keys(index, &keys, at).await }.boxed()
    }

    fn scan(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<IndexRow>>> {
        async move { scan(&Snapshot { store: self, index, at }, &range, order, limit).await }.boxed()
    }

    fn count(&self, index: IndexId, at: Timestamp) -> BoxFuture<'_, Result<u64>> {
        self.read_count(index, at).boxed()
    }

    fn revisions(&self, after: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        self.read_revisions(after, limit).boxed()
    }

    fn contents(&self, keys: Vec<(Timestamp, DocumentKey)>) -> BoxFuture<'_, Result<Vec<Option<Arc<ConvexObject>>>>> {
        async move { self.read_contents(&keys).await }.boxed()
    }

    fn prune(&self, prune: Prune) -> BoxFuture<'_, Result<()>> {
        async move { self.write_prune(&prune).await }.boxed()
    }

    fn prune_index(&self, index: IndexId, limit: usize) -> BoxFuture<'_, Result<usize>> {
        self.write_prune_index(index, limit).boxed()
    }

    fn get_global(&self, name: &'static str) -> BoxFuture<'_, Result<Option<serde_json::Value>>> {
        self.read_global(name).boxed()
    }

    fn set_global(&self, name: &'static str, value: serde_json::Value) -> BoxFuture<'_, Result<()>> {
        async move { self.write_globals(&[(name, &value)]).await }.boxed()
    }

    fn put_blob(&self, content: Bytes) -> BoxFuture<'_, Result<BlobId>> {
        async move { self.write_blob(&content).await }.boxed()
    }

    fn get_blob(&self, id: BlobId) -> BoxFuture<'_, Result<Option<Bytes>>> {
        self.read_blob(id).boxed()
    }

    fn taken_over(&self) -> BoxFuture<'_, ()> {
        self.lease.taken_over()
    }
}

impl Portable for MysqlPersistence {
    fn entries(&self, after: Option<IndexEntry>, limit: usize) -> BoxFuture<'_, Result<Vec<IndexEntry>>> {
        async move { self.list_entries(after.as_ref(), limit).await }.boxed()
    }

    fn globals(&self) -> BoxFuture<'_, Result<Vec<(String, serde_json::Value)>>> {
        self.list_globals().boxed()
    }

    fn set_globals(&self, globals: Vec<(String, serde_json::Value)>) -> BoxFuture<'_, Result<()>> {
        async move {
            let globals: Vec<_> = globals.iter().map(|(name, value)| (name.as_str(), value)).collect();
            self.write_globals(&globals).await
        }
        .boxed()
    }

    fn blobs(&self) -> BoxFuture<'_, Result<Vec<BlobId>>> {
        self.list_blobs().boxed()
    }
}
