//! How a connection to a server is protected, in the words of PostgreSQL's `sslmode`.

use std::fmt;
use std::str::FromStr;

/// How a connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    /// Not at all.
    Disable,
    /// Encrypted if the server can do it.
    Prefer,
    /// Encrypted; whoever answers is trusted, unless there is a CA file, which makes it [`TlsMode::VerifyCa`].
    Require,
    /// Encrypted, and the certificate comes from an authority that is trusted.
    VerifyCa,
    /// Also, the certificate is for the host in the URL.
    VerifyFull,
}

impl FromStr for TlsMode {
    type Err = String;

    /// Takes PostgreSQL's words, and MySQL's.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        Ok(match text.to_ascii_lowercase().replace('_', "-").as_str() {
            "disable" | "disabled" => Self::Disable,
            "allow" | "prefer" | "preferred" => Self::Prefer,
            "require" | "required" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" | "verify-identity" => Self::VerifyFull,
            _ => return Err(format!("{text:?} is no sslmode: use disable, prefer, require, verify-ca or verify-full")),
        })
    }
}

impl fmt::Display for TlsMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
        })
    }
}
