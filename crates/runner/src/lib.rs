//! Runs a function on a lane: arguments, validators, system calls, limits and logs.
//!
//! ```text
//! FunctionRunner::run(Call) ── finds the function, begins a transaction, repeats after a conflict
//!      └─ invoke ── checks arguments, runs on the Lane, checks the result
//!            └─ Execution ── the host of the JavaScript: system calls, console, environment
//!                  └─ runUdf ── invoke again, in the same transaction
//! ```

mod actions;
mod console;
pub mod crons;
mod deployment;
mod environment;
mod error;
mod execution;
mod function;
mod http_actions;
mod identity;
mod invoke;
mod lane;
mod lookup;
mod path;
mod query_results;
mod recording;
mod runner;
mod scheduled;
mod source_map;
mod stack;
mod syscalls;
mod two_lanes;
mod v8;
mod wasm;

pub use deployment::Deployment;
pub use error::{CallError, FunctionError};
pub use execution::Execution;
pub use function::{Function, FunctionKind, Visibility};
pub use http_actions::{HttpRequest, HttpResponse, Route, route};
pub use identity::Identity;
pub use lane::{Invocation, Lane};
pub use lookup::Audience;
pub use path::{FunctionPath, InvalidPath};
pub use recording::{
    AnswerRecord, ExecutionRecord, LogRecord, OperationKind, OperationRecord, OutcomeRecord, Recording,
};
pub use runner::{Call, FunctionRunner, Outcome, RecordingSink, SessionRequest, WatchedQuery};
pub use source_map::{ModuleSourceMap, SourcePosition};
pub use stack::uncaught;
pub use two_lanes::TwoLanes;
pub use v8::V8Lane;
pub use wasm::WasmLane;
