//! Which cells are reachable: two bits for each 8 bytes of memory, in tables behind the heap, and a stack of cells whose
//! references are still to be visited.

use convex_wasm_abi::layout::kind;
use convex_wasm_abi::memory::{COLLECTOR_TABLES, MEMORY_PAGES};

use super::cells::{CellRef, word};
use crate::heap::{self, out_of_memory};
use crate::shape::Shape;

/// Bytes that a word of a bit table stands for.
const SPAN: u32 = 64 * 8;
/// Bytes of a bit table for all memory below the tables.
const BITS_SIZE: u32 = COLLECTOR_TABLES / 64;
/// Memory is divided into pages of this size; of each we know the cell that begins before it and reaches into it.
const PAGE: u32 = 4096;
/// Bit table: a cell begins here.
const STARTS: BitTable = BitTable(COLLECTOR_TABLES);
/// Bit table: a marked cell begins here.
const MARKS: BitTable = BitTable(COLLECTOR_TABLES + BITS_SIZE);
/// u32 for each page.
const CROSSINGS: u32 = COLLECTOR_TABLES + 2 * BITS_SIZE;
/// u32 each: cells to be traced. A cell gets here once and has 16 bytes at least, so that there is room for all of a heap of
/// 64 MiB.
const STACK: u32 = CROSSINGS + COLLECTOR_TABLES / PAGE * 4;
/// End of the stack. What the host answers is put behind it.
pub(super) const STACK_END: u32 = STACK + 0x100_0000;
/// End of the memory.
pub(super) const TABLES_END: u32 = MEMORY_PAGES * 0x1_0000;

const _: () = assert!(STACK_END + 0x10_0000 <= TABLES_END);

/// One bit for each 8 bytes of memory.
#[derive(Clone, Copy)]
struct BitTable(u32);

impl BitTable {
    #[inline(always)]
    fn word(self, address: u32) -> *mut u64 {
        (self.0 + address / SPAN * 8) as usize as *mut u64
    }

    #[inline(always)]
    fn get(self, address: u32) -> bool {
        // SAFETY: `word` is inside of the table for all addresses below the tables, which only the collector uses.
        unsafe { *self.word(address) >> (address / 8 % 64) & 1 != 0 }
    }

    /// Sets a bit; whether it was clear.
    #[inline(always)]
    fn set(self, address: u32) -> bool {
        let bit = 1 << (address / 8 % 64);
        // SAFETY: as in `get`.
        unsafe {
            let word = self.word(address);
            let old = *word;
            *word = old | bit;
            old & bit == 0
        }
    }

    /// Writes the word of the memory that begins at `base`.
    #[inline(always)]
    fn set_word(self, base: u32, bits: u64) {
        // SAFETY: as in `get`.
        unsafe { *self.word(base) = bits };
    }

    fn clear(self, start: u32, end: u32) {
        let (first, last) = (self.word(start) as usize, self.word(end) as usize);
        // SAFETY: as in `get`; a range of words of the table.
        unsafe { core::ptr::write_bytes(first as *mut u8, 0, last + 8 - first) };
    }

    /// The last set bit in the words of `from..=at` that is not after `at`.
    #[inline]
    fn last_before(self, from: u32, at: u32) -> Option<u32> {
        // SAFETY: as in `get`.
        let mut word = unsafe { *self.word(at) } & u64::MAX >> (63 - at / 8 % 64);
        let mut base = at / SPAN * SPAN;
        loop {
            if word != 0 {
                return Some(base + (63 - word.leading_zeros()) * 8);
            }
            if base <= from {
                return None;
            }
            base -= SPAN;
            // SAFETY: as in `get`.
            word = unsafe { *self.word(base) };
        }
    }
}

/// Whether the cell of the heap with this address is marked.
#[inline]
pub(super) fn is_marked(address: u32) -> bool {
    MARKS.get(address)
}

