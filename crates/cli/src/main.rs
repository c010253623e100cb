//! The `convex-wasm` command.

mod builder;
mod bundle;
mod client;
mod commands;
mod exit;
mod instance;
mod manifest;
mod node;
mod output;
mod packaged;
mod report;
mod s3;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit::Failure;

/// A self-hosted Convex backend that compiles your functions ahead of time to WebAssembly.
#[derive(Parser)]
#[command(name = "convex-wasm", version, after_help = exit::HELP, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a deployment: serves its functions over HTTP.
    Serve(Box<commands::serve::Options>),
    /// Bundles and compiles an app without deploying it.
    Compile(commands::compile::Options),
    /// Bundles an app and deploys it to a running server.
    Deploy(commands::deploy::Options),
    /// Lists what is deployed and what was before, and goes back to it.
    #[command(subcommand)]
    Deployments(commands::deployments::Command),
    /// Makes admin keys.
    #[command(subcommand)]
    Keys(commands::keys::Command),
    /// Copies a database to another place: from a file to a server, say.
    Migrate(commands::migrate::Options),
    /// Calls a function of a deployment.
    Run(commands::run::Options),
    /// Runs plain JavaScript modules on the Wasm lane and prints what they write to the console.
    Exec(commands::exec::Options),
    /// Writes a copy of this program that starts without compiling its own runtime first.
    Package(commands::package::Options),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    output::log_to_stderr();
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::error(&failure);
            failure.code()
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Failure::setup("could not start threads", error))?;
    runtime.block_on(async {
        match command {
            Command::Serve(options) => commands::serve::run(*options).await,
            Command::Compile(options) => commands::compile::run(options).await,
            Command::Deploy(options) => commands::deploy::run(options).await,
            Command::Deployments(command) => commands::deployments::run(command).await,
            Command::Keys(command) => commands::keys::run(command),
            Command::Migrate(options) => commands::migrate::run(options).await,
            Command::Run(options) => commands::run::run(options).await,
            Command::Exec(options) => commands::exec::run(options).await,
            Command::Package(options) => commands::package::run(&options),
        }
    })
}
