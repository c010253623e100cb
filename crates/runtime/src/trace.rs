//! Stack traces: frames as the guest keeps them, and what they say about the JavaScript.

use std::fmt::Write;

use convex_wasm_abi::bridge::stack_frame;
use convex_wasm_compiler::unit::{CodePoint, CodePosition, FunctionMeta};
use convex_wasm_execution::StackFrame;
use wasmtime::WasmBacktrace;

use crate::units::UnitTable;

/// A frame (see [`stack_frame`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// At an offset in a unit's Wasm.
    Wasm { unit: u32, offset: u32 },
    /// Before a return address in a unit's native code.
    Native { unit: u32, offset: u32 },
    /// Of a function that waits at a point.
    Suspended { unit: u32, point: u32 },
    /// Of a combinator of promises that waits for an element.
    Combinator { name: &'static str, index: u32 },
}

impl Frame {
    /// The words of a frame that was captured; zeros for others, which only the guest makes.
    pub(crate) fn encode(self) -> [u32; 2] {
        let (kind, unit, offset) = match self {
            Frame::Wasm { unit, offset } => (stack_frame::WASM, unit, offset),
            Frame::Native { unit, offset } => (stack_frame::NATIVE, unit, offset),
            Frame::Suspended { .. } | Frame::Combinator { .. } => (0, 0, 0),
        };
        [kind << stack_frame::UNIT_BITS | unit, offset]
    }

    fn decode([first, second]: [u32; 2]) -> Option<Frame> {
        let unit = first & ((1 << stack_frame::UNIT_BITS) - 1);
        Some(match first >> stack_frame::UNIT_BITS {
            stack_frame::WASM => Frame::Wasm { unit, offset: second },
            stack_frame::NATIVE => Frame::Native { unit, offset: second },
            stack_frame::SUSPENDED => Frame::Suspended { unit, point: second },
            stack_frame::PROMISE_ALL => Frame::Combinator { name: "all", index: second },
            stack_frame::PROMISE_ALL_SETTLED => Frame::Combinator { name: "allSettled", index: second },
            stack_frame::PROMISE_ANY => Frame::Combinator { name: "any", index: second },
            _ => return None,
        })
    }

    /// Unit and Wasm offset of running code.
    pub(crate) fn position(self, units: &UnitTable) -> Option<(u32, u32)> {
        match self {
            Frame::Wasm { unit, offset } => Some((unit, offset)),
            // The call is what lies before the return address.
            Frame::Native { unit, offset } => Some((unit, units.wasm_offset(unit, offset.checked_sub(1)?)?)),
            Frame::Suspended { .. } | Frame::Combinator { .. } => None,
        }
    }

    /// Unit of a running function, and what is known of the function.
    fn function(self, units: &UnitTable) -> Option<(u32, &FunctionMeta)> {
        let (unit, offset) = self.position(units)?;
        let functions = &units.unit(unit as usize)?.functions;
        let index = functions.partition_point(|function| function.code_offset <= offset).checked_sub(1)?;
        Some((unit, &functions[index]))
    }

    /// Function and source position; `None` for a place that no unit has and for outlined code.
    fn locate(self, units: &UnitTable) -> Option<StackFrame> {
        match self {
            Frame::Wasm { .. } | Frame::Native { .. } => self.locate_running(units),
            Frame::Suspended { unit, point } => {
                let unit = units.unit(unit as usize)?;
                let CodePoint { function, line, column } = unit.points.get(point as usize)?.clone();
                Some(StackFrame { path: unit.path.clone(), function, is_async: true, line, column })
            }
            Frame::Combinator { name, index } => Some(StackFrame {
                function: format!("Promise.{name} (index {index})"),
                is_async: true,
                ..StackFrame::default()
            }),
        }
    }

