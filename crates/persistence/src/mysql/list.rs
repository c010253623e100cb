//! Listing everything there is.

use super::MysqlPersistence;
use super::read::{column, global, id};
use super::sql::Bytes;
use crate::columns::{from_integer, to_integer, to_limit};
use crate::remote::{Parts, join};
use crate::{BlobId, DocumentKey, IndexEntry, IndexId, PersistenceError, Result, TabletId};

impl MysqlPersistence {
    /// The entries behind one, in the order of the table's key.
    pub(super) async fn list_entries(&self, after: Option<&IndexEntry>, limit: usize) -> Result<Vec<IndexEntry>> {
        let rest = after.map(behind).transpose()?.unwrap_or_else(|| "TRUE".to_owned());
        let statement = format!(
            "SELECT index_id, key_prefix, key_suffix, ts, table_id, document_id FROM indexes
             WHERE {rest} ORDER BY index_id, key_prefix, key_hash, ts LIMIT {}",
            to_limit(limit)
        );
        let rows = self.query(&statement).await?;
        rows.iter()
            .map(|row| {
                let suffix: Option<Vec<u8>> = column(row, 2)?;
                let leads_nowhere = column::<Option<Vec<u8>>>(row, 5)?.is_none();
                Ok(IndexEntry {
                    index: IndexId(id(row, 0)?),
                    key: join(column(row, 1)?, suffix.as_deref()),
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
        let rows = self.query("SELECT name, json_value FROM persistence_globals").await?;
        rows.iter().map(|row| Ok((column(row, 0)?, global(&column::<Vec<u8>>(row, 1)?)?))).collect()
    }

    pub(super) async fn list_blobs(&self) -> Result<Vec<BlobId>> {
        let rows = self.query("SELECT sha256 FROM blobs WHERE part = 0").await?;
        let wrong = |_| PersistenceError::damaged("the name of a blob does not have 32 bytes");
        rows.iter().map(|row| column::<Vec<u8>>(row, 0)?.try_into().map(BlobId).map_err(wrong)).collect()
    }
}

/// The condition that an entry comes behind another one. A comparison of rows would say the same, but is not looked up in
/// the index.
fn behind(entry: &IndexEntry) -> Result<String> {
    let parts = Parts::of(&entry.key);
    let ts = to_integer(entry.timestamp)?;
    let (index, prefix, hash) = (Bytes(&entry.index.0.0), Bytes(parts.prefix), Bytes(&parts.hash));
    Ok(format!(
        "index_id >= {index} AND (index_id > {index} OR key_prefix >= {prefix} AND (key_prefix > {prefix}
         OR key_hash >= {hash} AND (key_hash > {hash} OR ts > {ts})))"
    ))
}
