//! JavaScript modules in, WebAssembly units and a report out: a pure function.
//!
//! The same sources give the same bytes. This crate knows nothing of Wasmtime, Tokio, HTTP or the database.

pub mod error;
pub mod ir;
pub mod link;
pub mod unit;
