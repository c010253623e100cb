//! The contract of compiler, guest runtime and host.
//!
//! Three programs meet in one linear memory: the *guest* (the JavaScript runtime, Rust compiled to wasm32), the
//! *units* (one Wasm module for each JavaScript module, emitted by the compiler), and the *host* (the Wasmtime
//! embedder). This crate says where things are and what they mean; it holds no logic and no state.
//!
//! - [`value`]: NaN-boxed 64-bit words.
//! - [`memory`]: the map of linear memory and the cells at fixed addresses.
//! - [`layout`]: heap cells that compiled code reads and writes without asking the guest.
//! - [`unit`]: the data segment of a unit and how the guest links it.
//! - [`functions`]: every guest function that compiled code may call.
//! - [`bridge`]: how host and guest call each other.
#![no_std]
#![warn(missing_docs)]

pub mod bridge;
pub mod functions;
pub mod layout;
pub mod memory;
pub mod unit;
pub mod value;

/// Version of everything in this crate. Artifacts made for another version are compiled again, never run.
pub const ABI_VERSION: u32 = 1;
