//! What readers do.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use convex_wasm_values::{ConvexObject, InternalId};
use futures::FutureExt;
use futures::future::BoxFuture;
use mysql_async::Row;
use mysql_async::prelude::FromValue;

use super::MysqlPersistence;
use super::sql::{Bytes as Literal, is_key};
use crate::columns::{from_integer, from_json, to_column, to_limit};
use crate::remote::{Entry, Pages, Parts};
use crate::{
    BlobId, DocumentKey, IndexId, Key, KeyRange, Order, PersistenceError, Result, Revision, TabletId, Timestamp,
    Versioned,
};

/// Keys that are looked up by one statement.
const KEYS: usize = 100;

/// An index as it is at a timestamp.
pub struct Snapshot<'a> {
    pub store: &'a MysqlPersistence,
    pub index: IndexId,
    pub at: Timestamp,
}

impl Pages for Snapshot<'_> {
    /// Groups the entries by their keys in the order of the table, so that the server stops at the limit. What an entry
    /// leads to is read for the newest one of each key only.
    fn page(&self, prefixes: KeyRange, order: Order, limit: usize) -> BoxFuture<'_, Result<Vec<Entry>>> {
        let direction = match order {
            Order::Ascending => "ASC",
            Order::Descending => "DESC",
        };
        let (index, start) = (Literal(&self.index.0.0), Literal(&prefixes.start));
        let end = prefixes.end.as_deref().map(|end| format!("AND key_prefix < {}", Literal(end))).unwrap_or_default();
        let newest = format!(
            "SELECT key_prefix, key_hash, MAX(ts) AS ts FROM indexes
             WHERE index_id = {index} AND key_prefix >= {start} {end} AND ts <= {}
             GROUP BY key_prefix, key_hash ORDER BY key_prefix {direction}, key_hash {direction} LIMIT {}",
            to_column(self.at),
            to_limit(limit),
        );
        let statement = entries(self.index, &newest);
        async move {
            let rows = self.store.query(&statement).await?;
            let entries: Result<Vec<Entry>> = rows
                .iter()
                .map(|row| {
                    Ok(Entry { prefix: column(row, 0)?, suffix: column(row, 1)?, versioned: versioned(row, 2)? })
                })
                .collect();
            let mut entries = entries?;
            // A join promises no order.
            entries.sort_by(|one, other| match order {
                Order::Ascending => one.prefix.cmp(&other.prefix),
                Order::Descending => other.prefix.cmp(&one.prefix),
            });
            Ok(entries)
        }
        .boxed()
    }
}

/// Selects the entries that `newest` names, and what they lead to: `key_prefix, key_suffix, ts, leads nowhere, json_value,
/// key_hash`.
fn entries(index: IndexId, newest: &str) -> String {
    let index = Literal(&index.0.0);
    format!(
        "SELECT entry.key_prefix, entry.key_suffix, entry.ts, entry.document_id IS NULL, json_value, entry.key_hash
         FROM ({newest}) AS newest
         STRAIGHT_JOIN indexes AS entry
           ON entry.index_id = {index} AND entry.key_prefix = newest.key_prefix
           AND entry.key_hash = newest.key_hash AND entry.ts = newest.ts
         LEFT JOIN documents
           ON documents.ts = entry.ts AND documents.table_id = entry.table_id AND documents.id = entry.document_id"
    )
}

/// A column in the type that our tables have.
pub fn column<T: FromValue>(row: &Row, number: usize) -> Result<T> {
    row.get_opt(number)
        .and_then(std::result::Result::ok)
        .ok_or_else(|| PersistenceError::damaged("a column has another type"))
}

/// Reads the columns `ts, leads nowhere, json_value` from column `first` on.
fn versioned(row: &Row, first: usize) -> Result<Option<Versioned>> {
    if column::<i64>(row, first + 1)? != 0 {
        return Ok(None);
    }
    let json: Option<Vec<u8>> = column(row, first + 2)?;
    let timestamp = from_integer(column(row, first)?)?;
    let document = from_json(&json.ok_or_else(PersistenceError::missing_revision)?, timestamp)?;
    Ok(Some(Versioned { timestamp, document }))
}

/// Selects the newest entry of a key. It steps over none of the others.
fn newest_of_one(index: IndexId, key: &Key, at: Timestamp) -> String {
    let key = is_key(index, &Parts::of(key));
    let at = to_column(at);
    let newest =
        format!("SELECT key_prefix, key_hash, ts FROM indexes WHERE {key} AND ts <= {at} ORDER BY ts DESC LIMIT 1");
    entries(index, &newest)
}

/// Selects the newest entry of each of some keys. Servers look keys up by a list of rows, but not by several lists, and a
/// union of statements is planned statement by statement.
fn newest_of_each(index: IndexId, keys: &[Key], at: Timestamp) -> String {
    let key = |key: &Key| {
        let parts = Parts::of(key);
        format!("({},{})", Literal(parts.prefix), Literal(&parts.hash))
    };
    let keys: Vec<String> = keys.iter().map(key).collect();
    let newest = format!(
        "SELECT key_prefix, key_hash, MAX(ts) AS ts FROM indexes
         WHERE index_id = {} AND (key_prefix, key_hash) IN ({}) AND ts <= {} GROUP BY key_prefix, key_hash",
        Literal(&index.0.0),
        keys.join(","),
        to_column(at),
    );
    entries(index, &newest)
}

