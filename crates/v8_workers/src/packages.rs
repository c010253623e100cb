//! Packages of npm that modules for Node import and that are not in their bundle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use convex_wasm_knobs::CONVEX_WASM_NPM_TIMEOUT_SECONDS;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::process::Command;

use crate::error::WorkerError;
use crate::workers::Workers;

/// Installs without what only people read.
const ARGUMENTS: [&str; 5] = ["install", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];

/// npm in the folder of Node, or else the one on the PATH.
pub(crate) fn npm_beside(node: &Path) -> PathBuf {
    let beside = node.with_file_name("npm");
    if beside.exists() { beside } else { "npm".into() }
}

impl Workers {
    /// Installs packages, given by name and version, unless they are; the folder they are in.
    ///
    /// # Errors
    /// npm is missing, or fails.
    pub async fn install(&self, packages: &BTreeMap<String, String>) -> Result<PathBuf, WorkerError> {
        let file = |action| move |source| WorkerError::File { action, source };
        let manifest = json!({ "private": true, "dependencies": packages }).to_string();
        let folder = self.packages().join(hex::encode(Sha256::digest(&manifest)));
        // One at a time: npm itself uses all there is.
        let _turn = self.installing().await;
        if folder.exists() {
            return Ok(folder);
        }
        let unfinished = folder.with_extension("unfinished");
        if unfinished.exists() {
            tokio::fs::remove_dir_all(&unfinished).await.map_err(file("remove packages that were not finished"))?;
        }
        tokio::fs::create_dir_all(&unfinished).await.map_err(file("create a folder of packages"))?;
        tokio::fs::write(unfinished.join("package.json"), manifest).await.map_err(file("write a list of packages"))?;
        self.npm(&unfinished).await?;
        tokio::fs::rename(&unfinished, &folder).await.map_err(file("keep packages"))?;
        Ok(folder)
    }

    async fn npm(&self, folder: &Path) -> Result<(), WorkerError> {
        let mut command = Command::new(self.program_of_npm());
        command.args(ARGUMENTS).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let missing = |source| WorkerError::NoNpm { program: self.program_of_npm().to_owned(), source };
        let child = self.spawn(command).await.map_err(missing)?;
        let seconds = CONVEX_WASM_NPM_TIMEOUT_SECONDS.get();
        let failed = |diagnosis: String| WorkerError::Install { diagnosis };
        match tokio::time::timeout(Duration::from_secs(seconds), child.wait_with_output()).await {
            Ok(Ok(output)) if output.status.success() => Ok(()),
            Ok(Ok(output)) => Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed(format!("it took longer than {seconds} s"))),
        }
    }
}
