//! The heap of a guest, as far as the host decides: where it is, how large it gets, and when it is collected.

use convex_wasm_abi::memory::{
    COLLECT_AFTER, COLLECT_STRESS, COLLECTIONS, COLLECTOR_TABLES, HEAP_END, HEAP_FRONTIER, HEAP_LIMIT, HEAP_START,
    HEAP_TOP,
};

use crate::{cells::Cells, memory::HUGE_PAGE};

/// Bytes between the image and a heap, so that no cell of the image can grow into it.
pub(crate) const GAP: u32 = 8;

/// Sizes of heaps, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeapPolicy {
    /// What an execution may use.
    pub(crate) size: u32,
    /// Allocation between collections, at least.
    pub(crate) collect_after: u32,
    /// If not 0: allocation between collections, at most.
    pub(crate) stress: u32,
}

impl HeapPolicy {
    /// What the knobs say.
    pub(crate) fn from_knobs() -> Self {
        HeapPolicy {
            size: u32::try_from(convex_wasm_knobs::ISOLATE_MAX_USER_HEAP_SIZE.get()).unwrap_or(u32::MAX),
            collect_after: convex_wasm_knobs::WASM_COLLECT_AFTER.get(),
            stress: convex_wasm_knobs::WASM_COLLECT_STRESS.get(),
        }
    }

    /// End of the memory that module evaluation may fill, which leaves room for one execution.
    pub(crate) fn end_of_image(self) -> u32 {
        (COLLECTOR_TABLES - HUGE_PAGE as u32).saturating_sub(self.size)
    }

    /// From now on what lies above `start` is a heap that may reach up to `end`, and all below is its roots.
    pub(crate) fn open<B: AsRef<[u8]> + AsMut<[u8]>>(self, cells: &mut Cells<B>, start: u32, end: u32) {
        let region = self.collect_after.min(end.saturating_sub(start)) & !7;
        let limit = if self.stress == 0 { start + region } else { start };
        let words = [
            (HEAP_START, start),
            (HEAP_TOP, start),
            (HEAP_LIMIT, limit),
            (HEAP_FRONTIER, limit),
            (HEAP_END, end),
            (COLLECT_AFTER, self.collect_after),
            (COLLECT_STRESS, self.stress),
            (COLLECTIONS, 0),
        ];
        words.into_iter().for_each(|(address, word)| cells.set_u32(address, word));
    }
}

/// End of what the heap has used.
pub(crate) fn used_until<B: AsRef<[u8]>>(cells: &Cells<B>) -> u32 {
    let (limit, frontier) = (cells.u32(HEAP_LIMIT), cells.u32(HEAP_FRONTIER));
    if limit == frontier || frontier == 0 { cells.u32(HEAP_TOP) } else { frontier }
}
