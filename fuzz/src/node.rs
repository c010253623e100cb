//! Programs on Node.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tokio::process::Command;

const BATCH: &str = include_str!("../batch.mjs");

/// What each program prints, in the order given. One process runs them all.
///
/// # Errors
/// Node cannot be started or ends before its answer.
pub async fn run(node: &Path, programs: &[String]) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let batch = folder.path().join("batch.mjs");
    fs::write(&batch, BATCH)?;
    let files: Vec<PathBuf> = (0..programs.len()).map(|at| folder.path().join(format!("{at}.mjs"))).collect();
    for (file, program) in files.iter().zip(programs) {
        fs::write(file, program)?;
    }
    let output = Command::new(node).arg(batch).args(&files).kill_on_drop(true).output().await?;
    ensure!(output.status.success(), "node failed: {}", String::from_utf8_lossy(&output.stderr));
    let printed: Vec<String> = serde_json::from_slice(&output.stdout).context("node answered no JSON")?;
    ensure!(printed.len() == programs.len(), "node answered for {} of {} programs", printed.len(), programs.len());
    Ok(printed)
}
