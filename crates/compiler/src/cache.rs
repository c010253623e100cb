//! Keeping compiled units, by what they were compiled from.

use sha2::{Digest, Sha256};

use crate::unit::CompiledUnit;

/// Somewhere to keep units. Implementations may lose entries; they must not mix them up.
pub trait Cache: Sync {
    /// What was put under the key, if it is still there.
    fn get(&self, key: &str) -> Option<Vec<u8>>;
    /// Keeps bytes under a key; a failure only costs time later.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

impl Cache for NoCache {
    fn get(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn put(&self, _: &str, _: &[u8]) {}
}

/// Identifies this compiler: its own sources and those of the ABI.
pub const COMPILER_FINGERPRINT: &str = env!("COMPILER_FINGERPRINT");

/// Key of a module: everything its unit depends on, its path excepted. Lowercase hex.
pub fn key(source: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(COMPILER_FINGERPRINT.as_bytes());
    hash.update(convex_wasm_abi::ABI_VERSION.to_le_bytes());
    hash.update(source.as_bytes());
    hex::encode(hash.finalize())
}

impl CompiledUnit {
    /// Serialises the unit: u32 length of a JSON description (little-endian), the description, the Wasm module.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut description = self.clone();
        let wasm = std::mem::take(&mut description.wasm);
        // The description is plain data with string keys; serialising it to memory has no way to fail.
        let json = serde_json::to_vec(&description).unwrap_or_default();
        let mut bytes = (json.len() as u32).to_le_bytes().to_vec();
        bytes.extend(json);
        bytes.extend(wasm);
        bytes
    }

    /// Reads what [`CompiledUnit::to_bytes`] wrote; `None` if the bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<CompiledUnit> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (json, wasm) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let mut unit: CompiledUnit = serde_json::from_slice(json).ok()?;
        unit.wasm = wasm.to_vec();
        Some(unit)
    }
}
