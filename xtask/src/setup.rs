//! Installs what a fresh Debian or Ubuntu machine with rustup lacks.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::process::{command, output, run, succeeds};

/// The example app, whose `node_modules` also bring Node 22 and the published Convex CLI.
pub const EXAMPLE: &str = "examples/chat";
/// The example's page for browsers.
pub const PAGE: &str = "examples/chat/web";
/// What drives a browser in tests.
const BROWSER_TESTS: &str = "tests/browser";
/// The Python client's test.
const PYTHON_CLIENT: &str = "tests/python";
/// The Rust client's test, a program of its own.
const RUST_CLIENT: &str = "tests/rust_client";
/// Published packages that must run on Wasm as they do on Node.
const LIBRARIES: &str = "tests/libraries";

/// Database servers that tests start: a program of each, where Debian puts it, and its package.
const DATABASE_SERVERS: [(&str, &str); 2] =
    [("/usr/lib/postgresql", "postgresql"), ("/usr/sbin/mariadbd", "mariadb-server")];

/// The guest's compiler, npm and Python packages, the Rust client's program, database servers and a browser.
pub fn everything() -> anyhow::Result<()> {
    guest_target()?;
    database_servers();
    for folder in [EXAMPLE, PAGE, LIBRARIES, BROWSER_TESTS] {
        npm_packages(folder)?;
    }
    python_packages(PYTHON_CLIENT)?;
    rust_client()?;
    chromium()
}

/// The browser that tests open.
fn chromium() -> anyhow::Result<()> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    if names.iter().any(|name| Path::new("/usr/bin").join(name).exists()) {
        return Ok(());
    }
    println!("Installing Chromium…");
    apt_install(&["chromium"]).context("Chromium is needed: install it and start again")
}

/// The guest needs a standard library for wasm32: rustup's target, or Debian's rustc with its library sources.
pub fn guest_target() -> anyhow::Result<()> {
    if has_rustup_target() || has_debian_sources() {
        return Ok(());
    }
    println!("Installing a Rust standard library for wasm32…");
    let added = succeeds(&mut command(&["rustup", "target", "add", "wasm32-unknown-unknown"]));
    if (added && has_rustup_target()) || (apt_install(&["rustc-web", "rust-web-src"]).is_ok() && has_debian_sources()) {
        return Ok(());
    }
    bail!(
        "no wasm32 standard library: neither `rustup target add wasm32-unknown-unknown` nor \
         `apt-get install rustc-web rust-web-src` worked; run one of them by hand and start again"
    )
}

fn has_rustup_target() -> bool {
    output(&mut command(&["rustc", "--print", "target-libdir", "--target", "wasm32-unknown-unknown"]))
        .is_ok_and(|directory| Path::new(&directory).is_dir())
}

fn has_debian_sources() -> bool {
    Path::new("/usr/bin/rustc").exists() && Path::new("/usr/lib/rustlib/src/rust/library/std/Cargo.toml").exists()
}

/// PostgreSQL and MariaDB. Where they cannot be installed, the tests that need them say that they are skipped.
fn database_servers() {
    let missing = DATABASE_SERVERS.iter().filter(|(place, _)| !Path::new(place).exists());
    let packages: Vec<&str> = missing.map(|(_, package)| *package).collect();
    if packages.is_empty() {
        return;
    }
    println!("Installing {}…", packages.join(" and "));
    if let Err(error) = apt_install(&packages) {
        println!("Tests that need {} will be skipped: {error:#}", packages.join(" and "));
    }
}

/// Installs a folder's packages once, and again whenever its lock file changes.
fn npm_packages(folder: &str) -> anyhow::Result<()> {
    if !succeeds(&mut command(&["npm", "--version"])) {
        println!("Installing npm…");
        apt_install(&["npm", "nodejs"]).context("npm is needed: install Node.js with npm and start again")?;
    }
    let lock = std::fs::read(Path::new(folder).join("package-lock.json"))?;
    let marker = Path::new(folder).join("node_modules/.installed-lock");
    if std::fs::read(&marker).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run(command(&["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))?;
    std::fs::write(marker, lock)?;
    Ok(())
}

/// Installs a folder's Python packages into `.venv`, if there is a Python; without one their test is skipped.
fn python_packages(folder: &str) -> anyhow::Result<()> {
    let venv = std::path::absolute(folder)?.join(".venv");
    let requirements = std::fs::read(Path::new(folder).join("requirements.txt"))?;
    let marker = venv.join("installed-requirements.txt");
    if std::fs::read(&marker).is_ok_and(|installed| installed == requirements) {
        return Ok(());
    }
    if !succeeds(command(&["python3", "-m", "venv"]).arg(&venv)) {
        println!("There is no Python 3 with venv: the Python client is not tested.");
        return Ok(());
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", "requirements.txt"];
    run(Command::new(venv.join("bin/python")).args(pip).current_dir(folder))?;
    std::fs::write(marker, requirements)?;
    Ok(())
}

/// Builds the program that tests the Rust client, where its test finds it.
fn rust_client() -> anyhow::Result<()> {
    let build = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", "target"];
    run(command(&build).current_dir(RUST_CLIENT))
}

/// Node 22 from the example's packages, whatever the machine has itself.
pub fn node() -> Command {
    let mut node = Command::new(Path::new(EXAMPLE).join("node_modules/.bin/node"));
    if let Ok(absolute) = std::fs::canonicalize(node.get_program()) {
        node = Command::new(absolute);
    }
    node
}

fn apt_install(packages: &[&str]) -> anyhow::Result<()> {
    let root = output(&mut command(&["id", "-u"]))? == "0";
    let prefix: &[&str] = if root { &[] } else { &["sudo", "--non-interactive"] };
    let apt = |words: &[&str]| {
        let all: Vec<&str> = prefix.iter().chain(&["apt-get"]).chain(words).copied().collect();
        run(command(&all).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "--quiet"])?;
    let mut install = vec!["install", "--yes", "--quiet", "--no-install-recommends"];
    install.extend(packages);
    apt(&install)
}
