//! `Convex.syscall` and `Convex.asyncSyscall`: JSON text in, JSON text out.

mod actions;
mod asynchronous;
mod documents;
mod functions;
mod metadata;
mod scheduling;
mod storage;
mod synchronous;

use convex_wasm_database as database;
use convex_wasm_runtime::{BoxError, HostError, OperationResult, ThrowError};
use convex_wasm_values::JsonFormat;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::CallError;

pub(crate) use actions::run_in_action;
pub(crate) use asynchronous::run_batch;
pub(crate) use synchronous::run_sync;

/// Why a system call gave no answer: the function's fault, which it may catch, or the end of the execution.
pub(crate) enum SyscallError {
    Throw(ThrowError),
    Abort(BoxError),
}

impl SyscallError {
    pub(crate) fn throw(code: &str, message: impl Into<String>) -> Self {
        Self::Throw(ThrowError { message: message.into(), code: Some(code.to_owned()), data: None })
    }
}

impl From<database::Error> for SyscallError {
    fn from(error: database::Error) -> Self {
        match error {
            database::Error::Developer { code, message, data } => Self::Throw(ThrowError {
                message,
                code: Some(code.to_owned()),
                data: data.map(|data| data.to_json_text(JsonFormat::Encoded)),
            }),
            other => Self::Abort(other.into()),
        }
    }
}

impl From<CallError> for SyscallError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Database(error) => error.into(),
            error => Self::throw(error.code(), error.to_string()),
        }
    }
}

impl From<BoxError> for SyscallError {
    fn from(error: BoxError) -> Self {
        Self::Abort(error)
    }
}

impl From<SyscallError> for HostError {
    fn from(error: SyscallError) -> Self {
        match error {
            SyscallError::Throw(error) => Self::Throw(error),
            SyscallError::Abort(error) => Self::Abort(error),
        }
    }
}

pub(crate) type SyscallResult = Result<String, SyscallError>;

/// An abort ends the batch; anything else is an operation's own answer.
fn answer(result: SyscallResult) -> Result<OperationResult, BoxError> {
    match result {
        Ok(text) => Ok(Ok(text)),
        Err(SyscallError::Throw(error)) => Ok(Err(error)),
        Err(SyscallError::Abort(error)) => Err(error),
    }
}

fn parse<T: DeserializeOwned>(name: &str, argument: &str) -> Result<T, SyscallError> {
    serde_json::from_str(argument).map_err(|error| {
        SyscallError::throw("InvalidArgument", format!("Invalid argument for the system call {name}: {error}"))
    })
}

fn write(value: &impl Serialize) -> SyscallResult {
    serde_json::to_string(value).map_err(|error| SyscallError::Abort(error.into()))
}
