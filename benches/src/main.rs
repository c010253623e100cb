//! The benchmark program: kernels on our lane and on Node in the same run, the life of one call, memory, and compiling.

use std::{fmt::Write, path::PathBuf};

use clap::Parser;

mod call;
mod compile;
mod kernels;
mod memory;
mod node;
mod program;

/// Measures kernels on Wasm and on Node in the same run, the life of one call, and compiling.
#[derive(Parser)]
struct Options {
    /// The Node to compare with.
    #[arg(long, default_value = "node")]
    node: PathBuf,
    /// Only kernels whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Write the tables to benches/RESULTS.md.
    #[arg(long)]
    write: bool,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(measure(&options))?;
    println!("\n{report}");
    if options.write {
        std::fs::write("benches/RESULTS.md", report)?;
    }
    Ok(())
}

async fn measure(options: &Options) -> anyhow::Result<String> {
    let engine = program::engine()?;
    let mut report =
        String::from("# Results\n\nMade by `cargo xtask bench --write`; all columns of a row come from one run.\n");
    writeln!(
        report,
        "Machine: {} cores; Node {}.\n",
        std::thread::available_parallelism()?,
        node::version(&options.node)?
    )?;
    report += &kernels::table(&engine, &options.node, options.only.as_deref()).await?;
    report += &call::table(&engine).await?;
    report += &memory::table(&engine).await?;
    report += &compile::table(&engine)?;
    Ok(report)
}
