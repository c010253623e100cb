//! `cargo xtask demo`: from nothing to an answered query and mutation, through the real CLI's bundler and the real client.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use clap::Args;

use crate::process::{output, programs, run as step};
use crate::{dist, setup};

/// Port of the example's page.
const PAGE_PORT: u16 = 5173;

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

/// A process that is stopped when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended on its own; then there is nothing to stop.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Builds, serves, deploys, calls.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let binary = dist::build()?;
    let data = programs()?.join("demo");
    if data.exists() {
        std::fs::remove_dir_all(&data).context("could not remove the last demo's data")?;
    }
    std::fs::create_dir_all(&data)?;

    let database = data.join("chat.sqlite3");
    let mut backend = Running(
        Command::new(&binary)
            .args(["serve", "--interface", "127.0.0.1", "--port", &options.port.to_string(), "--db"])
            .arg(&database)
            .arg("--node")
            .arg(setup::node().get_program())
            .stdout(Stdio::piped())
            .spawn()
            .context("could not start the backend")?,
    );
    let [url, site] = served_urls(&mut backend.0)?;
    let key = output(Command::new(&binary).args(["keys", "generate", "--db"]).arg(&database))?;

    step(Command::new(&binary).args(["deploy", setup::EXAMPLE, "--url", &url, "--admin-key", &key]))?;
    step(setup::node().arg("demo.mjs").args([&url, &site]).current_dir(setup::EXAMPLE))?;
    if options.exit {
        return Ok(());
    }
    let _page = serve_page(&url, &data.join("page"))?;
    println!("\nServing {} at {url} (admin key: {key}). Ctrl-C stops it.", setup::EXAMPLE);
    backend.0.wait()?;
    Ok(())
}

/// Builds the example's page and serves it; it says where.
fn serve_page(backend: &str, built: &Path) -> anyhow::Result<Running> {
    let built = std::path::absolute(built)?;
    let vite = |command: &str| {
        let mut vite = setup::node();
        let arguments = ["node_modules/vite/bin/vite.js", command, "--logLevel", "warn", "--outDir"];
        vite.args(arguments).arg(&built).env("VITE_CONVEX_URL", backend).current_dir(setup::PAGE);
        vite
    };
    step(vite("build").arg("--emptyOutDir"))?;
    let page = vite("preview").arg("--port").arg(PAGE_PORT.to_string()).arg("--strictPort").spawn()?;
    println!("\nOpen http://localhost:{PAGE_PORT} in two windows and chat.");
    Ok(Running(page))
}

/// The addresses from the backend's first two lines, which it prints once it listens: of functions and of HTTP actions.
fn served_urls(backend: &mut Child) -> anyhow::Result<[String; 2]> {
    let mut output = BufReader::new(backend.stdout.take().context("the backend has no standard output")?);
    let mut url = || {
        let mut line = String::new();
        output.read_line(&mut line)?;
        print!("{line}");
        let url = line.trim_end().rsplit_once(" at ").map(|(_, url)| url.to_owned());
        url.context("the backend ended before it listened")
    };
    Ok([url()?, url()?])
}