impl MysqlPersistence {
    pub(super) async fn read_keys(
        &self,
        index: IndexId,
        keys: &[Key],
        at: Timestamp,
    ) -> Result<Vec<Option<Versioned>>> {
        let mut found = HashMap::new();
        for keys in keys.chunks(KEYS) {
            let statement = match keys {
                [key] => newest_of_one(index, key, at),
                keys => newest_of_each(index, keys, at),
            };
            for row in self.query(&statement).await? {
                let key: (Vec<u8>, Vec<u8>) = (column(&row, 0)?, column(&row, 5)?);
                found.insert(key, versioned(&row, 2)?);
            }
        }
        let of_key = |key: &Key| {
            let parts = Parts::of(key);
            found.get(&(parts.prefix.to_vec(), parts.hash)).cloned().flatten()
        };
        Ok(keys.iter().map(of_key).collect())
    }

    pub(super) async fn read_contents(
        &self,
        keys: &[(Timestamp, DocumentKey)],
    ) -> Result<Vec<Option<Arc<ConvexObject>>>> {
        let mut found = HashMap::new();
        for keys in keys.chunks(KEYS) {
            let keys: Vec<String> = keys
                .iter()
                .map(|(timestamp, key)| {
                    format!("({},{},{})", to_column(*timestamp), Literal(&key.tablet.0.0), Literal(&key.id.0))
                })
                .collect();
            let statement = format!(
                "SELECT ts, table_id, id, json_value FROM documents WHERE (ts, table_id, id) IN ({})",
                keys.join(",")
            );
            for row in self.query(&statement).await? {
                let key = DocumentKey { tablet: TabletId(id(&row, 1)?), id: id(&row, 2)? };
                let json: Option<Vec<u8>> = column(&row, 3)?;
                let timestamp = from_integer(column(&row, 0)?)?;
                let content = json.as_deref().map(|json| from_json(json, timestamp)).transpose()?;
                found.insert((timestamp, key), content);
            }
        }
        Ok(keys.iter().map(|key| found.get(key).cloned().flatten()).collect())
    }

    pub(super) async fn read_revisions(&self, after: Timestamp, limit: usize) -> Result<Vec<Revision>> {
        let (after, skipped) = (to_column(after), to_limit(limit.saturating_sub(1)));
        let last = format!("SELECT ts FROM documents WHERE ts > {after} ORDER BY ts LIMIT 1 OFFSET {skipped}");
        let last: i64 = self.query(&last).await?.first().map_or(Ok(i64::MAX), |row| column(row, 0))?;
        let statement = format!(
            "SELECT ts, table_id, id, json_value, prev_ts FROM documents WHERE ts > {after} AND ts <= {last}
             ORDER BY ts, table_id, id"
        );
        self.query(&statement).await?.iter().map(revision).collect()
    }

    pub(super) async fn read_max_timestamp(&self) -> Result<Timestamp> {
        let rows = self.query("SELECT ts FROM documents ORDER BY ts DESC LIMIT 1").await?;
        rows.first().map_or(Ok(Timestamp::MIN), |row| from_integer(column(row, 0)?))
    }

    pub(super) async fn read_count(&self, index: IndexId, at: Timestamp) -> Result<u64> {
        let (index, at) = (Literal(&index.0.0), to_column(at));
        let statement = format!(
            "SELECT COUNT(*) FROM (
                 SELECT key_prefix, key_hash, MAX(ts) AS ts FROM indexes
                 WHERE index_id = {index} AND ts <= {at} GROUP BY key_prefix, key_hash
             ) AS newest
             STRAIGHT_JOIN indexes AS entry
               ON entry.index_id = {index} AND entry.key_prefix = newest.key_prefix
               AND entry.key_hash = newest.key_hash AND entry.ts = newest.ts
             WHERE entry.document_id IS NOT NULL"
        );
        self.query(&statement).await?.first().map_or(Ok(0), |row| column(row, 0))
    }

    pub(super) async fn read_global(&self, name: &str) -> Result<Option<serde_json::Value>> {
        let name = Literal(name.as_bytes());
        let rows = self.query(&format!("SELECT json_value FROM persistence_globals WHERE name = {name}")).await?;
        rows.first().map(|row| global(&column::<Vec<u8>>(row, 0)?)).transpose()
    }

    pub(super) async fn read_blob(&self, id: BlobId) -> Result<Option<Bytes>> {
        let id = Literal(&id.0);
        let rows = self.query(&format!("SELECT content FROM blobs WHERE sha256 = {id} ORDER BY part")).await?;
        let mut parts = rows.iter().map(|row| column::<Vec<u8>>(row, 0));
        let Some(first) = parts.next() else { return Ok(None) };
        let mut content = first?;
        for part in parts {
            content.extend_from_slice(&part?);
        }
        Ok(Some(content.into()))
    }
}

/// The value of a global from its column.
pub fn global(json: &[u8]) -> Result<serde_json::Value> {
    serde_json::from_slice(json).map_err(|error| PersistenceError::damaged(format!("a global does not parse: {error}")))
}

fn revision(row: &Row) -> Result<Revision> {
    let json: Option<Vec<u8>> = column(row, 3)?;
    let previous: Option<i64> = column(row, 4)?;
    let timestamp = from_integer(column(row, 0)?)?;
    Ok(Revision {
        timestamp,
        key: DocumentKey { tablet: TabletId(id(row, 1)?), id: id(row, 2)? },
        content: json.as_deref().map(|json| from_json(json, timestamp)).transpose()?,
        previous: previous.map(from_integer).transpose()?,
    })
}

/// A column with an id.
pub fn id(row: &Row, number: usize) -> Result<InternalId> {
    let bytes: Vec<u8> = column(row, number)?;
    bytes.try_into().map(InternalId).map_err(|_| PersistenceError::damaged("an id does not have 16 bytes"))
}
