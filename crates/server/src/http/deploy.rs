//! Deploying an app: `/api/convex_wasm/deploy`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use convex_wasm_knobs::MAX_PUSH_BYTES;
use tower_http::decompression::RequestDecompressionLayer;

use super::body::read;
use super::error::ApiError;
use super::identity;
use crate::Backend;
use crate::push::{DeployReport, PushBody};

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
    if !identity::of_request(&headers, backend.secret(), backend.instance_name())?.is_admin() {
        return Err(ApiError::admin_only());
    }
    let bytes = read(body, MAX_PUSH_BYTES.get()).await?;
    let push: PushBody = serde_json::from_slice(&bytes)
        .map_err(|error| ApiError::bad_request("BadJsonBody", format!("The push cannot be read: {error}")))?;
    Ok(Json(backend.deploy(push).await?))
}
