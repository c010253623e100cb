//! The Python client lives on the server.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::process::Command;

use convex_wasm_tests::{backend::Backend, places, run_client};

#[test]
fn the_python_client_calls_and_watches() -> anyhow::Result<()> {
    let python = places::project().join("tests/python/.venv/bin/python");
    if !python.exists() {
        eprintln!("skipped: `cargo xtask setup` installs the Python client if there is a Python with venv");
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    let script = places::project().join("tests/python/client.py");
    run_client(Command::new(python).arg(script).arg(backend.url()))
}
