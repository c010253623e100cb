//! Errors of the HTTP interface: a status and `{"code", "message"}`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An error as clients see it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ApiError {
    /// HTTP status.
    pub status: StatusCode,
    /// Short code that programs match on.
    pub code: &'static str,
    /// Sentence for people.
    pub message: String,
}

impl ApiError {
    /// An error with the given parts.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// 400: the request is wrong.
    pub fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// 401: the key does not open this instance.
    pub fn bad_admin_key() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "BadAdminKey",
            "The provided admin key was invalid for this instance. Make one with `convex-wasm keys generate`.",
        )
    }

    /// 403: this needs an admin key.
    pub fn admin_only() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "Unauthorized",
            "This needs an admin key: send the header `Authorization: Convex <admin key>`.",
        )
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "code": self.code, "message": self.message }))).into_response()
    }
}
