//! The npm clients live on the server: what they watch stays up to date, also when the server is killed under them.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};
use convex_wasm_tests::{backend::Backend, places};

#[test]
fn two_windows_stay_up_to_date_across_a_kill() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    let mut clients = Command::new(places::node().canonicalize()?)
        .arg(places::project().canonicalize()?.join("tests/node/clients.mjs"))
        .arg(backend.url())
        .current_dir(places::chat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = clients.stdin.take().context("the clients have a standard input")?;
    let mut said = Vec::new();
    for line in BufReader::new(clients.stdout.take().context("the clients have a standard output")?).lines() {
        let line = line?;
        if line == "restart" {
            backend.restart()?;
            writeln!(input, "go on")?;
        }
        said.push(line);
    }
    ensure!(clients.wait()?.success() && said.last().is_some_and(|line| line == "done"), "the clients said {said:?}");
    Ok(())
}
