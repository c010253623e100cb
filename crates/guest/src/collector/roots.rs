//! Where collection starts: everything outside of the heap that may hold a reference into it.

use convex_wasm_abi::bridge::op;

use super::cells::word;
use super::marks::{Marker, STACK_END, TABLES_END};
use crate::heap::out_of_memory;
use crate::host;

/// Marks all that is reachable from outside of the heap.
#[inline(never)]
pub(super) fn mark(marker: &mut Marker) {
    let here = 0_u32;
    let stack_pointer = core::hint::black_box(&raw const here) as usize as u32;
    let (start, end) = marker.heap();
    // A pointer just behind an allocation may be all that a loop over it keeps.
    for reference in answer(op::STACK_REFERENCES, start, end + 1) {
        marker.visit(word(reference));
        marker.visit(word(reference) - 1);
    }
    marker.drain();
    // Memory below the heap: the guest's Rust stack (but not what calls that ended left below the stack pointer), fixed cells,
    // arguments, the guest's data, units' data and the image. What this execution did not write holds no reference to the heap.
    for run in answer(op::WRITTEN_PAGES, stack_pointer / 4 * 4, start).step_by(2) {
        marker.visit_words(word(run).max(stack_pointer / 4 * 4), word(run + 4).min(start));
        marker.drain();
    }
}

/// Addresses of the words that the host answers for a range.
fn answer(op: u32, start: u32, end: u32) -> impl Iterator<Item = u32> + Clone {
    let mut argument = [0; 8];
    argument[..4].copy_from_slice(&start.to_le_bytes());
    argument[4..].copy_from_slice(&end.to_le_bytes());
    // Nothing can be allocated now, so the answer goes behind the stack of cells.
    let Some(length) = host::operation_to(op, &argument, STACK_END, TABLES_END - STACK_END) else { out_of_memory() };
    (STACK_END..STACK_END + length).step_by(4)
}