    fn locate_running(self, units: &UnitTable) -> Option<StackFrame> {
        let (unit, offset) = self.position(units)?;
        let unit = units.unit(unit as usize)?;
        let index = unit.positions.partition_point(|code| code.offset <= offset).checked_sub(1)?;
        let CodePosition { line, column, .. } = unit.positions[index];
        if line == CodePosition::NO_LINE {
            return None;
        }
        let function = self.function(units).map(|(_, function)| function.name.clone()).unwrap_or_default();
        Some(StackFrame { path: unit.path.clone(), function, is_async: false, line, column })
    }
}

/// Where an error was made: what the guest captured (see [`stack_frame`]).
pub(crate) struct Trace<'w> {
    limit: usize,
    /// Unit and first point of a function; frames down to its innermost are left out.
    below: Option<(u32, u32)>,
    frames: &'w [[u32; 2]],
}

impl<'w> Trace<'w> {
    /// `None` if that is no trace.
    pub(crate) fn decode(words: &'w [u32]) -> Option<Self> {
        let (&[limit, unit, point], rest) = words.split_first_chunk::<{ stack_frame::HEADER_WORDS }>()?;
        let (frames, []) = rest.as_chunks() else { return None };
        Some(Trace { limit: limit as usize, below: (unit != stack_frame::WHOLE).then_some((unit, point)), frames })
    }

    /// The frames of JavaScript, innermost first, with functions' own names: without `new` and the class of a method.
    pub(crate) fn own_frames(&self, units: &UnitTable) -> Vec<StackFrame> {
        self.locate(units).into_iter().map(with_own_name).collect()
    }

    /// The frames of JavaScript, innermost first, with functions' names as V8 writes them.
    fn locate(&self, units: &UnitTable) -> Vec<StackFrame> {
        let frames = self.frames.iter().filter_map(|&frame| Frame::decode(frame));
        let shown: Vec<Frame> = match self.below {
            Some(below) => frames
                .skip_while(|frame| {
                    frame.function(units).map(|(unit, function)| (unit, function.first_point)) != Some(below)
                })
                .skip(1)
                .collect(),
            None => frames.collect(),
        };
        shown.into_iter().filter_map(|frame| frame.locate(units)).take(self.limit).collect()
    }

    /// The lines of `error.stack`, in V8's format.
    pub(crate) fn to_text(&self, units: &UnitTable) -> String {
        let mut text = String::new();
        for StackFrame { path, function, is_async, line, column } in self.locate(units) {
            let (marker, line, column) = (if is_async { "async " } else { "" }, line + 1, column + 1);
            // Writing to a string cannot fail.
            let _ = match (path.as_str(), function.as_str()) {
                ("", function) => write!(text, "\n    at {marker}{function}"),
                (path, "") => write!(text, "\n    at {marker}convex:/{path}:{line}:{column}"),
                (path, function) => write!(text, "\n    at {marker}{function} (convex:/{path}:{line}:{column})"),
            };
        }
        text
    }
}

/// The frames of units in Wasmtime's backtrace, innermost first, at most `capacity`.
pub(crate) fn frames_of(backtrace: &WasmBacktrace, units: &UnitTable, capacity: usize) -> Vec<Frame> {
    let frames = backtrace.frames().iter().filter_map(|frame| {
        let unit = units.unit_of(frame.module())?;
        let offset = u32::try_from(frame.module_offset()?).ok()?;
        Some(Frame::Wasm { unit, offset })
    });
    frames.take(capacity).collect()
}

/// What frames of running code say about the JavaScript.
pub(crate) fn locate_all(frames: &[Frame], units: &UnitTable) -> Vec<StackFrame> {
    frames.iter().filter_map(|frame| frame.locate(units)).map(with_own_name).collect()
}

/// Takes `new` and the class of a method off the function's name.
fn with_own_name(frame: StackFrame) -> StackFrame {
    if frame.path.is_empty() {
        return frame;
    }
    let name = frame.function.strip_prefix("new ").unwrap_or(&frame.function);
    let function = name.rsplit('.').next().unwrap_or(name).to_owned();
    StackFrame { function, ..frame }
}
