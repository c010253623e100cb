//! Runs compiled programs on Wasmtime in copy-on-write environments, against a trait of host operations.
//!
//! ```text
//! let engine = Engine::new(DirectoryCache::open(directory)?)?;            // once a process
//! let native = engine.compile(&units)?;                                   // blocks; parallel; cached by content
//! let (program, host) = Program::initialise(&engine, linked, how, host).await;    // evaluates the modules, freezes
//! let pool = Pool::<MyHost>::new(program?);                               // environments of one deployment
//! let export = pool.program().export("messages.js", "list");
//! let execution = pool.run(Call { export, method: "invokeQuery", argument, .. }, host).await;
//! ```
//!
//! Dropping the future of [`Pool::run`] cancels the execution. However an execution ends, its environment is reset.
//!
//! From the bottom up: `memory`, `stack`, `pagemap` and `image` speak with the operating system; `machine` is
//! a Wasmtime store with guest and units, `bridge` what they import, `roots` what the guest's collector asks and `trap` how
//! they fail; `heap` says what a guest may allocate; `program` makes the
//! image and `environment` runs calls from it; `pool` keeps environments.

mod batch;
mod bridge;
mod cells;
mod config;
mod data;
mod engine;
mod environment;
mod error;
mod frames;
mod functions;
mod guest;
mod heap;
mod image;
mod machine;
mod memory;
mod native;
mod pagemap;
mod pool;
mod program;
mod roots;
mod stack;
mod trace;
mod trap;
mod units;

pub use config::Effort;
pub use convex_wasm_execution::{
    BoxError, Host, HostError, LogLevel, Operation, OperationResult, RunError, SilentHost, StackFrame, ThrowError,
    ThrownError,
};
pub use engine::Engine;
pub use environment::{Call, Usage};
pub use error::ProgramError;
pub use native::{DirectoryCache, NativeCache, NativeUnit, NoCache};
pub use pool::{Description, Execution, HandlerPosition, Pool};
pub use program::{Export, Initialisation, Linked, Phase, Program};
pub use units::ProgramUnit;
