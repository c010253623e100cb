//! Bundling an app's `convex/` folder, done by the Convex CLI that the app itself has installed.
//!
//! `convex deploy --write-push-request FILE` writes the body of a push to a file and talks to nobody, so what we compile
//! is byte for byte what `npx convex deploy` would send.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::exit::Failure;

/// Oldest Node.js that the Convex CLI runs on.
const OLDEST_NODE: u32 = 22;

/// Bundles the app and returns the JSON body of a push.
pub fn bundle(app: &Path) -> Result<String, Failure> {
    let app = app.canonicalize().map_err(|error| Failure::setup(format!("no app at {}", app.display()), error))?;
    let convex_cli = app.join("node_modules/convex/bin/main.js");
    if !convex_cli.is_file() {
        return Err(Failure::setup(
            format!("{} has no package `convex`", app.display()),
            "run `npm install` there first",
        ));
    }
    let node = find_node(&app)?;
    let folder = tempfile::tempdir().map_err(|error| Failure::setup("could not make a temporary folder", error))?;
    let request = folder.path().join("push");
    let output = Command::new(&node)
        .arg(&convex_cli)
        .args(["deploy", "--push-all-modules", "--url", "http://127.0.0.1", "--admin-key", "none"])
        .arg("--write-push-request")
        .arg(&request)
        .current_dir(&app)
        .env_remove("CONVEX_DEPLOYMENT")
        .env_remove("CONVEX_DEPLOY_KEY")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::setup(format!("could not start {}", node.display()), error))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::app(format!("the Convex CLI could not bundle the app:\n{}", text.trim())));
    }
    let written = request.with_extension("json");
    fs::read_to_string(&written).map_err(|error| Failure::setup("the Convex CLI wrote no push request", error))
}

/// A Node.js that is new enough: the app's own (npm package `node`), or the one on the PATH.
fn find_node(app: &Path) -> Result<PathBuf, Failure> {
    let mut too_old = Vec::new();
    for node in [app.join("node_modules/.bin/node"), PathBuf::from("node")] {
        match major_version(&node) {
            Some(version) if version >= OLDEST_NODE => return Ok(node),
            Some(version) => too_old.push(format!("{} is version {version}", node.display())),
            None => {}
        }
    }
    let found = if too_old.is_empty() { "there is none".to_owned() } else { too_old.join(", ") };
    Err(Failure::setup(
        format!("the Convex CLI needs Node.js {OLDEST_NODE} or newer"),
        format!("{found}. `npm install --save-dev node@{OLDEST_NODE}` in the app brings one."),
    ))
}

fn major_version(node: &Path) -> Option<u32> {
    let output = Command::new(node).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}
