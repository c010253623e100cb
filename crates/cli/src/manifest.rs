//! Compiled apps as files: code and a manifest with its hashes.

use std::fs;
use std::path::Path;

use convex_wasm_compiler::cache::COMPILER_FINGERPRINT;
use convex_wasm_server::push::{BuiltApp, CompiledModule, FunctionReport};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::exit::Failure;

/// `manifest.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The compiler that made the portable code.
    compiler: String,
    /// The modules by path.
    modules: Vec<ModuleEntry>,
    /// The Convex functions in them.
    functions: Vec<FunctionReport>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModuleEntry {
    path: String,
    /// Lowercase hex SHA-256 of the JavaScript it was made from.
    source_sha256: String,
    wasm: FileEntry,
    native: FileEntry,
}

#[derive(Debug, Serialize, Deserialize)]
struct FileEntry {
    /// Path in the output folder.
    file: String,
    bytes: usize,
    /// Lowercase hex SHA-256.
    sha256: String,
}

const FILE_NAME: &str = "manifest.json";

impl Manifest {
    /// Writes the code of an app and its manifest to a folder, and removes files of modules that are gone.
    pub fn write(out: &Path, built: &BuiltApp) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::setup(format!("could not write to {}", out.display()), error);
        let old = read(out);
        let modules = built.modules.iter().map(|module| write_module(out, module));
        let modules = modules.collect::<std::io::Result<Vec<_>>>().map_err(failed)?;
        let functions = built.report.functions.clone();
        let manifest = Self { compiler: COMPILER_FINGERPRINT.to_owned(), modules, functions };
        let json = serde_json::to_vec_pretty(&manifest).map_err(std::io::Error::other).map_err(failed)?;
        fs::write(out.join(FILE_NAME), json).map_err(failed)?;
        if let Some(old) = old {
            manifest.remove_stale(out, &old);
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().flat_map(|module| [module.wasm.file.as_str(), module.native.file.as_str()])
    }

    fn remove_stale(&self, out: &Path, old: &Self) {
        for file in old.files().filter(|file| !self.files().any(|kept| kept == *file)) {
            // The manifest may have been edited: what leads out of the folder is not ours.
            if Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_))) {
                fs::remove_file(out.join(file)).ok();
            }
        }
    }
}

fn read(out: &Path) -> Option<Manifest> {
    serde_json::from_slice(&fs::read(out.join(FILE_NAME)).ok()?).ok()
}

fn write_module(out: &Path, module: &CompiledModule) -> std::io::Result<ModuleEntry> {
    let unit = module.unit();
    let stem = format!("modules/{}", unit.path.strip_suffix(".js").unwrap_or(&unit.path));
    let native = module.native.code().map_err(std::io::Error::other)?;
    Ok(ModuleEntry {
        path: unit.path.clone(),
        source_sha256: unit.source_hash.clone(),
        wasm: write_file(out, format!("{stem}.wasm"), &unit.wasm)?,
        native: write_file(out, format!("{stem}.cwasm"), &native)?,
    })
}

fn write_file(out: &Path, file: String, content: &[u8]) -> std::io::Result<FileEntry> {
    let path = out.join(&file);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)?;
    Ok(FileEntry { file, bytes: content.len(), sha256: hex::encode(Sha256::digest(content)) })
}
