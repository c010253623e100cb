//! What the database costs, beside other databases doing the same on the same machine, in the same run.
//!
//! ```text
//! cargo bench --package convex-wasm-database -- [SECTION…] [--write]
//! ```
//!
//! Sections: `operations`, `commits`, `subscriptions`, `scale`, `start` and `soak`; without one, all but the soak. `--write`
//! puts what is printed into `benches/RESULTS.md`. Servers that are not installed are left out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops when something is wrong"
)]

mod app;
mod commits;
#[path = "../../../persistence/tests/conformance/mod.rs"]
mod conformance;
mod operations;
mod peers;
mod raw;
mod report;
mod scale;
#[path = "../../../persistence/tests/servers/mod.rs"]
mod servers;
mod soak;
mod start;
mod subscriptions;

use report::Report;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let wants = |section: &str| named.iter().any(|name| *name == section) || named.is_empty() && section != "soak";
    let mut report = Report::default();
    if wants("operations") {
        operations::run(&mut report).await;
    }
    if wants("commits") {
        commits::run(&mut report).await;
    }
    if wants("subscriptions") {
        subscriptions::run(&mut report).await;
    }
    if wants("scale") {
        scale::run(&mut report).await;
    }
    if wants("start") {
        start::run(&mut report).await;
    }
    if wants("soak") {
        soak::run(&mut report).await;
    }
    if arguments.iter().any(|argument| argument == "--write") {
        report.write();
    }
}
