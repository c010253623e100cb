//! Why did the guest end early?

use std::time::Duration;

use convex_wasm_abi::memory::{self, termination};
use convex_wasm_execution::{RunError, ThrownError};
use serde::Deserialize;
use wasmtime::{Trap, WasmBacktrace};

use crate::{
    bridge::Stop,
    cells::{self, Cells},
    trace::{self, Trace},
    units::UnitTable,
};

/// Frames of an error's stack, as in V8.
const STACK_FRAMES: usize = 10;

/// Translates what ended Wasm.
pub(crate) fn explain(
    error: &wasmtime::Error,
    stop: Option<Stop>,
    memory: &[u8],
    stack_pointer: Option<u32>,
    units: &UnitTable,
    budget: Duration,
) -> RunError {
    match stop {
        Some(Stop::Timeout) => return RunError::Timeout { maximum: budget },
        Some(Stop::Abort(error)) => return RunError::Aborted(error),
        None => {}
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => stack_overflow(error, units),
        Some(Trap::MemoryOutOfBounds) if stack_pointer.is_some_and(has_overflowed) => stack_overflow(error, units),
        Some(Trap::UnreachableCodeReached) => terminated(error, memory),
        _ => internal(error),
    }
}

/// The Rust stack grows down to address 0 and wraps.
fn has_overflowed(stack_pointer: u32) -> bool {
    stack_pointer > memory::RUST_STACK_SIZE
}

fn stack_overflow(error: &wasmtime::Error, units: &UnitTable) -> RunError {
    let backtrace = error.downcast_ref::<WasmBacktrace>();
    let frames = backtrace.map(|backtrace| trace::frames_of(backtrace, units, STACK_FRAMES)).unwrap_or_default();
    RunError::Thrown(Box::new(ThrownError {
        name: "RangeError".to_owned(),
        message: "Maximum call stack size exceeded".to_owned(),
        text: "RangeError: Maximum call stack size exceeded".to_owned(),
        stack: trace::locate_all(&frames, units),
        ..ThrownError::default()
    }))
}

/// The guest executed `unreachable` and said why.
fn terminated(error: &wasmtime::Error, memory: &[u8]) -> RunError {
    let cells = Cells(memory);
    let (address, length) = (cells.u32(memory::RESULT), cells.u32(memory::RESULT + 4));
    let text = String::from_utf8_lossy(cells::slice(memory, address, length).unwrap_or_default()).into_owned();
    match cells.u32(memory::TERMINATION) {
        termination::OUT_OF_MEMORY => out_of_memory(),
        termination::HAND_OVER => RunError::HandOver { built_in: text },
        termination::PANIC => RunError::Internal(format!("the guest panicked: {text}")),
        _ => internal(error),
    }
}

/// The heap is full.
pub(crate) fn out_of_memory() -> RunError {
    RunError::OutOfMemory { maximum_mb: convex_wasm_knobs::ISOLATE_MAX_USER_HEAP_SIZE.get() >> 20 }
}

fn internal(error: &wasmtime::Error) -> RunError {
    RunError::Internal(format!("{error:?}"))
}

/// What a guest export that answered FAILED left for the host.
#[derive(Deserialize)]
struct FailedCall {
    #[serde(default)]
    name: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    text: String,
    data: Option<String>,
    #[serde(default)]
    unhandled: bool,
    #[serde(default)]
    stack: Vec<u32>,
}

/// The exception that a guest export answered.
pub(crate) fn thrown(json: &[u8], units: &UnitTable) -> RunError {
    let failed: FailedCall = match serde_json::from_slice(json) {
        Ok(failed) => failed,
        Err(error) => return RunError::Internal(format!("the guest's error is malformed: {error}")),
    };
    let stack = Trace::decode(&failed.stack).map(|trace| trace.own_frames(units));
    RunError::Thrown(Box::new(ThrownError {
        name: failed.name,
        message: failed.message,
        text: failed.text,
        data: failed.data,
        is_unhandled_rejection: failed.unhandled,
        stack: stack.unwrap_or_default(),
    }))
}
