//! What a call answers: the result or the function's error, and its log lines.

use axum::http::StatusCode;
use convex_wasm_database as database;
use convex_wasm_runner::{CallError, FunctionError, Outcome};
use convex_wasm_values::JsonFormat;
use serde_json::{Value, json};

use super::error::ApiError;
use crate::push::PushError;

/// The body of the answer to a call that was carried out.
pub fn to_json(outcome: Outcome, format: JsonFormat, request_id: &str) -> Value {
    let mut answer = match outcome.result {
        Ok(value) => json!({ "status": "success", "value": value.to_json(format) }),
        Err(error) => {
            let mut answer = json!({
                "status": "error",
                "errorMessage": error_text(&error, request_id),
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

/// A function's error as clients show it.
pub fn error_text(error: &FunctionError, request_id: &str) -> String {
    format!("[Request ID: {request_id}] Server Error\n{}", error.message)
}

impl From<CallError> for ApiError {
    fn from(error: CallError) -> Self {
        match &error {
            CallError::Database(database) if is_our_fault(database) => internal(&error),
            CallError::Internal(_) => internal(&error),
            CallError::Database(_) | CallError::Timeout { .. } | CallError::NoLongerScheduled => {
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, error.code(), error.to_string())
            }
            CallError::TooManyConcurrent { .. } => {
                ApiError::new(StatusCode::TOO_MANY_REQUESTS, error.code(), error.to_string())
            }
        }
    }
}

impl From<database::Error> for ApiError {
    fn from(error: database::Error) -> Self {
        CallError::from(error).into()
    }
}

impl From<PushError> for ApiError {
    fn from(error: PushError) -> Self {
        match error {
            PushError::Refused { code, message } => {
                ApiError::bad_request(code, format!("Hit an error while pushing:\n{message}"))
            }
            PushError::Internal(_) => internal(&error),
        }
    }
}

fn is_our_fault(error: &database::Error) -> bool {
    matches!(error, database::Error::Persistence(_) | database::Error::Developer { .. })
}

/// The log says what happened; the client is told only that it did.
fn internal(error: &dyn std::error::Error) -> ApiError {
    tracing::error!(%error, "a request failed by our fault");
    ApiError::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "InternalServerError",
        "Your request couldn't be completed. Try again later.",
    )
}
