//! Why a command failed, as an exit code that scripts can rely on.

use std::fmt;
use std::process::ExitCode;

/// Shown under `--help`.
pub const HELP: &str = "\
Exit codes:
  0  done
  1  the app is at fault: it does not bundle or compile, a deploy was refused, a function threw
  2  the command line is wrong
  3  something around us is at fault: no Node.js, no database file, no server, a file cannot be read or written";

/// A failed command.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    App,
    Setup,
}

impl Failure {
    /// The app is at fault.
    pub fn app(message: impl Into<String>) -> Self {
        Self { kind: Kind::App, message: message.into() }
    }

    /// Something around us is at fault: what we tried, and why it did not work.
    pub fn setup(attempt: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self { kind: Kind::Setup, message: format!("{attempt}: {reason}") }
    }

    /// The exit code, see [`HELP`].
    pub fn code(&self) -> ExitCode {
        match self.kind {
            Kind::App => ExitCode::from(1),
            Kind::Setup => ExitCode::from(3),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
