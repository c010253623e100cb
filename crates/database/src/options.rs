//! What can be chosen when a database is opened.

use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::{
    DOCUMENT_RETENTION_DELAY, INDEX_CACHE_SIZE, INDEX_RETENTION_DELAY, MAX_BYTES_WRITTEN_PER_SECOND,
    RETENTION_CHUNK_SIZE, RETENTION_IDLE_SECS, RETENTION_PAUSE_MS, WRITE_LOG_MAX_RETENTION_SECS,
    WRITE_LOG_MIN_RETENTION_SECS, WRITE_LOG_SOFT_MAX_SIZE_BYTES,
};

use crate::world::{System, World};

/// Choices for a database. The default ones are the knobs.
#[derive(Clone)]
pub struct Options {
    /// Clock and randomness.
    pub world: Arc<dyn World>,
    /// Bytes of documents and index rows in memory.
    pub cache_size: usize,
    /// Bytes of documents that may be written in a second; 0 for any number.
    pub max_bytes_written_per_second: usize,
    /// How long commits stay in the write log.
    pub write_log: WriteLogOptions,
    /// How long what was replaced stays in the store.
    pub retention: RetentionOptions,
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

/// How long what was replaced stays in the store, and how fast it is removed.
#[derive(Clone, Copy, Debug)]
pub struct RetentionOptions {
    /// Entries of indexes stay for this long after they were replaced.
    pub index_delay: Duration,
    /// Revisions of documents stay for this long after they were replaced, at least as long as their index entries.
    pub document_delay: Duration,
    /// Revisions of the log that are handled at once.
    pub chunk: usize,
    /// Pause after each chunk.
    pub pause: Duration,
    /// Pause when there is nothing more to do.
    pub idle: Duration,
}

impl Default for RetentionOptions {
    fn default() -> Self {
        Self {
            index_delay: Duration::from_secs(INDEX_RETENTION_DELAY.get()),
            document_delay: Duration::from_secs(DOCUMENT_RETENTION_DELAY.get()),
            chunk: RETENTION_CHUNK_SIZE.get().max(1),
            pause: Duration::from_millis(RETENTION_PAUSE_MS.get()),
            idle: Duration::from_secs(RETENTION_IDLE_SECS.get()),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            world: Arc::new(System),
            cache_size: INDEX_CACHE_SIZE.get(),
            max_bytes_written_per_second: MAX_BYTES_WRITTEN_PER_SECOND.get(),
            write_log: WriteLogOptions::default(),
            retention: RetentionOptions::default(),
        }
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
