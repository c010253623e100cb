//! The guest (the JavaScript runtime inside Wasm), built by this crate's build script and embedded in the binary.
//!
//! Its native code is not embedded: it would be made for the machine of the build, and Wasmtime would have to be
//! compiled twice, for the build script and for the product. The runtime makes it at the first start and keeps it.

/// The guest's Wasm module.
pub const WASM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.wasm"));
