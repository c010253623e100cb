//! The heap: all memory above the guest's static data, for JavaScript cells and for Rust's own collections alike.
//!
//! Memory is taken from the front of a *region*, by moving a pointer. Where a region ends the [`crate::collector`] finds
//! the next one: behind all others, or a hole that a collection left. Every allocation begins with a cell header, so that
//! the heap can be walked: JavaScript cells have one anyway, memory that Rust asks for becomes a STORAGE cell around what
//! it gets.

use core::alloc::{GlobalAlloc, Layout};

use convex_wasm_abi::layout::{kind, storage};
use convex_wasm_abi::memory::{COLLECTOR_TABLES, termination};

use crate::collector;
use crate::memory::{HEAP_LIMIT, HEAP_TOP, TERMINATION};

/// Bytes of a STORAGE cell before its payload.
pub const STORAGE_HEADER: u32 = storage::HEADER_SIZE;
/// Largest payload of a STORAGE cell.
const MAX_STORAGE: u32 = 0x7FFF_0000;

unsafe extern "C" {
    /// First byte after the guest's static data; the linker defines it.
    static __heap_base: u8;
}

/// What the payload of a STORAGE cell holds, for the collector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Contents {
    /// Anything: every word may be a reference.
    Words,
    /// Values.
    Values = storage::VALUES,
    /// No references.
    Bytes,
}

impl Contents {
    fn header(self) -> u32 {
        kind::STORAGE as u32 | (self as u32) << 8
    }

    /// Of a Rust collection: what is not aligned like a pointer holds none.
    fn of(layout: Layout) -> Contents {
        if layout.align() < align_of::<usize>() { Contents::Bytes } else { Contents::Words }
    }
}

/// Sets up the heap if the host has not; once, before the first allocation.
pub fn initialize() {
    if HEAP_LIMIT.get() == 0 {
        HEAP_LIMIT.set(COLLECTOR_TABLES);
    }
    if HEAP_TOP.get() == 0 {
        let base = &raw const __heap_base as usize as u32;
        HEAP_TOP.set(base.next_multiple_of(16));
    }
}

/// Memory for a cell of `size` bytes, 8-aligned and *not* cleared. Its header must be written before anything else is
/// allocated. Ends the execution when the heap is full.
#[inline]
pub fn allocate(size: u32) -> u32 {
    let size = (size + 7) & !7;
    let address = HEAP_TOP.get();
    if size > HEAP_LIMIT.get().saturating_sub(address) {
        return collector::allocate(size);
    }
    HEAP_TOP.set(address + size);
    address
}

/// Makes the newest cell, which ends at `end`, longer by `size` bytes (a multiple of 8): whether there was room.
#[inline]
pub fn extend(end: u32, size: u32) -> bool {
    let fits = end == HEAP_TOP.get() && size <= HEAP_LIMIT.get() - end;
    if fits {
        HEAP_TOP.set(end + size);
    }
    fits
}

/// Memory for `size` bytes owned by another cell: the address of the payload of a fresh STORAGE cell, not cleared.
#[inline]
pub fn allocate_storage(size: u32, contents: Contents) -> u32 {
    if size > MAX_STORAGE {
        out_of_memory();
    }
    let size = (size + 7) & !7;
    let address = allocate(size + STORAGE_HEADER);
    // SAFETY: `address` is fresh memory of at least 8 bytes.
    unsafe {
        core::ptr::write(address as usize as *mut u32, contents.header());
        core::ptr::write((address + 4) as usize as *mut u32, size);
    }
    address + STORAGE_HEADER
}

/// Payload bytes of the STORAGE cell with this payload address.
#[inline]
pub fn storage_size(payload: u32) -> u32 {
    debug_assert!(payload >= STORAGE_HEADER);
    // SAFETY: the second word of a STORAGE header is its size.
    unsafe { core::ptr::read((payload - 4) as usize as *const u32) }
}

/// Grows a STORAGE cell to `size` bytes: in place if it is the newest, else by copying the old payload.
pub fn grow_storage(payload: u32, size: u32, contents: Contents) -> u32 {
    let old = storage_size(payload);
    if size <= MAX_STORAGE {
        let size = (size + 7) & !7;
        if extend(payload + old, size - old) {
            // SAFETY: the second word of a STORAGE header is its size.
            unsafe { core::ptr::write((payload - 4) as usize as *mut u32, size) };
            return payload;
        }
    }
    let new = allocate_storage(size, contents);
    // SAFETY: both blocks are at least `old` bytes long, and the new one is fresh.
    unsafe { core::ptr::copy_nonoverlapping(payload as usize as *const u8, new as usize as *mut u8, old as usize) };
    new
}

/// Gives back the end of a STORAGE cell if it is the newest.
fn shrink_storage(payload: u32, size: u32) {
    let size = (size + 7) & !7;
    if payload + storage_size(payload) == HEAP_TOP.get() {
        HEAP_TOP.set(payload + size);
        // SAFETY: the second word of a STORAGE header is its size.
        unsafe { core::ptr::write((payload - 4) as usize as *mut u32, size) };
    }
}

/// Ends the execution: the heap is full.
#[cold]
pub fn out_of_memory() -> ! {
    TERMINATION.set(termination::OUT_OF_MEMORY);
    trap()
}

/// Stops the guest; TERMINATION says why.
pub fn trap() -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    std::process::abort()
}

/// Serves Rust's collections from the heap. What they drop is found by the next collection, unless it is the newest cell.
struct HeapAllocator;

// SAFETY: blocks are disjoint, large enough and aligned (over-allocated where more than 8 is asked for).
unsafe impl GlobalAlloc for HeapAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let slack = layout.align().saturating_sub(8);
        if layout.size() > MAX_STORAGE as usize {
            out_of_memory();
        }
        let address = allocate_storage((layout.size() + slack) as u32, Contents::of(layout)) as usize;
        address.next_multiple_of(layout.align()) as *mut u8
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // The newest block is taken back, so that temporary buffers cost nothing.
        let start = pointer as u32;
        if layout.align() <= 8 && start + storage_size(start) == HEAP_TOP.get() {
            HEAP_TOP.set(start - STORAGE_HEADER);
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if layout.align() <= 8 && new_size <= MAX_STORAGE as usize {
            if new_size as u32 <= storage_size(pointer as u32) {
                shrink_storage(pointer as u32, new_size as u32);
                return pointer;
            }
            return grow_storage(pointer as u32, new_size as u32, Contents::of(layout)) as usize as *mut u8;
        }
        // SAFETY: size and alignment are a valid layout by the caller's contract.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(new_size, layout.align())) };
        // SAFETY: both blocks have at least the smaller size.
        unsafe { core::ptr::copy_nonoverlapping(pointer, new, layout.size().min(new_size)) };
        new
    }
}

#[global_allocator]
static ALLOCATOR: HeapAllocator = HeapAllocator;
