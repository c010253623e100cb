//! Native code of single functions, so that an edit of a large module compiles little more than what it changed.
//!
//! The functions of a module's last version are one entry of the [`crate::NativeCache`], a *pack*, found by the module's
//! path. Cranelift finds a function in it by a hash of all that its code depends on, so an old pack is of less use, but
//! never wrong.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
};

use parking_lot::Mutex;
use wasmtime::CacheStore;

/// Bytes of Cranelift's hash of a function.
const KEY: usize = 32;
type Key = [u8; KEY];

/// Functions that were known when the compilation of a module began, and those that were compiled since.
#[derive(Debug, Default)]
pub(crate) struct FunctionCache {
    known: HashMap<Key, Known>,
    made: Mutex<HashMap<Key, Vec<u8>>>,
}

#[derive(Debug)]
struct Known {
    code: Vec<u8>,
    used: AtomicBool,
}

impl FunctionCache {
    /// Reads a pack; what follows a damaged place in it is not known.
    pub(crate) fn from_pack(mut pack: &[u8]) -> Self {
        let mut known = HashMap::new();
        while let Some((key, code, rest)) = entry(pack) {
            known.insert(*key, Known { code: code.to_vec(), used: AtomicBool::new(false) });
            pack = rest;
        }
        FunctionCache { known, made: Mutex::default() }
    }

    /// A pack of the functions that were asked for: of each its key, the length of its code as u32, and the code.
    pub(crate) fn to_pack(&self) -> Vec<u8> {
        let made = self.made.lock();
        // What was made although it was known is damaged there.
        let is_good = |(key, known): &(&Key, &Known)| known.used.load(Ordering::Relaxed) && !made.contains_key(*key);
        let used = self.known.iter().filter(is_good);
        let mut pack = Vec::new();
        for (key, code) in used.map(|(key, known)| (key, &known.code)).chain(made.iter()) {
            pack.extend(key);
            pack.extend((code.len() as u32).to_le_bytes());
            pack.extend(code);
        }
        pack
    }
}

/// The first entry of a pack, and what is behind it.
fn entry(pack: &[u8]) -> Option<(&Key, &[u8], &[u8])> {
    let (key, rest) = pack.split_first_chunk::<KEY>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (code, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((key, code, rest))
}

impl CacheStore for FunctionCache {
    fn get(&self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        let known = self.known.get(key)?;
        known.used.store(true, Ordering::Relaxed);
        Some(Cow::Borrowed(&known.code))
    }

    fn insert(&self, key: &[u8], value: Vec<u8>) -> bool {
        let Ok(key) = Key::try_from(key) else { return false };
        self.made.lock().insert(key, value);
        true
    }
}
