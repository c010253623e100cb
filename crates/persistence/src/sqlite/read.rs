//! What readers do.

use std::path::Path;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::layout::{from_sqlite, open_reader};
use crate::columns::{from_integer, from_json, to_column};
use crate::{
    BlobId, IndexId, IndexRow, Key, KeyRange, Order, PersistenceError, Result, Timestamp, Versioned, successor,
};

/// Old versions of a key that a scan steps over one by one. If there are more, it jumps to the next key, so that a
/// document which changes all the time does not slow down scans across it.
const MAX_STEPS_IN_KEY: usize = 16;

/// Where the newest entry of a key leads.
struct Target {
    ts: i64,
    /// Table and document, or `None` if the key leads nowhere.
    document: Option<([u8; 16], [u8; 16])>,
}

impl Target {
    /// Reads the columns `ts, table_id, document_id` from column `first` on.
    fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let table: Option<[u8; 16]> = row.get(first + 1)?;
        let document: Option<[u8; 16]> = row.get(first + 2)?;
        Ok(Self { ts: row.get(first)?, document: table.zip(document) })
    }

    fn fetch(&self, connection: &Connection) -> Result<Option<Versioned>> {
        let Some((table, id)) = self.document else { return Ok(None) };
        let mut select = connection
            .prepare_cached("SELECT json_value FROM documents WHERE ts = ?1 AND table_id = ?2 AND id = ?3")
            .map_err(from_sqlite)?;
        let mut rows = select.query(params![self.ts, table, id]).map_err(from_sqlite)?;
        let row = rows.next().map_err(from_sqlite)?.ok_or_else(PersistenceError::missing_revision)?;
        let json = row
            .get_ref(0)
            .map_err(from_sqlite)?
            .as_str_or_null()
            .map_err(|error| PersistenceError::damaged(error.to_string()))?;
        let timestamp = from_integer(self.ts)?;
        let document = from_json(json.ok_or_else(PersistenceError::missing_revision)?.as_bytes(), timestamp)?;
        Ok(Some(Versioned { timestamp, document }))
    }
}

/// A thread's connection, opened if there is none yet.
pub fn connected<'c>(connection: &'c mut Option<Connection>, path: &Path) -> Result<&'c Connection> {
    match connection {
        Some(connection) => Ok(connection),
        none => Ok(none.insert(open_reader(path)?)),
    }
}

/// Runs several statements in one transaction: the file is locked once for all of them, which costs more than a look-up.
pub fn in_transaction<T>(connection: &Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    execute(connection, "BEGIN")?;
    let result = work(connection);
    let ended = execute(connection, "COMMIT");
    result.and_then(|value| ended.map(|()| value))
}

fn execute(connection: &Connection, statement: &str) -> Result<()> {
    connection.prepare_cached(statement).and_then(|mut statement| statement.execute([])).map_err(from_sqlite)?;
    Ok(())
}

/// The document that a key leads to.
pub fn get(connection: &Connection, index: IndexId, key: &[u8], at: Timestamp) -> Result<Option<Versioned>> {
    match newest(connection, index, key, at)? {
        Some(target) => target.fetch(connection),
        None => Ok(None),
    }
}

fn newest(connection: &Connection, index: IndexId, key: &[u8], at: Timestamp) -> Result<Option<Target>> {
    connection
        .prepare_cached(
            "SELECT ts, table_id, document_id FROM indexes
             WHERE index_id = ?1 AND key = ?2 AND ts <= ?3 ORDER BY ts DESC LIMIT 1",
        )
        .and_then(|mut select| {
            select.query_row(params![index.0.0, key, to_column(at)], |row| Target::read(row, 0)).optional()
        })
        .map_err(from_sqlite)
}

/// The first rows of a range.
pub fn scan(
    connection: &Connection,
    index: IndexId,
    mut range: KeyRange,
    at: Timestamp,
    order: Order,
    limit: usize,
) -> Result<Vec<IndexRow>> {
    let mut rows = Vec::new();
    while rows.len() < limit && !range.is_empty() {
        match scan_until_jump(connection, index, &range, at, order, limit, &mut rows)? {
            Some(key) if order == Order::Ascending => range.start = successor(&key),
            Some(key) => range.end = Some(key),
            None => break,
        }
    }
    Ok(rows)
}

