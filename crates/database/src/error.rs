//! Errors of the database.

use convex_wasm_persistence::{PersistenceError, Timestamp};
use convex_wasm_values::{ConvexValue, SchemaError, ValueError};

/// Result of every operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation of the database failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The function's fault: an exception it can catch.
    #[error("{message}")]
    Developer {
        /// Convex's short code, such as `InvalidArgument`.
        code: &'static str,
        /// What is wrong and what to do, for the developer.
        message: String,
        /// Data of a `ConvexError`, where clients look for it.
        data: Option<ConvexValue>,
    },
    /// Something the transaction read was changed by a later commit. The function is to be run again, best after
    /// [`crate::Database::wait_turn`].
    #[error("{0}")]
    Conflict(Conflict),
    /// The server has too much to do right now. The caller is to try again later.
    #[error("{message}")]
    Overloaded {
        /// Convex's short code, such as `CommitterFullError`.
        code: &'static str,
        /// What is full.
        message: String,
    },
    /// A snapshot is too old to be read or committed upon. The function is to be run again.
    #[error("Timestamp {timestamp} is out of retention: the oldest snapshot kept is {oldest}")]
    OutOfRetention {
        /// The snapshot asked for.
        timestamp: Timestamp,
        /// The oldest one kept.
        oldest: Timestamp,
    },
    /// The store failed.
    #[error(transparent)]
    Persistence(#[from] PersistenceError),
    /// The database is being shut down.
    #[error("The database is shutting down")]
    ShutDown,
}

/// A conflict between a transaction and a later commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The table where they meet, or `None` if it is not known.
    pub table: Option<String>,
    /// The function that committed the change, or `None` if it is not known.
    pub writer: Option<String>,
    /// When the change was committed. The next run has to begin there or later.
    pub timestamp: Timestamp,
    /// Hash of the index key where they meet.
    pub(crate) place: u64,
}

impl Conflict {
    /// A conflict with a commit of which nothing but the time is known.
    pub fn unknown(timestamp: Timestamp) -> Self {
        Self { table: None, writer: None, timestamp, place: 0 }
    }
}

impl std::fmt::Display for Conflict {
    /// Convex's text after the last retry.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let table =
            self.table.as_ref().map_or_else(|| "some table".to_owned(), |table| format!("the \"{table}\" table"));
        write!(
            formatter,
            "Documents read from or written to {table} changed while this mutation was being run and on every \
             subsequent retry."
        )?;
        if let Some(writer) = &self.writer {
            write!(formatter, " A call to \"{writer}\" changed the document.")?;
        }
        write!(formatter, " See https://docs.convex.dev/error#1")
    }
}

impl Error {
    /// An error of the function.
    pub fn developer(code: &'static str, message: impl Into<String>) -> Self {
        Self::Developer { code, message: message.into(), data: None }
    }

    /// Convex's short code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Developer { code, .. } | Self::Overloaded { code, .. } => code,
            Self::Conflict(_) => "OptimisticConcurrencyControlFailure",
            Self::OutOfRetention { .. } => "OutOfRetention",
            Self::Persistence(_) => "InternalServerError",
            Self::ShutDown => "BackendIsNotRunning",
        }
    }

    /// Whether the function may catch it; every other error ends the execution.
    pub fn is_developer(&self) -> bool {
        matches!(self, Self::Developer { .. })
    }

    /// Whether running the function again on a new snapshot may succeed.
    pub fn is_retriable(&self) -> bool {
        matches!(self, Self::Conflict(_) | Self::OutOfRetention { .. })
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Self {
        Self::developer(error.code(), error.to_string())
    }
}

impl From<SchemaError> for Error {
    fn from(error: SchemaError) -> Self {
        Self::developer(error.code, error.message)
    }
}
