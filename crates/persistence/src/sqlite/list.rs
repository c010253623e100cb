//! Listing everything there is.

use convex_wasm_values::InternalId;
use rusqlite::{Connection, Row, params};

use super::layout::from_sqlite;
use crate::columns::{from_integer, to_integer};
use crate::{BlobId, DocumentKey, IndexEntry, IndexId, PersistenceError, Result, TabletId};

/// The entries behind one, in the order of index, key and timestamp.
pub fn entries(connection: &Connection, after: Option<&IndexEntry>, limit: usize) -> Result<Vec<IndexEntry>> {
    // No entry has a negative timestamp.
    let (index, key, ts) = match after {
        Some(entry) => (entry.index.0.0, entry.key.as_slice(), to_integer(entry.timestamp)?),
        None => ([0; 16], [].as_slice(), -1),
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut select = connection
        .prepare_cached(
            "SELECT index_id, key, ts, table_id, document_id FROM indexes
             WHERE (index_id, key, ts) > (?1, ?2, ?3) ORDER BY index_id, key, ts LIMIT ?4",
        )
        .map_err(from_sqlite)?;
    let mut rows = select.query(params![index, key, ts, limit]).map_err(from_sqlite)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next().map_err(from_sqlite)? {
        entries.push(entry(row)?);
    }
    Ok(entries)
}

fn entry(row: &Row<'_>) -> Result<IndexEntry> {
    let id = |column| row.get::<_, Option<[u8; 16]>>(column).map_err(from_sqlite);
    let document = id(3)?.zip(id(4)?);
    Ok(IndexEntry {
        index: IndexId(InternalId(row.get(0).map_err(from_sqlite)?)),
        key: row.get(1).map_err(from_sqlite)?,
        timestamp: from_integer(row.get(2).map_err(from_sqlite)?)?,
        document: document.map(|(table, id)| DocumentKey { tablet: TabletId(InternalId(table)), id: InternalId(id) }),
    })
}

/// Every global.
pub fn globals(connection: &Connection) -> Result<Vec<(String, serde_json::Value)>> {
    let mut select = connection.prepare("SELECT key, json_value FROM persistence_globals").map_err(from_sqlite)?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(from_sqlite)?;
    rows.map(|row| {
        let (name, json): (String, String) = row.map_err(from_sqlite)?;
        let value = serde_json::from_str(&json);
        value
            .map_err(|error| PersistenceError::damaged(format!("the global {name} does not parse: {error}")))
            .map(|value| (name, value))
    })
    .collect()
}

/// The names of all blobs.
pub fn blobs(connection: &Connection) -> Result<Vec<BlobId>> {
    let mut select = connection.prepare("SELECT sha256 FROM blobs").map_err(from_sqlite)?;
    let rows = select.query_map([], |row| row.get(0).map(BlobId)).map_err(from_sqlite)?;
    rows.map(|row| row.map_err(from_sqlite)).collect()
}
