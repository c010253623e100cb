//! Serializable transactions over an ordered, multi-version document log.
//!
//! ```text
//! Transaction ── reads at its begin timestamp, buffers writes, records the index intervals it read
//!      │ commit
//!      ▼
//! Committer ── checks the read set against the write log, assigns a timestamp, writes a batch durably
//!      │
//!      ├──▶ snapshot: latest timestamp and catalog, for new transactions
//!      └──▶ write log: index keys changed by each commit, for conflict checks and subscriptions
//! ```

mod arguments;
mod cache;
mod catalog;
mod committer;
mod counts;
mod database;
mod error;
mod history;
mod leases;
mod options;
mod query;
mod query_cache;
mod read_set;
mod reader;
mod retention;
mod schema_change;
mod snapshots;
mod subscriptions;
mod system_tables;
mod throttle;
mod transaction;
mod turns;
mod world;
mod writes;

pub use arguments::{DocumentArg, InsertArg, Page, PageArgs, PageStatus, PatchArg, QueryId, ReplaceArg};
pub use convex_wasm_persistence::{
    BlobId, MemoryPersistence, Persistence, PersistenceError, SqlitePersistence, Timestamp,
};
pub use database::{Committed, Database};
pub use error::{Conflict, Error, Result};
pub use options::{Options, RetentionOptions, WriteLogOptions};
pub use query_cache::QueryCache;
pub use read_set::ReadSet;
pub use schema_change::{SchemaId, SchemaProgress, SchemaState};
pub use snapshots::Statistics;
pub use subscriptions::Subscription;
pub use transaction::{Artifact, Begin, Cron, FileContent, Job, JobState, Limit, StoredFile, Transaction, Usage};
pub use turns::Turn;
pub use world::{System, World};
