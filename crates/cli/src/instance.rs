//! Database, name and secret of an instance.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::FalseyValueParser;
use convex_wasm_persistence::{Location, TlsMode};
use convex_wasm_server::InstanceSecret;

use crate::exit::Failure;

/// Which instance this is.
#[derive(Args, Clone)]
pub struct InstanceOptions {
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Name of the instance, part of its admin keys.
    #[arg(long, env = "INSTANCE_NAME", value_name = "NAME", default_value = "convex-self-hosted")]
    pub instance_name: String,
    /// Secret of the instance, 64 hexadecimal digits. Without it the secret is read from PATH.secret (NAME.secret if the
    /// database is on a server), and made there first if it does not exist.
    #[arg(long, env = "INSTANCE_SECRET", value_name = "HEX", hide_env_values = true)]
    pub instance_secret: Option<String>,
}

/// Which database it has.
#[derive(Args, Clone)]
pub struct DatabaseOptions {
    /// SQLite file, made if it does not exist, or URL of a server: postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE,
    /// or the same with mysql://. Without a database in the URL it is the instance's name, with underscores. [default:
    /// convex_wasm.sqlite3]
    #[arg(long, value_name = "PATH|URL")]
    db: Option<String>,
    /// URL of a PostgreSQL server, if there is no --db.
    #[arg(long, env = "POSTGRES_URL", value_name = "URL", hide_env_values = true)]
    postgres_url: Option<String>,
    /// URL of a MySQL or MariaDB server, if there is neither --db nor a PostgreSQL server.
    #[arg(long, env = "MYSQL_URL", value_name = "URL", hide_env_values = true)]
    mysql_url: Option<String>,
    /// URL of a PostgreSQL server, as Convex's old compose files name it, if there is none of the others.
    #[arg(long, env = "DATABASE_URL", value_name = "URL", hide_env_values = true, hide = true)]
    database_url: Option<String>,
    #[command(flatten)]
    tls: TlsOptions,
}

/// How connections to database servers are protected.
#[derive(Args, Clone)]
pub struct TlsOptions {
    /// Lets connections to a database server be unencrypted if its URL has no sslmode.
    #[arg(long, env = "DO_NOT_REQUIRE_SSL", value_parser = FalseyValueParser::new())]
    do_not_require_ssl: bool,
    /// PEM file of certificate authorities that a PostgreSQL server's certificate may come from, besides the system's.
    #[arg(long, env = "PG_CA_FILE", value_name = "FILE")]
    pg_ca_file: Option<PathBuf>,
    /// The same for MySQL and MariaDB servers.
    #[arg(long, env = "MYSQL_CA_FILE", value_name = "FILE")]
    mysql_ca_file: Option<PathBuf>,
}

impl TlsOptions {
    /// The store at a path or URL; `database` is for URLs that name none.
    pub fn location(&self, text: &str, database: &str) -> Location {
        let mut location = Location::of(text);
        if let Location::Server(options) = &mut location {
            options.database = database.replace('-', "_");
            if self.do_not_require_ssl {
                options.tls = TlsMode::Prefer;
            }
            let file = if text.starts_with("mysql://") { &self.mysql_ca_file } else { &self.pg_ca_file };
            // Compose files set variables that are not used to nothing.
            options.ca_file = file.clone().filter(|path| !path.as_os_str().is_empty());
        }
        location
    }
}

impl InstanceOptions {
    /// Where the database is.
    pub fn location(&self) -> Location {
        let DatabaseOptions { db, postgres_url, mysql_url, database_url, tls } = &self.database;
        let text = [db, postgres_url, mysql_url, database_url].into_iter().flatten().find(|text| !text.is_empty());
        tls.location(text.map_or("convex_wasm.sqlite3", String::as_str), &self.instance_name)
    }

    /// A file of the instance: next to the database, or in the working directory if that is on a server.
    pub fn file(&self, extension: &str) -> PathBuf {
        match self.location() {
            Location::File(path) => beside(&path, extension),
            Location::Server(_) => beside(Path::new(&self.instance_name), extension),
        }
    }

    /// The secret given, or the one next to the database.
    pub fn secret(&self) -> Result<InstanceSecret, Failure> {
        match &self.instance_secret {
            Some(secret) => secret.parse().map_err(|error| Failure::setup("--instance-secret", error)),
            None => read_or_make(&self.file("secret")),
        }
    }
}

fn beside(database: &Path, extension: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

fn read_or_make(path: &Path) -> Result<InstanceSecret, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => text.parse().map_err(|error| Failure::setup(format!("could not use {}", path.display()), error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let secret = InstanceSecret::generate();
            write_private(path, &secret.to_hex())
                .map_err(|error| Failure::setup(format!("could not write {}", path.display()), error))?;
            Ok(secret)
        }
        Err(error) => Err(Failure::setup(format!("could not read {}", path.display()), error)),
    }
}

/// Writes a new file that only its owner may read.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}
