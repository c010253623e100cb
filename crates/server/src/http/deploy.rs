//! Deploying an app: `/api/convex_wasm/deploy`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use tower_http::decompression::RequestDecompressionLayer;

use super::body::read_push;
use super::error::ApiError;
use super::identity;
use crate::Backend;
use crate::push::DeployReport;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new().route("/api/convex_wasm/deploy", post(deploy)).layer(RequestDecompressionLayer::new())
}

/// The body is that of Convex's `start_push`, compressed or not. The answer tells what was deployed.
async fn deploy(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<DeployReport>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    Ok(Json(backend.deploy(read_push(body).await?).await?))
}
