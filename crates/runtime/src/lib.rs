//! Runs compiled programs on Wasmtime in copy-on-write environments, against a trait of host operations.
