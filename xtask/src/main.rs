//! The project's own commands: everything a newcomer types is here, and sets up what it needs.

use clap::{Parser, Subcommand};

mod bench;
mod demo;
mod dist;
mod fuzz;
mod load;
mod measure;
mod process;
mod setup;
mod test;
mod test262;

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Builds everything, starts a backend on 127.0.0.1, deploys examples/chat, calls it through the npm client.
    ///
    /// Example: cargo xtask demo --exit
    Demo(demo::Options),
    /// Runs everything CI checks: formatting, lints, all tests, and the demo.
    ///
    /// Example: cargo xtask test
    Test(test::Options),
    /// Measures the kernels on Wasm and on Node, and the life of one call; writes benches/RESULTS.md with --write.
    ///
    /// Example: cargo xtask bench --only fibonacci
    Bench(measure::Selection),
    /// Measures the server under load; writes benches/SERVER.md with --write.
    ///
    /// Example: cargo xtask load --only sessions
    Load(measure::Selection),
    /// Compares random programs on Wasm and on Node, and shrinks the first that differs.
    ///
    /// Example: cargo xtask fuzz --programs 50000
    Fuzz(fuzz::Options),
    /// Builds the one file that is installed on a server: target/release/dist/convex-wasm.
    Dist,
    /// Runs test262, the ECMAScript test suite, from a checkout of it.
    ///
    /// Example: cargo xtask test262 ../test262 --filter language/statements
    Test262(test262::Options),
    /// Only installs what building and testing need: the guest's compiler target and the npm packages.
    Setup,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    std::env::set_current_dir(process::project_root())?;
    match arguments.command {
        Command::Demo(options) => demo::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Bench(selection) => bench::run(&selection),
        Command::Load(selection) => load::run(&selection),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Dist => dist::build().map(|_| ()),
        Command::Test262(options) => test262::run(&options),
        Command::Setup => setup::everything(),
    }
}
