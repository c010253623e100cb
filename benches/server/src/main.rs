//! The server under load: a real server process, and clients in this one, on the same machine.

use std::fmt::Write;

use clap::Parser;

mod app;
mod calls;
mod deploys;
mod http;
mod pushes;
mod sessions;
mod statistics;
mod websocket;

/// Measures the server under load.
#[derive(Parser)]
struct Options {
    /// Only parts whose name contains this: calls, sessions, deploys, pushes.
    #[arg(long)]
    only: Option<String>,
    /// Write the report to benches/SERVER.md.
    #[arg(long)]
    write: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let wanted = |part: &str| options.only.as_ref().is_none_or(|only| part.contains(only.as_str()));
    let mut report =
        String::from("# The server under load\n\nMade by `cargo xtask load --write`: a server process, and ");
    writeln!(
        report,
        "its clients in another one, on the same machine with {} cores.",
        std::thread::available_parallelism()?
    )?;
    if wanted("calls") {
        report += &calls::measure().await?;
    }
    if wanted("sessions") {
        report += &sessions::measure().await?;
    }
    if wanted("deploys") {
        report += &deploys::measure().await?;
    }
    if wanted("pushes") {
        report += &pushes::measure().await?;
    }
    println!("{report}");
    if options.write {
        std::fs::write("benches/SERVER.md", report)?;
    }
    Ok(())
}
