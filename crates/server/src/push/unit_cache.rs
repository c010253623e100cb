//! Compiled units kept as files, so that a push compiles only what changed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use convex_wasm_compiler::cache::Cache;
use sha2::{Digest, Sha256};

/// A directory of compiled units, each with a checksum in front.
#[derive(Clone, Debug)]
pub struct UnitCache {
    directory: PathBuf,
}

/// Bytes of the checksum at the start of a file.
const CHECKSUM: usize = 32;

impl UnitCache {
    /// Uses `directory`, which is made if it does not exist.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn open(directory: impl Into<PathBuf>) -> std::io::Result<Self> {
        let directory = directory.into();
        fs::create_dir_all(&directory)?;
        Ok(Self { directory })
    }

    fn file(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.unit"))
    }
}

impl Cache for UnitCache {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.file(key)).ok()?;
        let content = bytes.split_off(CHECKSUM.min(bytes.len()));
        (bytes == Sha256::digest(&content).as_slice()).then_some(content)
    }

    fn put(&self, key: &str, content: &[u8]) {
        let file = self.file(key);
        if let Err(error) = write(&file, content) {
            tracing::warn!(%error, file = %file.display(), "cannot keep a compiled unit");
        }
    }
}

/// Writes beside the final name and renames, so that no reader ever sees half a file.
fn write(file: &Path, content: &[u8]) -> std::io::Result<()> {
    let unfinished = file.with_extension(format!("{}.unfinished", std::process::id()));
    let mut output = fs::File::create(&unfinished)?;
    output.write_all(&Sha256::digest(content))?;
    output.write_all(content)?;
    fs::rename(&unfinished, file)
}