/// Scans until the limit or the end of the range, or to a key with many versions: that key is returned, and the scan is
/// to go on behind it.
fn scan_until_jump(
    connection: &Connection,
    index: IndexId,
    range: &KeyRange,
    at: Timestamp,
    order: Order,
    limit: usize,
    found: &mut Vec<IndexRow>,
) -> Result<Option<Key>> {
    let direction = match order {
        Order::Ascending => "ASC",
        Order::Descending => "DESC",
    };
    let above = if range.end.is_some() { "AND key < ?4" } else { "AND ?4 IS NULL" };
    let mut select = connection
        .prepare_cached(&format!(
            "SELECT key, ts, table_id, document_id FROM indexes
             WHERE index_id = ?1 AND ts <= ?2 AND key >= ?3 {above} ORDER BY key {direction}, ts {direction}"
        ))
        .map_err(from_sqlite)?;
    let mut entries = select.query(params![index.0.0, to_column(at), range.start, range.end]).map_err(from_sqlite)?;
    // Ascending, the newest entry of a key is the last one of its group; descending, it is the first one.
    let mut current: Option<(Key, Target)> = None;
    let mut steps = 0;
    while let Some(row) = entries.next().map_err(from_sqlite)? {
        let key = row
            .get_ref(0)
            .map_err(from_sqlite)?
            .as_blob()
            .map_err(|error| PersistenceError::damaged(error.to_string()))?;
        match &mut current {
            Some((same, target)) if same == key => {
                steps += 1;
                if order == Order::Ascending {
                    *target = Target::read(row, 1).map_err(from_sqlite)?;
                }
                if steps == MAX_STEPS_IN_KEY {
                    let key = key.to_vec();
                    if let Some(versioned) = get(connection, index, &key, at)? {
                        found.push(IndexRow { key: key.clone(), versioned });
                    }
                    return Ok(Some(key));
                }
            }
            _ => {
                let next = (key.to_vec(), Target::read(row, 1).map_err(from_sqlite)?);
                emit(connection, current.replace(next), found)?;
                steps = 0;
                if found.len() == limit {
                    return Ok(None);
                }
            }
        }
    }
    emit(connection, current, found)?;
    Ok(None)
}

fn emit(connection: &Connection, entry: Option<(Key, Target)>, found: &mut Vec<IndexRow>) -> Result<()> {
    if let Some((key, target)) = entry
        && let Some(versioned) = target.fetch(connection)?
    {
        found.push(IndexRow { key, versioned });
    }
    Ok(())
}

/// How many keys lead to a document.
pub fn count(connection: &Connection, index: IndexId, at: Timestamp) -> Result<u64> {
    // SQLite takes the bare column `deleted` from the row that has the maximum.
    let count: i64 = connection
        .query_row(
            "SELECT count(*) FROM (
                 SELECT max(ts), deleted FROM indexes WHERE index_id = ?1 AND ts <= ?2 GROUP BY key
             ) WHERE deleted = 0",
            params![index.0.0, to_column(at)],
            |row| row.get(0),
        )
        .map_err(from_sqlite)?;
    u64::try_from(count).map_err(|_| PersistenceError::damaged("a count is negative"))
}

/// The timestamp of the newest revision.
pub fn max_timestamp(connection: &Connection) -> Result<Timestamp> {
    let newest: Option<i64> =
        connection.query_row("SELECT max(ts) FROM documents", [], |row| row.get(0)).map_err(from_sqlite)?;
    newest.map_or(Ok(Timestamp::MIN), from_integer)
}

/// A global.
pub fn global(connection: &Connection, name: &str) -> Result<Option<serde_json::Value>> {
    let json: Option<String> = connection
        .query_row("SELECT json_value FROM persistence_globals WHERE key = ?1", params![name], |row| row.get(0))
        .optional()
        .map_err(from_sqlite)?;
    json.map(|json| serde_json::from_str(&json))
        .transpose()
        .map_err(|error| PersistenceError::damaged(format!("the global {name} does not parse: {error}")))
}

/// A blob.
pub fn blob(connection: &Connection, id: BlobId) -> Result<Option<Bytes>> {
    let content: Option<Vec<u8>> = connection
        .query_row("SELECT content FROM blobs WHERE sha256 = ?1", params![id.0], |row| row.get(0))
        .optional()
        .map_err(from_sqlite)?;
    Ok(content.map(Bytes::from))
}
