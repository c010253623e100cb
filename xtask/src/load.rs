//! `cargo xtask load`: the server with many clients, deploys under load, calls a second, the time of a push: `benches/SERVER.md`.

use std::process::Command;

use crate::measure::Selection;
use crate::process::{build_workspace, programs, run as step};
use crate::setup;

/// Builds and runs the program.
pub fn run(selection: &Selection) -> anyhow::Result<()> {
    setup::everything()?;
    build_workspace()?;
    let mut load = Command::new(programs()?.join("convex-wasm-server-benches"));
    selection.pass_to(&mut load);
    step(&mut load)
}
