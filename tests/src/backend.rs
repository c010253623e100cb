//! A real backend in a process of its own.

use std::{
    ffi::OsString,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::places;

/// A running server; killed when dropped.
pub struct Backend {
    process: Mutex<Child>,
    place: Place,
    url: String,
    client: reqwest::Client,
}

/// Where a server has its data.
struct Place {
    /// A file, or the URL of a database on a server.
    database: OsString,
    /// The folder it works in.
    folder: PathBuf,
    /// Environment variables of its own.
    environment: Vec<(&'static str, &'static str)>,
}

impl Backend {
    /// Starts a server on a free port and waits until it says that it listens.
    pub fn start(database: &Path) -> anyhow::Result<Self> {
        let folder = database.parent().context("the database is in no folder")?;
        Self::start_in(folder, database)
    }

    /// The same with the database at a path or a URL, working in a folder.
    pub fn start_in(folder: &Path, database: impl Into<OsString>) -> anyhow::Result<Self> {
        Self::start_at(Place { database: database.into(), folder: folder.to_owned(), environment: Vec::new() })
    }

    /// The same as [`Backend::start`], with these environment variables.
    pub fn start_with(database: &Path, environment: &[(&'static str, &'static str)]) -> anyhow::Result<Self> {
        let folder = database.parent().context("the database is in no folder")?.to_owned();
        Self::start_at(Place { database: database.into(), folder, environment: environment.to_vec() })
    }

    fn start_at(place: Place) -> anyhow::Result<Self> {
        let (process, url) = place.spawn("0")?;
        // A connection to a server that was killed is not used again.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).build()?;
        Ok(Backend { process: Mutex::new(process), place, url, client })
    }

    /// Kills the server and starts another on the same database and port.
    pub fn restart(&self) -> anyhow::Result<()> {
        self.kill()?;
        let (_, port) = self.url.rsplit_once(':').context("the address has a port")?;
        let (process, _) = self.place.spawn(port)?;
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = process;
        Ok(())
    }

    /// Deploys an app folder through the command line.
    pub fn deploy(&self, app: &Path) -> anyhow::Result<()> {
        let deployed = Command::new(places::binary()?)
            .arg("deploy")
            .arg(app)
            .args(["--url", &self.url, "--admin-key", &self.admin_key()?])
            .output()?;
        ensure!(deployed.status.success(), "the deploy failed: {}", String::from_utf8_lossy(&deployed.stderr));
        Ok(())
    }

    /// A new admin key.
    pub fn admin_key(&self) -> anyhow::Result<String> {
        let mut generate = Command::new(places::binary()?);
        generate.args(["keys", "generate", "--db"]).arg(&self.place.database).current_dir(&self.place.folder);
        let key = generate.output()?;
        ensure!(key.status.success(), "no admin key: {}", String::from_utf8_lossy(&key.stderr));
        Ok(String::from_utf8(key.stdout)?.trim().to_owned())
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The server's process.
    pub fn process_id(&self) -> u32 {
        self.process.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Calls a function: the value, or an error with the server's whole answer.
    pub async fn call(&self, kind: &str, path: &str, arguments: Value) -> anyhow::Result<Value> {
        let answer = self.answer(kind, path, arguments).await?;
        ensure!(answer["status"] == "success", "{path}: {answer}");
        Ok(answer["value"].clone())
    }

    /// The whole JSON answer to a call.
    pub async fn answer(&self, kind: &str, path: &str, arguments: Value) -> anyhow::Result<Value> {
        let body = json!({ "path": path, "format": "convex_encoded_json", "args": [arguments] });
        let response = self.client.post(format!("{}/api/{kind}", self.url)).json(&body).send().await?;
        Ok(response.json().await?)
    }

    /// Waits until the server ends by itself; whether it says that all went well.
    pub fn wait(&self) -> std::io::Result<bool> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(process.wait()?.success())
    }

    /// SIGKILL: nothing is flushed, nobody says goodbye.
    pub fn kill(&self) -> std::io::Result<()> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.kill()?;
        process.wait()?;
        Ok(())
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        // It may have been killed already; then there is nothing to do.
        self.kill().ok();
    }
}

impl Place {
    /// Starts a server; the process, and the address from its first line.
    fn spawn(&self, port: &str) -> anyhow::Result<(Child, String)> {
        let mut process = Command::new(places::binary()?)
            .args(["serve", "--interface", "127.0.0.1", "--port", port, "--site-proxy-port", "0", "--db"])
            .arg(&self.database)
            .arg("--node")
            .arg(places::node().canonicalize()?)
            .current_dir(&self.folder)
            .envs(self.environment.iter().copied())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().context("the server has no standard output")?;
        let mut first_line = String::new();
        BufReader::new(output).read_line(&mut first_line)?;
        let url = first_line.trim_end().rsplit_once(" at ").map(|(_, url)| url.to_owned());
        let url = url.with_context(|| format!("the server did not start; it said {first_line:?}"))?;
        Ok((process, url))
    }
}
