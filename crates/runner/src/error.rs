//! How a call can fail: by the application's fault, or by ours.

use convex_wasm_knobs::MAX_ERROR_MESSAGE_LENGTH;
use convex_wasm_values::ConvexValue;

/// The application's fault: the caller gets it as the result of the call.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionError {
    /// Text as Convex shows it, e.g. `Uncaught Error: boom\n    at handler (../convex/messages.ts:12:10)\n`.
    pub message: String,
    /// Data of a `ConvexError`.
    pub data: Option<ConvexValue>,
}

impl FunctionError {
    /// An error without data. Texts that are too long are cut.
    pub fn new(message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MAX_ERROR_MESSAGE_LENGTH.get() {
            let mut end = MAX_ERROR_MESSAGE_LENGTH.get();
            while !message.is_char_boundary(end) {
                end -= 1;
            }
            message.truncate(end);
        }
        Self { message, data: None }
    }
}

/// The call could not be carried out; trying again may help.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// A mutation conflicted with others each time it was run.
    #[error(
        "Documents read from or written to the {} changed while this mutation was being run and on every subsequent \
         retry. See https://docs.convex.dev/error#1",
        .table.as_ref().map_or("some table".to_owned(), |table| format!("\"{table}\" table"))
    )]
    Conflict {
        /// The table, if it is known.
        table: Option<String>,
    },
    /// Too many functions run at once.
    #[error("Too many {kind} functions run at once (limit: {limit}). Spread requests over time.")]
    TooManyConcurrent {
        /// `query` or `mutation`.
        kind: &'static str,
        /// Most that run at once.
        limit: usize,
    },
    /// The call took longer than any call may.
    #[error("Your request timed out after {seconds} s.")]
    Timeout {
        /// The limit.
        seconds: u64,
    },
    /// The snapshot that was asked for cannot be read.
    #[error("{0}")]
    Snapshot(String),
    /// The database failed.
    #[error("the database failed: {0}")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A fault of ours.
    #[error("internal error: {0}")]
    Internal(String),
}

impl CallError {
    /// Convex's short code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "OptimisticConcurrencyControlFailure",
            Self::TooManyConcurrent { .. } => "TooManyConcurrentRequests",
            Self::Timeout { .. } => "SystemTimeoutError",
            Self::Snapshot(_) => "InvalidSnapshot",
            Self::Database(_) | Self::Internal(_) => "InternalServerError",
        }
    }
}
