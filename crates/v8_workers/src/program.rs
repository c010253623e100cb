//! What workers run: the modules of a deployment.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::harness;

/// The modules of a deployment, and what they see while they are imported. Never changes.
#[derive(Clone, Debug)]
pub struct Program {
    digest: String,
    modules: Vec<(String, String)>,
    import: ImportPhase,
    runtime: Runtime,
    packages: Option<PathBuf>,
}

/// What a program runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// Convex's own: web APIs, no Node.
    Default,
    /// Node: modules that say `"use node"`.
    Node,
}

/// Clock and randomness of modules while they are evaluated.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportPhase {
    /// The fixed clock, in milliseconds since the epoch.
    pub time_ms: f64,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
}

/// Which workers are the same: harness and program, and the limit of the heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Hexadecimal SHA-256 of harness and modules.
    pub digest: String,
    /// Units of 2^20 bytes.
    pub heap_mb: usize,
}

impl Program {
    /// A program of modules, each a canonical path (`messages.js`) and a source text.
    pub fn new(modules: impl IntoIterator<Item = (String, String)>, import: ImportPhase) -> Self {
        let mut modules: Vec<_> = modules.into_iter().collect();
        modules.sort();
        let mut hash = Sha256::new();
        let parts = modules.iter().flat_map(|(path, source)| [path.as_str(), source]);
        for part in std::iter::once(harness::text()).chain(parts) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self { digest: hex::encode(hash.finalize()), modules, import, runtime: Runtime::Default, packages: None }
    }

    /// The same program for Node, with the packages that are in this folder.
    pub fn for_node(self, packages: Option<PathBuf>) -> Self {
        let folder = packages.as_deref().unwrap_or(Path::new("")).as_os_str();
        let hash = Sha256::new().chain_update(&self.digest).chain_update(folder.as_encoded_bytes());
        Self { digest: hex::encode(hash.finalize()), runtime: Runtime::Node, packages, ..self }
    }

    /// The folder of packages that are not in its modules.
    pub(crate) fn packages(&self) -> Option<&Path> {
        self.packages.as_deref()
    }

    /// What it runs in.
    pub fn runtime(&self) -> Runtime {
        self.runtime
    }

    /// Hexadecimal SHA-256 of harness, modules and packages.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn modules(&self) -> &[(String, String)] {
        &self.modules
    }

    pub(crate) fn import(&self) -> ImportPhase {
        self.import
    }
}
