//! `convex-wasm package`: a copy of the program with native code of its guest.

use std::path::PathBuf;

use clap::Args;

use crate::exit::Failure;
use crate::{output, packaged};

/// Where the copy goes.
#[derive(Args)]
#[command(after_help = "\
Example:
  convex-wasm package /usr/local/bin/convex-wasm

The copy carries native code of the JavaScript runtime for this kind of processor and starts at once, also where nothing
can be cached. On another kind of processor it works too, and compiles the runtime at its first start as this one does.")]
pub struct Options {
    /// The file to write.
    #[arg(value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<(), Failure> {
    packaged::write_copy(&options.out)?;
    output::line(format!("Written to {}", options.out.display()));
    Ok(())
}
