//! Reads at one timestamp: `/api/query_ts`, `/api/query_at_ts`, `/api/query_batch`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use convex_wasm_database::Timestamp;
use convex_wasm_runner::{Audience, FunctionKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer;
use super::body::read_json;
use super::error::ApiError;
use super::format::requested_format;
use super::functions::{CallBody, prepare};
use super::request::RequestContext;
use crate::Backend;
use crate::timestamp::EncodedTimestamp;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new()
        .route("/api/query_ts", post(query_ts))
        .route("/api/query_at_ts", post(query_at_ts))
        .route("/api/query_batch", post(query_batch))
}

#[derive(Deserialize)]
struct QueryAtTs {
    #[serde(flatten)]
    call: CallBody,
    ts: String,
}

#[derive(Deserialize)]
struct QueryBatch {
    queries: Vec<CallBody>,
}

async fn query_ts(State(backend): State<Arc<Backend>>) -> Json<Value> {
    Json(json!({ "ts": EncodedTimestamp(backend.runner().latest_timestamp()) }))
}

async fn query_at_ts(
    State(backend): State<Arc<Backend>>,
    context: RequestContext,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let QueryAtTs { call, ts } = read_json(body).await?;
    let EncodedTimestamp(at) = ts
        .try_into()
        .map_err(|_| ApiError::bad_request("InvalidTimestamp", "`ts` must be what /api/query_ts answered."))?;
    Ok(Json(query(&backend, context, call, at).await?))
}

async fn query_batch(
    State(backend): State<Arc<Backend>>,
    context: RequestContext,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let QueryBatch { queries } = read_json(body).await?;
    let at = backend.runner().latest_timestamp();
    let mut results = Vec::with_capacity(queries.len());
    for call in queries {
        results.push(query(&backend, context.clone(), call, at).await?);
    }
    Ok(Json(json!({ "results": results })))
}

async fn query(backend: &Backend, context: RequestContext, body: CallBody, at: Timestamp) -> Result<Value, ApiError> {
    let format = requested_format(body.format.as_deref(), context.client.as_ref())?;
    let request_id = context.request_id.clone();
    let call = prepare(context, body, Some(FunctionKind::Query), Audience::Clients)?;
    let outcome = Arc::unwrap_or_clone(backend.runner().watch(call, at, None).await?.outcome);
    Ok(answer::to_json(outcome, format, &request_id))
}
