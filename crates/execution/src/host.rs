//! What an execution may ask of the world around it.

use std::{error::Error, future::Future};

/// Any error of the embedder's own, carried through an execution unchanged.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;

/// The world of one execution. The runtime knows nothing of documents or HTTP: names and arguments are opaque text.
///
/// An implementation is owned by the execution and given back when it ends. Synchronous methods are called on the
/// execution's own thread while the guest waits, so they must not block for long.
pub trait Host: Send + 'static {
    /// `Convex.syscall(name, argument)`: JSON text in, JSON text out.
    fn syscall(&mut self, name: &str, argument: &str) -> Result<String, HostError>;

    /// `process.env[name]`; `None` if it is not set.
    fn environment_variable(&mut self, name: &str) -> Result<Option<String>, HostError>;

    /// Names of all environment variables.
    fn environment_names(&mut self) -> Result<Vec<String>, HostError>;

    /// A line written to the console.
    fn log(&mut self, level: LogLevel, message: String) -> Result<(), HostError>;

    /// Runs the asynchronous operations that were issued since the guest was last entered. The answers are handed to
    /// the guest in the order of `batch`; there must be exactly one for each operation. An `Err` of the whole batch
    /// ends the execution with [`crate::RunError::Aborted`]; the guest never sees it.
    fn run_batch(
        &mut self,
        batch: Vec<Operation>,
    ) -> impl Future<Output = Result<Vec<OperationResult>, BoxError>> + Send;
}

/// An asynchronous operation: `Convex.asyncSyscall(name, argument)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name, e.g. `1.0/get`.
    pub name: String,
    /// JSON text.
    pub argument: String,
}

/// JSON text the promise is resolved with, or what it is rejected with.
pub type OperationResult = Result<String, ThrowError>;

/// Why a synchronous operation failed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Thrown in the guest as an `Error`, which it may catch.
    #[error("{0}")]
    Throw(ThrowError),
    /// Ends the execution with [`crate::RunError::Aborted`]; the guest cannot catch it.
    #[error("{0}")]
    Abort(#[source] BoxError),
}

/// An `Error` to be thrown in the guest.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ThrowError {
    /// Its `message`.
    pub message: String,
    /// Convex's error code, e.g. `BadServerState`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// JSON text of `ConvexError` data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

impl std::fmt::Display for ThrowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<ThrowError> for HostError {
    fn from(error: ThrowError) -> Self {
        HostError::Throw(error)
    }
}

/// Level of a console line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogLevel {
    /// `console.debug`
    Debug,
    /// `console.log`
    Log,
    /// `console.info`
    Info,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

impl LogLevel {
    /// The level that a lane's harness numbered so: 0 debug, 1 log, 2 info, 3 warn, 4 error.
    pub fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => LogLevel::Debug,
            1 => LogLevel::Log,
            2 => LogLevel::Info,
            3 => LogLevel::Warn,
            4 => LogLevel::Error,
            _ => return None,
        })
    }
}

/// The host of a program that may do nothing but write lines: module initialisation in tests, and benchmarks.
#[derive(Clone, Debug, Default)]
pub struct SilentHost {
    /// Lines written, in order.
    pub lines: Vec<(LogLevel, String)>,
}

impl Host for SilentHost {
    fn syscall(&mut self, name: &str, _argument: &str) -> Result<String, HostError> {
        Err(HostError::Throw(ThrowError {
            message: format!("System call {name} is not available here."),
            ..ThrowError::default()
        }))
    }

    fn environment_variable(&mut self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(Vec::new())
    }

    fn log(&mut self, level: LogLevel, message: String) -> Result<(), HostError> {
        self.lines.push((level, message));
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        Ok(batch
            .into_iter()
            .map(|operation| {
                Err(ThrowError {
                    message: format!("System call {} is not available here.", operation.name),
                    ..ThrowError::default()
                })
            })
            .collect())
    }
}
