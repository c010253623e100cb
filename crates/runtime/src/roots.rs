//! What the guest's collector asks the host: references outside of the linear memory, and where inside of it to look for more.

use std::ops::Range;

use crate::{
    data::Data,
    memory::PAGE,
    pagemap::{PageRun, Pagemap},
    stack::FiberStacks,
};

/// The addresses of `wanted` that stand anywhere on the fiber stack the caller runs on, ascending: as a 32-bit word (which a
/// NaN-boxed value also contains), or as a native address of the linear memory at `base`. Nothing if the caller runs on another
/// stack.
///
/// Wasm keeps no value in a register across a call (all are caller-saved in Wasmtime's convention), so frames hold everything.
pub(crate) fn stack_references(stacks: &FiberStacks, base: *const u8, wanted: &Range<u32>) -> Vec<u32> {
    let stack = stacks.current().unwrap_or_default();
    let marker = 0_u64;
    let top = (&raw const marker as usize).next_multiple_of(8).max(stack.start);
    let native = base as u64 + u64::from(wanted.start)..base as u64 + u64::from(wanted.end);
    let mut found = Vec::new();
    for address in (top..stack.end).step_by(8) {
        // SAFETY: `top` lies on the stack that this function runs on, all of which above it is mapped and initialised by the
        // frames of its callers. A volatile read, since the compiler knows nothing of those.
        let word = unsafe { std::ptr::with_exposed_provenance::<u64>(address).read_volatile() };
        let halves = [word as u32, (word >> 32) as u32];
        found.extend(halves.into_iter().filter(|half| wanted.contains(half)));
        if native.contains(&word) {
            found.push((word - base as u64) as u32);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Runs of pages in `range` that may differ from the image: those written since the memory was mapped, or on kernels that cannot
/// tell, all.
pub(crate) fn written_pages(pagemap: Option<&Pagemap>, base: *const u8, range: &Range<u32>) -> Vec<Range<u32>> {
    match pagemap.and_then(|pagemap| scan(pagemap, base as usize, range)) {
        Some(runs) => runs,
        None => vec![range.clone()],
    }
}

/// Leaves out the pages that are what the guest's module put there, constants mostly: they hold no reference. (While a program
/// is initialised all of its memory counts as written.)
pub(crate) fn without_constants(runs: Vec<Range<u32>>, memory: &[u8], data: &Data) -> Vec<Range<u32>> {
    let mut changed: Vec<Range<u32>> = Vec::new();
    for run in runs {
        for start in run.clone().step_by(PAGE) {
            let page = start..run.end.min(start + PAGE as u32);
            match changed.last_mut() {
                _ if data.is_unchanged(memory, &page) => {}
                Some(last) if last.end == page.start => last.end = page.end,
                _ => changed.push(page),
            }
        }
    }
    changed
}

fn scan(pagemap: &Pagemap, base: usize, range: &Range<u32>) -> Option<Vec<Range<u32>>> {
    let end = base + (range.end as usize).next_multiple_of(PAGE);
    let mut start = base + range.start as usize / PAGE * PAGE;
    let mut found = Vec::new();
    while start < end {
        let mut runs = [PageRun::default(); 64];
        let (count, searched) = pagemap.written(start, end, (end - start) / PAGE, &mut runs).ok()?;
        found.extend(
            runs[..count].iter().map(|run| (run.start as usize - base) as u32..(run.end as usize - base) as u32),
        );
        if searched <= start {
            return None;
        }
        start = searched;
    }
    Some(found)
}
