//! What the commands that measure have in common.

use std::process::Command;

use clap::Args;

/// Which measurements, and whether they are kept.
#[derive(Args)]
pub struct Selection {
    /// Only those whose name contains this: kernels of `bench`; calls, sessions, deploys or pushes of `load`.
    #[arg(long)]
    pub only: Option<String>,
    /// Write the tables to the command's file in benches/.
    #[arg(long)]
    pub write: bool,
}

impl Selection {
    /// Passes it on to a program that measures.
    pub fn pass_to(&self, program: &mut Command) {
        if let Some(only) = &self.only {
            program.args(["--only", only]);
        }
        if self.write {
            program.arg("--write");
        }
    }
}
