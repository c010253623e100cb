//! The intern table: one string cell for each property name, so that names compare by address.

use convex_wasm_abi::layout::string as abi;

use super::{INDEX, JsString, StringCell, Units, number, simd};
use crate::collector::uninterrupted;
use crate::collector::weak::Weak;
use crate::state::State;

/// Open addressing with linear probing over interned strings, which it does not keep alive. Never shrinks.
struct Table {
    slots: Vec<Option<Weak<StringCell>>>,
    used: usize,
}

static TABLE: State<Table> = State::new(Table { slots: Vec::new(), used: 0 });
static SINGLE_UNITS: State<[u32; 256]> = State::new([0; 256]);

const SEED: u64 = 0x51_7C_C1_B7_27_22_0A_95;

fn mix(hash: u64, group: u64) -> u64 {
    (hash.rotate_left(5) ^ group).wrapping_mul(SEED)
}

fn finish(hash: u64, length: usize) -> u32 {
    let hash = mix(hash, length as u64);
    ((hash >> 32) as u32 ^ hash as u32) | 1
}

/// Hash over groups of four units, each widened to 16 bits, so that both representations agree.
pub(super) fn hash_latin1(units: &[u8]) -> u32 {
    let mut hash = 0;
    let mut groups = units.chunks_exact(4);
    for group in &mut groups {
        let bytes = u64::from(u32::from_le_bytes([group[0], group[1], group[2], group[3]]));
        let pairs = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF;
        hash = mix(hash, (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF);
    }
    let rest = groups.remainder().iter().rev().fold(0, |group, &unit| group << 16 | u64::from(unit));
    finish(mix(hash, rest), units.len())
}

/// As [`hash_latin1`].
pub(super) fn hash_utf16(units: &[u16]) -> u32 {
    let pack = |group: &[u16]| group.iter().rev().fold(0, |group, &unit| group << 16 | u64::from(unit));
    let mut groups = units.chunks_exact(4);
    let hash = (&mut groups).fold(0, |hash, group| mix(hash, pack(group)));
    finish(mix(hash, pack(groups.remainder())), units.len())
}

impl Table {
    /// The slot of the string that `matches`, or the free slot where it belongs.
    fn probe(&self, hash: u32, matches: impl Fn(JsString) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut index = hash as usize & mask;
        loop {
            match self.slots[index] {
                Some(string) if !matches(JsString(string.get())) => index = (index + 1) & mask,
                _ => return index,
            }
        }
    }

    /// Makes room for `more` strings.
    fn reserve(&mut self, more: usize) {
        if (self.used + more) * 2 <= self.slots.len() {
            return;
        }
        let size = ((self.used + more) * 2).next_power_of_two().max(2048);
        let slots = uninterrupted(|| vec![None; size]);
        for string in core::mem::replace(&mut self.slots, slots).into_iter().flatten() {
            let free = self.probe(JsString(string.get()).hash(), |_| false);
            self.slots[free] = Some(string);
        }
    }

    /// Empties a slot and moves what stands behind it to where a search finds it (Knuth, The Art of Computer Programming 3,
    /// 6.4, algorithm R).
    fn remove(&mut self, slot: usize) {
        let mask = self.slots.len() - 1;
        let (mut free, mut index) = (slot, slot);
        self.used -= 1;
        loop {
            self.slots[free] = None;
            let moved = loop {
                index = (index + 1) & mask;
                let Some(string) = self.slots[index] else { return };
                let home = string.get().hash.get() as usize & mask;
                // Whether `home` does not lie between the free slot and this one, going round.
                if (index.wrapping_sub(home) & mask) >= (index.wrapping_sub(free) & mask) {
                    break string;
                }
            };
            self.slots[free] = Some(moved);
            free = index;
        }
    }

    fn insert(&mut self, slot: usize, string: JsString) {
        self.slots[slot] = Some(string.0.into());
        self.used += 1;
        let index = if string.len() <= 10 && number::array_index(string.units()).is_some() { INDEX } else { 0 };
        string.0.header.flags.set(string.flags() | abi::INTERNED | index);
    }
}

/// The interned string equal to `string`: perhaps `string` itself from now on.
pub(super) fn intern(string: JsString) -> JsString {
    let hash = string.hash();
    TABLE.with(|table| {
        table.reserve(1);
        let slot = table.probe(hash, |other| other.0.hash.get() == hash && other.equals(string));
        match table.slots[slot] {
            None => {
                table.insert(slot, string);
                string
            }
            Some(interned) => {
                let interned = JsString(interned.get());
                string.become_thin(interned);
                interned
            }
        }
    })
}

/// The interned string of Latin-1 bytes; allocates only when it is new.
pub fn intern_latin1(units: &[u8]) -> JsString {
    if let [unit] = units {
        return single_unit(*unit);
    }
    let hash = hash_latin1(units);
    TABLE.with(|table| {
        table.reserve(1);
        let slot = table.probe(hash, |other| {
            other.0.hash.get() == hash
                && match other.units() {
                    Units::Latin1(known) => simd::equal(known, units),
                    Units::Utf16(known) => known.iter().copied().eq(units.iter().map(|&unit| unit as u16)),
                }
        });
        match table.slots[slot] {
            None => {
                let string = uninterrupted(|| JsString::from_latin1(units));
                string.0.hash.set(hash);
                table.insert(slot, string);
                string
            }
            Some(interned) => JsString(interned.get()),
        }
    })
}

/// Makes room in the table for executions to come, lest each of them has to rebuild it.
pub fn reserve_interned() {
    const ROOM: usize = 1024;
    TABLE.with(|table| table.reserve(ROOM));
}

/// The interned string of UTF-16 units.
pub fn intern_utf16(units: &[u16]) -> JsString {
    JsString::from_utf16(units).intern()
}

/// The interned string of Rust text.
pub fn intern_str(text: &str) -> JsString {
    if text.is_ascii() { intern_latin1(text.as_bytes()) } else { JsString::from_str(text).intern() }
}

/// The interned string of one Latin-1 unit.
#[inline]
pub(super) fn single_unit(unit: u8) -> JsString {
    let address = SINGLE_UNITS.with(|units| units[unit as usize]);
    if address != 0 {
        // SAFETY: the table holds addresses of strings.
        return unsafe { JsString::from_address(address) };
    }
    let string = JsString::allocate(1, false);
    // SAFETY: `allocate` reserved a byte at `data`.
    unsafe { core::ptr::write(string.0.data.get() as usize as *mut u8, unit) };
    let string = intern(string);
    SINGLE_UNITS.with(|units| units[unit as usize] = string.address());
    string
}

/// Drops what the collection under way did not mark.
pub(crate) fn drop_dead() {
    TABLE.with(|table| {
        let mut slot = 0;
        while slot < table.slots.len() {
            match table.slots[slot] {
                // Another string may take its place.
                Some(string) if !string.is_live() => table.remove(slot),
                _ => slot += 1,
            }
        }
    });
}
