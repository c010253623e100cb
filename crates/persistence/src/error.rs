//! Errors of the store.

use std::path::PathBuf;

/// Why the store failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PersistenceError {
    /// The file cannot be opened or created.
    #[error("cannot open the database {path}: {reason}")]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What the operating system or SQLite says.
        reason: String,
    },
    /// The file holds something else.
    #[error("{path} is not a database of convex-wasm; move it away or choose another path")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version of this program.
    #[error("{path} has format {found}, this version reads format {supported}; use a newer version")]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: i64,
        /// The format of this program.
        supported: i64,
    },
    /// Another process has the database open.
    #[error("{path} is in use by another process; stop that one first")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// What is stored does not make sense.
    #[error("the database is damaged ({detail}); restore it from a backup")]
    Damaged {
        /// What was found.
        detail: String,
    },
    /// The store refused an operation: the disk is full, say.
    #[error("the database failed: {0}")]
    Failed(String),
    /// The store is being closed.
    #[error("the database is closed")]
    Closed,
}
