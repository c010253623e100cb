//! The deployed app in the database.

use std::io::Read;

use bytes::Bytes;
use convex_wasm_database::{Artifact, Database, Transaction};
use convex_wasm_knobs::MAX_PUSH_BYTES;

use super::app::App;
use super::error::PushError;

/// Name of the artifact: the app as compressed JSON.
const ARTIFACT: &str = "app";
/// Brotli's quality and window: those of Convex's own uploads.
const QUALITY: u32 = 4;
const WINDOW: u32 = 22;
const BUFFER: usize = 64 << 10;

/// Stores an app's content. It is not deployed before a transaction that makes it so is committed.
///
/// # Errors
/// The database failed.
pub async fn store(database: &Database, app: &App) -> Result<Artifact, PushError> {
    let json = serde_json::to_vec(app).map_err(PushError::internal)?;
    let content = tokio::task::spawn_blocking(move || {
        let mut content = Vec::new();
        brotli::CompressorReader::new(json.as_slice(), BUFFER, QUALITY, WINDOW).read_to_end(&mut content)?;
        std::io::Result::Ok(Bytes::from(content))
    })
    .await
    .map_err(PushError::internal)?
    .map_err(PushError::internal)?;
    let size = content.len() as u64;
    let blob = database.put_blob(content).await?;
    Ok(Artifact { blob, size, metadata: Default::default() })
}

/// Makes a stored app the deployed one when the transaction commits.
///
/// # Errors
/// The database failed.
pub async fn activate(transaction: &mut Transaction, artifact: &Artifact) -> Result<(), PushError> {
    Ok(transaction.set_artifact(ARTIFACT, Some(artifact)).await?)
}

/// The deployed app, if there is one.
///
/// # Errors
/// The database failed, or what it holds is no app.
pub async fn load(database: &Database, transaction: &mut Transaction) -> Result<Option<App>, PushError> {
    match active(transaction).await? {
        Some(artifact) => read(database, &artifact).await.map(Some),
        None => Ok(None),
    }
}

/// The artifact that is the deployed app, if there is one.
///
/// # Errors
/// The database failed.
pub async fn active(transaction: &mut Transaction) -> Result<Option<Artifact>, PushError> {
    Ok(transaction.artifact(ARTIFACT).await?)
}

/// The app in an artifact.
///
/// # Errors
/// The database failed, or what it holds is no app.
pub async fn read(database: &Database, artifact: &Artifact) -> Result<App, PushError> {
    let content = database
        .get_blob(artifact.blob)
        .await?
        .ok_or_else(|| PushError::internal(format!("the blob {} of a deployed app is missing", artifact.blob)))?;
    let app = tokio::task::spawn_blocking(move || {
        let limit = 2 * MAX_PUSH_BYTES.get() as u64;
        serde_json::from_reader(brotli::Decompressor::new(content.as_ref(), BUFFER).take(limit))
    });
    app.await.map_err(PushError::internal)?.map_err(PushError::internal)
}
