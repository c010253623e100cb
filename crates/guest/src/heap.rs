//! The bump heap: all memory above the image, for JavaScript cells and for Rust's own collections alike.
//!
//! An execution allocates upwards from the image's end and is forgotten as a whole when it ends. Every allocation
//! begins with a cell header, so that the heap can be walked: JavaScript cells have one anyway, memory that Rust asks
//! for becomes a STORAGE cell around what it gets.

use core::alloc::{GlobalAlloc, Layout};

use convex_wasm_abi::layout::kind;
use convex_wasm_abi::memory::{MEMORY_PAGES, termination};

use crate::memory::{HEAP_LIMIT, HEAP_TOP, TERMINATION};

/// Bytes of a STORAGE cell before its payload.
pub const STORAGE_HEADER: u32 = 8;

unsafe extern "C" {
    /// First byte after the guest's static data; the linker defines it.
    static __heap_base: u8;
}

/// Sets up the heap if the host has not; once, before the first allocation.
pub fn initialize() {
    if HEAP_LIMIT.get() == 0 {
        HEAP_LIMIT.set(MEMORY_PAGES * 0x1_0000);
    }
    if HEAP_TOP.get() == 0 {
        let base = &raw const __heap_base as usize as u32;
        HEAP_TOP.set(base.next_multiple_of(16));
    }
}

/// Memory for a cell of `size` bytes, 8-aligned and *not* cleared. Ends the execution when the heap is full.
#[inline]
pub fn allocate(size: u32) -> u32 {
    let size = (size + 7) & !7;
    let address = HEAP_TOP.get();
    if size > HEAP_LIMIT.get().saturating_sub(address) {
        out_of_memory();
    }
    HEAP_TOP.set(address + size);
    address
}

/// Memory for `size` bytes owned by another cell: the address of the payload of a fresh STORAGE cell, not cleared.
#[inline]
pub fn allocate_storage(size: u32) -> u32 {
    if size > 0x7FFF_0000 {
        out_of_memory();
    }
    let size = (size + 7) & !7;
    let address = allocate(size + STORAGE_HEADER);
    // SAFETY: `address` is fresh memory of at least 8 bytes.
    unsafe {
        core::ptr::write(address as usize as *mut u32, kind::STORAGE as u32);
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
pub fn grow_storage(payload: u32, size: u32) -> u32 {
    let old = storage_size(payload);
    if payload + old == HEAP_TOP.get() && size <= 0x7FFF_0000 {
        let size = (size + 7) & !7;
        allocate(size - old);
        // SAFETY: the second word of a STORAGE header is its size.
        unsafe { core::ptr::write((payload - 4) as usize as *mut u32, size) };
        return payload;
    }
    let new = allocate_storage(size);
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

#[cold]
fn out_of_memory() -> ! {
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

/// Serves Rust's collections from the bump heap.
struct BumpAllocator;

// SAFETY: blocks are disjoint, large enough and aligned (over-allocated where more than 8 is asked for).
unsafe impl GlobalAlloc for BumpAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let slack = layout.align().saturating_sub(8);
        if layout.size() > 0x7FFF_0000 {
            out_of_memory();
        }
        let address = allocate_storage((layout.size() + slack) as u32) as usize;
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
        if layout.align() <= 8 && new_size <= 0x7FFF_0000 {
            if new_size as u32 <= storage_size(pointer as u32) {
                shrink_storage(pointer as u32, new_size as u32);
                return pointer;
            }
            return grow_storage(pointer as u32, new_size as u32) as usize as *mut u8;
        }
        // SAFETY: size and alignment are a valid layout by the caller's contract.
        let new = unsafe { self.alloc(Layout::from_size_align_unchecked(new_size, layout.align())) };
        // SAFETY: both blocks have at least the smaller size.
        unsafe { core::ptr::copy_nonoverlapping(pointer, new, layout.size().min(new_size)) };
        new
    }
}

#[global_allocator]
static ALLOCATOR: BumpAllocator = BumpAllocator;
