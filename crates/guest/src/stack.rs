//! Stack traces: frames of compiled code, and the async functions that wait for them. Only the host knows what a frame means
//! (see [`convex_wasm_abi::bridge::stack_frame`]).

use core::mem::MaybeUninit;

use convex_wasm_abi::bridge::stack_frame as abi;

use crate::cell::Gc;
use crate::frame::FrameCell;
use crate::generator::AsyncGeneratorObject;
use crate::host;
use crate::names::keys;
use crate::object::{FunctionCell, FunctionRecord};
use crate::promise::{Action, PromiseObject, queue};
use crate::realm::{Intrinsic, intrinsic};
use crate::value::Value;

/// Most frames of a trace, whatever `Error.stackTraceLimit` says.
const MAX_LIMIT: usize = 100;
/// Frames of Wasm that a JavaScript function can take: its two entries, and a helper it was called by.
const FRAMES_OF_A_FUNCTION: usize = 3;

/// A frame: two words.
pub type StackFrame = [u32; 2];

/// A stack, innermost frame first.
pub struct Trace {
    limit: u32,
    /// Unit and first point of the function below which it is shown.
    below: [u32; 2],
    frames: Vec<StackFrame>,
}

impl Trace {
    /// The stack right now, without the frames down to the innermost of `below`, if that is given and compiled. `None` if
    /// `Error.stackTraceLimit` is no number.
    pub fn capture(below: Option<Gc<FunctionCell>>) -> Option<Trace> {
        let limit = limit()?;
        let below = below.map_or([abi::WHOLE, 0], |function| {
            let record = function.info.get();
            [record.unit.get(), record.first_point.get()]
        });
        Some(Trace { limit: limit as u32, below, frames: frames(limit) })
    }

    /// As the host wants it.
    pub fn words(&self) -> impl Iterator<Item = u32> {
        let header: [u32; abi::HEADER_WORDS] = [self.limit, self.below[0], self.below[1]];
        header.into_iter().chain(self.frames.iter().copied().flatten())
    }

    /// Its text: `\n    at name (convex:/module.js:line:column)` for each frame.
    pub fn to_text(&self) -> String {
        if self.frames.is_empty() { String::new() } else { host::format_stack(self.words()) }
    }
}

/// `Error.stackTraceLimit`.
fn limit() -> Option<usize> {
    let constructor = intrinsic(Intrinsic::ErrorPrototype).find(keys::constructor())?;
    let constructor = intrinsic(Intrinsic::ErrorPrototype).data_slot(constructor).as_object()?;
    let limit = constructor.find(keys::stack_trace_limit()).filter(|limit| !limit.attributes.is_accessor())?;
    let limit = constructor.data_slot(limit).as_number()?;
    Some((limit as usize).min(MAX_LIMIT))
}

fn frames(limit: usize) -> Vec<StackFrame> {
    let mut buffer = [MaybeUninit::uninit(); (MAX_LIMIT + 1) * FRAMES_OF_A_FUNCTION];
    let capacity = (limit + 1) * FRAMES_OF_A_FUNCTION;
    let captured = host::capture_stack(&mut buffer[..capacity]);
    let mut frames = captured.to_vec();
    if captured.len() < capacity {
        add_waiting(&mut frames, limit);
    }
    frames
}

/// Adds the async functions, and combinators of promises, that wait one for the other, the first for what the microtask
/// under way runs. Where more than one waits, nobody knows who called.
fn add_waiting(frames: &mut Vec<StackFrame>, limit: usize) {
    let mut waited_for = waited_for(queue::current());
    for _ in 0..limit {
        let Some(action) = waited_for.and_then(|promise| promise.sole_reaction()) else { return };
        waited_for = match action {
            Action::Resume(frame) => {
                frames.push(suspended(frame));
                self::waited_for(frame.owner.get())
            }
            Action::Then { derived, .. } => derived.and_then(|derived| self::waited_for(derived.promise())),
            Action::Native(reaction, data) => {
                match crate::builtins::promise_statics::waiting_combinator(reaction, data) {
                    Some((frame, promise)) => {
                        frames.extend(frame);
                        self::waited_for(promise)
                    }
                    None => return,
                }
            }
        };
    }
}

/// The promise that whoever waits for an async function or generator waits for.
fn waited_for(owner: Value) -> Option<Gc<PromiseObject>> {
    owner.as_kind::<PromiseObject>().or_else(|| owner.as_kind::<AsyncGeneratorObject>()?.first_promise())
}

fn suspended(frame: Gc<FrameCell>) -> StackFrame {
    let record: Gc<FunctionRecord> = frame.function.get().info.get();
    [abi::SUSPENDED << abi::UNIT_BITS | record.unit.get(), record.first_point.get() + frame.state()]
}
