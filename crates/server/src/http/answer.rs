//! What a call answers: the result or the function's error, and its log lines.

use axum::http::StatusCode;
use convex_wasm_runner::{CallError, Outcome};
use convex_wasm_values::JsonFormat;
use serde_json::{Value, json};

use super::error::ApiError;

/// The body of the answer to a call that was carried out.
pub fn to_json(outcome: Outcome, format: JsonFormat, request_id: &str) -> Value {
    let mut answer = match outcome.result {
        Ok(value) => json!({ "status": "success", "value": value.to_json(format) }),
        Err(error) => {
            let mut answer = json!({
                "status": "error",
                "errorMessage": format!("[Request ID: {request_id}] Server Error\n{}", error.message),
            });
            if let Some(data) = error.data {
                answer["errorData"] = data.to_json(format);
            }
            answer
        }
    };
    if !outcome.log_lines.is_empty() {
        answer["logLines"] = outcome.log_lines.into();
    }
    answer
}

impl From<CallError> for ApiError {
    fn from(error: CallError) -> Self {
        let status = match &error {
            CallError::Conflict { .. } | CallError::Timeout { .. } => StatusCode::SERVICE_UNAVAILABLE,
            CallError::TooManyConcurrent { .. } => StatusCode::TOO_MANY_REQUESTS,
            CallError::Snapshot(_) => StatusCode::BAD_REQUEST,
            CallError::Database(_) | CallError::Internal(_) => {
                tracing::error!(%error, "a call failed by our fault");
                return ApiError::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    error.code(),
                    "Your request couldn't be completed. Try again later.",
                );
            }
        };
        ApiError::new(status, error.code(), error.to_string())
    }
}
