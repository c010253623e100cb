//! What `npx convex deploy`, `dev` and `codegen` call: `/api/get_config_hashes` and `/api/deploy2/…`.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use convex_wasm_database::{SchemaId, SchemaState};
use convex_wasm_knobs::SCHEMA_MAX_WAIT_SECONDS;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_http::decompression::RequestDecompressionLayer;

use super::body::{read_json, read_push};
use super::error::ApiError;
use super::{identity, push_answer};
use crate::Backend;
use crate::push::{ModuleEnvironment, PushBody, hash};

/// Routes of this module. Bodies may be compressed.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new()
        .route("/api/get_config_hashes", post(config_hashes))
        .route("/api/deploy2/evaluate_schema", post(evaluate_schema))
        .route("/api/deploy2/evaluate_push", post(evaluate_push))
        .route("/api/deploy2/start_push", post(start_push))
        .route("/api/deploy2/wait_for_schema", post(wait_for_schema))
        .route("/api/deploy2/finish_push", post(finish_push))
        .route("/api/deploy2/report_push_completed", post(report_push_completed))
        .layer(RequestDecompressionLayer::new())
}

/// A body of which only the key matters.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keyed {
    #[serde(default)]
    admin_key: String,
}

/// Hashes of the deployed modules, so that a client need not send them again.
async fn config_hashes(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let Keyed { admin_key } = read_json(body).await?;
    identity::require_admin(&headers, &admin_key, &backend)?;
    let app = backend.deployed_app().await?;
    let hashes = app.iter().flat_map(|app| app.modules.values()).map(|module| {
        let environment = match module.environment {
            ModuleEnvironment::Isolate => "isolate",
            ModuleEnvironment::Node => "node",
        };
        json!({ "path": module.path, "hash": hash(module), "environment": environment })
    });
    Ok(Json(json!({
        "config": { "functions": "convex/" },
        "moduleHashes": hashes.collect::<Vec<_>>(),
        "udfServerVersion": app.as_ref().map(|app| &app.server_version),
        "nodeVersion": null,
    })))
}

/// Clients ask here what a change of the schema would take. Without an answer they send everything once more, to
/// `evaluate_push`.
async fn evaluate_schema(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let push: PushBody = read_push(body).await?;
    identity::require_admin(&headers, &push.admin_key, &backend)?;
    Ok(Json(push_answer::evaluated(&backend.evaluate_schema(push).await?)))
}

/// What a push would change in the schema. Builds everything and keeps nothing.
async fn evaluate_push(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let push: PushBody = read_push(body).await?;
    identity::require_admin(&headers, &push.admin_key, &backend)?;
    let started = backend.start_push(push, true).await?;
    Ok(Json(json!({ "schemaChange": push_answer::schema_change(&started) })))
}

async fn start_push(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let push: PushBody = read_push(body).await?;
    identity::require_admin(&headers, &push.admin_key, &backend)?;
    let dry = push.dry_run;
    let started = backend.start_push(push, dry).await?;
    Ok(Json(push_answer::started(&started)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WaitForSchema {
    #[serde(default)]
    admin_key: String,
    schema_change: Value,
    timeout_ms: Option<u64>,
}

async fn wait_for_schema(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let WaitForSchema { admin_key, schema_change, timeout_ms } = read_json(body).await?;
    identity::require_admin(&headers, &admin_key, &backend)?;
    // A dry run has submitted no schema.
    let Some(schema) = schema_change["schemaIds"][""].as_str() else { return Ok(Json(json!({ "type": "complete" }))) };
    let longest = Duration::from_secs(SCHEMA_MAX_WAIT_SECONDS.get());
    let timeout = timeout_ms.map_or(longest, Duration::from_millis).min(longest);
    let progress = backend.wait_for_schema(&SchemaId(schema.to_owned()), timeout).await?;
    Ok(Json(match progress.state {
        SchemaState::Pending => json!({ "type": "inProgress", "components": { "": {
            "schemaValidationComplete": progress.validation_complete,
            "indexesComplete": progress.indexes_complete,
            "indexesTotal": progress.indexes_total,
        } } }),
        SchemaState::Validated | SchemaState::Active => json!({ "type": "complete" }),
        SchemaState::Failed { error, table } => {
            json!({ "type": "failed", "error": error, "componentPath": "", "tableName": table })
        }
        SchemaState::Overwritten => json!({ "type": "raceDetected" }),
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FinishPush {
    #[serde(default)]
    admin_key: String,
    start_push: Value,
    #[serde(default)]
    dry_run: bool,
}

async fn finish_push(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let FinishPush { admin_key, start_push, dry_run } = read_push(body).await?;
    identity::require_admin(&headers, &admin_key, &backend)?;
    if dry_run {
        return Ok(Json(push_answer::unchanged()));
    }
    let id = push_answer::push_id(&start_push).ok_or_else(|| {
        ApiError::bad_request("BadJsonBody", "`startPush` is not what this server answered to `start_push`.")
    })?;
    Ok(Json(push_answer::finished(&backend.finish_push(id).await?)))
}

/// Clients report how long their steps took. Nobody reads it here.
async fn report_push_completed(
    State(backend): State<Arc<Backend>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let Keyed { admin_key } = read_json(body).await?;
    identity::require_admin(&headers, &admin_key, &backend)?;
    Ok(Json(Value::Null))
}
