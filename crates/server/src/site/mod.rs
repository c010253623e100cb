//! The site: HTTP actions, on a port of their own and below `/http` on the main one.

mod answer;
mod limited;
mod request;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use convex_wasm_knobs::HTTP_ACTION_BODY_LIMIT;
use convex_wasm_runner::{FunctionKind, Outcome, route};

use crate::Backend;
use crate::function_logs::LoggedCall;
use crate::http::ApiError;

/// Every path of the site.
pub fn router(backend: Arc<Backend>) -> Router {
    Router::new().fallback(respond).with_state(backend)
}

async fn respond(State(backend): State<Arc<Backend>>, request: Request) -> Response {
    let deployment = backend.runner().deployment();
    let Some(routes) = deployment.as_ref().and_then(|deployment| deployment.routes()) else {
        return (StatusCode::NOT_FOUND, "This Convex deployment does not have HTTP actions enabled.").into_response();
    };
    let (method, path) = (request.method().as_str(), request.uri().path());
    let Some(route) = route(routes, method, path) else {
        return (StatusCode::NOT_FOUND, "No matching routes found").into_response();
    };
    if request::length(&request).is_some_and(|length| length > HTTP_ACTION_BODY_LIMIT.get() as u64) {
        let text = format!("The body of the request is too large (limit: {} bytes).", HTTP_ACTION_BODY_LIMIT.get());
        return ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "RequestBodyTooLarge", text).into_response();
    }
    let identifier = format!("{} {}", route.method, route.path);
    let request = match request::read(request, &backend).await {
        Ok(request) => request,
        Err(error) => return error.into_response(),
    };
    let request_id = request.request_id.clone();
    let logged = LoggedCall {
        path: identifier,
        kind: Some(FunctionKind::HttpAction),
        identity: request.identity.clone(),
        request_id: request_id.clone(),
        caller: "HttpEndpoint",
        cached: false,
        started: Instant::now(),
    };
    let logs = backend.clone();
    let end = Box::new(move |outcome: Outcome| logs.logs().completed(logged, &outcome));
    match backend.runner().respond(request, end).await {
        Ok(Ok(response)) => answer::success(response, &request_id),
        Ok(Err(error)) => answer::failure(&error, &request_id),
        Err(error) => ApiError::from(error).into_response(),
    }
}
