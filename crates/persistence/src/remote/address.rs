//! Addresses of databases on servers.

use std::path::PathBuf;
use std::time::Duration;

use convex_wasm_knobs::{PERSISTENCE_RETRY_SECONDS, PERSISTENCE_TIMEOUT_SECONDS};
use url::Url;

use super::tls::TlsMode;
use crate::{PersistenceError, Result};

/// Where a database is, and how to talk to its server.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// `scheme://user:password@host:port/database?sslmode=…`; the database and the query may be missing.
    pub url: String,
    /// The database, if the URL names none.
    pub database: String,
    /// How the connection is protected, if the URL has no `sslmode`.
    pub tls: TlsMode,
    /// A PEM file of certificate authorities that are trusted besides the system's.
    pub ca_file: Option<PathBuf>,
    /// How long one attempt of an operation may take.
    pub timeout: Duration,
    /// For how long an operation is tried again while the server is away.
    pub retry: Duration,
}

impl RemoteOptions {
    /// A database under a URL: as the knobs say, encrypted, with a certificate that is checked.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            database: "convex_self_hosted".to_owned(),
            tls: TlsMode::VerifyFull,
            ca_file: None,
            timeout: Duration::from_secs(PERSISTENCE_TIMEOUT_SECONDS.get()),
            retry: Duration::from_secs(PERSISTENCE_RETRY_SECONDS.get()),
        }
    }
}

impl RemoteOptions {
    /// Whether the URL has one of some schemes.
    pub fn is(&self, schemes: &[&str]) -> bool {
        self.url.split_once("://").is_some_and(|(scheme, _)| schemes.contains(&scheme))
    }
}

/// The parts of [`RemoteOptions::url`].
pub struct Address {
    /// The URL with its database, without the settings that are for this program.
    pub url: Url,
    /// How the connection is protected.
    pub tls: TlsMode,
}

impl Address {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`PersistenceError::InvalidAddress`].
    pub fn parse(options: &RemoteOptions, schemes: &[&str]) -> Result<Self> {
        let invalid = |reason: String| PersistenceError::InvalidAddress(reason);
        let mut url = Url::parse(&options.url).map_err(|error| invalid(error.to_string()))?;
        if !schemes.contains(&url.scheme()) {
            return Err(invalid(format!("the scheme is {}, not {}", url.scheme(), schemes.join(" or "))));
        }
        let mut tls = options.tls;
        let mut others = Vec::new();
        for (name, value) in url.query_pairs() {
            match &*name {
                "sslmode" | "ssl-mode" => tls = value.parse().map_err(invalid)?,
                _ => others.push((name.into_owned(), value.into_owned())),
            }
        }
        url.set_query(None);
        if !others.is_empty() {
            url.query_pairs_mut().extend_pairs(others);
        }
        if url.path().trim_start_matches('/').is_empty() {
            url.set_path(&options.database);
        }
        Ok(Self { url, tls })
    }

    /// The address for people: without the password.
    pub fn shown(&self) -> String {
        let mut shown = self.url.clone();
        shown.set_query(None);
        // Fails only for URLs that cannot have a password.
        let _ = shown.set_password(None);
        shown.into()
    }
}
