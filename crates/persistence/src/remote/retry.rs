//! Trying again while a server is away.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::{PersistenceError, Result};

/// The pause after the first failure; it doubles with each one.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Why an attempt failed.
pub struct Failed {
    /// What happened.
    pub error: PersistenceError,
    /// Whether it may work later.
    pub transient: bool,
}

impl From<PersistenceError> for Failed {
    fn from(error: PersistenceError) -> Self {
        Self { error, transient: false }
    }
}

/// Runs an operation until it succeeds, fails for good, or has been tried for long enough. Each attempt may take as long
/// as `limit`.
///
/// An attempt of which nothing is heard may have been carried out, so the operation must be one that changes nothing when
/// it is repeated.
pub async fn retry<T, F>(limit: Duration, patience: Duration, mut attempt: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = std::result::Result<T, Failed>>,
{
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        let failed = match timeout(limit, attempt()).await {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(failed)) => failed,
            Err(_) => {
                let reason = format!("no answer from the database server within {} s", limit.as_secs_f32());
                Failed { error: PersistenceError::Failed(reason), transient: true }
            }
        };
        if !failed.transient || started.elapsed() + pause > patience {
            return Err(failed.error);
        }
        tracing::warn!(error = %failed.error, "trying again in {} ms", pause.as_millis());
        sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}
