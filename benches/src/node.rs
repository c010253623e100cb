//! The peer: the same kernel on Node, in a process of its own.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, bail};
use serde::Deserialize;

/// What Node measured, in milliseconds.
#[derive(Debug, Deserialize)]
pub struct Measured {
    /// The kernel's result.
    pub checksum: String,
    /// First call in a fresh context.
    pub fresh: f64,
    /// A call when everything is warm.
    pub warm: f64,
}

/// The version Node reports.
pub fn version(node: &Path) -> anyhow::Result<String> {
    let output = Command::new(node).arg("--version").output().with_context(|| format!("could not start {node:?}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a kernel, with flags for V8.
pub fn measure(node: &Path, flags: &[&str], kernel: &Path, rounds: u32) -> anyhow::Result<Measured> {
    let output = Command::new(node)
        .args(flags)
        .arg("benches/node/measure.mjs")
        .arg(kernel)
        .arg(rounds.to_string())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start {node:?}"))?;
    if !output.status.success() {
        bail!("{node:?} failed on {kernel:?}: {}", output.status);
    }
    serde_json::from_slice(&output.stdout).context("measure.mjs printed no JSON")
}
