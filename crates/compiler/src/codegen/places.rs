//! Places in a unit's data that an edit hardly moves.
//!
//! Code contains offsets of constants, shapes, function records and inline caches. If each of these followed the one
//! before, an edit would move all that come behind it and so change the code of every function there, which then had to
//! be compiled to native code again. So functions form groups, and what the functions of a group are the first
//! to use is given places up to a multiple of a number, whose rest stays free: an edit moves only what is behind it in
//! its group. Where groups begin is decided by the functions' texts, as content-defined chunking does (Muthitacharoen,
//! Chen, Mazières: A Low-bandwidth Network File System, SOSP 2001), so that a new function moves little as well.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use crate::ir::Module;

/// Modules of fewer functions are compiled in no time: they have one group and no free places.
const LARGE_MODULE: usize = 128;
/// Functions that a group has at least.
const MIN_GROUP: usize = 32;
/// Of so many functions one begins a group, if the last group is long enough.
const GROUP_CHANCE: u32 = 64;
/// Bytes of a function's name and text that say whether it begins a group.
const LOOKED_AT: usize = 64;
/// The parts of a large module's data begin at multiples of this.
const PART_ALIGNMENT: u32 = 4096;

/// How a module is divided into groups of functions.
pub struct Groups {
    /// By function: whether it begins a group.
    begins: Vec<bool>,
    large: bool,
}

impl Groups {
    /// Of a module with this source text.
    pub fn of(module: &Module, text: &str) -> Self {
        let large = module.functions.len() >= LARGE_MODULE;
        let mut length = 0;
        let begins = module.functions.iter().map(|function| {
            let (start, end) = (function.source.0 as usize, function.source.1 as usize);
            let source = text.as_bytes().get(start..end).unwrap_or_default();
            let text = function.name.bytes().chain(source.iter().copied());
            let begins = large && length >= MIN_GROUP && hash(text) % GROUP_CHANCE == 0;
            length = if begins { 1 } else { length + 1 };
            begins
        });
        Self { begins: begins.collect(), large }
    }

    /// Whether a function begins a group.
    pub fn begins(&self, function: usize) -> bool {
        self.begins.get(function).is_some_and(|&begins| begins)
    }

    /// Whether the module is so large that places must not move.
    pub fn are_stable(&self) -> bool {
        self.large
    }

    /// Most places that are needed for a number of things.
    pub fn capacity(&self, count: usize, granule: u32) -> u32 {
        let groups = self.begins.iter().filter(|&&begins| begins).count() as u32;
        count as u32 + groups * (granule - 1)
    }

    /// Where the part of the data behind an offset begins.
    pub fn part(&self, offset: u32) -> u32 {
        offset.next_multiple_of(if self.large { PART_ALIGNMENT } else { 8 })
    }
}

/// Places of things, given when somebody first asks for them.
pub struct Places<T> {
    places: HashMap<T, u32>,
    /// By place; None: free.
    things: Vec<Option<T>>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { places: HashMap::new(), things: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Places<T> {
    /// The place of a thing.
    pub fn of<Q: ToOwned<Owned = T> + Eq + Hash + ?Sized>(&mut self, thing: &Q) -> u32
    where
        T: Borrow<Q>,
    {
        if let Some(&place) = self.places.get(thing) {
            return place;
        }
        let place = self.len();
        self.places.insert(thing.to_owned(), place);
        self.things.push(Some(thing.to_owned()));
        place
    }

    /// The place of a thing that may have none.
    pub fn get(&self, thing: &T) -> Option<u32> {
        self.places.get(thing).copied()
    }

    /// Leaves places free up to a multiple of a number.
    pub fn fill(&mut self, granule: u32) {
        self.things.resize(self.len().next_multiple_of(granule) as usize, None);
    }

    /// How many places there are, free ones included.
    pub fn len(&self) -> u32 {
        self.things.len() as u32
    }

    /// What is where.
    pub fn things(&self) -> &[Option<T>] {
        &self.things
    }
}

/// FNV-1a of the beginning of a text.
fn hash(text: impl Iterator<Item = u8>) -> u32 {
    text.take(LOOKED_AT).fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) >> 8
}
