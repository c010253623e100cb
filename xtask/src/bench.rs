//! `cargo xtask bench`: the kernels on our lane and on Node in the same run, and the life of one call.

use std::process::Command;

use clap::Args;

use crate::process::{build_workspace, programs, run as step};
use crate::setup;

/// What to measure.
#[derive(Args)]
pub struct Options {
    /// Only kernels whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Write the table to benches/RESULTS.md.
    #[arg(long)]
    write: bool,
}

/// Builds and runs the benchmark program.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::everything()?;
    build_workspace()?;
    let mut bench = Command::new(programs()?.join("convex-wasm-benches"));
    bench.arg("--node").arg(setup::node().get_program());
    if let Some(only) = &options.only {
        bench.args(["--only", only]);
    }
    if options.write {
        bench.arg("--write");
    }
    step(&mut bench)
}
