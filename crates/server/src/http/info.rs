//! What a deployment says about itself.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::Backend;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new()
        .route("/", get(|| async { "This Convex deployment is running." }))
        .route("/version", get(|| async { env!("CARGO_PKG_VERSION") }))
        .route("/instance_version", get(|| async { env!("CARGO_PKG_VERSION") }))
        .route("/instance_name", get(instance_name))
        .route("/api/v1/get_canonical_urls", get(canonical_urls))
}

async fn instance_name(State(backend): State<Arc<Backend>>) -> String {
    backend.instance_name().to_owned()
}

async fn canonical_urls(State(backend): State<Arc<Backend>>) -> Json<Value> {
    Json(json!({ "convexCloudUrl": backend.origin(), "convexSiteUrl": backend.site() }))
}
