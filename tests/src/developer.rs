//! A developer's app, in a folder of its own, and the published Convex CLI.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use anyhow::{Context, ensure};
use tempfile::TempDir;

use crate::{backend::Backend, places};

/// An app and the backend it is deployed to.
pub struct Developer {
    /// The backend.
    pub backend: Backend,
    key: String,
    folder: TempDir,
}

impl Developer {
    /// The example app, not deployed yet.
    pub fn new() -> anyhow::Result<Self> {
        Self::with(&[])
    }

    /// The same, and a backend with these environment variables.
    pub fn with(environment: &[(&'static str, &'static str)]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let backend = Backend::start_with(&folder.path().join("app.sqlite3"), environment)?;
        let developer = Developer { key: backend.admin_key()?, backend, folder };
        let functions = developer.app().join("convex");
        fs::create_dir_all(&functions)?;
        for name in ["package.json", "convex/tsconfig.json"] {
            fs::copy(places::chat().join(name), developer.app().join(name))?;
        }
        for entry in fs::read_dir(places::chat().join("convex"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "ts") {
                fs::copy(&path, functions.join(path.file_name().context("a file has a name")?))?;
            }
        }
        let packages = places::chat().join("node_modules").canonicalize()?;
        std::os::unix::fs::symlink(packages, developer.app().join("node_modules"))?;
        Ok(developer)
    }

    /// The folder of the app.
    pub fn app(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    /// Writes a file of the app's functions, e.g. `messages.ts`.
    pub fn write(&self, name: &str, source: &str) -> anyhow::Result<()> {
        Ok(fs::write(self.app().join("convex").join(name), source)?)
    }

    /// The CLI with these arguments, in the app's folder.
    pub fn convex(&self, arguments: &[&str]) -> anyhow::Result<Command> {
        let mut command = Command::new(places::node().canonicalize()?);
        command
            .arg("node_modules/convex/bin/main.js")
            .args(arguments)
            .current_dir(self.app())
            .env_remove("CONVEX_DEPLOYMENT")
            .env_remove("CONVEX_DEPLOY_KEY")
            .env("CONVEX_SELF_HOSTED_URL", self.backend.url())
            .env("CONVEX_SELF_HOSTED_ADMIN_KEY", &self.key)
            .stdin(Stdio::null());
        Ok(command)
    }

    /// Runs a command that must succeed; what it said on both outputs.
    pub fn succeeds(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.convex(arguments)?.output()?;
        ensure!(output.status.success(), "convex {arguments:?} failed:\n{}", said(&output));
        Ok(said(&output))
    }

    /// Runs a command that must fail; what it said on both outputs.
    pub fn fails(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.convex(arguments)?.output()?;
        ensure!(!output.status.success(), "convex {arguments:?} succeeded:\n{}", said(&output));
        Ok(said(&output))
    }
}

/// What a process said on both outputs.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Replaces a text in a file that has it.
pub fn edit(file: &Path, from: &str, to: &str) -> anyhow::Result<()> {
    let text = fs::read_to_string(file)?;
    ensure!(text.contains(from), "{} has no {from:?}", file.display());
    Ok(fs::write(file, text.replace(from, to))?)
}
