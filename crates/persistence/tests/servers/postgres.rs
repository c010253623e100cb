//! PostgreSQL's programs and its store.

use std::path::{Path, PathBuf};
use std::process::Command;

use convex_wasm_persistence::{PostgresPersistence, RemoteOptions, Result};
use tokio_postgres::NoTls;

use super::{Kind, find_program};

/// Where the programs are.
pub struct Postgres {
    initdb: PathBuf,
    postgres: PathBuf,
}

const FOLDERS: [&str; 5] = [
    "/usr/lib/postgresql/18/bin",
    "/usr/lib/postgresql/17/bin",
    "/usr/lib/postgresql/16/bin",
    "/usr/lib/postgresql/15/bin",
    "/usr/lib/postgresql/14/bin",
];

impl Kind for Postgres {
    type Opened = PostgresPersistence;

    const ADMIN: &'static str = "postgres";
    const USER: &'static str = "postgres";

    fn find() -> Option<Self> {
        let [initdb, postgres] = ["initdb", "postgres"].map(|name| find_program(name, &FOLDERS));
        Some(Self { initdb: initdb?, postgres: postgres? })
    }

    fn initialize(&self, data: &Path) -> Command {
        let mut command = Command::new(&self.initdb);
        command.arg("-D").arg(data).args(["--auth=trust", "--username=convex", "--locale=C", "--encoding=UTF8"]);
        command
    }

    fn serve(&self, data: &Path, port: u16) -> Command {
        let mut command = Command::new(&self.postgres);
        command.arg("-D").arg(data).arg("-k").arg(data).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        command
    }

    fn url(&self, port: u16, database: &str) -> String {
        format!("postgres://convex:secret@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    async fn open(options: RemoteOptions) -> Result<PostgresPersistence> {
        PostgresPersistence::open(options).await
    }

    async fn run(url: &str, statements: &str) {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(statements).await.unwrap();
    }
}
