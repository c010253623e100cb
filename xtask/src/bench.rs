//! `cargo xtask bench`: the kernels on our lane and on Node in the same run, and the life of one call.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;

use crate::measure::Selection;
use crate::process::{build_workspace, output, programs, run as step};
use crate::setup;

/// Where results are kept.
const RESULTS: &str = "benches/RESULTS.md";

/// Builds and runs the benchmark program.
pub fn run(selection: &Selection) -> anyhow::Result<()> {
    setup::everything()?;
    build_workspace()?;
    let mut bench = Command::new(programs()?.join("convex-wasm-benches"));
    bench.arg("--node").arg(setup::node().get_program());
    selection.pass_to(&mut bench);
    step(&mut bench)?;
    if selection.only.is_some() {
        return Ok(());
    }
    let latency = output(Command::new(programs()?.join("examples/latency")).arg(setup::node().get_program()))?;
    let saturation = output(&mut Command::new(programs()?.join("examples/saturation")))?;
    println!("{latency}{saturation}");
    if selection.write {
        let mut results = OpenOptions::new().append(true).open(RESULTS)?;
        writeln!(results, "\n{latency}{saturation}")?;
    }
    Ok(())
}
