//! Scheduled functions, canceled by an operator: `/api/cancel_job`, `/api/cancel_all_jobs`.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use convex_wasm_runner::FunctionPath;
use serde::Deserialize;

use super::body::read_json;
use super::error::ApiError;
use super::identity;
use crate::Backend;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new().route("/api/cancel_job", post(cancel)).route("/api/cancel_all_jobs", post(cancel_all))
}

#[derive(Deserialize)]
struct Cancel {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelAll {
    /// Only this function.
    udf_path: Option<String>,
}

async fn cancel(State(backend): State<Arc<Backend>>, headers: HeaderMap, body: Body) -> Result<(), ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let Cancel { id } = read_json(body).await?;
    let invalid =
        |error| ApiError::bad_request("InvalidArgument", format!("{id:?} is no id of a scheduled function: {error}"));
    let id = id.parse().map_err(invalid)?;
    Ok(backend.runner().cancel_scheduled(id).await?)
}

async fn cancel_all(State(backend): State<Arc<Backend>>, headers: HeaderMap, body: Body) -> Result<(), ApiError> {
    identity::require_admin(&headers, "", &backend)?;
    let CancelAll { udf_path } = read_json(body).await?;
    let path = udf_path.map(|path| path.parse::<FunctionPath>()).transpose();
    let path = path.map_err(|error| ApiError::bad_request("BadConvexFunctionIdentifier", error.to_string()))?;
    Ok(backend.runner().cancel_all_scheduled(path.as_ref()).await?)
}
