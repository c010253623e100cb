//! What the owner of the lease does. Every statement is a transaction of its own, and looks at the lease first: the lock
//! on its row makes a later owner wait until the statement is done, and a statement that waited sees the later owner.

use tokio_postgres::types::ToSql;

use super::PostgresPersistence;
use super::read::column;
use crate::columns::{to_integer, to_limit};
use crate::remote::{Parts, to_json};
use crate::{BlobId, IndexId, PersistenceError, Prune, Result, WriteBatch};

/// The first part of every statement. `$1` is our epoch.
const LEASE: &str = "WITH lease AS (SELECT FROM leases WHERE id = 1 AND epoch = $1 FOR SHARE)";

impl PostgresPersistence {
    /// Runs the parts of a statement if we have the lease; what the second column of the last part says.
    async fn write_fenced(&self, parts: &str, parameters: &[&(dyn ToSql + Sync)]) -> Result<i64> {
        let epoch = self.lease.epoch().await;
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![&epoch];
        all.extend(parameters);
        let rows = self.query(&format!("{LEASE}, {parts}"), &all).await?;
        match rows.first() {
            Some(row) if column::<i64>(row, 0)? != 0 => column(row, 1),
            _ => Err(self.lease.refused(epoch).await),
        }
    }

    /// Raises the number in the lease.
    pub(super) async fn renew_lease(&self) -> Result<()> {
        let statement = "UPDATE leases SET epoch = epoch + 1 WHERE id = 1 AND epoch = $1 RETURNING epoch";
        self.lease.renew(async |epoch| Ok(!self.query(statement, &[&epoch]).await?.is_empty())).await
    }

