//! The example's page in Chromium: two people in two windows.

use std::{path::Path, process::Command};

use anyhow::{Context, ensure};
use convex_wasm_tests::{backend::Backend, places};

#[test]
fn what_one_writes_appears_in_the_other_window() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    let candidates = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let chromium = candidates.into_iter().find(|path| Path::new(path).exists());
    let chromium = chromium.context("there is no Chromium: `cargo xtask setup` installs it")?;
    let output = Command::new(places::node().canonicalize()?)
        .arg(places::project().canonicalize()?.join("tests/browser/two_windows.mjs"))
        .args([backend.url(), chromium])
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && said.contains("done"),
        "the windows said {said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
