//! How a call can fail: by the application's fault, or by ours.

use convex_wasm_database as database;
use convex_wasm_knobs::MAX_ERROR_MESSAGE_LENGTH;
use convex_wasm_runtime::BoxError;
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
    /// The database could not; a conflict, if it lasted through all retries.
    #[error(transparent)]
    Database(#[from] database::Error),
    /// Too many functions run at once.
    #[error("Too many {kind} run at once (limit: {limit}). Spread requests over time.")]
    TooManyConcurrent {
        /// `queries` or `mutations`.
        kind: &'static str,
        /// Most that run at once.
        limit: usize,
    },
    /// The call took longer than any call may.
    #[error("Your request timed out: it took longer than {seconds} s.")]
    Timeout {
        /// The limit.
        seconds: u64,
    },
    /// A job was canceled or changed, or has run already.
    #[error("The scheduled function was canceled, or has run already.")]
    NoLongerScheduled,
    /// A fault of ours.
    #[error("internal error: {0}")]
    Internal(BoxError),
}

impl CallError {
    /// Convex's short code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Database(error) => error.code(),
            Self::TooManyConcurrent { .. } => "TooManyConcurrentRequests",
            Self::Timeout { .. } => "SystemTimeoutError",
            Self::NoLongerScheduled => "NoLongerScheduled",
            Self::Internal(_) => "InternalServerError",
        }
    }
}

impl From<BoxError> for CallError {
    fn from(error: BoxError) -> Self {
        match error.downcast::<database::Error>() {
            Ok(error) => Self::Database(*error),
            Err(error) => Self::Internal(error),
        }
    }
}
