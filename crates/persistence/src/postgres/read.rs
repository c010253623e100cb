//! What readers do: one statement, and so one round trip, for each operation.

use std::sync::Arc;

use bytes::Bytes;
use convex_wasm_values::{ConvexObject, InternalId};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_postgres::Row;

use super::PostgresPersistence;
use crate::columns::{from_integer, from_json, to_column, to_limit};
use crate::remote::{Entry, Pages, Parts};
use crate::{
    BlobId, DocumentKey, IndexId, Key, KeyRange, Order, PersistenceError, Result, Revision, TabletId, Timestamp,
    Versioned,
};

/// An index as it is at a timestamp.
pub struct Snapshot<'a> {
    pub store: &'a PostgresPersistence,
    pub index: IndexId,
    pub at: Timestamp,
}

impl Pages for Snapshot<'_> {
    /// Jumps from key to key and takes the newest entry of each, so that old versions are not read. The recursion goes
    /// only as far as its rows are asked for.
    fn page(&self, prefixes: KeyRange, order: Order, limit: usize) -> BoxFuture<'_, Result<Vec<Entry>>> {
        let (beyond, direction) = match order {
            Order::Ascending => (">", "ASC"),
            Order::Descending => ("<", "DESC"),
        };
        let above = if prefixes.end.is_some() { "AND key_prefix < $3" } else { "AND $3::bytea IS NULL" };
        let range = format!("index_id = $1 AND key_prefix >= $2 {above}");
        let first = format!("ORDER BY key_prefix {direction}, key_hash {direction} LIMIT 1");
        let statement = format!(
            "WITH RECURSIVE keys AS (
                 (SELECT key_prefix, key_hash FROM indexes WHERE {range} {first})
                 UNION ALL
                 SELECT next.* FROM keys CROSS JOIN LATERAL (
                     SELECT key_prefix, key_hash FROM indexes
                     WHERE {range} AND (key_prefix, key_hash) {beyond} (keys.key_prefix, keys.key_hash) {first}
                 ) AS next
             )
             SELECT key_prefix, newest.key_suffix, newest.ts, newest.document_id IS NULL, json_value
             FROM keys CROSS JOIN LATERAL (
                 SELECT key_suffix, ts, table_id, document_id FROM indexes AS entry
                 WHERE index_id = $1 AND entry.key_prefix = keys.key_prefix AND entry.key_hash = keys.key_hash
                   AND ts <= $4
                 ORDER BY ts DESC LIMIT 1
             ) AS newest
             LEFT JOIN documents
               ON documents.ts = newest.ts AND documents.table_id = newest.table_id AND id = newest.document_id
             LIMIT $5"
        );
        async move {
            let (at, limit) = (to_column(self.at), to_limit(limit));
            let index = self.index.0.0.as_slice();
            let rows = self.store.query(&statement, &[&index, &prefixes.start, &prefixes.end, &at, &limit]).await?;
            rows.iter()
                .map(|row| {
                    Ok(Entry { prefix: column(row, 0)?, suffix: column(row, 1)?, versioned: versioned(row, 2)? })
                })
                .collect()
        }
        .boxed()
    }
}

/// A column in the type that our tables have.
pub fn column<'a, T: tokio_postgres::types::FromSql<'a>>(row: &'a Row, number: usize) -> Result<T> {
    row.try_get(number).map_err(|error| PersistenceError::damaged(error.to_string()))
}

/// Reads the columns `ts, leads nowhere, json_value` from column `first` on.
fn versioned(row: &Row, first: usize) -> Result<Option<Versioned>> {
    if column(row, first + 1)? {
        return Ok(None);
    }
    let json: Option<&[u8]> = column(row, first + 2)?;
    let timestamp = from_integer(column(row, first)?)?;
    let document = from_json(json.ok_or_else(PersistenceError::missing_revision)?, timestamp)?;
    Ok(Some(Versioned { timestamp, document }))
}

impl PostgresPersistence {
    pub(super) async fn read_keys(
        &self,
        index: IndexId,
        keys: &[Key],
        at: Timestamp,
    ) -> Result<Vec<Option<Versioned>>> {
        let parts: Vec<Parts<'_>> = keys.iter().map(|key| Parts::of(key)).collect();
        let prefixes: Vec<&[u8]> = parts.iter().map(|part| part.prefix).collect();
        let hashes: Vec<&[u8]> = parts.iter().map(|part| part.hash.as_slice()).collect();
        let statement = "
            SELECT number, newest.ts, newest.document_id IS NULL, json_value
            FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS keys (prefix, hash, number)
            CROSS JOIN LATERAL (
                SELECT ts, table_id, document_id FROM indexes
                WHERE index_id = $1 AND key_prefix = prefix AND key_hash = hash AND ts <= $4
                ORDER BY ts DESC LIMIT 1
            ) AS newest
            LEFT JOIN documents
              ON documents.ts = newest.ts AND documents.table_id = newest.table_id AND id = newest.document_id";
        let rows = self.query(statement, &[&index.0.0.as_slice(), &prefixes, &hashes, &to_column(at)]).await?;
        let mut found = vec![None; keys.len()];
        for row in &rows {
            *slot(&mut found, row)? = versioned(row, 1)?;
        }
        Ok(found)
    }

