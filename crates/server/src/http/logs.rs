//! Following the logs: `/api/stream_function_logs`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::routing::get;
use axum::{Json, Router};
use convex_wasm_knobs::FUNCTION_LOGS_WAIT_SECONDS;
use serde::Deserialize;

use super::error::ApiError;
use super::identity;
use crate::Backend;
use crate::function_logs::LogPage;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new().route("/api/stream_function_logs", get(stream))
}

#[derive(Deserialize)]
struct Cursor {
    #[serde(default)]
    cursor: f64,
}

/// A long poll.
async fn stream(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    Query(Cursor { cursor }): Query<Cursor>,
) -> Result<Json<LogPage>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let patience = Duration::from_secs(FUNCTION_LOGS_WAIT_SECONDS.get());
    Ok(Json(backend.logs().after(cursor, patience).await))
}
