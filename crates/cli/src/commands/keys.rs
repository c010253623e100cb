//! `convex-wasm keys`: makes admin keys.

use clap::Subcommand;

use crate::exit::Failure;
use crate::instance::InstanceOptions;
use crate::output;

/// What to do with keys.
#[derive(Subcommand)]
pub enum Command {
    /// Prints a new admin key of the instance. Keys stay valid as long as the instance keeps its name and secret.
    #[command(after_help = "\
Examples:
  convex-wasm keys generate --db my-app.sqlite3
  INSTANCE_SECRET=… convex-wasm keys generate --instance-name my-app")]
    Generate(InstanceOptions),
}

/// Runs the command.
pub fn run(Command::Generate(instance): Command) -> Result<(), Failure> {
    output::line(instance.secret()?.issue(&instance.instance_name));
    Ok(())
}
