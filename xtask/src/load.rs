//! `cargo xtask load`: the server with many clients, deploys under load, calls a second, the time of a push.

use std::process::Command;

use clap::Args;

use crate::process::{build_workspace, programs, run as step};
use crate::setup;

/// What to measure.
#[derive(Args)]
pub struct Options {
    /// Only the parts whose name contains this: calls, sessions, deploys, pushes.
    #[arg(long)]
    only: Option<String>,
    /// Write the report to benches/SERVER.md.
    #[arg(long)]
    write: bool,
}

/// Builds and runs the program.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::everything()?;
    build_workspace()?;
    let mut load = Command::new(programs()?.join("convex-wasm-server-benches"));
    if let Some(only) = &options.only {
        load.args(["--only", only]);
    }
    if options.write {
        load.arg("--write");
    }
    step(&mut load)
}
