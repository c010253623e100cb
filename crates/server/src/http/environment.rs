//! Environment variables: `/api/update_environment_variables`, `/api/list_environment_variables`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::read_json;
use super::error::ApiError;
use super::identity;
use crate::Backend;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new()
        .route("/api/update_environment_variables", post(update))
        .route("/api/v1/update_environment_variables", post(update))
        .route("/api/list_environment_variables", get(list))
        .route("/api/v1/list_environment_variables", get(list))
}

#[derive(Deserialize)]
struct Update {
    changes: Vec<Change>,
}

/// A value, or `null` to remove the variable.
#[derive(Deserialize)]
struct Change {
    name: String,
    value: Option<String>,
}

async fn update(State(backend): State<Arc<Backend>>, headers: HeaderMap, body: Body) -> Result<(), ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let Update { changes } = read_json(body).await?;
    let changes: Vec<_> = changes.into_iter().map(|change| (change.name, change.value)).collect();
    Ok(backend.change_environment(&changes).await?)
}

async fn list(State(backend): State<Arc<Backend>>, headers: HeaderMap) -> Result<Json<Value>, ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    Ok(Json(json!({ "environmentVariables": backend.environment_variables().await? })))
}
