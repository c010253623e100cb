//! The example's page in Chromium: two people in two windows.

use std::{path::Path, process::Command};

use anyhow::Context;
use convex_wasm_tests::{backend::Backend, places, run_client};

#[test]
fn what_one_writes_appears_in_the_other_window() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    let candidates = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let chromium = candidates.into_iter().find(|path| Path::new(path).exists());
    let chromium = chromium.context("there is no Chromium: `cargo xtask setup` installs it")?;
    let script = places::project().canonicalize()?.join("tests/browser/two_windows.mjs");
    run_client(Command::new(places::node().canonicalize()?).arg(script).args([backend.url(), chromium]))
}
