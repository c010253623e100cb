//! The published Rust client lives on the server. It is a program of its own, see `tests/rust_client`.

use std::process::Command;

use anyhow::ensure;
use convex_wasm_tests::{backend::Backend, places, run_client};

#[test]
fn the_rust_client_calls_and_watches() -> anyhow::Result<()> {
    let program = places::project().join("tests/rust_client/target/release/rust-client");
    ensure!(program.exists(), "{program:?} does not exist: `cargo xtask setup` builds it");
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    run_client(Command::new(program).arg(backend.url()))
}
