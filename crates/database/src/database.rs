//! The database: snapshots, commits, subscriptions, blobs.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use convex_wasm_persistence::Persistence;
use convex_wasm_values::Schema;

use crate::{Begin, BlobId, ReadSet, Result, SchemaId, SchemaProgress, Timestamp, Transaction};

/// What came of a commit.
#[derive(Clone, Debug)]
pub struct Committed {
    /// When it was committed; the begin timestamp if nothing was written.
    pub timestamp: Timestamp,
    /// What the transaction read.
    pub read_set: ReadSet,
}

/// A handle of an open database; clones are the same database.
#[derive(Clone)]
pub struct Database {}

impl Database {
    /// Opens a database on a store, which no one else may write to. Has to be called inside a Tokio runtime.
    pub async fn open(persistence: Arc<dyn Persistence>) -> Result<Self> {
        todo!()
    }

    /// The newest snapshot: everything acknowledged is in it.
    pub fn latest_timestamp(&self) -> Timestamp {
        todo!()
    }

    /// Begins a transaction on the newest snapshot.
    pub fn begin(&self, begin: Begin) -> Transaction {
        todo!()
    }

    /// Begins a transaction on an older snapshot; `OutOfRetention` if it is too old.
    pub fn begin_at(&self, timestamp: Timestamp, begin: Begin) -> Result<Transaction> {
        todo!()
    }

    /// Commits. When this returns, the writes are durable and every transaction begun from now on sees them.
    pub async fn commit(&self, transaction: Transaction) -> Result<Committed> {
        todo!()
    }

    /// Waits until a commit after `timestamp` changes something in the read set; the timestamp of that commit.
    pub async fn wait_for_invalidation(&self, reads: &ReadSet, timestamp: Timestamp) -> Result<Timestamp> {
        todo!()
    }

    /// The first commit after `from`, at or before `to`, that changes something in the read set.
    pub fn first_invalidation(&self, reads: &ReadSet, from: Timestamp, to: Timestamp) -> Result<Option<Timestamp>> {
        todo!()
    }

    /// Stores bytes durably under their hash. Not part of a transaction: refer to it from one afterwards.
    pub async fn put_blob(&self, content: Bytes) -> Result<BlobId> {
        todo!()
    }

    /// Reads a blob.
    pub async fn get_blob(&self, id: BlobId) -> Result<Option<Bytes>> {
        todo!()
    }

    /// Stores a schema as pending, instead of the pending one, if any; creates its tables and indexes, and starts to
    /// build the indexes and to check the documents.
    pub async fn submit_schema(&self, schema: &Schema) -> Result<SchemaId> {
        todo!()
    }

    /// How far a submitted schema has come.
    pub async fn schema_progress(&self, schema: &SchemaId) -> Result<SchemaProgress> {
        todo!()
    }

    /// [`Database::schema_progress`] as soon as it is no more [`crate::SchemaState::Pending`], at the latest after `timeout`.
    pub async fn wait_for_schema(&self, schema: &SchemaId, timeout: Duration) -> Result<SchemaProgress> {
        todo!()
    }

    /// Submits a schema, waits until it is validated, and activates it: `SchemaEnforcementError` if a document does not
    /// match.
    pub async fn set_schema(&self, schema: &Schema) -> Result<()> {
        todo!()
    }
}