    pub(super) async fn write_batch(&self, batch: &WriteBatch) -> Result<()> {
        let revisions = &batch.revisions;
        let timestamps = collect(revisions.iter().map(|revision| to_integer(revision.timestamp)))?;
        let tables: Vec<&[u8]> = revisions.iter().map(|revision| revision.key.tablet.0.0.as_slice()).collect();
        let ids: Vec<&[u8]> = revisions.iter().map(|revision| revision.key.id.0.as_slice()).collect();
        let contents = collect(revisions.iter().map(|revision| revision.content.as_deref().map(to_json).transpose()))?;
        let previous = collect(revisions.iter().map(|revision| revision.previous.map(to_integer).transpose()))?;
        let entries = &batch.entries;
        let parts: Vec<Parts<'_>> = entries.iter().map(|entry| Parts::of(&entry.key)).collect();
        let indexes: Vec<&[u8]> = entries.iter().map(|entry| entry.index.0.0.as_slice()).collect();
        let prefixes: Vec<&[u8]> = parts.iter().map(|part| part.prefix).collect();
        let hashes: Vec<&[u8]> = parts.iter().map(|part| part.hash.as_slice()).collect();
        let suffixes: Vec<Option<&[u8]>> = parts.iter().map(|part| part.suffix).collect();
        let entry_timestamps = collect(entries.iter().map(|entry| to_integer(entry.timestamp)))?;
        let targets = || entries.iter().map(|entry| entry.document.as_ref());
        let entry_tables: Vec<Option<&[u8]>> =
            targets().map(|target| target.map(|key| key.tablet.0.0.as_slice())).collect();
        let entry_ids: Vec<Option<&[u8]>> = targets().map(|target| target.map(|key| key.id.0.as_slice())).collect();
        self.write_fenced(
            "revisions AS (
                INSERT INTO documents (ts, table_id, id, json_value, prev_ts)
                SELECT * FROM unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bigint[])
                WHERE EXISTS (SELECT FROM lease)
                ON CONFLICT (ts, table_id, id) DO UPDATE
                SET json_value = excluded.json_value, prev_ts = excluded.prev_ts
             ), entries AS (
                INSERT INTO indexes (index_id, key_prefix, key_hash, key_suffix, ts, table_id, document_id)
                SELECT * FROM unnest(
                    $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bigint[], $12::bytea[], $13::bytea[]
                )
                WHERE EXISTS (SELECT FROM lease)
                ON CONFLICT (index_id, key_prefix, key_hash, ts) DO UPDATE
                SET key_suffix = excluded.key_suffix, table_id = excluded.table_id, document_id = excluded.document_id
             ) SELECT count(*), 0::bigint FROM lease",
            &[
                &timestamps,
                &tables,
                &ids,
                &contents,
                &previous,
                &indexes,
                &prefixes,
                &hashes,
                &suffixes,
                &entry_timestamps,
                &entry_tables,
                &entry_ids,
            ],
        )
        .await
        .map(drop)
    }

    pub(super) async fn write_prune(&self, prune: &Prune) -> Result<()> {
        let timestamps = collect(prune.revisions.iter().map(|(timestamp, _)| to_integer(*timestamp)))?;
        let tables: Vec<&[u8]> = prune.revisions.iter().map(|(_, key)| key.tablet.0.0.as_slice()).collect();
        let ids: Vec<&[u8]> = prune.revisions.iter().map(|(_, key)| key.id.0.as_slice()).collect();
        let parts: Vec<Parts<'_>> = prune.entries.iter().map(|(_, key, _)| Parts::of(key)).collect();
        let indexes: Vec<&[u8]> = prune.entries.iter().map(|(index, ..)| index.0.0.as_slice()).collect();
        let prefixes: Vec<&[u8]> = parts.iter().map(|part| part.prefix).collect();
        let hashes: Vec<&[u8]> = parts.iter().map(|part| part.hash.as_slice()).collect();
        let entry_timestamps = collect(prune.entries.iter().map(|(.., timestamp)| to_integer(*timestamp)))?;
        self.write_fenced(
            "revisions AS (
                DELETE FROM documents
                USING unnest($2::bigint[], $3::bytea[], $4::bytea[]) AS gone (at, tablet, document)
                WHERE ts = at AND table_id = tablet AND id = document AND EXISTS (SELECT FROM lease)
             ), entries AS (
                DELETE FROM indexes
                USING unnest($5::bytea[], $6::bytea[], $7::bytea[], $8::bigint[]) AS gone (index, prefix, hash, at)
                WHERE index_id = index AND key_prefix = prefix AND key_hash = hash AND ts = at
                  AND EXISTS (SELECT FROM lease)
             ) SELECT count(*), 0::bigint FROM lease",
            &[&timestamps, &tables, &ids, &indexes, &prefixes, &hashes, &entry_timestamps],
        )
        .await
        .map(drop)
    }

    pub(super) async fn write_prune_index(&self, index: IndexId, limit: usize) -> Result<usize> {
        let gone = self
            .write_fenced(
                "gone AS (
                    DELETE FROM indexes
                    USING (SELECT key_prefix, key_hash, ts FROM indexes WHERE index_id = $2 LIMIT $3) AS first
                    WHERE index_id = $2 AND indexes.key_prefix = first.key_prefix
                      AND indexes.key_hash = first.key_hash AND indexes.ts = first.ts
                      AND EXISTS (SELECT FROM lease)
                    RETURNING 1
                 ) SELECT (SELECT count(*) FROM lease), (SELECT count(*) FROM gone)",
                &[&index.0.0.as_slice(), &to_limit(limit)],
            )
            .await?;
        usize::try_from(gone).map_err(|_| PersistenceError::damaged("a count is negative"))
    }

    pub(super) async fn write_global(&self, name: &str, value: &serde_json::Value) -> Result<()> {
        self.write_fenced(
            "stored AS (
                INSERT INTO persistence_globals SELECT $2::text, $3::text WHERE EXISTS (SELECT FROM lease)
                ON CONFLICT (key) DO UPDATE SET json_value = excluded.json_value
             ) SELECT count(*), 0::bigint FROM lease",
            &[&name, &value.to_string()],
        )
        .await
        .map(drop)
    }

    /// Stores a blob. The row of a hash never changes, so one that is there already is left alone.
    pub(super) async fn write_blob(&self, content: &[u8]) -> Result<BlobId> {
        let id = BlobId::of(content);
        self.write_fenced(
            "stored AS (
                INSERT INTO blobs SELECT $2::bytea, $3::bytea WHERE EXISTS (SELECT FROM lease)
                ON CONFLICT (sha256) DO NOTHING
             ) SELECT count(*), 0::bigint FROM lease",
            &[&id.0.as_slice(), &content],
        )
        .await?;
        Ok(id)
    }
}

fn collect<T>(values: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    values.collect()
}
