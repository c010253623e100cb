//! The guest (the JavaScript runtime inside Wasm), built by this crate's build script and embedded in the binary.

mod config;

pub use config::{FIBER_STACK, MAX_WASM_STACK, config};

/// The guest's Wasm module.
pub const WASM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.wasm"));

/// The guest's native code for the machine this was built on, made with [`config`]. Wasmtime checks when it is loaded
/// that it fits the machine it runs on.
pub const NATIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm"));
