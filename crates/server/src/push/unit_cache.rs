//! Compiled units kept as files, so that a push compiles only what changed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use convex_wasm_abi::ABI_VERSION;
use convex_wasm_compiler::unit::{CompiledUnit, SourceModule};
use sha2::{Digest, Sha256};

/// A directory of compiled units, by the hash of all they depend on.
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

    /// The unit of a module, if it is there and whole.
    pub fn get(&self, module: &SourceModule) -> Option<CompiledUnit> {
        let bytes = fs::read(self.file(module)).ok()?;
        let (checksum, content) = bytes.split_at_checked(CHECKSUM)?;
        if checksum != Sha256::digest(content).as_slice() {
            return None;
        }
        postcard::from_bytes(content).ok()
    }

    /// Keeps a unit. If that fails the module will be compiled again.
    pub fn put(&self, module: &SourceModule, unit: &CompiledUnit) {
        let file = self.file(module);
        if let Err(error) = postcard::to_stdvec(unit).map_err(std::io::Error::other).and_then(|unit| write(&file, &unit))
        {
            tracing::warn!(%error, file = %file.display(), "cannot keep a compiled unit");
        }
    }

    fn file(&self, module: &SourceModule) -> PathBuf {
        let mut key = Sha256::new();
        key.update(ABI_VERSION.to_le_bytes());
        key.update(convex_wasm_compiler::VERSION);
        for text in [&module.path, &module.source, module.source_map.as_deref().unwrap_or_default()] {
            key.update((text.len() as u64).to_le_bytes());
            key.update(text);
        }
        self.directory.join(format!("{}.unit", hex::encode(key.finalize())))
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
