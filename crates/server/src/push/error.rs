//! Why a push was refused.

use convex_wasm_compiler::error::{CompileError, LinkError};
use convex_wasm_database as database;
use convex_wasm_runtime::ProgramError;
use convex_wasm_values::SchemaError;

/// A push that changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The app is at fault.
    #[error("{message}")]
    Refused {
        /// Convex's short code.
        code: &'static str,
        /// What is wrong, where, and what to do.
        message: String,
    },
    /// We are.
    #[error("{0}")]
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl PushError {
    /// The app is at fault.
    pub fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::Refused { code, message: message.into() }
    }

    /// We are.
    pub fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }
}

impl From<CompileError> for PushError {
    fn from(error: CompileError) -> Self {
        Self::refused("InvalidModules", error.to_string())
    }
}

impl From<LinkError> for PushError {
    fn from(error: LinkError) -> Self {
        Self::refused("InvalidModules", error.to_string())
    }
}

impl From<ProgramError> for PushError {
    fn from(error: ProgramError) -> Self {
        Self::internal(error)
    }
}

impl From<SchemaError> for PushError {
    fn from(error: SchemaError) -> Self {
        Self::refused(error.code, error.message)
    }
}

impl From<database::Error> for PushError {
    fn from(error: database::Error) -> Self {
        match error {
            database::Error::Developer { code, message, .. } => Self::refused(code, message),
            other => Self::internal(other),
        }
    }
}