    pub(super) async fn read_contents(
        &self,
        keys: &[(Timestamp, DocumentKey)],
    ) -> Result<Vec<Option<Arc<ConvexObject>>>> {
        let timestamps: Vec<i64> = keys.iter().map(|(timestamp, _)| to_column(*timestamp)).collect();
        let tables: Vec<&[u8]> = keys.iter().map(|(_, key)| key.tablet.0.0.as_slice()).collect();
        let ids: Vec<&[u8]> = keys.iter().map(|(_, key)| key.id.0.as_slice()).collect();
        let statement = "
            SELECT number, json_value, ts
            FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) WITH ORDINALITY AS keys (at, tablet, document, number)
            JOIN documents ON ts = at AND table_id = tablet AND id = document";
        let rows = self.query(statement, &[&timestamps, &tables, &ids]).await?;
        let mut found = vec![None; keys.len()];
        for row in &rows {
            let json: Option<&[u8]> = column(row, 1)?;
            let timestamp = from_integer(column(row, 2)?)?;
            *slot(&mut found, row)? = json.map(|json| from_json(json, timestamp)).transpose()?;
        }
        Ok(found)
    }

    pub(super) async fn read_revisions(&self, after: Timestamp, limit: usize) -> Result<Vec<Revision>> {
        let statement = "
            SELECT ts, table_id, id, json_value, prev_ts FROM documents
            WHERE ts > $1 AND ts <= coalesce(
                (SELECT ts FROM documents WHERE ts > $1 ORDER BY ts LIMIT 1 OFFSET $2), 9223372036854775807
            )
            ORDER BY ts, table_id, id";
        let rows = self.query(statement, &[&to_column(after), &to_limit(limit.saturating_sub(1))]).await?;
        rows.iter().map(revision).collect()
    }

    pub(super) async fn read_max_timestamp(&self) -> Result<Timestamp> {
        let rows = self.query("SELECT ts FROM documents ORDER BY ts DESC LIMIT 1", &[]).await?;
        rows.first().map_or(Ok(Timestamp::MIN), |row| from_integer(column(row, 0)?))
    }

    pub(super) async fn read_count(&self, index: IndexId, at: Timestamp) -> Result<u64> {
        let statement = "
            SELECT count(*) FROM (
                SELECT DISTINCT ON (key_prefix, key_hash) document_id FROM indexes
                WHERE index_id = $1 AND ts <= $2 ORDER BY key_prefix DESC, key_hash DESC, ts DESC
            ) AS newest WHERE document_id IS NOT NULL";
        let rows = self.query(statement, &[&index.0.0.as_slice(), &to_column(at)]).await?;
        let count: i64 = rows.first().map_or(Ok(0), |row| column(row, 0))?;
        u64::try_from(count).map_err(|_| PersistenceError::damaged("a count is negative"))
    }

    pub(super) async fn read_global(&self, name: &str) -> Result<Option<serde_json::Value>> {
        let rows = self.query("SELECT json_value FROM persistence_globals WHERE key = $1", &[&name]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        serde_json::from_str(column(row, 0)?)
            .map(Some)
            .map_err(|error| PersistenceError::damaged(format!("the global {name} does not parse: {error}")))
    }

    pub(super) async fn read_blob(&self, id: BlobId) -> Result<Option<Bytes>> {
        let rows = self.query("SELECT content FROM blobs WHERE sha256 = $1", &[&id.0.as_slice()]).await?;
        rows.first().map(|row| column::<Vec<u8>>(row, 0).map(Bytes::from)).transpose()
    }
}

/// The place of a row that has the number of its key, from 1, in its first column.
fn slot<'a, T>(found: &'a mut [T], row: &Row) -> Result<&'a mut T> {
    let number: i64 = column(row, 0)?;
    let index = usize::try_from(number - 1).ok();
    index.and_then(|index| found.get_mut(index)).ok_or_else(|| PersistenceError::damaged("a row has no key"))
}

fn revision(row: &Row) -> Result<Revision> {
    let json: Option<&[u8]> = column(row, 3)?;
    let previous: Option<i64> = column(row, 4)?;
    let timestamp = from_integer(column(row, 0)?)?;
    Ok(Revision {
        timestamp,
        key: DocumentKey { tablet: TabletId(id(row, 1)?), id: id(row, 2)? },
        content: json.map(|json| from_json(json, timestamp)).transpose()?,
        previous: previous.map(from_integer).transpose()?,
    })
}

/// A column with an id.
pub fn id(row: &Row, number: usize) -> Result<InternalId> {
    let bytes: &[u8] = column(row, number)?;
    bytes.try_into().map(InternalId).map_err(|_| PersistenceError::damaged("an id does not have 16 bytes"))
}
