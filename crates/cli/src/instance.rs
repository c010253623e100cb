//! Name and secret of an instance, kept next to its database.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use convex_wasm_server::InstanceSecret;

use crate::exit::Failure;

/// Which instance this is.
#[derive(Args, Clone)]
pub struct InstanceOptions {
    /// SQLite database file; made if it does not exist.
    #[arg(long, value_name = "PATH", default_value = "convex_wasm.sqlite3")]
    pub db: PathBuf,
    /// Name of the instance, part of its admin keys.
    #[arg(long, env = "INSTANCE_NAME", value_name = "NAME", default_value = "convex-self-hosted")]
    pub instance_name: String,
    /// Secret of the instance, 64 hexadecimal digits. Without it the secret is read from PATH.secret, and made there first
    /// if it does not exist.
    #[arg(long, env = "INSTANCE_SECRET", value_name = "HEX", hide_env_values = true)]
    pub instance_secret: Option<String>,
}

impl InstanceOptions {
    /// The secret given, or the one next to the database.
    pub fn secret(&self) -> Result<InstanceSecret, Failure> {
        match &self.instance_secret {
            Some(secret) => secret.parse().map_err(|error| Failure::setup("--instance-secret", error)),
            None => read_or_make(&beside(&self.db, "secret")),
        }
    }
}

/// The file `<database>.<extension>`.
pub fn beside(database: &Path, extension: &str) -> PathBuf {
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
