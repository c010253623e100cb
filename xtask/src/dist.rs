//! `cargo xtask dist`: the one file that is installed on a server.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{build_workspace, programs, run as step};
use crate::setup;

/// Builds the program and gives it the native code of its guest; answers where it is.
pub fn build() -> anyhow::Result<PathBuf> {
    setup::everything()?;
    build_workspace()?;
    let programs = programs()?;
    let packaged = programs.join("dist/convex-wasm");
    step(Command::new(programs.join("convex-wasm")).arg("package").arg(&packaged))?;
    Ok(packaged)
}
