//! Fingerprints the compiler's own sources, so that a cache never serves what another compiler made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in ["src", "../abi/src"] {
        println!("cargo::rerun-if-changed={folder}");
        collect(Path::new(folder), &mut files)?;
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        hash.update(file.to_string_lossy().as_bytes());
        hash.update(fs::read(file)?);
    }
    let fingerprint = hash.finalize();
    println!("cargo::rustc-env=COMPILER_FINGERPRINT={}", hex::encode(fingerprint));
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
