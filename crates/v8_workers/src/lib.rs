//! Runs functions on V8, in Node processes that were started in advance.
//!
//! ```text
//! let workers = Workers::new(settings)?;                     // once a process
//! let program = Arc::new(Program::new(modules, import));     // once a deployment
//! workers.prepare(&program);                                 // parks workers in the background
//! let (result, host) = workers.run(&program, &call, host).await;
//! ```
//!
//! From the bottom up: `frame` is the form of messages and `harness` the JavaScript at their other end; `spawner` starts
//! processes and `reaper` ends them; `worker` is a process with a program, started from one of `snapshots` or without;
//! `pool` keeps parked workers and `workers` hands them out; `transaction` runs queries and mutations, `action` runs
//! actions and HTTP actions, with `streams` of bytes.
//!
//! A query or mutation runs in a V8 context of its own, in a worker that serves this program only. Between microtasks the
//! worker waits for its host with its whole thread, so an execution is as deterministic as the answers it gets.

mod action;
mod budget;
mod error;
mod frame;
mod harness;
mod packages;
mod pool;
mod program;
mod reaper;
mod snapshots;
mod spawner;
mod statistics;
mod streams;
mod transaction;
mod worker;
mod workers;

pub use action::{ActionCall, ActionHost, Entry};
pub use convex_wasm_knobs::V8Snapshot;
pub use error::WorkerError;
pub use program::{ImportPhase, Key, Program, Runtime};
pub use statistics::{Statistics, Step};
pub use streams::{ByteStream, Streams};
pub use transaction::{Call, Phase};
pub use workers::{Claim, Settings, Workers};
