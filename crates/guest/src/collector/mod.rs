//! The collector: marks what is reachable, makes the rest free. Nothing moves, and nothing it frees has to be told.
//!
//! An execution's heap lies above the image ([`HEAP_START`]); only that is collected. Most executions end before their
//! first collection. It begins when the memory handed out since the last one reaches a budget: then somebody deep inside
//! of a call wants memory, so compiled code and this crate's functions hold references in native registers and stacks.
//!
//! - **Roots** ([`roots`]) are found conservatively: any word on the fiber's native stack, on the guest's own stack or in a
//!   page below the heap that this execution wrote is a reference if it is an address in the heap. So no code here keeps
//!   lists of roots, and none can forget one.
//! - **Cells** ([`cells`]) are walked by their headers, which finds the cell an interior address belongs to. Values are
//!   read as values; what Rust's collections own is a cell as well and is read word by word.
//! - **Marks** ([`marks`]) are bits in tables behind the heap. The image is never written.
//! - **Weak references** ([`weak`]) are written so that they look like no reference, and dropped after marking.
//! - **Holes** ([`holes`]) between live cells become the next regions of the heap.

mod cells;
mod holes;
mod marks;
mod roots;
pub mod weak;

use convex_wasm_abi::memory::COLLECTOR_TABLES;

use self::holes::Holes;
use self::marks::Marker;
use crate::heap::out_of_memory;
use crate::memory::{
    COLLECT_AFTER, COLLECT_STRESS, COLLECTIONS, HEAP_END, HEAP_FRONTIER, HEAP_LIMIT, HEAP_START, HEAP_TOP,
};
use crate::state::State;

/// The part of the heap (one in so many bytes) that must be free after a collection, else memory counts as full: the less
/// there is, the more often it is collected.
const RESERVE: u32 = 16;

/// What stress tests find in freed memory.
const POISON: u8 = 0xFD;

/// Under stress a heap grows by up to one in so many bytes between collections, lest those of large heaps take forever.
const STRESS_SHARE: u32 = 16;

struct Collector {
    /// The heap that the rest is about. (After initialisation the same memory is an image, and the heap starts elsewhere.)
    heap: u32,
    /// Bytes that may be handed out before the next collection.
    budget: u32,
    holes: Holes,
    /// Whether a weak structure is being changed.
    paused: bool,
    /// Draws the distance of collections under stress.
    random: u32,
}

static COLLECTOR: State<Collector> =
    State::new(Collector { heap: 0, budget: 0, holes: Holes::new(), paused: false, random: 1 });

/// Memory for a cell of `size` bytes (a multiple of 8) that the region in use has no room for.
#[cold]
#[inline(never)]
pub fn allocate(size: u32) -> u32 {
    if HEAP_START.get() == 0 {
        out_of_memory();
    }
    let found = COLLECTOR.with(|collector| {
        collector.adopt_heap();
        collector.retire_region();
        (collector.paused || size <= collector.budget) && collector.open_region(size)
    });
    if !found {
        if COLLECTOR.with(|collector| collector.paused) {
            out_of_memory();
        }
        collect(poison());
        if !COLLECTOR.with(|collector| collector.open_region(size)) {
            out_of_memory();
        }
    }
    let address = HEAP_TOP.get();
    HEAP_TOP.set(address + size);
    address
}

/// Collects if the next collection is near. For moments when little is on the stacks.
#[inline]
pub fn collect_if_near() {
    let near = COLLECT_AFTER.get() / 4;
    let region = HEAP_LIMIT.get() - HEAP_TOP.get();
    if region < near && HEAP_START.get() != 0 {
        let is_near = COLLECTOR.with(|collector| {
            collector.adopt_heap();
            collector.budget + region < near
        });
        if is_near {
            COLLECTOR.with(Collector::retire_region);
            collect(poison());
        }
    }
}

