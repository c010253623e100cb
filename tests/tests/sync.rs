//! The sync protocol, spoken by hand: every rule, and every kind of misbehaviour.

use std::process::Command;

use anyhow::ensure;
use convex_wasm_tests::{backend::Backend, places};

/// Runs a script with these arguments behind the server's address.
fn script(name: &str, backend: &Backend, argument: &str) -> anyhow::Result<()> {
    let output = Command::new(places::node().canonicalize()?)
        .arg(places::project().join("tests/node").join(name))
        .args([backend.url(), argument])
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && said.contains("done"), "{name} said {said}\n{failed}");
    Ok(())
}

#[test]
fn every_message_is_as_the_protocol_has_it() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    script("sync_peer.mjs", &backend, &backend.admin_key()?)
}

#[test]
fn clients_that_watch_the_same_share_executions() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    script("sync_shared.mjs", &backend, &backend.admin_key()?)
}

#[test]
fn clients_that_misbehave_hurt_nobody_else() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    script("sync_abuse.mjs", &backend, "1")
}
