//! Runs compiled programs on Wasmtime in copy-on-write environments, against a trait of host operations.
//!
//! ```text
//! let engine  = Engine::new(EngineOptions)?;                               // once a process: compiles the guest, starts the ticker
//! let native  = engine.compile(&units)?;                                   // blocking, parallel, cached by content
//! let (program, host) = Program::initialise(&engine, Linked {..}, Initialisation {..}, host).await?;  // evaluates modules, freezes
//! let pool    = Pool::<MyHost>::new(program);                              // environments of one deployment
//! let export  = pool.program().export("messages.js", "list");             // Option<ExportAddress>
//! let Execution { result, host, usage } = pool.run(Call { export, method, arguments, phase, time_ms, seed, .. }, host).await;
//! ```
//!
//! Dropping the future of `run` cancels the execution and resets its environment.

mod error;
mod host;

pub use error::{ProgramError, RunError, StackFrame, ThrownError};
pub use host::{BoxError, Host, HostError, LogLevel, Operation, OperationResult, SilentHost, ThrowError};
