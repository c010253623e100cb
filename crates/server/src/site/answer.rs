//! From what an HTTP action gives to an HTTP response.

use axum::Json;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use convex_wasm_runner::{FunctionError, HttpResponse};
use convex_wasm_values::JsonFormat;
use serde_json::json;

use super::limited::limited;

/// The response of an action that answered.
pub fn success(response: HttpResponse, request_id: &str) -> Response {
    let body = response.body.map_or_else(Body::empty, |body| Body::from_stream(limited(body, "response")));
    let mut answer = Response::new(body);
    let Ok(status) = StatusCode::from_u16(response.status) else {
        return failure(&FunctionError::new(format!("{} is no HTTP status.", response.status)), request_id);
    };
    *answer.status_mut() = status;
    for (name, value) in response.headers {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => answer.headers_mut().append(name, value),
            _ => return failure(&FunctionError::new("The response has a header that is not allowed."), request_id),
        };
    }
    answer
}

/// The response of an action that failed.
pub fn failure(error: &FunctionError, request_id: &str) -> Response {
    let first_line = error.message.lines().next().unwrap_or_default();
    let mut body = json!({
        "code": format!("[Request ID: {request_id}] Server Error: {first_line}"),
        "trace": error.message,
    });
    if let Some(data) = &error.data {
        body["data"] = data.to_json(JsonFormat::Clean);
    }
    (StatusCode::INTERNAL_SERVER_ERROR, Json(body)).into_response()
}
