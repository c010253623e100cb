//! The frames of compiled code on a fiber's stack, found without Wasmtime.
//!
//! [`WasmBacktrace`](wasmtime::WasmBacktrace) looks every frame's module, function and position up, microseconds in all:
//! too much for an error whose stack nobody reads. Cranelift keeps frame pointers, so return addresses alone are a walk
//! along a chain of frame records: two words each, the caller's record and the return address into the caller.
//! The chain begins in the frame of the trampoline through which the guest calls the host. The host function's arguments
//! lie in that frame too, and its record lies a little above them: always equally far, since the trampoline is the same.
//! How far is no promise of Wasmtime's. So the guest calls once when it boots, while nothing but its own few frames has
//! been on the stack, and the first error's frames are compared with Wasmtime's own backtrace.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use wasmtime::WasmBacktrace;

use crate::{
    stack::FiberStacks,
    trace::{self, Frame},
    units::UnitTable,
};

/// Whether records are laid out as this module expects.
const HAS_RECORDS: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
/// Most bytes between the arguments and the trampoline's frame record: saved registers and padding.
const MAX_DISTANCE: usize = 128;
/// In place of a distance: not known yet.
const UNKNOWN: usize = usize::MAX;
/// Frames there is room for at once.
const TYPICAL_FRAMES: usize = 16;

/// Finds the frames of compiled code on an engine's stacks.
pub(crate) struct FrameWalker {
    stacks: FiberStacks,
    guest_code: Range<usize>,
    /// Bytes between the end of `capture_stack`'s arguments and the frame record of its trampoline.
    distance: AtomicUsize,
    /// Whether a walk gave what Wasmtime gives.
    confirmed: AtomicBool,
}

impl FrameWalker {
    /// `guest_code` is where the guest's native code is.
    pub(crate) fn new(stacks: FiberStacks, guest_code: Range<usize>) -> Self {
        FrameWalker { stacks, guest_code, distance: AtomicUsize::new(UNKNOWN), confirmed: AtomicBool::new(false) }
    }

    /// The frames of units on the caller's stack, innermost first, at most `capacity`. `arguments` is the address where
    /// the arguments of the host function that the guest called end; `backtrace` asks Wasmtime.
    pub(crate) fn capture(
        &self,
        units: &UnitTable,
        arguments: usize,
        capacity: usize,
        backtrace: impl FnOnce() -> WasmBacktrace,
    ) -> Vec<Frame> {
        let distance = self.distance.load(Ordering::Relaxed);
        let walked = (distance != UNKNOWN)
            .then(|| self.records(arguments + distance))
            .flatten()
            .map(|records| self.frames(units, records, capacity));
        let walked = match walked {
            Some(frames) if self.confirmed.load(Ordering::Relaxed) => return frames,
            walked => walked,
        };
        let expected = trace::frames_of(&backtrace(), units, capacity);
        if let Some(frames) = walked.filter(|_| !expected.is_empty()) {
            let positions = |frames: &[Frame]| frames.iter().map(|frame| frame.position(units)).collect::<Vec<_>>();
            if positions(&frames) == positions(&expected) {
                self.confirmed.store(true, Ordering::Relaxed);
            } else {
                self.distance.store(UNKNOWN, Ordering::Relaxed);
            }
        }
        expected
    }

    /// Finds the distance in a call that the guest makes before any other on the caller's stack: nothing that looks like
    /// a record has been left there by calls that are over.
    pub(crate) fn measure(&self, arguments: usize) {
        if HAS_RECORDS && self.distance.load(Ordering::Relaxed) == UNKNOWN {
            let mut starts = (arguments..=arguments + MAX_DISTANCE).step_by(align_of::<usize>());
            if let Some(start) = starts.find(|&start| self.records(start).is_some()) {
                self.distance.store(start - arguments, Ordering::Relaxed);
            }
        }
    }

    /// The records from `start` outwards, if that is the record of a call by the guest.
    fn records(&self, start: usize) -> Option<Records> {
        let records = Records { at: start, stack: self.stacks.containing(start)? };
        let [_, address] = records.read()?;
        self.guest_code.contains(&address).then_some(records)
    }

    /// Frames of units, as long as return addresses lie in the guest's code or a unit's.
    fn frames(&self, units: &UnitTable, records: Records, capacity: usize) -> Vec<Frame> {
        let mut frames = Vec::with_capacity(capacity.min(TYPICAL_FRAMES));
        for address in records {
            if frames.len() == capacity {
                break;
            }
            match units.unit_at(address) {
                Some((unit, offset)) => frames.push(Frame::Native { unit, offset }),
                None if self.guest_code.contains(&address) => {}
                None => break,
            }
        }
        frames
    }
}

/// The return addresses in a chain of frame records.
struct Records {
    /// The next record.
    at: usize,
    stack: Range<usize>,
}

impl Records {
    /// The caller's record and the return address, if there is a record.
    fn read(&self) -> Option<[usize; 2]> {
        const SIZE: usize = size_of::<[usize; 2]>();
        let inside = self.at >= self.stack.start && self.at <= self.stack.end - SIZE;
        if !inside || !self.at.is_multiple_of(align_of::<usize>()) {
            return None;
        }
        // SAFETY: the two words are aligned and lie in the stack that the caller runs on, which is mapped. Whatever they
        // hold is only compared with the bounds of the stack and of code.
        Some(unsafe { (self.at as *const [usize; 2]).read_volatile() })
    }
}

impl Iterator for Records {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let [caller, address] = self.read()?;
        // Callers lie above; anything else ends the chain.
        self.at = if caller > self.at { caller } else { self.stack.end };
        Some(address)
    }
}
