//! Running other programs, with errors that say which command failed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The folder that holds the workspace.
pub fn project_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A command from its words.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

/// Runs to the end, showing its output; an error if it fails.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    println!("$ {}", shown(command));
    let status = command.status().with_context(|| format!("could not start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", shown(command));
    }
    Ok(())
}

/// Builds the whole workspace with everything that tests need. All commands build exactly this, since another selection of
/// packages unites other features of shared dependencies, and would compile Wasmtime once more.
pub fn build_workspace() -> anyhow::Result<()> {
    run(&mut command(&["cargo", "build", "--release", "--workspace", "--all-targets"]))
}

/// Where cargo puts the programs it builds.
pub fn programs() -> anyhow::Result<PathBuf> {
    let metadata = output(&mut command(&["cargo", "metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let directory = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(Path::new(directory).join("release"))
}

/// Runs to the end and answers its standard output, trimmed.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("could not start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether a command exists and succeeds; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
