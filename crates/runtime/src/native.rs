//! Native code of units: compiled in parallel, kept in a cache keyed by content.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use convex_wasm_compiler::unit::CompiledUnit;
use sha2::{Digest, Sha256};
use wasmtime::{Config, Module};

use crate::{
    data::{self, Data, Split},
    error::ProgramError,
    functions::FunctionCache,
};

/// Keeps native code from one start of the server to the next: of whole modules, and of the functions of large ones.
///
/// Native code is trusted: what `get` answers is executed with the process's own rights. An implementation must only
/// answer bytes that were given to `put` under the same key, from storage that nobody else can write to.
pub trait NativeCache: Send + Sync + 'static {
    /// The bytes stored under `key`, if there are any.
    fn get(&self, key: &str) -> Option<Vec<u8>>;
    /// Stores `bytes`. Failing to do so is no error: the code will be compiled again.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

impl NativeCache for NoCache {
    fn get(&self, _key: &str) -> Option<Vec<u8>> {
        None
    }

    fn put(&self, _key: &str, _bytes: &[u8]) {}
}

/// Keeps native code as files `<key>.cwasm` of a directory that only the operator can write to.
#[derive(Clone, Debug)]
pub struct DirectoryCache {
    directory: PathBuf,
}

impl DirectoryCache {
    /// Uses `directory`, which is made if it does not exist.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn open(directory: impl Into<PathBuf>) -> std::io::Result<Self> {
        let directory = directory.into();
        fs::create_dir_all(&directory)?;
        Ok(DirectoryCache { directory })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.cwasm"))
    }

    /// Writes beside the final name and renames, so that no reader ever sees half a file.
    fn write(&self, key: &str, bytes: &[u8]) -> std::io::Result<()> {
        let unfinished = self.directory.join(format!("{key}.{}.unfinished", std::process::id()));
        fs::File::create(&unfinished)?.write_all(bytes)?;
        fs::rename(&unfinished, self.path(key))
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

impl NativeCache for DirectoryCache {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        fs::read(self.path(key)).ok()
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        if let Err(error) = self.write(key, bytes) {
            tracing::warn!(%error, directory = %self.directory.display(), "cannot keep native code");
        }
    }
}

/// A unit and its native code.
#[derive(Clone)]
pub struct NativeUnit {
    /// What the compiler made.
    pub unit: Arc<CompiledUnit>,
    /// Bytes of native code, with its tables.
    pub native_size: usize,
    /// Whether the code came from the cache.
    pub cached: bool,
    pub(crate) loaded: Loaded,
}

/// A module ready to be instantiated, and the data it would have written.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) module: Module,
    pub(crate) data: Data,
}

impl NativeUnit {
    /// Bytes of the instructions alone.
    pub fn code_size(&self) -> usize {
        self.loaded.module.text().len()
    }

    /// The native code as a file has it, to be loaded by the same program on the same kind of machine. Data is not part
    /// of it; that stays in the Wasm.
    ///
    /// # Errors
    /// Wasmtime cannot write it.
    pub fn code(&self) -> wasmtime::Result<Vec<u8>> {
        self.loaded.module.serialize()
    }
}

/// Compiles Wasm to native code and loads it, or loads it from the cache.
pub(crate) struct NativeCompiler {
    /// Compiles.
    pub(crate) compiler: wasmtime::Engine,
    /// What `compiler` was made with.
    pub(crate) config: Config,
    /// Loads and runs. May only differ from `compiler` in what native code need not agree on.
    pub(crate) loader: wasmtime::Engine,
    pub(crate) cache: Arc<dyn NativeCache>,
}

impl NativeCompiler {
    pub(crate) fn unit(&self, unit: &Arc<CompiledUnit>) -> Result<NativeUnit, ProgramError> {
        let (loaded, native_size, cached) = self
            .module(Some(&unit.path), &unit.wasm)
            .map_err(|error| ProgramError::Compile { path: unit.path.clone(), reason: format!("{error:#}") })?;
        Ok(NativeUnit { unit: unit.clone(), native_size, cached, loaded })
    }

    /// The module, the size of its native code, and whether that came from the cache. `path` says of which module it is a
    /// version, if there may be more.
    pub(crate) fn module(&self, path: Option<&str>, wasm: &[u8]) -> wasmtime::Result<(Loaded, usize, bool)> {
        let Split { wasm, data } = data::split(wasm).map_err(wasmtime::Error::new)?;
        let key = self.key(&wasm);
        if let Some(native) = self.cache.get(&key) {
            match self.load(&native) {
                Ok(module) => return Ok((Loaded { module, data }, native.len(), true)),
                Err(error) => tracing::warn!(%key, %error, "native code in the cache does not load; compiling again"),
            }
        }
        tracing::debug!(%key, bytes = wasm.len(), "compiling to native code");
        let native = match path.filter(|_| wasm.len() >= convex_wasm_knobs::WASM_FUNCTION_CACHE_FROM.get()) {
            Some(path) => self.precompile_by_function(path, &wasm)?,
            None => self.compiler.precompile_module(&wasm)?,
        };
        self.cache.put(&key, &native);
        Ok((Loaded { module: self.load(&native)?, data }, native.len(), false))
    }

    /// Compiles what changed since the last version of the module.
    fn precompile_by_function(&self, path: &str, wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
        let key = format!("{}-functions", hex::encode(Sha256::digest(path)));
        let functions = Arc::new(FunctionCache::from_pack(&self.cache.get(&key).unwrap_or_default()));
        let mut config = self.config.clone();
        config.enable_incremental_compilation(functions.clone())?;
        let native = wasmtime::Engine::new(&config)?.precompile_module(wasm)?;
        self.cache.put(&key, &functions.to_pack());
        Ok(native)
    }

    fn load(&self, native: &[u8]) -> wasmtime::Result<Module> {
        // SAFETY: the bytes are trusted to be the output of `precompile_module`: they come from that function or from a
        // `NativeCache`, whose contract says so. Wasmtime itself checks that they were made
        // by the same version with the same configuration.
        unsafe { Module::deserialize(&self.loader, native) }
    }

    /// Depends on the Wasm and on all that makes native code differ: Wasmtime's version, its configuration, the machine.
    fn key(&self, wasm: &[u8]) -> String {
        let mut engine = DefaultHasher::new();
        self.compiler.precompile_compatibility_hash().hash(&mut engine);
        let mut content = Sha256::new();
        content.update(engine.finish().to_le_bytes());
        // Loadable either way, so Wasmtime's hash leaves it out.
        content.update([u8::from(self.compiler.get_generate_address_map())]);
        content.update(wasm);
        hex::encode(content.finalize())
    }
}
