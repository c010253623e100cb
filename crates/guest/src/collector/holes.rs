//! Free memory between live cells: lists of holes by size.
//!
//! A hole is a FREE cell; the word behind its header is the next hole of its list. List `n` holds those of
//! 2ⁿ to 2ⁿ⁺¹ − 1 bytes ("segregated fits": Wilson et al., Dynamic Storage Allocation: A Survey and Critical Review, 1995).

use super::cells::{word, write_free};
use super::marks;

/// Holes below 2⁵ bytes are left alone until their neighbours die.
const SMALLEST: u32 = 5;
/// The heap goes on in holes of at least 2⁹ bytes first: one that is filled after a few cells costs more than it saves.
const PREFERRED: u32 = 9;
const LISTS: usize = 32;
/// Holes that may be too small are tried this often.
const TRIES: u32 = 64;

pub(super) struct Holes {
    /// First hole of each list, or 0.
    lists: [u32; LISTS],
}

impl Holes {
    pub(super) const fn new() -> Holes {
        Holes { lists: [0; LISTS] }
    }

    /// Makes `size` bytes at `address` (multiples of 8) a hole.
    pub(super) fn add(&mut self, address: u32, size: u32) {
        if size == 0 {
            return;
        }
        write_free(address, size);
        if size >> SMALLEST != 0 {
            let list = &mut self.lists[size.ilog2() as usize];
            set_next(address, *list);
            *list = address;
        }
    }

    /// A hole of `size` bytes or more, large enough to be worth it: its address and size.
    pub(super) fn take(&mut self, size: u32) -> Option<(u32, u32)> {
        self.take_from(ceil_log2(size).max(PREFERRED), LISTS as u32)
    }

    /// A hole of `size` bytes or more among those that [`Holes::take`] disregards.
    pub(super) fn take_small(&mut self, size: u32) -> Option<(u32, u32)> {
        self.take_from(ceil_log2(size).max(SMALLEST), PREFERRED).or_else(|| self.search(size))
    }

    fn take_from(&mut self, first: u32, end: u32) -> Option<(u32, u32)> {
        let list = (first..end).find(|&list| self.lists[list as usize] != 0)?;
        let hole = self.lists[list as usize];
        self.lists[list as usize] = next(hole);
        Some((hole, size(hole)))
    }

    /// Looks through the list whose holes may or may not be large enough.
    fn search(&mut self, wanted: u32) -> Option<(u32, u32)> {
        let list = wanted.ilog2() as usize;
        let (mut before, mut hole) = (0, self.lists[list]);
        for _ in 0..TRIES {
            if hole == 0 {
                return None;
            }
            if size(hole) >= wanted {
                match before {
                    0 => self.lists[list] = next(hole),
                    before => set_next(before, next(hole)),
                }
                return Some((hole, size(hole)));
            }
            (before, hole) = (hole, next(hole));
        }
        None
    }

    /// Lists all memory of `start..end` that no marked cell occupies, filled with a byte if there is one. Answers the bytes
    /// of marked cells.
    pub(super) fn sweep(&mut self, start: u32, end: u32, fill: Option<u8>) -> u32 {
        *self = Holes::new();
        let mut live = 0;
        let mut free = start;
        let mut close = |free: u32, until: u32| {
            if let Some(byte) = fill {
                // SAFETY: no live cell is in between.
                unsafe { core::ptr::write_bytes(free as usize as *mut u8, byte, (until - free) as usize) };
            }
            self.add(free, until - free);
        };
        marks::marked_cells(start, end, |cell| {
            let size = cell.size();
            live += size;
            if cell.address != free {
                close(free, cell.address);
            }
            free = cell.address + size;
        });
        close(free, end);
        live
    }
}

fn ceil_log2(size: u32) -> u32 {
    size.next_power_of_two().ilog2()
}

fn size(hole: u32) -> u32 {
    word(hole + 4)
}

fn next(hole: u32) -> u32 {
    word(hole + 8)
}

fn set_next(hole: u32, next: u32) {
    // SAFETY: a hole has 32 bytes at least.
    unsafe { core::ptr::write((hole + 8) as usize as *mut u32, next) };
}
