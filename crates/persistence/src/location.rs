//! Where a store is.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::remote::Address;
use crate::{MysqlPersistence, Portable, PostgresPersistence, RemoteOptions, Result, SqlitePersistence};

/// Where a store is.
#[derive(Clone, Debug)]
pub enum Location {
    /// In an SQLite file.
    File(PathBuf),
    /// In a database on a server.
    Server(RemoteOptions),
}

/// Schemes of a PostgreSQL server's URLs.
pub const POSTGRES: [&str; 2] = ["postgres", "postgresql"];
/// Scheme of a MySQL or MariaDB server's URLs.
pub const MYSQL: [&str; 1] = ["mysql"];

impl Location {
    /// A URL is a server's, anything else a file's path.
    pub fn of(text: &str) -> Self {
        if text.contains("://") { Self::Server(RemoteOptions::new(text)) } else { Self::File(text.into()) }
    }

    /// Opens the store; it is made if there is none.
    ///
    /// # Errors
    /// See [`SqlitePersistence::open`], [`PostgresPersistence::open`] and [`MysqlPersistence::open`].
    pub async fn open(self) -> Result<Arc<dyn Portable>> {
        Ok(match self {
            Self::File(path) => Arc::new(SqlitePersistence::open(path)?),
            Self::Server(options) if options.is(&MYSQL) => Arc::new(MysqlPersistence::open(options).await?),
            Self::Server(options) => Arc::new(PostgresPersistence::open(options).await?),
        })
    }
}

impl fmt::Display for Location {
    /// The path, or the URL without its password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Server(options) => match Address::parse(options, &[&POSTGRES[..], &MYSQL].concat()) {
                Ok(address) => formatter.write_str(&address.shown()),
                Err(_) => formatter.write_str("the database server"),
            },
        }
    }
}
