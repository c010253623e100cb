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

/// The `convex-wasm` binary beside this test's own executable.
pub fn binary() -> anyhow::Result<PathBuf> {
    let test = std::env::current_exe()?;
    let directory = test.parent().and_then(Path::parent).context("the test has no build directory")?;
    let binary = directory.join("convex-wasm");
    anyhow::ensure!(binary.exists(), "{binary:?} does not exist: run `cargo build --release --workspace` first");
    Ok(binary)
}
