//! JavaScript modules in, WebAssembly units and a report out: a pure function.
//!
//! The same sources give the same bytes. This crate knows nothing of Wasmtime, Tokio, HTTP or the database.
//!
//! - [`compile`]: the way in: one module, or all modules of an app
//! - `constant_eval`, `function_text`: texts given to `eval` and `Function`, compiled with the module
//! - `block_functions`: functions that sloppy code declares in blocks
//! - [`lower`]: syntax tree to intermediate representation ([`ir`])
//! - [`optimize`], [`codegen`]: intermediate representation to Wasm
//! - [`analysis`]: what the developer is told
//! - [`element`]: element types of typed arrays
//! - [`link`]: how compiled units ([`unit`]) fit together
//! - [`cache`]: keeping compiled units

pub mod analysis;
mod block_functions;
pub mod cache;
pub mod codegen;
pub mod compile;
mod constant_eval;
pub mod element;
pub mod error;
mod function_text;
pub mod ir;
pub mod link;
pub mod lower;
pub mod optimize;
pub mod position;
pub mod print;
pub mod unit;

pub use compile::{Options, Progress, compile_all, compile_module, compile_script, lower_module};
