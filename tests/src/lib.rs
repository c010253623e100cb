//! Tests across crates, and what they share: the real binary, the example app, Node.
//!
//! `cargo xtask test` builds the binary and installs the example's packages first.

use std::process::Command;

use anyhow::ensure;

pub mod backend;
pub mod developer;
pub mod places;

/// Runs a client, a program that checks what it sees and then prints `done`.
///
/// # Errors
/// It does not start, or ends otherwise.
pub fn run_client(client: &mut Command) -> anyhow::Result<()> {
    let output = client.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && said.contains("done"),
        "the client said {said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// The first line that differs between what Node and what Wasm printed, with its number.
pub fn first_difference(node: &str, wasm: &str) -> String {
    let mut wasm_lines = wasm.lines();
    for (number, line) in node.lines().enumerate() {
        let ours = wasm_lines.next();
        if ours != Some(line) {
            return format!("line {}:\n  node: {line}\n  wasm: {}", number + 1, ours.unwrap_or("(nothing)"));
        }
    }
    format!("more lines on Wasm: {}", wasm_lines.next().unwrap_or("(none)"))
}
