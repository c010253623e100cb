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
    /// The file, or the server's database, holds something else.
    #[error("{database} is not a database of convex-wasm; move it away or choose another one")]
    Foreign {
        /// The file's path, or the database's URL without its password.
        database: String,
    },
    /// The database was written by a newer version of this program.
    #[error("{database} has format {found}, this version reads format {supported}; use a newer version")]
    NewerFormat {
        /// The file's path, or the database's URL without its password.
        database: String,
        /// The format of the database.
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
    /// The URL of a server's database, or a setting that goes with it, makes no sense.
    #[error("the database's address is not valid: {0}")]
    InvalidAddress(String),
    /// The server does not answer.
    #[error("cannot reach {database}: {reason}; check that the server runs and that the address is right")]
    Unreachable {
        /// The database's URL without its password.
        database: String,
        /// What the operating system or the server says.
        reason: String,
    },
    /// The server answers, and refuses this user, password, database or kind of encryption.
    #[error("{database} refuses the connection: {reason}")]
    Refused {
        /// The database's URL without its password.
        database: String,
        /// What the server says, and what to do.
        reason: String,
    },
    /// A backend that was started later owns the database now. Nothing that was acknowledged is lost.
    #[error("another backend took over {database}; this one may not write any more and has to be stopped")]
    LostLease {
        /// The database's URL without its password.
        database: String,
    },
    /// A store that is to be filled has something in it already.
    #[error("{database} is not empty; choose another one")]
    NotEmpty {
        /// The file's path, or the database's URL without its password.
        database: String,
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

impl PersistenceError {
    /// What is stored does not make sense.
    pub(crate) fn damaged(detail: impl Into<String>) -> Self {
        Self::Damaged { detail: detail.into() }
    }

    /// A write that was under way when writes were settled.
    pub(crate) fn settled() -> Self {
        Self::Failed("the write was given up while writes were settled".to_owned())
    }

    /// An entry of an index without the revision it leads to.
    pub(crate) fn missing_revision() -> Self {
        Self::damaged("an index entry leads to a revision that is not there")
    }
}
