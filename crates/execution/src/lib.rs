//! What an execution is on every lane: what it may ask of its host, and how it can end.
//!
//! Wasm and V8 run JavaScript against the same [`Host`] and fail with the same [`RunError`], so that nothing above them
//! knows which of them ran.

mod error;
mod host;

pub use error::{RunError, StackFrame, ThrownError};
pub use host::{BoxError, Host, HostError, LogLevel, Operation, OperationResult, SilentHost, ThrowError};
