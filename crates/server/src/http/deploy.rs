//! Deploying an app, and going back to an earlier deployment: `/api/convex_wasm/…`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_http::decompression::RequestDecompressionLayer;

use super::body::{read_json, read_push};
use super::error::ApiError;
use super::identity;
use crate::Backend;
use crate::push::DeployReport;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new()
        .route("/api/convex_wasm/deploy", post(deploy))
        .route("/api/convex_wasm/deployments", get(deployments))
        .route("/api/convex_wasm/rollback", post(roll_back))
        .layer(RequestDecompressionLayer::new())
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

/// What is deployed, and what can be again.
async fn deployments(State(backend): State<Arc<Backend>>, headers: HeaderMap) -> Result<Json<Value>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    Ok(Json(json!({ "deployments": backend.deployments().await? })))
}

#[derive(Deserialize)]
struct RollBack {
    /// Begin of a deployment's id; the one before the active one if it is not given.
    id: Option<String>,
}

/// Goes back to an earlier deployment. The answer tells what is deployed then.
async fn roll_back(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<DeployReport>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let RollBack { id } = read_json(body).await?;
    Ok(Json(backend.roll_back(id.as_deref()).await?))
}
