//! An initialised memory, frozen in a sealed file of memory that environments map copy-on-write.

use std::{io, os::fd::OwnedFd, ptr::NonNull};

use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create},
    io::pwrite,
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap},
};

use crate::{
    memory::PAGE,
    pagemap::{PageRun, Pagemap},
};

/// A frozen memory. Immutable, also for this process.
pub(crate) struct Image {
    file: OwnedFd,
    /// The file, mapped to be read.
    view: NonNull<u8>,
    /// Bytes, a multiple of [`PAGE`].
    length: usize,
    /// Bytes of pages that are not all zero.
    occupied: usize,
}

impl Image {
    /// Copies `memory`, all that comes after it being zero.
    pub(crate) fn freeze(memory: &[u8]) -> io::Result<Self> {
        let length = memory.len().next_multiple_of(PAGE).max(PAGE);
        let file = memfd_create("convex-wasm-image", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, length as u64)?;
        let occupied = write_pages(&file, memory)?;
        fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
        // SAFETY: a fresh mapping at an address of the kernel's choice touches nothing that exists.
        let view = unsafe { mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, &file, 0)? };
        let view = NonNull::new(view.cast()).ok_or_else(|| io::Error::other("mmap answered address 0"))?;
        Ok(Image { file, view, length, occupied })
    }

    /// Bytes of memory the image occupies, shared by all environments.
    pub(crate) fn occupied(&self) -> usize {
        self.occupied
    }

    /// Maps the image over the start of a memory.
    ///
    /// # Safety
    /// `base` must be the start of a linear memory of at least the image's length, owned by the caller and not in use.
    pub(crate) unsafe fn map(&self, base: *mut u8) -> io::Result<()> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
        // SAFETY: the caller owns the range, so replacing its pages touches nobody else's.
        unsafe { mmap(base.cast(), self.length, protection, flags, &self.file, 0)? };
        Ok(())
    }

    /// Makes a memory of `size` bytes equal to the image again. Of the pages that were written, the lowest
    /// `resident` ones are copied back and stay in memory, where the next execution will want them; the rest goes back
    /// to the system, and so does everything from `huge` on, where pages are too large to be kept. (A page fault costs
    /// several times what copying a page does.)
    ///
    /// # Safety
    /// `base` must be the start of a linear memory of `size` bytes over which this image was mapped, owned by the
    /// caller and not in use; `huge` is at most `size`.
    pub(crate) unsafe fn restore(
        &self,
        base: *mut u8,
        size: usize,
        huge: usize,
        pagemap: Option<&Pagemap>,
        resident: usize,
    ) -> io::Result<()> {
        let start = base as usize;
        let mut searched = start;
        if let Some(pagemap) = pagemap.filter(|_| resident > 0) {
            let mut runs = [PageRun::default(); 64];
            let (found, end) = pagemap.written(start, start + huge, resident, &mut runs)?;
            for run in &runs[..found] {
                // SAFETY: the kernel found the run in the range that the caller owns.
                unsafe { self.copy_back(base, run.start as usize - start, run.end as usize - start) };
            }
            searched = end;
        }
        if searched < start + size {
            // SAFETY: the caller owns the range. Its private pages vanish, so it reads as file and zeroes again.
            unsafe { madvise(searched as *mut _, start + size - searched, Advice::LinuxDontNeed)? };
        }
        Ok(())
    }

    /// # Safety
    /// `base + from .. base + to` must be accessible pages that the caller owns.
    unsafe fn copy_back(&self, base: *mut u8, from: usize, to: usize) {
        let split = self.length.clamp(from, to);
        // SAFETY: `from..split` lies in the image, so in `view`, which is `length` bytes long; the destination is the
        // caller's promise, and is another mapping than `view`.
        unsafe {
            std::ptr::copy_nonoverlapping(self.view.as_ptr().add(from), base.add(from), split - from);
            std::ptr::write_bytes(base.add(split), 0, to - split);
        }
    }
}

/// Writes the pages that are not all zero, run by run. Answers their bytes.
fn write_pages(file: &OwnedFd, memory: &[u8]) -> io::Result<usize> {
    let mut occupied = 0;
    for (index, page) in memory.chunks(PAGE).enumerate() {
        if page.iter().all(|&byte| byte == 0) {
            continue;
        }
        occupied += PAGE;
        let mut offset = index * PAGE;
        let mut rest = page;
        while !rest.is_empty() {
            let written = pwrite(file, rest, offset as u64)?;
            offset += written;
            rest = &rest[written..];
        }
    }
    Ok(occupied)
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no borrow of it outlives `self`.
        let _ = unsafe { munmap(self.view.as_ptr().cast(), self.length) };
    }
}

// SAFETY: `view` is only read, and what it shows never changes: the file is sealed.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use wasmtime::{MemoryCreator, MemoryType};

    use super::*;
    use crate::memory::ReservedMemories;

    const PAGES: usize = 64;

    /// Writes to every page of a memory, in the image and behind it, restores it, and compares it with the image.
    fn restores(pagemap: Option<&Pagemap>, resident: usize, huge: usize) {
        let original: Vec<u8> = (0..PAGES / 2 * PAGE).map(|index| (index / PAGE) as u8).collect();
        let image = Image::freeze(&original).unwrap();
        let size = PAGES * PAGE;
        let memory = ReservedMemories.new_memory(MemoryType::new(4, Some(4)), size, Some(size), None, PAGE).unwrap();
        // SAFETY: the memory has this size and belongs to the test.
        let bytes = unsafe {
            image.map(memory.as_ptr()).unwrap();
            std::slice::from_raw_parts_mut(memory.as_ptr(), size)
        };
        for _ in 0..2 {
            bytes.chunks_mut(PAGE).for_each(|page| page[7] = 0xff);
            // SAFETY: as above; `bytes` is not used while the memory is restored.
            unsafe { image.restore(memory.as_ptr(), size, huge, pagemap, resident) }.unwrap();
            assert!(bytes[..original.len()] == original && bytes[original.len()..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn every_written_page_is_restored() {
        let pagemap = Pagemap::open();
        for resident in [0, 1, PAGES / 2 + 3, PAGES] {
            restores(pagemap.as_ref(), resident, PAGES * PAGE);
            restores(pagemap.as_ref(), resident, (PAGES - 8) * PAGE);
        }
    }

    #[test]
    fn every_written_page_is_restored_on_old_kernels() {
        restores(None, PAGES, PAGES * PAGE);
    }
}