/// Collects, and clears all free memory, so that it is nothing in an image.
pub fn clear_garbage() {
    COLLECTOR.with(|collector| {
        collector.adopt_heap();
        collector.retire_region();
    });
    collect(Some(0));
}

/// What free memory is filled with after a collection: something harmful under stress.
fn poison() -> Option<u8> {
    (COLLECT_STRESS.get() != 0).then_some(POISON)
}

/// Runs `body`, which changes a structure that collections look into; until it is done there is none.
#[inline]
pub fn uninterrupted<R>(body: impl FnOnce() -> R) -> R {
    let outer = COLLECTOR.with(|collector| core::mem::replace(&mut collector.paused, true));
    let result = body();
    COLLECTOR.with(|collector| collector.paused = outer);
    result
}

/// Marks, drops weak references, and finds the holes, which are filled with a byte if there is one. No region is in use.
#[inline(never)]
fn collect(fill: Option<u8>) {
    COLLECTIONS.set(COLLECTIONS.get() + 1);
    let mut marker = Marker::new(HEAP_START.get(), HEAP_FRONTIER.get());
    roots::mark(&mut marker);
    while weak::mark_ephemerons(&mut marker) {}
    weak::drop_dead(|found| marker.marked_shapes(found));
    COLLECTOR.with(|collector| collector.sweep(fill));
}

impl Collector {
    fn adopt_heap(&mut self) {
        if self.heap != HEAP_START.get() {
            *self =
                Collector { heap: HEAP_START.get(), budget: 0, holes: Holes::new(), paused: self.paused, random: 1 };
        }
    }

    /// Ends the region in use: what is left of it becomes a hole, or untouched memory again.
    fn retire_region(&mut self) {
        let (top, limit) = (HEAP_TOP.get(), HEAP_LIMIT.get());
        self.budget += limit - top;
        if limit == HEAP_FRONTIER.get() {
            HEAP_FRONTIER.set(top);
        } else {
            self.holes.add(top, limit - top);
        }
        HEAP_LIMIT.set(top);
    }

    /// Makes a region that has `size` bytes at least, and more if the budget allows; whether there is one.
    fn open_region(&mut self, size: u32) -> bool {
        let wanted = size.max(self.budget);
        let found = self
            .holes
            .take(size)
            .or_else(|| self.advance_frontier(size, wanted))
            .or_else(|| self.holes.take_small(size));
        let Some((start, length)) = found else { return false };
        let used = length.min(wanted);
        if used < length {
            self.holes.add(start + used, length - used);
        }
        self.budget -= used.min(self.budget);
        HEAP_TOP.set(start);
        HEAP_LIMIT.set(start + used);
        true
    }

    /// Untouched memory: `wanted` bytes if there are as many, `size` at least.
    fn advance_frontier(&mut self, size: u32, wanted: u32) -> Option<(u32, u32)> {
        let start = HEAP_FRONTIER.get();
        let free = HEAP_END.get().min(COLLECTOR_TABLES).saturating_sub(start) & !7;
        let length = wanted.min(free);
        if length < size {
            return None;
        }
        HEAP_FRONTIER.set(start + length);
        Some((start, length))
    }

    /// Lists the holes between marked cells, and decides how long to wait for the next collection. Ends the execution if
    /// too much is alive.
    fn sweep(&mut self, fill: Option<u8>) {
        let stress = COLLECT_STRESS.get();
        let live = self.holes.sweep(HEAP_START.get(), HEAP_FRONTIER.get(), fill);
        let size = HEAP_END.get() - HEAP_START.get();
        let reserve = size / RESERVE;
        let Some(free) = (size - live).checked_sub(reserve) else { out_of_memory() };
        self.budget = free.min(COLLECT_AFTER.get().max(live)) & !7;
        if stress != 0 {
            // A linear congruential generator (Numerical Recipes); its upper bits are good enough to vary the distance.
            self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            self.budget = self.budget.min((self.random >> 8) % stress.max(live / STRESS_SHARE) & !7);
        }
    }
}
