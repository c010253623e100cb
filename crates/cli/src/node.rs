//! Finding Node.js, which runs the Convex CLI and V8 workers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::exit::Failure;

/// Oldest Node.js that the Convex CLI and V8 workers run on.
const OLDEST: u32 = 22;

/// The first of these Node.js that is new enough.
pub fn find(candidates: &[PathBuf]) -> Result<PathBuf, Failure> {
    let mut too_old = Vec::new();
    for node in candidates {
        match major_version(node) {
            Some(version) if version >= OLDEST => return Ok(node.clone()),
            Some(version) => too_old.push(format!("{} is version {version}", node.display())),
            None => {}
        }
    }
    let found = if too_old.is_empty() { "there is none".to_owned() } else { too_old.join(", ") };
    Err(Failure::setup(
        format!("Node.js {OLDEST} or newer is needed"),
        format!("{found}. `npm install --save-dev node@{OLDEST}` in the app brings one."),
    ))
}

fn major_version(node: &Path) -> Option<u32> {
    let output = Command::new(node).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}
