//! Bundling an app's `convex/` folder, done by the Convex CLI that the app itself has installed.
//!
//! `convex deploy --write-push-request FILE` writes the body of a push to a file and talks to nobody, so what we compile
//! is byte for byte what `npx convex deploy` would send.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::exit::Failure;
use crate::node;

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
    let node = node::find(&[app.join("node_modules/.bin/node"), PathBuf::from("node")])?;
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
