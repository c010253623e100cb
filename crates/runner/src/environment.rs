//! Environment variables as functions see them.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_database::{Database, ReadSet, Result, Timestamp, Transaction};
use parking_lot::Mutex;

/// Names and values.
pub type Environment = Arc<BTreeMap<String, String>>;

/// The variables of a deployment, read again only when they were changed.
pub struct EnvironmentCache {
    /// Variables that every deployment has.
    system: BTreeMap<String, String>,
    newest: Mutex<Option<Cached>>,
}

#[derive(Clone)]
struct Cached {
    timestamp: Timestamp,
    reads: Arc<ReadSet>,
    variables: Environment,
}

impl EnvironmentCache {
    /// A cache; `system` are variables that every deployment has.
    pub fn new(system: BTreeMap<String, String>) -> Self {
        Self { system, newest: Mutex::new(None) }
    }

    /// The variables at a transaction's snapshot. `read` is a transaction on the same snapshot, used if they have to be read.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn at(
        &self,
        database: &Database,
        timestamp: Timestamp,
        read: impl FnOnce() -> Result<Transaction>,
    ) -> Result<Environment> {
        let cached = self.newest.lock().clone();
        if let Some(cached) = cached
            && is_current(database, &cached, timestamp)
        {
            return Ok(cached.variables);
        }
        let mut transaction = read()?;
        let mut variables = self.system.clone();
        variables.extend(transaction.environment_variables().await?);
        let variables = Arc::new(variables);
        let reads = Arc::new(transaction.into_read_set());
        *self.newest.lock() = Some(Cached { timestamp, reads, variables: variables.clone() });
        Ok(variables)
    }
}

/// Whether nothing changed the variables between the two snapshots. In doubt they are read again.
fn is_current(database: &Database, cached: &Cached, timestamp: Timestamp) -> bool {
    let (from, to) = (cached.timestamp.min(timestamp), cached.timestamp.max(timestamp));
    matches!(database.first_invalidation(&cached.reads, from, to), Ok(None))
}
