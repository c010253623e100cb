//! What the owner of the lease does: each operation is one transaction.

use super::MysqlPersistence;
use super::sql::{Bytes, Nullable, Statements, is_document, is_key};
use crate::columns::{to_integer, to_limit};
use crate::remote::{Parts, retry, to_json};
use crate::{BlobId, IndexEntry, IndexId, PersistenceError, Prune, Result, Revision, WriteBatch};

/// Bytes of a part of a blob. As hexadecimal digits it has to fit in a packet.
const BLOB_PART: usize = 2 << 20;

impl MysqlPersistence {
    /// Runs statements if we have the lease; how many rows the first of each packet changed.
    async fn write_fenced(&self, statements: &Statements) -> Result<u64> {
        let epoch = self.lease.epoch().await;
        let attempt = || self.server.write(epoch, statements);
        let changed = retry(self.options.timeout, self.options.retry, attempt).await?;
        match changed {
            Some(changed) => Ok(changed),
            None => Err(self.lease.refused(epoch).await),
        }
    }

    /// Raises the number in the lease.
    pub(super) async fn renew_lease(&self) -> Result<()> {
        let raise = async |epoch| retry(self.options.timeout, self.options.retry, || self.server.renew(epoch)).await;
        self.lease.renew(raise).await
    }

    pub(super) async fn write_batch(&self, batch: &WriteBatch) -> Result<()> {
        let revisions: Result<Vec<String>> = batch.revisions.iter().map(revision).collect();
        let entries: Result<Vec<String>> = batch.entries.iter().map(entry).collect();
        let mut statements = Statements::default();
        let head = "REPLACE INTO documents (ts, table_id, id, json_value, prev_ts) VALUES ";
        statements.push_rows(head, revisions?.into_iter());
        let head =
            "REPLACE INTO indexes (index_id, key_prefix, key_hash, key_suffix, ts, table_id, document_id) VALUES ";
        statements.push_rows(head, entries?.into_iter());
        self.write_fenced(&statements).await.map(drop)
    }

    pub(super) async fn write_prune(&self, prune: &Prune) -> Result<()> {
        let mut statements = Statements::default();
        for (index, key, timestamp) in &prune.entries {
            let (ts, key) = (to_integer(*timestamp)?, is_key(*index, &Parts::of(key)));
            statements.push(&format!("DELETE FROM indexes WHERE {key} AND ts = {ts}"));
        }
        for (timestamp, key) in &prune.revisions {
            let (ts, document) = (to_integer(*timestamp)?, is_document(key));
            statements.push(&format!("DELETE FROM documents WHERE ts = {ts} AND {document}"));
        }
        self.write_fenced(&statements).await.map(drop)
    }

    pub(super) async fn write_prune_index(&self, index: IndexId, limit: usize) -> Result<usize> {
        let mut statements = Statements::default();
        let (index, limit) = (Bytes(&index.0.0), to_limit(limit));
        statements.push(&format!("DELETE FROM indexes WHERE index_id = {index} LIMIT {limit}"));
        let gone = self.write_fenced(&statements).await?;
        usize::try_from(gone).map_err(|_| PersistenceError::damaged("too many rows"))
    }

    pub(super) async fn write_globals(&self, globals: &[(&str, &serde_json::Value)]) -> Result<()> {
        let mut statements = Statements::default();
        let rows = globals
            .iter()
            .map(|(name, value)| format!("({},{})", Bytes(name.as_bytes()), Bytes(value.to_string().as_bytes())));
        statements.push_rows("REPLACE INTO persistence_globals (name, json_value) VALUES ", rows);
        self.write_fenced(&statements).await.map(drop)
    }

    /// Stores a blob. The rows of a hash never change, so those that are there already are left alone.
    pub(super) async fn write_blob(&self, content: &[u8]) -> Result<BlobId> {
        let id = BlobId::of(content);
        let mut statements = Statements::default();
        // An empty blob has one empty part.
        for part in 0..content.len().div_ceil(BLOB_PART).max(1) {
            let start = part * BLOB_PART;
            let bytes = content.get(start..content.len().min(start + BLOB_PART)).unwrap_or_default();
            let (id, bytes) = (Bytes(&id.0), Bytes(bytes));
            statements.push(&format!("INSERT IGNORE INTO blobs (sha256, part, content) VALUES ({id},{part},{bytes})"));
        }
        self.write_fenced(&statements).await?;
        Ok(id)
    }
}

fn revision(revision: &Revision) -> Result<String> {
    let json = revision.content.as_deref().map(to_json).transpose()?;
    Ok(format!(
        "({},{},{},{},{})",
        to_integer(revision.timestamp)?,
        Bytes(&revision.key.tablet.0.0),
        Bytes(&revision.key.id.0),
        Nullable(json.as_deref().map(Bytes)),
        Nullable(revision.previous.map(to_integer).transpose()?),
    ))
}

fn entry(entry: &IndexEntry) -> Result<String> {
    let parts = Parts::of(&entry.key);
    Ok(format!(
        "({},{},{},{},{},{},{})",
        Bytes(&entry.index.0.0),
        Bytes(parts.prefix),
        Bytes(&parts.hash),
        Nullable(parts.suffix.map(Bytes)),
        to_integer(entry.timestamp)?,
        Nullable(entry.document.as_ref().map(|document| Bytes(&document.tablet.0.0))),
        Nullable(entry.document.as_ref().map(|document| Bytes(&document.id.0))),
    ))
}
