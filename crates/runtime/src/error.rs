//! How the making of a program can fail.

use convex_wasm_execution::RunError;

/// Why no program could be made of units.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Wasmtime refused a unit. The compiler made it, so this is a fault of ours.
    #[error("cannot compile {path} to native code: {reason}")]
    Compile {
        /// Path of the module.
        path: String,
        /// Wasmtime's explanation.
        reason: String,
    },
    /// The evaluation of a module failed.
    #[error("Failed to initialise {path}: {error}")]
    Evaluate {
        /// Path of the module.
        path: String,
        /// What happened.
        #[source]
        error: RunError,
    },
    /// The operating system refused memory or a file.
    #[error("cannot {action}: {source}")]
    System {
        /// What we tried, e.g. `create the memory image`.
        action: &'static str,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// Guest, units and host do not fit together. A fault of ours.
    #[error("the program does not fit the guest: {0}")]
    Link(String),
}
