//! MariaDB's programs and its store.

use std::path::{Path, PathBuf};
use std::process::Command;

use convex_wasm_persistence::{MysqlPersistence, RemoteOptions, Result};
use mysql_async::prelude::Queryable;

use super::{Kind, find_program};

/// Where the programs are.
pub struct Mariadb {
    install: PathBuf,
    mariadbd: PathBuf,
}

impl Kind for Mariadb {
    type Opened = MysqlPersistence;

    const ADMIN: &'static str = "mysql";
    const USER: &'static str = "mysql";

    fn find() -> Option<Self> {
        let [install, mariadbd] =
            ["mariadb-install-db", "mariadbd"].map(|name| find_program(name, &["/usr/bin", "/usr/sbin"]));
        Some(Self { install: install?, mariadbd: mariadbd? })
    }

    fn initialize(&self, data: &Path) -> Command {
        let mut command = Command::new(&self.install);
        command.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
        command.arg(format!("--datadir={}", data.display()));
        command
    }

    fn serve(&self, data: &Path, port: u16) -> Command {
        let mut command = Command::new(&self.mariadbd);
        command.args(["--no-defaults", "--bind-address=127.0.0.1", "--innodb-buffer-pool-size=64M"]);
        command.arg(format!("--datadir={}", data.display())).arg(format!("--port={port}"));
        command.arg(format!("--socket={}", data.join("socket").display()));
        command
    }

    fn url(&self, port: u16, database: &str) -> String {
        format!("mysql://root@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    async fn open(options: RemoteOptions) -> Result<MysqlPersistence> {
        MysqlPersistence::open(options).await
    }

    async fn run(url: &str, statements: &str) {
        let url = url.split_once('?').unwrap().0;
        let mut connection = mysql_async::Conn::new(mysql_async::Opts::from_url(url).unwrap()).await.unwrap();
        connection.query_drop(statements).await.unwrap();
        connection.disconnect().await.unwrap();
    }
}
