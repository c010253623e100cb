//! Programs on Node.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tokio::process::Command;

use crate::generator::{PRELUDE, PRELUDE_PATH};

const BATCH: &str = include_str!("../batch.mjs");

/// What each program prints, in the order given. One process runs them all.
///
/// # Errors
/// Node cannot be started or ends before its answer.
pub async fn run(node: &Path, programs: &[String]) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let batch = folder.path().join("batch.mjs");
    fs::write(&batch, BATCH)?;
    fs::write(folder.path().join(PRELUDE_PATH), PRELUDE)?;
    let files: Vec<PathBuf> = (0..programs.len()).map(|at| folder.path().join(format!("{at}.mjs"))).collect();
    for (at, (file, program)) in files.iter().zip(programs).enumerate() {
        // Another query is another instance of the prelude, with all its fuel.
        fs::write(file, program.replacen(PRELUDE_PATH, &format!("{PRELUDE_PATH}?{at}"), 1))?;
    }
    let output = Command::new(node).arg(batch).args(&files).kill_on_drop(true).output().await?;
    ensure!(output.status.success(), "node failed: {}", String::from_utf8_lossy(&output.stderr));
    let printed: Vec<String> = serde_json::from_slice(&output.stdout).context("node answered no JSON")?;
    ensure!(printed.len() == programs.len(), "node answered for {} of {} programs", printed.len(), programs.len());
    Ok(printed)
}
