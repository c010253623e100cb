//! Where things are.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// The folder that holds the workspace.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The example app.
pub fn chat() -> PathBuf {
    project().join("examples/chat")
}

/// Node 22, from the example's packages.
pub fn node() -> PathBuf {
    chat().join("node_modules/.bin/node")
}

/// The `convex-wasm` binary of the build that this executable is from: beside it, or above it if it is a test.
pub fn binary() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let binary =
        own.ancestors().skip(1).take(2).map(|directory| directory.join("convex-wasm")).find(|file| file.exists());
    binary.with_context(|| format!("no convex-wasm beside {own:?}: run `cargo build --release --workspace` first"))
}
