//! Linux `PAGEMAP_SCAN` (6.7 and later): which pages of a range were written since they were mapped?
//!
//! See `Documentation/admin-guide/mm/pagemap.rst` of the kernel. In a private mapping of a file a page that was only
//! read still belongs to the file; in anonymous memory it is the shared page of zeroes. All other pages that are present
//! or swapped out are private copies, so they were written.

use std::{fs::File, io, os::fd::AsRawFd};

use crate::memory::PAGE;

/// A run of pages: addresses of its start and end.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct PageRun {
    pub(crate) start: u64,
    pub(crate) end: u64,
    categories: u64,
}

/// `struct pm_scan_arg` of the kernel.
#[derive(Default)]
#[repr(C)]
struct ScanArguments {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// `_IOWR('f', 16, struct pm_scan_arg)`
const PAGEMAP_SCAN: libc::Ioctl =
    (3 << 30 | (size_of::<ScanArguments>() as u64) << 16 | (b'f' as u64) << 8 | 16) as libc::Ioctl;
const PAGE_IS_FILE: u64 = 1 << 2;
const PAGE_IS_PRESENT: u64 = 1 << 3;
const PAGE_IS_SWAPPED: u64 = 1 << 4;
const PAGE_IS_PFNZERO: u64 = 1 << 5;

/// The page map of this process, on kernels that can scan it.
pub(crate) struct Pagemap(File);

impl Pagemap {
    /// `None` where the kernel has no `PAGEMAP_SCAN`.
    pub(crate) fn open() -> Option<Self> {
        let pagemap = Pagemap(File::open("/proc/self/pagemap").ok()?);
        let probe = Box::new([0_u8; PAGE]);
        let start = probe.as_ptr() as usize / PAGE * PAGE;
        pagemap.written(start, start + PAGE, 1, &mut [PageRun::default()]).ok()?;
        Some(pagemap)
    }

    /// Writes to `runs` the written pages of `start..end` (addresses of pages), lowest first, until `runs` is full or
    /// has `max_pages` pages. Answers the number of runs, and the address up to which the range was searched.
    pub(crate) fn written(
        &self,
        start: usize,
        end: usize,
        max_pages: usize,
        runs: &mut [PageRun],
    ) -> io::Result<(usize, usize)> {
        let mut arguments = ScanArguments {
            size: size_of::<ScanArguments>() as u64,
            start: start as u64,
            end: end as u64,
            vec: runs.as_mut_ptr() as u64,
            vec_len: runs.len() as u64,
            max_pages: max_pages as u64,
            category_inverted: PAGE_IS_FILE | PAGE_IS_PFNZERO,
            category_mask: PAGE_IS_FILE | PAGE_IS_PFNZERO,
            category_anyof_mask: PAGE_IS_PRESENT | PAGE_IS_SWAPPED,
            ..ScanArguments::default()
        };
        // SAFETY: the kernel reads and writes `arguments`, which has its layout, and writes at most `vec_len` runs at
        // `vec`, which is exclusively borrowed. It only looks at the searched range.
        let found = unsafe { libc::ioctl(self.0.as_raw_fd(), PAGEMAP_SCAN, &raw mut arguments) };
        match usize::try_from(found) {
            Ok(found) => Ok((found.min(runs.len()), arguments.walk_end as usize)),
            Err(_) => Err(io::Error::last_os_error()),
        }
    }
}
