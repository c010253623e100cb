//! Reading request bodies within limits.

use axum::body::Body;
use axum::http::StatusCode;
use bytes::Bytes;
use convex_wasm_knobs::{HTTP_SERVER_MAX_FUNCTION_BODY_BYTES, MAX_PUSH_BYTES};
use serde::de::DeserializeOwned;

use super::error::ApiError;

/// Reads a body of at most `limit` bytes.
///
/// # Errors
/// 413 if there are more, 400 if the client stops sending.
pub async fn read(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    axum::body::to_bytes(body, limit).await.map_err(|error| {
        if is_too_long(&error) {
            ApiError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "RequestBodyTooLarge",
                format!("The body of the request is too large (limit: {limit} bytes)."),
            )
        } else {
            ApiError::bad_request("BadRequestBody", format!("The body of the request could not be read: {error}"))
        }
    })
}

fn is_too_long(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<http_body_util::LengthLimitError>())
}

/// Reads the JSON body of a function call.
///
/// # Errors
/// As [`read`], and `BadJsonBody`.
pub async fn read_json<T: DeserializeOwned>(body: Body) -> Result<T, ApiError> {
    parse(&read(body, HTTP_SERVER_MAX_FUNCTION_BODY_BYTES.get()).await?)
}

/// Reads the JSON body of a step of a push.
///
/// # Errors
/// As [`read`], and `BadJsonBody`.
pub async fn read_push<T: DeserializeOwned>(body: Body) -> Result<T, ApiError> {
    parse(&read(body, MAX_PUSH_BYTES.get()).await?)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ApiError::bad_request("BadJsonBody", format!("The body of the request is not valid: {error}")))
}
