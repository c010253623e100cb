//! Listing everything there is.

use convex_wasm_values::InternalId;

use super::PostgresPersistence;
use super::read::{column, id};
use crate::columns::{from_integer, to_integer, to_limit};
use crate::remote::{Parts, join};
use crate::{BlobId, DocumentKey, IndexEntry, IndexId, PersistenceError, Result, TabletId};

impl PostgresPersistence {
    /// The entries behind one, in the order of the table's key.
    pub(super) async fn list_entries(&self, after: Option<&IndexEntry>, limit: usize) -> Result<Vec<IndexEntry>> {
        // No entry has a negative timestamp.
        let first = IndexId(InternalId([0; 16]));
        let (index, key, ts) = match after {
            Some(entry) => (entry.index, entry.key.as_slice(), to_integer(entry.timestamp)?),
            None => (first, [].as_slice(), -1),
        };
        let parts = Parts::of(key);
        let statement = "
            SELECT index_id, key_prefix, key_suffix, ts, table_id, document_id FROM indexes
            WHERE (index_id, key_prefix, key_hash, ts) > ($1, $2, $3, $4)
            ORDER BY index_id, key_prefix, key_hash, ts LIMIT $5";
        let rows =
            self.query(statement, &[&index.0.0.as_slice(), &parts.prefix, &parts.hash, &ts, &to_limit(limit)]).await?;
        rows.iter()
            .map(|row| {
                let suffix: Option<&[u8]> = column(row, 2)?;
                let leads_nowhere = column::<Option<&[u8]>>(row, 5)?.is_none();
                Ok(IndexEntry {
                    index: IndexId(id(row, 0)?),
                    key: join(column(row, 1)?, suffix),
                    timestamp: from_integer(column(row, 3)?)?,
                    document: match leads_nowhere {
                        true => None,
                        false => Some(DocumentKey { tablet: TabletId(id(row, 4)?), id: id(row, 5)? }),
                    },
                })
            })
            .collect()
    }

    pub(super) async fn list_globals(&self) -> Result<Vec<(String, serde_json::Value)>> {
        let rows = self.query("SELECT key, json_value FROM persistence_globals", &[]).await?;
        rows.iter()
            .map(|row| {
                let (name, json): (String, &str) = (column(row, 0)?, column(row, 1)?);
                let value = serde_json::from_str(json)
                    .map_err(|error| PersistenceError::damaged(format!("the global {name} does not parse: {error}")))?;
                Ok((name, value))
            })
            .collect()
    }

    pub(super) async fn list_blobs(&self) -> Result<Vec<BlobId>> {
        let rows = self.query("SELECT sha256 FROM blobs", &[]).await?;
        let wrong = |_| PersistenceError::damaged("the name of a blob does not have 32 bytes");
        rows.iter().map(|row| column::<&[u8]>(row, 0)?.try_into().map(BlobId).map_err(wrong)).collect()
    }
}
