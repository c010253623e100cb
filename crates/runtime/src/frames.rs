//! The frames of compiled code on a fiber's stack, found without Wasmtime.
//!
//! [`WasmBacktrace`](wasmtime::WasmBacktrace) looks every frame's module, function and position up, microseconds in all:
//! too much for an error whose stack nobody reads. Cranelift keeps frame pointers, so return addresses alone are a walk
//! along a chain of frame records: two words each, the caller's record and the return address into the caller.
//! The chain begins in the frame of the trampoline through which the guest calls the host. The host function's arguments
//! lie in that frame too, and its record lies a little above them: always equally far, since the trampoline is the same.
//! How far is no promise of Wasmtime's, so first walks try distances until one gives what Wasmtime's own backtrace gives.

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
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
}

impl FrameWalker {
    /// `guest_code` is where the guest's native code is.
    pub(crate) fn new(stacks: FiberStacks, guest_code: Range<usize>) -> Self {
        FrameWalker { stacks, guest_code, distance: AtomicUsize::new(UNKNOWN) }
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
        if distance != UNKNOWN
            && let Some(records) = self.records(arguments + distance)
        {
            return self.frames(units, records, capacity);
        }
        let frames = trace::frames_of(&backtrace(), units, capacity);
        if HAS_RECORDS && distance == UNKNOWN && !frames.is_empty() {
            self.measure(units, arguments, &frames);
        }
        frames
    }

    /// Finds the distance at which a walk gives the frames that Wasmtime gave.
    fn measure(&self, units: &UnitTable, arguments: usize, expected: &[Frame]) {
        let positions = |frames: &[Frame]| frames.iter().map(|frame| frame.position(units)).collect::<Vec<_>>();
        let wanted = positions(expected);
        let starts = (arguments..=arguments + MAX_DISTANCE).step_by(align_of::<usize>());
        let fitting: Vec<Records> = starts
            .filter_map(|start| self.records(start))
            .filter(|records| positions(&self.frames(units, records.clone(), expected.len())) == wanted)
            .collect();
        // Records of callers fit as well. Anything else may be what a dead call left in the padding; a later call will tell.
        let is_chain = fitting.windows(2).all(|pair| pair[0].caller() == Some(pair[1].at));
        if let Some(first) = fitting.first().filter(|_| is_chain) {
            self.distance.store(first.at - arguments, Ordering::Relaxed);
        }
    }

    /// The records from `start` outwards, if that is the record of a call by the guest.
    fn records(&self, start: usize) -> Option<Records> {
        let records = Records { at: start, stack: self.stacks.containing(start)? };
        records.clone().next().filter(|address| self.guest_code.contains(address))?;
        Some(records)
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
#[derive(Clone)]
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

    fn caller(&self) -> Option<usize> {
        self.read().map(|[caller, _]| caller)
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
