//! `cargo xtask fuzz`: random programs compared on Wasm and on Node.

use std::process::Command;

use clap::Args;

use crate::process::{build_workspace, programs, run as step};
use crate::setup;

/// Which programs, and for how long.
#[derive(Args)]
pub struct Options {
    /// Seed of the first program; the others follow.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many programs.
    #[arg(long, default_value_t = 50_000)]
    programs: u64,
    /// Stop after that many minutes, even if fewer programs ran.
    #[arg(long)]
    minutes: Option<f64>,
    /// Go on after a difference: list the seeds that differ and fail at the end.
    #[arg(long)]
    keep_going: bool,
}

impl Options {
    /// The same programs each time, as many as fit into the time.
    pub fn for_tests(minutes: f64) -> Self {
        Self { seed: 0, programs: u64::MAX / 2, minutes: Some(minutes), keep_going: false }
    }
}

/// Builds and runs the fuzzer.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::everything()?;
    build_workspace()?;
    let mut fuzz = Command::new(programs()?.join("convex-wasm-fuzz"));
    fuzz.arg("--node").arg(setup::node().get_program());
    fuzz.args(["--seed", &options.seed.to_string(), "--programs", &options.programs.to_string()]);
    if let Some(minutes) = options.minutes {
        fuzz.args(["--minutes", &minutes.to_string()]);
    }
    if options.keep_going {
        fuzz.arg("--keep-going");
    }
    step(&mut fuzz)
}
