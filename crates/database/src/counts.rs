//! How many documents each table has.
//!
//! Commits keep the counts. When a database is opened they are those of the last checkpoint, brought up to date from the
//! log; without a checkpoint the documents are counted.

use std::collections::BTreeMap;

use convex_wasm_persistence::{Persistence, PersistenceError, TabletId, Timestamp};
use convex_wasm_values::InternalId;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::catalog::Catalog;

/// The global that holds the checkpoint.
const CHECKPOINT: &str = "table_counts";
/// Revisions read at once after a checkpoint.
const LOAD_CHUNK: usize = 4096;

/// Documents by table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<TabletId, u64>);

/// The counts at a timestamp, as they are stored: tables in hexadecimal.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    timestamp: u64,
    counts: BTreeMap<String, u64>,
}

impl Counts {
    /// Documents of a table.
    pub fn get(&self, table: TabletId) -> u64 {
        self.0.get(&table).copied().unwrap_or(0)
    }

    /// A table gains documents, or loses some.
    pub fn apply(&mut self, table: TabletId, gain: i64) {
        if gain != 0 {
            let count = self.0.entry(table).or_default();
            *count = count.saturating_add_signed(gain);
        }
    }

    /// The counts at the newest timestamp of a store.
    pub async fn load(persistence: &dyn Persistence, catalog: &Catalog, newest: Timestamp) -> Result<Self> {
        match persistence.get_global(CHECKPOINT).await? {
            Some(json) => Self::from_checkpoint(persistence, json).await,
            None => Self::count(persistence, catalog, newest).await,
        }
    }

    async fn from_checkpoint(persistence: &dyn Persistence, json: serde_json::Value) -> Result<Self> {
        let (mut position, mut counts) = parse(json).ok_or_else(|| PersistenceError::Damaged {
            detail: format!("the global {CHECKPOINT} does not make sense"),
        })?;
        loop {
            let revisions = persistence.revisions(position, LOAD_CHUNK).await?;
            let Some(last) = revisions.last() else { return Ok(counts) };
            position = last.timestamp;
            for revision in revisions {
                let gain = i64::from(revision.content.is_some()) - i64::from(revision.previous.is_some());
                counts.apply(revision.key.tablet, gain);
            }
        }
    }

    async fn count(persistence: &dyn Persistence, catalog: &Catalog, newest: Timestamp) -> Result<Self> {
        let mut counts = Self::default();
        for table in catalog.tables() {
            counts.0.insert(table.tablet, persistence.count(table.by_id().id, newest).await?);
        }
        Ok(counts)
    }

    /// Stores the counts of a timestamp as the checkpoint.
    pub async fn store(&self, persistence: &dyn Persistence, timestamp: Timestamp) -> Result<()> {
        let counts = self.0.iter().map(|(table, count)| (hex::encode(table.0.0), *count)).collect();
        let json = serde_json::to_value(Checkpoint { timestamp: timestamp.0, counts });
        let json = json.map_err(|error| PersistenceError::Failed(error.to_string()))?;
        Ok(persistence.set_global(CHECKPOINT, json).await?)
    }
}

fn parse(json: serde_json::Value) -> Option<(Timestamp, Counts)> {
    let Checkpoint { timestamp, counts } = serde_json::from_value(json).ok()?;
    let table = |text: &str| Some(TabletId(InternalId(hex::decode(text).ok()?.try_into().ok()?)));
    let counts = counts.iter().map(|(text, count)| Some((table(text)?, *count))).collect::<Option<_>>()?;
    Some((Timestamp(timestamp), Counts(counts)))
}
