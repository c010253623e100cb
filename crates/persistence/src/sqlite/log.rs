//! Reading the log in its own order.

use std::sync::Arc;

use convex_wasm_values::{ConvexObject, InternalId};
use rusqlite::{Connection, OptionalExtension, params};

use super::layout::from_sqlite;
use crate::columns::{from_integer, from_json, to_column};
use crate::{DocumentKey, PersistenceError, Result, Revision, TabletId, Timestamp};

/// The revisions after a timestamp: `limit` of them, and the others with the timestamp of the last one.
pub fn revisions(connection: &Connection, after: Timestamp, limit: usize) -> Result<Vec<Revision>> {
    let skipped = i64::try_from(limit.saturating_sub(1)).unwrap_or(i64::MAX);
    let last: Option<i64> = connection
        .prepare_cached("SELECT ts FROM documents WHERE ts > ?1 ORDER BY ts LIMIT 1 OFFSET ?2")
        .and_then(|mut select| select.query_row(params![to_column(after), skipped], |row| row.get(0)).optional())
        .map_err(from_sqlite)?;
    let mut select = connection
        .prepare_cached(
            "SELECT ts, table_id, id, json_value, prev_ts FROM documents WHERE ts > ?1 AND ts <= ?2
             ORDER BY ts, table_id, id",
        )
        .map_err(from_sqlite)?;
    let mut rows = select.query(params![to_column(after), last.unwrap_or(i64::MAX)]).map_err(from_sqlite)?;
    let mut revisions = Vec::new();
    while let Some(row) = rows.next().map_err(from_sqlite)? {
        let json: Option<&str> = row.get_ref(3).map_err(from_sqlite)?.as_str_or_null().map_err(not_text)?;
        let previous: Option<i64> = row.get(4).map_err(from_sqlite)?;
        let timestamp = from_integer(row.get(0).map_err(from_sqlite)?)?;
        revisions.push(Revision {
            timestamp,
            key: DocumentKey {
                tablet: TabletId(InternalId(row.get(1).map_err(from_sqlite)?)),
                id: InternalId(row.get(2).map_err(from_sqlite)?),
            },
            content: json.map(|json| from_json(json.as_bytes(), timestamp)).transpose()?,
            previous: previous.map(from_integer).transpose()?,
        });
    }
    Ok(revisions)
}

/// The content of a revision.
pub fn content(
    connection: &Connection,
    (timestamp, key): (Timestamp, DocumentKey),
) -> Result<Option<Arc<ConvexObject>>> {
    let json: Option<Option<String>> = connection
        .prepare_cached("SELECT json_value FROM documents WHERE ts = ?1 AND table_id = ?2 AND id = ?3")
        .and_then(|mut select| {
            let key = params![to_column(timestamp), key.tablet.0.0, key.id.0];
            select.query_row(key, |row| row.get(0)).optional()
        })
        .map_err(from_sqlite)?;
    json.flatten().map(|json| from_json(json.as_bytes(), timestamp)).transpose()
}

fn not_text(error: rusqlite::types::FromSqlError) -> crate::PersistenceError {
    PersistenceError::damaged(error.to_string())
}
