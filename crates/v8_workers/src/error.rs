//! What can go wrong with workers. None of it is the application's fault.

use std::io;

/// A worker or a snapshot failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The operating system did not start it.
    #[error("cannot start {program:?}: {source}. Node 22 or newer is needed: set CONVEX_WASM_NODE to its path.")]
    Start {
        /// Path of Node.
        program: std::path::PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// It ended.
    #[error("a V8 worker ended: {diagnosis}")]
    Ended {
        /// Last words.
        diagnosis: String,
    },
    /// Its heap is full.
    #[error("a V8 worker ran out of memory")]
    OutOfMemory,
    /// It did not become ready in time.
    #[error("a V8 worker was not ready after {seconds} s")]
    Late {
        /// The limit.
        seconds: u64,
    },
    /// It was parked for another program.
    #[error("a V8 worker holds another program")]
    WrongProgram,
    /// It sent something that is no message.
    #[error("a V8 worker sent a malformed message")]
    Malformed,
    /// A message is too long.
    #[error("a message of {length} bytes to or from a V8 worker is too long (limit: {limit})")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// A snapshot could not be built.
    #[error("cannot build a V8 snapshot: {diagnosis}")]
    Snapshot {
        /// What Node said.
        diagnosis: String,
    },
    /// A snapshot is larger than all of them may be.
    #[error("a V8 snapshot of {size} bytes is too large (limit: {limit})")]
    SnapshotTooLarge {
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// npm could not be started.
    #[error(
        "cannot start {program:?}: {source}. Packages that are not bundled are installed with npm: install it, or remove them \
         from `node.externalPackages` in convex.json, so that they are bundled."
    )]
    NoNpm {
        /// Path of npm.
        program: std::path::PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// npm failed.
    #[error("npm could not install the packages of `node.externalPackages`: {diagnosis}")]
    Install {
        /// What it said.
        diagnosis: String,
    },
    /// A file of ours could not be written or read.
    #[error("cannot {action}: {source}")]
    File {
        /// What we tried.
        action: &'static str,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// No more workers are started: the server stops.
    #[error("V8 workers are shut down")]
    ShutDown,
}

impl WorkerError {
    /// A short code for logs and metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Start { .. } => "V8WorkerStart",
            Self::Ended { .. } => "V8WorkerEnded",
            Self::OutOfMemory => "V8WorkerOutOfMemory",
            Self::Late { .. } => "V8WorkerLate",
            Self::WrongProgram => "V8WorkerWrongProgram",
            Self::Malformed => "V8WorkerMalformed",
            Self::TooLong { .. } => "V8MessageTooLong",
            Self::Snapshot { .. } => "V8SnapshotFailed",
            Self::SnapshotTooLarge { .. } => "V8SnapshotTooLarge",
            Self::NoNpm { .. } => "NoNpm",
            Self::Install { .. } => "PackagesNotInstalled",
            Self::File { .. } => "V8File",
            Self::ShutDown => "V8WorkersShutDown",
        }
    }
}
