//! Stacks of the fibers that guests run on. We make them, so we know where each is and can give its memory back.

use std::{collections::BTreeMap, io, ops::Range, ptr::NonNull, sync::Arc};

use parking_lot::Mutex;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};
use wasmtime::{StackCreator, StackMemory};

use crate::memory::PAGE;

/// All fiber stacks of an engine: start and end of each.
#[derive(Clone, Default)]
pub(crate) struct FiberStacks(Arc<Mutex<BTreeMap<usize, usize>>>);

impl FiberStacks {
    /// The stack that the caller runs on, if it runs on one of ours.
    pub(crate) fn current(&self) -> Option<Range<usize>> {
        let marker = 0_u8;
        self.containing(&raw const marker as usize)
    }

    /// The stack that an address lies in.
    pub(crate) fn containing(&self, address: usize) -> Option<Range<usize>> {
        let stacks = self.0.lock();
        let (&start, &end) = stacks.range(..=address).next_back()?;
        (address < end).then_some(start..end)
    }
}

// SAFETY: `Stack` is page aligned, zero filled and has an inaccessible page below its lowest address.
unsafe impl StackCreator for FiberStacks {
    fn new_stack(&self, size: usize, _zeroed: bool) -> wasmtime::Result<Box<dyn StackMemory>> {
        let stack = Stack::new(size.next_multiple_of(PAGE), self.clone())?;
        Ok(Box::new(stack))
    }
}

/// A guard page and a stack above it.
struct Stack {
    mapping: NonNull<u8>,
    size: usize,
    registry: FiberStacks,
}

impl Stack {
    fn new(size: usize, registry: FiberStacks) -> io::Result<Self> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::STACK;
        // SAFETY: a fresh mapping at an address of the kernel's choice touches nothing that exists.
        let mapping = unsafe { mmap_anonymous(std::ptr::null_mut(), PAGE + size, ProtFlags::empty(), flags)? };
        let mapping = NonNull::new(mapping.cast()).ok_or_else(|| io::Error::other("mmap answered address 0"))?;
        let stack = Stack { mapping, size, registry };
        // SAFETY: the range lies in the mapping just made, which nobody else knows.
        unsafe {
            mprotect(stack.bottom().cast(), size, MprotectFlags::READ | MprotectFlags::WRITE)?;
        }
        let bottom = stack.bottom() as usize;
        stack.registry.0.lock().insert(bottom, bottom + size);
        Ok(stack)
    }

    fn bottom(&self) -> *mut u8 {
        self.mapping.as_ptr().wrapping_add(PAGE)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.registry.0.lock().remove(&(self.bottom() as usize));
        // SAFETY: the mapping is ours, and Wasmtime drops a stack only when no fiber runs on it.
        let _ = unsafe { munmap(self.mapping.as_ptr().cast(), PAGE + self.size) };
    }
}

// SAFETY: a stack is address space, which is the same for all threads; the fiber on it is in one place at a time.
unsafe impl Send for Stack {}
// SAFETY: as above; no method of a shared reference writes to it.
unsafe impl Sync for Stack {}

// SAFETY: see `FiberStacks`.
unsafe impl StackMemory for Stack {
    fn top(&self) -> *mut u8 {
        self.bottom().wrapping_add(self.size)
    }

    fn range(&self) -> Range<usize> {
        let bottom = self.bottom() as usize;
        bottom..bottom + self.size
    }

    fn guard_range(&self) -> Range<*mut u8> {
        self.mapping.as_ptr()..self.bottom()
    }
}

/// Gives the memory of a stack back to the system, except for its uppermost `keep` bytes.
///
/// # Safety
/// `stack` must be the range of a stack of [`FiberStacks`] on which no fiber runs.
pub(crate) unsafe fn trim(stack: &Range<usize>, keep: usize) -> io::Result<()> {
    let length = stack.len().saturating_sub(keep) / PAGE * PAGE;
    // SAFETY: the caller promises that the range is mapped and that its contents are no longer needed.
    unsafe { madvise(stack.start as *mut _, length, Advice::LinuxDontNeed)? };
    Ok(())
}
