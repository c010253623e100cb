//! `cargo xtask demo`: from nothing to an answered query and mutation, through the real CLI's bundler and the real client.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;

use crate::process::{build_workspace, output, programs, run as step};
use crate::setup;

/// How the demo runs.
#[derive(Args)]
pub struct Options {
    /// Stop after the answers were checked; the exit code is 0 only if they were right.
    #[arg(long)]
    exit: bool,
    /// Port of the backend; 0 picks a free one.
    #[arg(long, default_value_t = 3210)]
    port: u16,
}

impl Options {
    /// As CI runs it: any free port, and stop.
    pub fn for_tests() -> Self {
        Self { exit: true, port: 0 }
    }
}

/// The backend, stopped when dropped.
struct Backend(Child);

impl Drop for Backend {
    fn drop(&mut self) {
        // The process may have ended on its own; then there is nothing to stop.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Builds, serves, deploys, calls.
pub fn run(options: &Options) -> anyhow::Result<()> {
    setup::everything()?;
    build_workspace()?;
    let binary = programs()?.join("convex-wasm");
    let data = programs()?.join("demo");
    if data.exists() {
        std::fs::remove_dir_all(&data).context("could not remove the last demo's data")?;
    }
    std::fs::create_dir_all(&data)?;
    let port = if options.port == 0 { free_port()? } else { options.port };
    let url = format!("http://127.0.0.1:{port}");

    let database = data.join("chat.sqlite3");
    let mut backend = Backend(
        Command::new(&binary)
            .args(["serve", "--interface", "127.0.0.1", "--port", &port.to_string(), "--db"])
            .arg(&database)
            .spawn()
            .context("could not start the backend")?,
    );
    wait_until_open(port, &mut backend)?;
    let key = output(Command::new(&binary).args(["keys", "generate", "--db"]).arg(&database))?;

    step(Command::new(&binary).args(["deploy", setup::EXAMPLE, "--url", &url, "--admin-key", &key]))?;
    step(setup::node().arg("demo.mjs").arg(&url).current_dir(setup::EXAMPLE))?;
    if options.exit {
        return Ok(());
    }
    println!("\nServing {} at {url} (admin key: {key}). Ctrl-C stops it.", setup::EXAMPLE);
    backend.0.wait()?;
    Ok(())
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn wait_until_open(port: u16, backend: &mut Backend) -> anyhow::Result<()> {
    let started = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if let Some(status) = backend.0.try_wait()? {
            bail!("the backend ended early: {status}");
        }
        if started.elapsed() > Duration::from_secs(60) {
            bail!("the backend did not open port {port} within a minute");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
