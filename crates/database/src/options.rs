//! What can be chosen when a database is opened.

use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::{
    INDEX_CACHE_SIZE, WRITE_LOG_MAX_RETENTION_SECS, WRITE_LOG_MIN_RETENTION_SECS, WRITE_LOG_SOFT_MAX_SIZE_BYTES,
};

use crate::world::{System, World};

/// Choices for a database. The default ones are the knobs.
#[derive(Clone)]
pub struct Options {
    /// Clock and randomness.
    pub world: Arc<dyn World>,
    /// Bytes of documents and index rows in memory.
    pub cache_size: usize,
    /// How long commits stay in the write log.
    pub write_log: WriteLogOptions,
}

/// How long commits stay in the write log. While it has all commits after a snapshot, that snapshot can be read, and
/// transactions that began on it can commit.
#[derive(Clone, Copy, Debug)]
pub struct WriteLogOptions {
    /// A commit stays for this long.
    pub min_retention: Duration,
    /// After this long it goes.
    pub max_retention: Duration,
    /// Bytes of all commits beyond which those older than the minimum go.
    pub soft_max_size: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { world: Arc::new(System), cache_size: INDEX_CACHE_SIZE.get(), write_log: WriteLogOptions::default() }
    }
}

impl Default for WriteLogOptions {
    fn default() -> Self {
        Self {
            min_retention: Duration::from_secs(WRITE_LOG_MIN_RETENTION_SECS.get()),
            max_retention: Duration::from_secs(WRITE_LOG_MAX_RETENTION_SECS.get()),
            soft_max_size: WRITE_LOG_SOFT_MAX_SIZE_BYTES.get(),
        }
    }
}
