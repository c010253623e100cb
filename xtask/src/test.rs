//! `cargo xtask test`: everything CI checks.

use clap::Args;

use crate::process::{build_workspace, command, run as step};
use crate::{demo, fuzz, setup};

/// What to leave out while working on something else.
#[derive(Args)]
pub struct Options {
    /// Skip formatting and lints.
    #[arg(long)]
    no_lints: bool,
    /// Skip the demo.
    #[arg(long)]
    no_demo: bool,
    /// Minutes of random programs; 0 skips them.
    #[arg(long, default_value_t = 10.0)]
    fuzz_minutes: f64,
}

/// Stops at the first step that fails.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::everything()?;
    if !options.no_lints {
        step(&mut command(&["cargo", "fmt", "--all", "--check"]))?;
        step(&mut command(&["cargo", "fmt", "--check", "--manifest-path", "crates/guest/Cargo.toml"]))?;
        step(&mut command(&[
            "cargo",
            "clippy",
            "--release",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ]))?;
    }
    // The command itself is a test's subject: it must exist before tests run it.
    build_workspace()?;
    step(&mut command(&["cargo", "test", "--release", "--workspace"]))?;
    if options.fuzz_minutes > 0.0 {
        fuzz::run(&fuzz::Options::for_tests(options.fuzz_minutes))?;
    }
    if !options.no_demo {
        demo::run(&demo::Options::for_tests())?;
    }
    Ok(())
}
