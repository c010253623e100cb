//! What the writing thread does.

use rusqlite::{Connection, Transaction, params};

use super::layout::from_sqlite;
use crate::columns::to_integer;
use crate::{BlobId, IndexEntry, IndexId, PersistenceError, Prune, Result, Revision, WriteBatch};

/// Appends a batch in one SQLite transaction.
pub fn batch(connection: &mut Connection, batch: &WriteBatch) -> Result<()> {
    let transaction = connection.transaction().map_err(from_sqlite)?;
    revisions(&transaction, &batch.revisions)?;
    entries(&transaction, &batch.entries)?;
    transaction.commit().map_err(from_sqlite)
}

fn revisions(transaction: &Transaction<'_>, revisions: &[Revision]) -> Result<()> {
    let mut insert = transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO documents (ts, table_id, id, json_value, deleted, prev_ts)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )
        .map_err(from_sqlite)?;
    for revision in revisions {
        let json = revision.content.as_deref().map(serde_json::to_string).transpose().map_err(not_json)?;
        insert
            .execute(params![
                to_integer(revision.timestamp)?,
                revision.key.tablet.0.0,
                revision.key.id.0,
                json,
                revision.content.is_none(),
                revision.previous.map(to_integer).transpose()?,
            ])
            .map_err(from_sqlite)?;
    }
    Ok(())
}

fn entries(transaction: &Transaction<'_>, entries: &[IndexEntry]) -> Result<()> {
    let mut insert = transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO indexes (index_id, key, ts, deleted, table_id, document_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )
        .map_err(from_sqlite)?;
    for entry in entries {
        insert
            .execute(params![
                entry.index.0.0,
                entry.key,
                to_integer(entry.timestamp)?,
                entry.document.is_none(),
                entry.document.map(|document| document.tablet.0.0),
                entry.document.map(|document| document.id.0),
            ])
            .map_err(from_sqlite)?;
    }
    Ok(())
}

/// Removes revisions and entries in one SQLite transaction.
pub fn prune(connection: &mut Connection, prune: &Prune) -> Result<()> {
    let transaction = connection.transaction().map_err(from_sqlite)?;
    {
        let mut delete = transaction
            .prepare_cached("DELETE FROM indexes WHERE index_id = ?1 AND key = ?2 AND ts = ?3")
            .map_err(from_sqlite)?;
        for (index, key, timestamp) in &prune.entries {
            delete.execute(params![index.0.0, key, to_integer(*timestamp)?]).map_err(from_sqlite)?;
        }
        let mut delete = transaction
            .prepare_cached("DELETE FROM documents WHERE ts = ?1 AND table_id = ?2 AND id = ?3")
            .map_err(from_sqlite)?;
        for (timestamp, key) in &prune.revisions {
            delete.execute(params![to_integer(*timestamp)?, key.tablet.0.0, key.id.0]).map_err(from_sqlite)?;
        }
    }
    transaction.commit().map_err(from_sqlite)
}

/// Removes entries of an index.
pub fn prune_index(connection: &mut Connection, index: IndexId, limit: usize) -> Result<usize> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    connection
        .execute(
            "DELETE FROM indexes WHERE (index_id, key, ts) IN
                 (SELECT index_id, key, ts FROM indexes WHERE index_id = ?1 LIMIT ?2)",
            params![index.0.0, limit],
        )
        .map_err(from_sqlite)
}

/// Stores a global.
pub fn global(connection: &mut Connection, name: &str, value: &serde_json::Value) -> Result<()> {
    let json = serde_json::to_string(value).map_err(not_json)?;
    connection
        .execute("INSERT OR REPLACE INTO persistence_globals (key, json_value) VALUES (?1, ?2)", params![name, json])
        .map_err(from_sqlite)?;
    Ok(())
}

/// Stores a blob. The row of a hash never changes, so one that is there already is left alone.
pub fn blob(connection: &mut Connection, content: &[u8]) -> Result<BlobId> {
    let id = BlobId::of(content);
    connection
        .execute("INSERT OR IGNORE INTO blobs (sha256, content) VALUES (?1, ?2)", params![id.0, content])
        .map_err(from_sqlite)?;
    Ok(id)
}

fn not_json(error: serde_json::Error) -> PersistenceError {
    PersistenceError::Failed(error.to_string())
}
