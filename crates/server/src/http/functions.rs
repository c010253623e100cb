//! Calling functions: `/api/query`, `/api/mutation`, `/api/action`, `/api/function`, `/api/run`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use convex_wasm_runner::{Audience, Call, FunctionKind, FunctionPath};
use convex_wasm_values::ConvexValue;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer;
use super::body::read_json;
use super::error::ApiError;
use super::format::requested_format;
use super::request::RequestContext;
use crate::Backend;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new()
        .route("/api/query", get(query_by_url).post(query))
        .route("/api/mutation", post(mutation))
        .route("/api/action", post(action))
        .route("/api/function", post(any_function))
        .route("/api/run/{*path}", post(run))
}

/// Body of a call.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallBody {
    /// `module:function`.
    pub path: String,
    /// An object, or an array of one object.
    #[serde(default = "no_arguments")]
    pub args: Value,
    /// Format of the result.
    pub format: Option<String>,
    /// Component; only the root, the empty path, can be called.
    pub component_path: Option<String>,
}

fn no_arguments() -> Value {
    json!({})
}

/// Arguments of `GET /api/query`; `args` is JSON text.
#[derive(Deserialize)]
struct CallUrl {
    path: String,
    args: Option<String>,
    format: Option<String>,
}

/// Body of `/api/run`.
#[derive(Deserialize)]
struct RunBody {
    #[serde(default = "no_arguments")]
    args: Value,
    format: Option<String>,
}

async fn query_by_url(
    State(backend): State<Arc<Backend>>,
    context: RequestContext,
    Query(url): Query<CallUrl>,
) -> Result<Response, ApiError> {
    let args = match &url.args {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| ApiError::bad_request("BadJsonBody", format!("`args` is not valid JSON: {error}")))?,
        None => no_arguments(),
    };
    let body = CallBody { path: url.path, args, format: url.format, component_path: None };
    call(&backend, context, body, Some(FunctionKind::Query), Audience::Clients).await
}

async fn query(State(backend): State<Arc<Backend>>, context: RequestContext, body: Body) -> Result<Response, ApiError> {
    call(&backend, context, read_json(body).await?, Some(FunctionKind::Query), Audience::Clients).await
}

async fn mutation(
    State(backend): State<Arc<Backend>>,
    context: RequestContext,
    body: Body,
) -> Result<Response, ApiError> {
    call(&backend, context, read_json(body).await?, Some(FunctionKind::Mutation), Audience::Clients).await
}

async fn action(
    State(backend): State<Arc<Backend>>,
    context: RequestContext,
    body: Body,
) -> Result<Response, ApiError> {
    call(&backend, context, read_json(body).await?, Some(FunctionKind::Action), Audience::Clients).await
}

async fn any_function(
    State(backend): State<Arc<Backend>>,
    context: RequestContext,
    body: Body,
) -> Result<Response, ApiError> {
    if !context.identity.is_admin() {
        return Err(ApiError::admin_only());
    }
    call(&backend, context, read_json(body).await?, None, Audience::Tools).await
}

async fn run(
    State(backend): State<Arc<Backend>>,
    context: RequestContext,
    Path(path): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let Some((module, function)) = path.rsplit_once('/') else {
        return Err(ApiError::bad_request(
            "MissingIdentifier",
            format!("/api/run/{path} names no function; use /api/run/module/function."),
        ));
    };
    let RunBody { args, format } = read_json(body).await?;
    let body = CallBody { path: format!("{module}:{function}"), args, format, component_path: None };
    call(&backend, context, body, None, Audience::Tools).await
}

async fn call(
    backend: &Backend,
    context: RequestContext,
    body: CallBody,
    kind: Option<FunctionKind>,
    audience: Audience,
) -> Result<Response, ApiError> {
    let format = requested_format(body.format.as_deref(), context.client.as_ref())?;
    let request_id = context.request_id.clone();
    let outcome = backend.call(prepare(context, body, kind, audience)?).await?;
    Ok(Json(answer::to_json(outcome, format, &request_id)).into_response())
}

/// The call that a body describes.
///
/// # Errors
/// 400 for a path, component or arguments that are not understood.
pub fn prepare(
    context: RequestContext,
    body: CallBody,
    kind: Option<FunctionKind>,
    audience: Audience,
) -> Result<Call, ApiError> {
    if body.component_path.as_deref().is_some_and(|path| !path.is_empty()) {
        return Err(ApiError::bad_request("ComponentsNotSupported", "This server does not run components yet."));
    }
    let path: FunctionPath =
        body.path.parse().map_err(|error| ApiError::bad_request("InvalidModulePath", format!("{error}")))?;
    Ok(Call {
        path,
        arguments: arguments(&body.args)?,
        kind,
        audience,
        identity: context.identity,
        request_id: context.request_id,
        scheduled: None,
    })
}

fn arguments(args: &Value) -> Result<ConvexValue, ApiError> {
    let object = match args {
        Value::Array(list) => match list.as_slice() {
            [] => return Ok(ConvexValue::Object(Default::default())),
            [object] => object,
            _ => return Err(ApiError::bad_request("BadArguments", "A function takes one object of arguments.")),
        },
        other => other,
    };
    ConvexValue::from_json(object).map_err(|error| ApiError::bad_request(error.code(), error.to_string()))
}
