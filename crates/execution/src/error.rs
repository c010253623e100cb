//! How an execution can fail.

use serde::{Deserialize, Serialize};

use crate::host::BoxError;

/// Why a call gave no value.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The guest computed for longer than its budget. Waiting for the host does not count.
    #[error("Function execution timed out (maximum duration: {}s)", .maximum.as_secs_f64())]
    Timeout {
        /// The budget.
        maximum: std::time::Duration,
    },
    /// The guest's heap is full.
    #[error("JavaScript execution ran out of memory (maximum memory usage: {maximum_mb} MB)")]
    OutOfMemory {
        /// The limit in units of 2^20 bytes.
        maximum_mb: usize,
    },
    /// The guest met something it does not have. Nothing was decided yet: repeat the whole execution on V8.
    #[error("{built_in} is not available on the Wasm lane")]
    HandOver {
        /// What is missing, e.g. `Intl.NumberFormat`.
        built_in: String,
    },
    /// The function returned a promise that nothing can settle any more.
    #[error("Returned promise will never resolve")]
    Stuck,
    /// JavaScript threw.
    #[error("{0}")]
    Thrown(Box<ThrownError>),
    /// The host ended the execution.
    #[error("{0}")]
    Aborted(#[source] BoxError),
    /// A fault of ours: a trap or an answer that breaks the contract of guest and host. Never the application's fault.
    #[error("Internal error: {0}")]
    Internal(String),
}

/// An exception nobody caught.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ThrownError {
    /// `error.name`, empty if the thrown value is no error.
    pub name: String,
    /// `error.message`.
    pub message: String,
    /// What `String(error)` gives.
    pub text: String,
    /// JSON text of a `ConvexError`'s data.
    pub data: Option<String>,
    /// Nothing threw: a promise was rejected, and nobody listened when all microtasks were done.
    pub is_unhandled_rejection: bool,
    /// Where it was created, innermost frame first.
    pub stack: Vec<StackFrame>,
}

/// A JavaScript frame of a stack trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    /// Path of the JavaScript module, e.g. `messages.js`; empty for what has no place in one: `Promise.all (index 0)`.
    pub path: String,
    /// The function's own name, without the class of a method; empty if it has none.
    pub function: String,
    /// The function does not run but waits for the frame before.
    #[serde(default)]
    pub is_async: bool,
    /// 0-based line in the JavaScript module.
    pub line: u32,
    /// 0-based column in UTF-16 units.
    pub column: u32,
}
