//! The tests of a checkout of test262, and which of them do not count.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::metadata::Metadata;

/// Folders of tests of the language proper. The others are about internationalisation (`intl402`), tests on their way in
/// (`staging`), and the harness itself.
const FOLDERS: &[&str] = &["test/language", "test/built-ins", "test/annexB"];

/// Features the product refuses to compile, and `Temporal`, which no engine of the supported Node versions has.
const REFUSED_FEATURES: &[&str] =
    &["SharedArrayBuffer", "Atomics", "Atomics.pause", "Atomics.waitAsync", "Temporal", "host-gc-required"];

/// A test.
pub struct Test {
    /// Path in the checkout, with `/`.
    pub path: String,
    /// Its text.
    pub source: String,
    /// What it says of itself.
    pub metadata: Metadata,
}

/// A checkout of test262.
pub struct Suite {
    root: PathBuf,
}

impl Suite {
    /// The checkout in a folder.
    ///
    /// # Errors
    /// The folder holds none.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        anyhow::ensure!(
            root.join("harness/assert.js").is_file(),
            "{} is no checkout of https://github.com/tc39/test262: it has no harness/assert.js",
            root.display()
        );
        Ok(Suite { root: root.to_owned() })
    }

    /// Paths of all tests whose path contains `filter`, sorted.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn paths(&self, filter: &str) -> anyhow::Result<Vec<String>> {
        let mut found = Vec::new();
        for folder in FOLDERS {
            self.collect(folder, &mut found)?;
        }
        found.retain(|path| path.contains(filter));
        found.sort_unstable();
        Ok(found)
    }

    fn collect(&self, folder: &str, found: &mut Vec<String>) -> anyhow::Result<()> {
        let entries = fs::read_dir(self.root.join(folder)).with_context(|| format!("cannot read {folder}"))?;
        for entry in entries {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.collect(&path, found)?;
            } else if path.ends_with(".js") && !path.contains("_FIXTURE") {
                found.push(path);
            }
        }
        Ok(())
    }

    /// A test by its path.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn test(&self, path: &str) -> anyhow::Result<Test> {
        let source = self.read(path)?;
        Ok(Test { path: path.to_owned(), metadata: Metadata::of(&source), source })
    }

    /// A file of the checkout as text. (A few tests hold bytes that are no UTF-8, inside comments.)
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, path: &str) -> anyhow::Result<String> {
        let bytes = fs::read(self.root.join(path)).with_context(|| format!("cannot read {path}"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The checkout's commit, if git knows it.
    pub fn commit(&self) -> Option<String> {
        let mut git = std::process::Command::new("git");
        let output = git.arg("-C").arg(&self.root).args(["rev-parse", "HEAD"]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

impl Test {
    /// The feature for which the test does not count, if there is one.
    pub fn excluded(&self) -> Option<&str> {
        let refused = |feature: &&String| REFUSED_FEATURES.contains(&feature.as_str());
        self.metadata.features.iter().find(refused).map(String::as_str)
    }
}
