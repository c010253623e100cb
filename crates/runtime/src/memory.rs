//! Linear memories: a reservation of address space that Wasmtime may address without bounds checks.

use std::{io, ptr::NonNull};

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};
use wasmtime::{LinearMemory, MemoryCreator, MemoryType};

/// Bytes of a page of the operating system. x86-64 and the AArch64 kernels we support use 4 KiB; [`check_page_size`]
/// makes sure.
pub(crate) const PAGE: usize = 4096;

/// Bytes of a huge page.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Fails on a kernel with other pages than [`PAGE`].
pub(crate) fn check_page_size() -> io::Result<()> {
    match rustix::param::page_size() {
        PAGE => Ok(()),
        other => Err(io::Error::other(format!("pages of {other} bytes are not supported, only {PAGE}"))),
    }
}

/// Makes memories for Wasmtime: reserved, accessible up to their fixed size, followed by inaccessible guard space.
pub(crate) struct ReservedMemories;

// SAFETY: `Reservation` is page aligned, zero filled, accessible in `0..accessible` and inaccessible from there to the
// end of its reservation and guard, as the trait asks; it never moves.
unsafe impl MemoryCreator for ReservedMemories {
    fn new_memory(
        &self,
        _ty: MemoryType,
        minimum: usize,
        maximum: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        if maximum != Some(minimum) {
            return Err("only memories of a fixed size are supported".to_owned());
        }
        let reserved = reserved.unwrap_or(minimum).max(minimum);
        let memory = Reservation::new(minimum, reserved + guard).map_err(|error| error.to_string())?;
        Ok(Box::new(memory))
    }
}

/// Has the kernel back a range with huge pages where it can. Faulting one in costs as much as two dozen small ones, so
/// this is for memory of which much is used if any is. Kernels without huge pages refuse, which is as good.
///
/// # Safety
/// The range must lie in a mapping that the caller owns.
pub(crate) unsafe fn prefer_huge_pages(start: *mut u8, length: usize) {
    // SAFETY: the caller's; the advice changes no contents.
    let _ = unsafe { madvise(start.cast(), length, Advice::LinuxHugepage) };
}

/// Address space of which the first bytes, from a multiple of [`HUGE_PAGE`] on, are accessible.
struct Reservation {
    base: NonNull<u8>,
    accessible: usize,
    mapping: NonNull<u8>,
    mapped: usize,
}

impl Reservation {
    fn new(accessible: usize, total: usize) -> io::Result<Self> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let mapped = total + HUGE_PAGE;
        // SAFETY: a fresh mapping at an address of the kernel's choice touches nothing that exists.
        let mapping = unsafe { mmap_anonymous(std::ptr::null_mut(), mapped, ProtFlags::empty(), flags)? };
        let mapping = NonNull::new(mapping.cast::<u8>()).ok_or_else(|| io::Error::other("mmap answered address 0"))?;
        // SAFETY: `total` bytes of the mapping remain behind the next multiple of a huge page.
        let base = unsafe { mapping.add(mapping.align_offset(HUGE_PAGE)) };
        let reservation = Reservation { base, accessible, mapping, mapped };
        // SAFETY: the range lies in the mapping just made, which nobody else knows.
        unsafe { mprotect(base.as_ptr().cast(), accessible, MprotectFlags::READ | MprotectFlags::WRITE)? };
        // A short execution touches a few pages of its heap; clearing 2 MiB for the first of them would cost more than
        // the execution. Kernels without huge pages refuse the advice, which is as good.
        // SAFETY: as above; the advice changes no contents.
        let _ = unsafe { madvise(base.as_ptr().cast(), accessible, Advice::LinuxNoHugepage) };
        Ok(reservation)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and Wasmtime drops a memory after everything that refers to it. A failure
        // would leak address space, which is harmless.
        let _ = unsafe { munmap(self.mapping.as_ptr().cast(), self.mapped) };
    }
}

// SAFETY: a reservation is address space, which is the same for all threads; access is governed by the store it is in.
unsafe impl Send for Reservation {}
// SAFETY: as above; no method of a shared reference writes to it.
unsafe impl Sync for Reservation {}

// SAFETY: see `ReservedMemories`.
unsafe impl LinearMemory for Reservation {
    fn byte_size(&self) -> usize {
        self.accessible
    }

    fn byte_capacity(&self) -> usize {
        self.accessible
    }

    fn grow_to(&mut self, _size: usize) -> wasmtime::Result<()> {
        Err(wasmtime::Error::msg("the memory has a fixed size"))
    }

    fn as_ptr(&self) -> *mut u8 {
        self.base.as_ptr()
    }
}
