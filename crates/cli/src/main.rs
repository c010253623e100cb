//! The convex-wasm command.
fn main() {}
