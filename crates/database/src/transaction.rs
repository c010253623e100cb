//! One transaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId, Schema, TableMapping, TableNumber};
use serde_json::Value as Json;

use crate::{
    BlobId, DocumentArg, InsertArg, Page, PageArgs, PatchArg, QueryId, ReadSet, ReplaceArg, Result, SchemaId, Timestamp,
};

/// What an execution brings to its transaction. Everything that is not decided by the snapshot comes from here, so the
/// same `Begin` on the same snapshot gives the same ids, times and cursors.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Seed of the ids of new documents. It must be fresh for each execution that may commit.
    pub id_seed: [u8; 32],
    /// The execution's `Date.now()`, in nanoseconds since the epoch; gives `_creationTime`.
    pub unix_nanos: u64,
    /// The function's path, such as `messages:send`, for the conflicts of others.
    pub writer: Option<String>,
    /// The journal of the run before this one, if this is a re-run of a query.
    pub journal: Option<String>,
}

/// One limit of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Used so far.
    pub used: usize,
    /// What is allowed.
    pub max: usize,
}

/// What a transaction used, for `1.0/getTransactionMetrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Documents read, dropped rows included.
    pub documents_read: Limit,
    /// Their bytes.
    pub bytes_read: Limit,
    /// Index intervals read.
    pub intervals_read: Limit,
    /// Documents written.
    pub documents_written: Limit,
    /// Their bytes.
    pub bytes_written: Limit,
}

/// Something a deployment consists of, kept under a name: a blob and what to know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// The content, put with [`crate::Database::put_blob`] before.
    pub blob: BlobId,
    /// Bytes of the content.
    pub size: u64,
    /// What to know without reading the content.
    pub metadata: ConvexObject,
}

/// One transaction: reads on an immutable snapshot, sees its own writes, and commits all of them or none.
///
/// Dropping it forgets it. After an error that is not the function's fault, drop it.
pub struct Transaction {}

impl Transaction {
    /// The snapshot it reads.
    pub fn timestamp(&self) -> Timestamp {
        todo!()
    }

    /// `1.0/get`: a document, or `None` if there is none.
    pub async fn get(&mut self, document: &DocumentArg) -> Result<Option<Arc<ConvexObject>>> {
        todo!()
    }

    /// A batch of `1.0/get`: the same as one after the other, with one visit to the store.
    pub async fn get_many(&mut self, documents: &[DocumentArg]) -> Vec<Result<Option<Arc<ConvexObject>>>> {
        todo!()
    }

    /// `1.0/insert`: the id of the new document. Creates the table if it does not exist.
    pub async fn insert(&mut self, arg: &InsertArg) -> Result<DocumentId> {
        todo!()
    }

    /// `1.0/shallowMerge` (`db.patch`): the merged document.
    pub async fn patch(&mut self, arg: &PatchArg) -> Result<Arc<ConvexObject>> {
        todo!()
    }

    /// `1.0/replace`: the new document.
    pub async fn replace(&mut self, arg: &ReplaceArg) -> Result<Arc<ConvexObject>> {
        todo!()
    }

    /// `1.0/remove` (`db.delete`): the deleted document.
    pub async fn delete(&mut self, document: &DocumentArg) -> Result<Arc<ConvexObject>> {
        todo!()
    }

    /// `1.0/db/normalizeId`: the id if it is one of the table, else `None`.
    pub fn normalize_id(&mut self, table: &str, id: &str) -> Result<Option<DocumentId>> {
        todo!()
    }

    /// `1.0/count`: documents of a table. Depends on the whole table.
    pub async fn count(&mut self, table: &str) -> Result<u64> {
        todo!()
    }

    /// `1.0/queryStream`: prepares a query; reads no documents.
    pub fn query_stream(&mut self, query: &Json) -> Result<QueryId> {
        todo!()
    }

    /// `1.0/queryStreamNext`: the next row, or `None` at the end.
    pub async fn query_next(&mut self, query: QueryId) -> Result<Option<Arc<ConvexObject>>> {
        todo!()
    }

    /// `1.0/queryCleanup`: forgets a query; whether it existed.
    pub fn query_cleanup(&mut self, query: QueryId) -> bool {
        todo!()
    }

    /// `1.0/queryPage`: one page of a query.
    pub async fn query_page(&mut self, args: &PageArgs) -> Result<Page> {
        todo!()
    }

    /// The journal of this run, to be given to a re-run: where its page ended.
    pub fn journal(&self) -> Option<String> {
        todo!()
    }

    /// Starts a nested function (`runUdf`), whose writes can be undone on their own.
    pub fn begin_nested(&mut self) {
        todo!()
    }

    /// Ends the innermost nested function and keeps its writes.
    pub fn commit_nested(&mut self) {
        todo!()
    }

    /// Ends the innermost nested function and undoes its writes; what it read stays read.
    pub fn rollback_nested(&mut self) {
        todo!()
    }

    /// What was used of the limits.
    pub fn usage(&self) -> Usage {
        todo!()
    }

    /// Whether anything was written.
    pub fn has_writes(&self) -> bool {
        todo!()
    }

    /// What was read so far.
    pub fn read_set(&self) -> &ReadSet {
        todo!()
    }

    /// Ends a transaction that wrote nothing: what it read, to subscribe to.
    pub fn into_read_set(self) -> ReadSet {
        todo!()
    }

    /// The schema in force, for the type-checked names of tables.
    pub fn schema(&mut self) -> Arc<Schema> {
        todo!()
    }

    /// The environment variables of the deployment.
    pub async fn environment_variables(&mut self) -> Result<BTreeMap<String, String>> {
        todo!()
    }

    /// Sets (`Some`) and removes (`None`) environment variables.
    pub async fn set_environment_variables(&mut self, changes: &[(String, Option<String>)]) -> Result<()> {
        todo!()
    }

    /// The artifact of a name, such as `modules`. Depends on it: a deploy invalidates.
    pub async fn artifact(&mut self, name: &str) -> Result<Option<Artifact>> {
        todo!()
    }

    /// All artifacts by name.
    pub async fn artifacts(&mut self) -> Result<BTreeMap<String, Artifact>> {
        todo!()
    }

    /// Sets (`Some`) or removes (`None`) the artifact of a name.
    pub async fn set_artifact(&mut self, name: &str, artifact: Option<&Artifact>) -> Result<()> {
        todo!()
    }

    /// Puts a validated schema in force and drops the indexes it does not have. Commits with the rest of the
    /// transaction, so code and schema change together.
    pub async fn activate_schema(&mut self, schema: &SchemaId) -> Result<()> {
        todo!()
    }
}

impl TableMapping for Transaction {
    /// For the validators of arguments and results.
    fn table_name(&self, number: TableNumber) -> Option<&str> {
        todo!()
    }
}
