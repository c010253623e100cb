//! Queues for transactions that conflicted, so that a hot document does not make everyone fail again and again.
//!
//! Optimistic transactions on one document waste work in proportion to the square of their number: each round all run
//! and one commits. Those that wait for their turn after the first conflict run one after the other instead.

use std::array;
use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::Conflict;

/// Queues. Two places that share one only wait for each other without need.
const QUEUES: usize = 64;

/// The queues of a database.
pub struct Turns {
    queues: [Arc<Mutex<()>>; QUEUES],
}

/// The right to run a transaction again. Keep it until that one is committed or has failed.
#[must_use = "dropping the turn lets the next transaction run"]
pub struct Turn {
    _guard: OwnedMutexGuard<()>,
}

impl Turns {
    /// Empty queues.
    pub fn new() -> Self {
        Self { queues: array::from_fn(|_| Arc::default()) }
    }

    /// Waits until those that conflicted in the same place before are done, first come, first served.
    pub async fn wait(&self, conflict: &Conflict) -> Turn {
        let queue = usize::try_from(conflict.place % QUEUES as u64).unwrap_or_default();
        Turn { _guard: self.queues[queue].clone().lock_owned().await }
    }
}