/// Calls `found` with each marked cell in `start..end`, in the order of addresses.
pub(super) fn marked_cells(start: u32, end: u32, mut found: impl FnMut(CellRef)) {
    let mut base = start / SPAN * SPAN;
    while base < end {
        // SAFETY: as in `BitTable::get`.
        let mut word = unsafe { *MARKS.word(base) };
        while word != 0 {
            found(CellRef::at(base + word.trailing_zeros() * 8));
            word &= word - 1;
        }
        base += SPAN;
    }
}

/// A marking under way.
pub(super) struct Marker {
    start: u32,
    end: u32,
    /// Next free place of the stack.
    top: u32,
}

impl Marker {
    /// Nothing in `start..end`, where one cell follows the other, is marked.
    pub(super) fn new(start: u32, end: u32) -> Marker {
        MARKS.clear(start, end);
        STARTS.clear(start, end);
        // The bits of the word of STARTS that is being made, for the memory at `base`.
        let (mut base, mut bits) = (start / SPAN * SPAN, 0);
        let mut address = start;
        while address < end {
            if address - base >= SPAN {
                STARTS.set_word(base, bits);
                (base, bits) = (address / SPAN * SPAN, 0);
            }
            bits |= 1 << (address / 8 % 64);
            let next = address + CellRef::at(address).size();
            if next <= address {
                heap::trap();
            }
            if (address ^ next) >= PAGE {
                note_crossings(address, next);
            }
            address = next;
        }
        STARTS.set_word(base, bits);
        Marker { start, end, top: STACK }
    }

    /// Bounds of the heap.
    pub(super) fn heap(&self) -> (u32, u32) {
        (self.start, self.end)
    }

    /// Marks the cell that `address` lies in, if it is in the heap.
    #[inline(always)]
    pub(super) fn visit(&mut self, address: u32) {
        if address.wrapping_sub(self.start) < self.end - self.start {
            self.visit_inside(address);
        }
    }

    /// Visits each word of `start..end`.
    #[inline]
    pub(super) fn visit_words(&mut self, start: u32, end: u32) {
        let (heap, length) = (self.start, self.end - self.start);
        let mut address = start;
        while address < end {
            let reference = word(address);
            if reference.wrapping_sub(heap) < length {
                self.visit_inside(reference);
            }
            address += 4;
        }
    }

    #[inline]
    fn visit_inside(&mut self, address: u32) {
        let start = if address % 8 == 0 && STARTS.get(address) { address } else { containing(address) };
        if !MARKS.get(start) {
            self.mark(start);
        }
    }

    fn mark(&mut self, address: u32) {
        let cell = CellRef::at(address);
        if cell.kind() == kind::FREE {
            return;
        }
        MARKS.set(address);
        if cell.is_leaf() {
            return;
        }
        if self.top >= STACK_END {
            out_of_memory();
        }
        // SAFETY: below the end of the stack, which only the collector uses.
        unsafe { core::ptr::write(self.top as usize as *mut u32, address) };
        self.top += 4;
    }

    /// Calls `found` with each marked shape.
    pub(super) fn marked_shapes(&self, found: &mut dyn FnMut(Shape)) {
        marked_cells(self.start, self.end, |cell| {
            if cell.kind() == kind::SHAPE {
                // SAFETY: the cell's kind says what it is.
                found(unsafe { Shape::from_address(cell.address) });
            }
        });
    }

    /// Visits the references of all marked cells.
    pub(super) fn drain(&mut self) {
        while self.top > STACK {
            self.top -= 4;
            CellRef::at(word(self.top)).trace(self);
        }
    }
}

/// Remembers for each page that begins inside of the cell `address..next` where that cell begins.
fn note_crossings(address: u32, next: u32) {
    for page in address / PAGE + 1..=(next - 1) / PAGE {
        // SAFETY: inside of the table for all pages below the tables.
        unsafe { core::ptr::write((CROSSINGS + page * 4) as usize as *mut u32, address) };
    }
}

/// The cell that an address of the heap lies in.
#[inline]
fn containing(address: u32) -> u32 {
    let page = address / PAGE * PAGE;
    STARTS.last_before(page, address).unwrap_or_else(|| word(CROSSINGS + page / PAGE * 4))
}
