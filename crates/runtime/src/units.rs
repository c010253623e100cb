//! The units of a program, and what a stack trace needs to know of them.

use std::{collections::BTreeMap, fmt::Write, sync::Arc};

use convex_wasm_compiler::unit::{CodePosition, CompiledUnit};
use convex_wasm_execution::StackFrame;
use wasmtime::{Module, WasmBacktrace};

use crate::native::{Loaded, NativeUnit};

/// A unit as a program contains it.
#[derive(Clone)]
pub struct ProgramUnit {
    /// Its code.
    pub native: NativeUnit,
    /// The JavaScript it was made from, for `Function.prototype.toString`.
    pub source: Arc<str>,
}

/// Where a frame is: index of the unit, byte offset in its Wasm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramePosition {
    pub(crate) unit: u32,
    pub(crate) offset: u32,
}

/// The units of a program by index, and by the address of their native code.
pub(crate) struct UnitTable {
    units: Vec<ProgramUnit>,
    by_code: BTreeMap<usize, u32>,
}

impl UnitTable {
    pub(crate) fn new(units: Vec<ProgramUnit>) -> Self {
        let by_code =
            (0..).zip(&units).map(|(index, unit)| (code_address(&unit.native.loaded.module), index)).collect();
        UnitTable { units, by_code }
    }

    pub(crate) fn unit(&self, index: usize) -> Option<&CompiledUnit> {
        self.units.get(index).map(|unit| &*unit.native.unit)
    }

    pub(crate) fn loaded(&self, index: usize) -> Option<&Loaded> {
        self.units.get(index).map(|unit| &unit.native.loaded)
    }

    /// The path of a unit, for messages.
    pub(crate) fn path(&self, index: usize) -> &str {
        self.unit(index).map_or("(unknown module)", |unit| &unit.path)
    }

    /// Bytes `start..end` of the source of a unit.
    pub(crate) fn source(&self, unit: usize, start: usize, end: usize) -> Option<&str> {
        self.units.get(unit)?.source.get(start..end)
    }

    /// The frames of units in a backtrace, innermost first, at most `capacity`.
    pub(crate) fn frames(&self, backtrace: &WasmBacktrace, capacity: usize) -> Vec<FramePosition> {
        let positions = backtrace.frames().iter().filter_map(|frame| {
            let unit = *self.by_code.get(&code_address(frame.module()))?;
            let offset = u32::try_from(frame.module_offset()?).ok()?;
            Some(FramePosition { unit, offset })
        });
        positions.take(capacity).collect()
    }

    /// Function and source position of a frame; `None` for a position that no unit has and for outlined code.
    pub(crate) fn locate(&self, position: FramePosition) -> Option<StackFrame> {
        let unit = self.unit(position.unit as usize)?;
        let functions = &unit.functions;
        let function = functions.partition_point(|function| function.code_offset <= position.offset).checked_sub(1);
        let index = unit.positions.partition_point(|code| code.offset <= position.offset).checked_sub(1);
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

    /// The lines of `error.stack` for these frames, in V8's format.
    pub(crate) fn format(&self, positions: impl IntoIterator<Item = FramePosition>) -> String {
        let mut text = String::new();
        for frame in positions.into_iter().filter_map(|position| self.locate(position)) {
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
}

/// Identifies a loaded module: nothing else is at the address of its native code.
fn code_address(module: &Module) -> usize {
    module.image_range().start as usize
}
