//! The right to write a database on a server.
//!
//! The database holds a number that every opening raises. A write carries the number that was there after ours, and the
//! server refuses it when another one is there.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{RwLock, watch};

use crate::{PersistenceError, Result};

/// What we know of the lease.
pub struct Lease {
    /// How often the database had been opened, or its writes settled, when we did that last.
    epoch: RwLock<i64>,
    /// Whether a write found that somebody else has the lease.
    taken_over: watch::Sender<bool>,
    /// The database, as errors name it.
    database: String,
}

impl Lease {
    /// The lease of a database that was opened just now.
    pub fn new(epoch: i64, database: String) -> Self {
        Self { epoch: epoch.into(), taken_over: watch::Sender::new(false), database }
    }

    /// The number that a write has to carry.
    pub async fn epoch(&self) -> i64 {
        *self.epoch.read().await
    }

    /// Why a write with this number was refused.
    pub async fn refused(&self, epoch: i64) -> PersistenceError {
        if self.epoch().await != epoch {
            return PersistenceError::settled();
        }
        self.taken_over.send_replace(true);
        PersistenceError::LostLease { database: self.database.clone() }
    }

    /// Raises the number by one with `raise`, which answers whether the number it is given was there. That waits for the
    /// writes that have looked at the number already, and makes all others fail that were sent before. If it is carried out
    /// and the answer is lost, it counts as lost to another backend: that is safe.
    ///
    /// # Errors
    /// [`PersistenceError::LostLease`], or those of `raise`.
    pub async fn renew(&self, raise: impl AsyncFnOnce(i64) -> Result<bool>) -> Result<()> {
        let mut epoch = self.epoch.write().await;
        let old = *epoch;
        if raise(old).await? {
            *epoch = old + 1;
            return Ok(());
        }
        drop(epoch);
        Err(self.refused(old).await)
    }

    /// Waits until a write has found that somebody else has the lease.
    pub fn taken_over(&self) -> BoxFuture<'_, ()> {
        let mut changes = self.taken_over.subscribe();
        // The sender lives as long as the lease.
        async move { drop(changes.wait_for(|taken_over| *taken_over).await) }.boxed()
    }
}
