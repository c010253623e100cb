//! Stack traces: frames as the guest keeps them, and what they say about the JavaScript.

use std::fmt::Write;

use convex_wasm_abi::bridge::stack_frame;
use convex_wasm_compiler::unit::CodePosition;
use convex_wasm_execution::StackFrame;
use wasmtime::WasmBacktrace;

use crate::units::UnitTable;

/// Where a frame is (see [`stack_frame`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// At an offset in a unit's Wasm.
    Wasm { unit: u32, offset: u32 },
    /// Before a return address in a unit's native code.
    Native { unit: u32, offset: u32 },
}

impl Frame {
    pub(crate) fn encode(self) -> [u32; 2] {
        let (kind, unit, offset) = match self {
            Frame::Wasm { unit, offset } => (stack_frame::WASM, unit, offset),
            Frame::Native { unit, offset } => (stack_frame::NATIVE, unit, offset),
        };
        [kind << stack_frame::UNIT_BITS | unit, offset]
    }

    pub(crate) fn decode([first, offset]: [u32; 2]) -> Option<Frame> {
        let unit = first & ((1 << stack_frame::UNIT_BITS) - 1);
        match first >> stack_frame::UNIT_BITS {
            stack_frame::WASM => Some(Frame::Wasm { unit, offset }),
            stack_frame::NATIVE => Some(Frame::Native { unit, offset }),
            _ => None,
        }
    }

    /// Unit and Wasm offset.
    pub(crate) fn position(self, units: &UnitTable) -> Option<(u32, u32)> {
        match self {
            Frame::Wasm { unit, offset } => Some((unit, offset)),
            // The call is what lies before the return address.
            Frame::Native { unit, offset } => Some((unit, units.wasm_offset(unit, offset.checked_sub(1)?)?)),
        }
    }

    /// Function and source position; `None` for a position that no unit has and for outlined code.
    pub(crate) fn locate(self, units: &UnitTable) -> Option<StackFrame> {
        let (unit, offset) = self.position(units)?;
        let unit = units.unit(unit as usize)?;
        let functions = &unit.functions;
        let function = functions.partition_point(|function| function.code_offset <= offset).checked_sub(1);
        let index = unit.positions.partition_point(|code| code.offset <= offset).checked_sub(1);
        let code = index.map(|index| unit.positions[index]);
        if code.is_some_and(|code| code.line == CodePosition::NO_LINE) {
            return None;
        }
        Some(StackFrame {
            path: unit.path.clone(),
            function: function.map(|index| functions[index].name.clone()).unwrap_or_default(),
            line: code.map_or(0, |code| code.line),
            column: code.map_or(0, |code| code.column),
        })
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

/// The lines of `error.stack` for these frames, in V8's format.
pub(crate) fn format(frames: impl IntoIterator<Item = Frame>, units: &UnitTable) -> String {
    let mut text = String::new();
    for frame in frames.into_iter().filter_map(|frame| frame.locate(units)) {
        let (line, column) = (frame.line + 1, frame.column + 1);
        let place = format!("convex:/{}:{line}:{column}", frame.path);
        // Writing to a string cannot fail.
        let _ = match frame.function.as_str() {
            "" => write!(text, "\n    at {place}"),
            name => write!(text, "\n    at {name} ({place})"),
        };
    }
    text
}
