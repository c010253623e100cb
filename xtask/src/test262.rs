//! `cargo xtask test262`: the ECMAScript test suite on the compiler and the runtime.

use std::ffi::OsString;
use std::process::Command;

use clap::Args;

use crate::process::{build_workspace, programs, run as step};
use crate::setup;

/// Passed on to the runner; `--help` after the folder says what it takes.
#[derive(Args)]
pub struct Options {
    /// A checkout of https://github.com/tc39/test262, then options: --filter PATH_PART, --write, --check, --json.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "DIR [OPTIONS]")]
    arguments: Vec<OsString>,
}

/// Builds and runs the runner.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::guest_target()?;
    build_workspace()?;
    step(Command::new(programs()?.join("test262")).args(&options.arguments))
}
