//! Retention: old revisions and index entries leave the store at a bounded pace.
//!
//! Two positions move up the log. What a revision below the first one replaced is in no index any more; what a revision
//! below the second one replaced is not in the log either. Neither position passes a snapshot that somebody reads, or may
//! begin to read, nor the checkpoint of table counts, which is brought up to date from the log. Positions only rise, so a
//! longer delay than before removes nothing for a while.

use std::sync::Weak;
use std::time::Duration;

use convex_wasm_persistence::{IndexId, Persistence, PersistenceError, Prune, Revision, Timestamp};

use crate::Result;
use crate::catalog::Catalog;
use crate::database::Inner;
use crate::options::RetentionOptions;
use crate::system_tables::INDEX;

/// The global that holds the position in indexes.
const INDEX_POSITION: &str = "index_retention";
/// The global that holds the position in the log.
const DOCUMENT_POSITION: &str = "document_retention";
/// Entries of a dropped index that are removed at once.
const INDEX_CHUNK: usize = 4096;

/// How far old revisions and entries were removed.
pub struct Retention {
    options: RetentionOptions,
    indexes: Timestamp,
    documents: Timestamp,
    /// The newest checkpoint of table counts that this process stored.
    checkpoint: Timestamp,
}

impl Retention {
    /// Goes on where the last process ended.
    pub async fn load(persistence: &dyn Persistence, options: RetentionOptions) -> Result<Self> {
        let indexes = position(persistence, INDEX_POSITION).await?;
        let documents = position(persistence, DOCUMENT_POSITION).await?;
        Ok(Self { options, indexes, documents, checkpoint: Timestamp::MIN })
    }

    /// Works until the database is closed.
    pub async fn run(mut self, database: Weak<Inner>) {
        let mut pause = self.options.pause;
        loop {
            tokio::time::sleep(pause).await;
            let Some(database) = database.upgrade() else { return };
            pause = match self.step(&database).await {
                Ok(true) => self.options.pause,
                Ok(false) => self.options.idle,
                Err(error) => {
                    tracing::warn!(%error, "old revisions were not removed; the next attempt follows");
                    // A position that is stored too late would lie before what is gone. If this fails too, so does the next.
                    let _ = database.persistence.settle().await;
                    self.options.idle
                }
            };
        }
    }

    /// Removes what one chunk of the log replaced; whether there may be more.
    async fn step(&mut self, database: &Inner) -> Result<bool> {
        let persistence = database.persistence.as_ref();
        let now = database.world.unix_nanos();
        let before = |delay: Duration| {
            let delay = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
            Timestamp(now.saturating_sub(delay))
        };
        let horizon = database.snapshots.advance_horizon(Timestamp(now), before(self.options.index_delay));
        let (newest, catalog) = database.snapshots.latest();
        if self.checkpoint < newest {
            let (timestamp, counts) = database.snapshots.counts();
            counts.store(persistence, timestamp).await?;
            self.checkpoint = timestamp;
        }
        let more_in_indexes = self.prune_indexes(persistence, &catalog, horizon).await?;
        let horizon = before(self.options.document_delay).min(self.indexes).min(self.checkpoint);
        let more_in_log = self.prune_documents(persistence, horizon).await?;
        Ok(more_in_indexes || more_in_log)
    }

    /// The next revisions from a position up to a horizon, and whether the horizon lies beyond them.
    async fn next(
        &self,
        persistence: &dyn Persistence,
        position: Timestamp,
        horizon: Timestamp,
    ) -> Result<(Vec<Revision>, bool)> {
        if position >= horizon {
            return Ok((Vec::new(), false));
        }
        let mut revisions = persistence.revisions(position, self.options.chunk).await?;
        let read = revisions.len();
        revisions.retain(|revision| revision.timestamp <= horizon);
        let more = revisions.len() == read && read >= self.options.chunk;
        Ok((revisions, more))
    }

    async fn prune_indexes(
        &mut self,
        persistence: &dyn Persistence,
        catalog: &Catalog,
        horizon: Timestamp,
    ) -> Result<bool> {
        let (revisions, more) = self.next(persistence, self.indexes, horizon).await?;
        let Some(last) = revisions.last().map(|last| last.timestamp) else { return Ok(false) };
        let replaced: Vec<_> = revisions.iter().filter_map(|next| Some((next, next.previous?))).collect();
        let keys = replaced.iter().map(|(next, previous)| (*previous, next.key)).collect();
        let contents = persistence.contents(keys).await?;
        let mut prune = Prune::default();
        for ((next, previous), content) in replaced.into_iter().zip(contents) {
            let (Some(old), Some(table)) = (content, catalog.tablet(next.key.tablet)) else { continue };
            for index in &table.indexes {
                let key = index.key(&old);
                // If the key leads nowhere since then, that need not be said once there is nothing before.
                if next.content.as_deref().is_none_or(|new| index.key(new) != key) {
                    prune.entries.push((index.id, key.clone(), next.timestamp));
                }
                prune.entries.push((index.id, key, previous));
            }
        }
        persistence.prune(prune).await?;
        let dropped = revisions.iter().filter(|next| next.key.tablet == INDEX.tablet() && next.content.is_none());
        for row in dropped {
            while persistence.prune_index(IndexId(row.key.id), INDEX_CHUNK).await? == INDEX_CHUNK {}
        }
        self.indexes = last;
        persistence.set_global(INDEX_POSITION, last.0.into()).await?;
        Ok(more)
    }

    async fn prune_documents(&mut self, persistence: &dyn Persistence, horizon: Timestamp) -> Result<bool> {
        let (revisions, more) = self.next(persistence, self.documents, horizon).await?;
        let Some(last) = revisions.last().map(|last| last.timestamp) else { return Ok(false) };
        let mut prune = Prune::default();
        for next in &revisions {
            prune.revisions.extend(next.previous.map(|previous| (previous, next.key)));
            if next.content.is_none() {
                prune.revisions.push((next.timestamp, next.key));
            }
        }
        persistence.prune(prune).await?;
        self.documents = last;
        persistence.set_global(DOCUMENT_POSITION, last.0.into()).await?;
        Ok(more)
    }
}

async fn position(persistence: &dyn Persistence, name: &'static str) -> Result<Timestamp> {
    match persistence.get_global(name).await? {
        None => Ok(Timestamp::MIN),
        Some(json) => json.as_u64().map(Timestamp).ok_or_else(|| {
            PersistenceError::Damaged { detail: format!("the global {name} is not a timestamp") }.into()
        }),
    }
}
