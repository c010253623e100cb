//! Real database servers for tests: started in a temporary folder on a free port, killed when dropped.
#![allow(dead_code, reason = "each store uses a part of it")]
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test says why it is skipped, and finds programs"
)]

pub mod checks;
pub mod mariadb;
pub mod postgres;

use std::fs;
use std::io::{BufRead, BufReader};
use std::marker::PhantomData;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use convex_wasm_persistence::{PersistenceError, Portable, RemoteOptions, Result};
use tempfile::TempDir;

use crate::conformance::Store;

/// A program that makes an empty data folder, one that serves it, and the store on it.
pub trait Kind: Sync {
    /// The store.
    type Opened: Portable;

    /// A database that is always there.
    const ADMIN: &'static str;
    /// Name of the system's user for servers that refuse to run as root.
    const USER: &'static str;

    /// Finds the programs; where this is `None`, tests are skipped.
    fn find() -> Option<Self>
    where
        Self: Sized;
    /// Makes a data folder.
    fn initialize(&self, data: &Path) -> Command;
    /// Serves it on a port of this machine.
    fn serve(&self, data: &Path, port: u16) -> Command;
    /// The URL of a database.
    fn url(&self, port: u16, database: &str) -> String;
    /// Opens a store.
    fn open(options: RemoteOptions) -> impl Future<Output = Result<Self::Opened>> + Send;
    /// Runs statements beside the stores.
    fn run(url: &str, statements: &str) -> impl Future<Output = ()>;
}

/// A server that runs.
pub struct Server<K: Kind> {
    pub kind: K,
    pub directory: TempDir,
    pub port: u16,
    process: Option<Child>,
    databases: AtomicU32,
}

impl<K: Kind> Server<K> {
    /// Starts a server, or says why the test is skipped.
    pub fn start() -> Option<Self> {
        let Some(kind) = K::find() else {
            println!("skipped: the server's programs are not installed; `cargo xtask setup` does that");
            return None;
        };
        let directory = TempDir::new().unwrap();
        let data = directory.path().join("data");
        fs::create_dir(&data).unwrap();
        if let Some((user, group)) = other_user(K::USER) {
            for path in [directory.path(), &data] {
                chown(path, Some(user), Some(group)).unwrap();
            }
        }
        // Servers that start at the same time must not share a folder for temporary tables.
        let mut initialize = as_user(kind.initialize(&data), K::USER);
        let output = initialize.env("TMPDIR", directory.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let mut server = Self { kind, directory, port, process: None, databases: AtomicU32::new(0) };
        server.run();
        Some(server)
    }

    /// Starts the process and waits until it answers. After a kill it may take a few attempts, until what the old process
    /// had is free.
    pub fn run(&mut self) {
        for _ in 0..100 {
            let mut command = as_user(self.kind.serve(&self.data(), self.port), K::USER);
            command.env("TMPDIR", self.directory.path());
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut process = command.spawn().unwrap();
            let mut log = BufReader::new(process.stderr.take().unwrap());
            let mut text = String::new();
            while !text.contains("ready") {
                if log.read_line(&mut text).unwrap() == 0 {
                    break;
                }
            }
            // The pipe must not get full.
            std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
            if text.contains("ready") {
                self.process = Some(process);
                return;
            }
            process.wait().unwrap();
        }
        panic!("the server does not start");
    }

    /// Kills the process, as a loss of power does; the processes it made notice and end too.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// The address of a database that nobody has used.
    pub fn new_store(&self) -> ServerStore<K> {
        let database = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let url = |database: &str| self.kind.url(self.port, database);
        ServerStore { url: url(&database), admin: url(K::ADMIN), database, kind: PhantomData }
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }
}

impl<K: Kind> Drop for Server<K> {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A database on a server.
pub struct ServerStore<K> {
    pub url: String,
    pub admin: String,
    pub database: String,
    kind: PhantomData<K>,
}

impl<K: Kind> ServerStore<K> {
    /// How it is opened.
    pub fn options(&self) -> RemoteOptions {
        RemoteOptions::new(&self.url)
    }

    /// Opens it if it is there.
    pub async fn try_open(&self) -> Result<K::Opened> {
        K::open(self.options()).await
    }
}

impl<K: Kind> Store for ServerStore<K> {
    type Opened = K::Opened;

    async fn open(&self) -> K::Opened {
        match self.try_open().await {
            Err(PersistenceError::Refused { reason, .. }) if reason.contains("CREATE DATABASE") => {
                K::run(&self.admin, &format!("CREATE DATABASE {}", self.database)).await;
                self.try_open().await.unwrap()
            }
            opened => opened.unwrap(),
        }
    }
}

/// The first of some folders, or of those on the PATH, that has a program.
pub fn find_program(name: &str, folders: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().map(PathBuf::from).chain(std::env::split_paths(&path));
    all.map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// Ids of a user to run as, if this process is root's.
fn other_user(name: &str) -> Option<(u32, u32)> {
    (id(&["-u"])? == 0).then(|| Some((id(&["-u", name])?, id(&["-g", name])?))).flatten()
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// A command that does not run as root.
pub fn as_user(mut command: Command, name: &str) -> Command {
    if let Some((user, group)) = other_user(name) {
        command.uid(user).gid(group);
    }
    command.current_dir("/");
    command
}
