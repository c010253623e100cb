//! What is thrown away from time to time.

use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use convex_wasm_knobs::{
    HOUSEKEEPING_BATCH, HOUSEKEEPING_SECONDS, SCHEDULED_JOB_RETENTION, SESSION_REQUEST_RETENTION_DAYS,
    UNREGISTERED_FILE_SECONDS,
};

use crate::Backend;
use crate::push::PushError;

const MILLISECONDS_OF_A_DAY: f64 = 86_400_000.0;

/// Keeps house as long as the backend lives.
pub fn start(backend: &Arc<Backend>) {
    tokio::spawn(keep_house(Arc::downgrade(backend)));
}

async fn keep_house(backend: Weak<Backend>) {
    let mut interval = tokio::time::interval(Duration::from_secs(HOUSEKEEPING_SECONDS.get()));
    loop {
        interval.tick().await;
        let Some(backend) = backend.upgrade() else { return };
        if let Err(error) = forget_session_requests(&backend).await {
            tracing::warn!(%error, "old requests of sessions could not be forgotten; the next hour tries again");
        }
        if let Err(error) = remove_deleted_files(&backend).await {
            tracing::warn!(%error, "the content of deleted files could not be removed; the next hour tries again");
        }
        if let Err(error) = forget_scheduled(&backend).await {
            tracing::warn!(%error, "old scheduled functions could not be forgotten; the next hour tries again");
        }
    }
}

/// Clients send a mutation again within minutes, if at all.
async fn forget_session_requests(backend: &Backend) -> Result<(), PushError> {
    let before = now() - SESSION_REQUEST_RETENTION_DAYS.get() as f64 * MILLISECONDS_OF_A_DAY;
    loop {
        let mut transaction = backend.begin_system();
        let forgotten = transaction.forget_session_requests(before, HOUSEKEEPING_BATCH.get()).await?;
        backend.database.commit(transaction).await?;
        if forgotten < HOUSEKEEPING_BATCH.get() {
            return Ok(());
        }
    }
}

/// Functions can read what became of those they scheduled, for a while.
async fn forget_scheduled(backend: &Backend) -> Result<(), PushError> {
    let before = now() - SCHEDULED_JOB_RETENTION.get() as f64 * 1e3;
    loop {
        let mut transaction = backend.begin_system();
        let forgotten = transaction.forget_scheduled(before, HOUSEKEEPING_BATCH.get()).await?;
        backend.database.commit(transaction).await?;
        if forgotten < HOUSEKEEPING_BATCH.get() {
            return Ok(());
        }
    }
}

/// The content of files that were deleted, or whose upload did not become a file.
async fn remove_deleted_files(backend: &Backend) -> Result<(), PushError> {
    let files = &backend.storage.files;
    let age = Duration::from_secs(UNREGISTERED_FILE_SECONDS.get());
    for keys in files.older_than(age).await.map_err(PushError::internal)?.chunks(HOUSEKEEPING_BATCH.get()) {
        let mut transaction = backend.begin_system();
        for key in keys {
            if transaction.file_by_key(key.as_str()).await?.is_none() {
                files.remove(key).await.map_err(PushError::internal)?;
            }
        }
    }
    Ok(())
}

/// Milliseconds since the epoch.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as f64
}
