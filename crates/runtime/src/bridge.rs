//! The host's side of the bridge: the functions a guest imports (see [`convex_wasm_abi::bridge`]).

use std::{sync::Arc, time::Instant};

use convex_wasm_abi::{bridge::op, memory};
use convex_wasm_execution::{BoxError, Host, HostError, LogLevel, ThrowError};
use wasmtime::{Caller, Extern, Func, Memory, Store, WasmBacktrace};

use crate::{
    cells::{self, Cells},
    units::{FramePosition, UnitTable},
};

/// What the host keeps beside a guest.
pub(crate) struct State<H> {
    /// The world of the execution under way.
    pub(crate) host: Option<H>,
    /// Why the host stopped the guest, if it did.
    pub(crate) stop: Option<Stop>,
    /// Ticks the guest may still compute for.
    pub(crate) ticks_left: u64,
    pub(crate) units: Arc<UnitTable>,
    /// The linear memory, once it exists.
    pub(crate) memory: Option<Memory>,
    /// The reply of the last `call`, until the guest takes it.
    reply: Vec<u8>,
    started: Instant,
}

/// Why the host stopped a guest.
pub(crate) enum Stop {
    /// It computed for too long.
    Timeout,
    /// The host's own error.
    Abort(BoxError),
}

/// The error that ends Wasm when [`State::stop`] says why.
#[derive(Debug, thiserror::Error)]
#[error("the host stopped the guest")]
pub(crate) struct Stopped;

/// The guest broke the contract.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BridgeError {
    #[error("operation {0} does not exist")]
    UnknownOperation(u32),
    #[error("the argument of operation {0} is malformed")]
    Malformed(u32),
    #[error("bytes {address}+{length} lie outside the memory")]
    OutOfBounds { address: u32, length: u32 },
    #[error("operation {0} is not available in this phase")]
    WrongPhase(u32),
    #[error("no execution is under way")]
    NoExecution,
    #[error("a reply of {0} bytes is too long")]
    TooLong(usize),
}

impl<H: Host> State<H> {
    pub(crate) fn new(units: Arc<UnitTable>) -> Self {
        State { host: None, stop: None, ticks_left: 0, units, memory: None, reply: Vec::new(), started: Instant::now() }
    }

    /// Begins an execution.
    pub(crate) fn start(&mut self, host: H) {
        self.host = Some(host);
        self.started = Instant::now();
    }

    /// Forgets all about the last execution.
    pub(crate) fn clear(&mut self) {
        self.host = None;
        self.stop = None;
        self.reply = Vec::new();
    }

    fn host(&mut self) -> Result<&mut H, BridgeError> {
        self.host.as_mut().ok_or(BridgeError::NoExecution)
    }
}

/// The function that the guest imports as `host.<name>`.
pub(crate) fn import<H: Host>(store: &mut Store<State<H>>, name: &str) -> Option<Extern> {
    Some(match name {
        "call" => Func::wrap(store, call::<H>).into(),
        "take" => Func::wrap(store, take::<H>).into(),
        "capture_stack" => Func::wrap(store, capture_stack::<H>).into(),
        _ => return None,
    })
}

fn memory_of<H>(caller: &Caller<'_, State<H>>) -> Result<Memory, BridgeError> {
    caller.data().memory.ok_or(BridgeError::NoExecution)
}

fn call<H: Host>(mut caller: Caller<'_, State<H>>, op: u32, address: u32, length: u32) -> wasmtime::Result<i32> {
    let memory = memory_of(&caller)?;
    let (bytes, state) = memory.data_and_store_mut(&mut caller);
    let phase = Cells(&*bytes).u32(memory::PHASE);
    let argument = cells::slice(bytes, address, length).ok_or(BridgeError::OutOfBounds { address, length })?;
    let (reply, thrown) = match operation(state, op, phase, argument)? {
        Ok(reply) => (reply, false),
        Err(HostError::Throw(error)) => (throw_text(&error), true),
        Err(HostError::Abort(error)) => {
            state.stop = Some(Stop::Abort(error));
            return Err(Stopped.into());
        }
    };
    let length = i32::try_from(reply.len()).map_err(|_| BridgeError::TooLong(reply.len()))?;
    state.reply = reply;
    Ok(if thrown { -1 - length } else { length })
}

/// Does one synchronous operation. The outer error is the guest's fault, the inner one the host's answer.
fn operation<H: Host>(
    state: &mut State<H>,
    op: u32,
    phase: u32,
    argument: &[u8],
) -> Result<Result<Vec<u8>, HostError>, BridgeError> {
    let malformed = || BridgeError::Malformed(op);
    let reply = match op {
        op::SYSCALL => {
            let (length, rest) = argument.split_first_chunk().ok_or_else(malformed)?;
            let (name, json) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(malformed)?;
            state.host()?.syscall(&text(name), &text(json)).map(String::into_bytes)
        }
        op::ENV_GET => state.host()?.environment_variable(&text(argument)).map(|value| match value {
            Some(value) => format!("={value}").into_bytes(),
            None => Vec::new(),
        }),
        op::ENV_NAMES => state.host()?.environment_names().map(|names| serde_json::json!(names).to_string().into()),
        op::LOG => {
            let (&level, message) = argument.split_first().ok_or_else(malformed)?;
            let level = LogLevel::from_code(level).ok_or_else(malformed)?;
            state.host()?.log(level, text(message).into_owned()).map(|()| Vec::new())
        }
        op::FORMAT_STACK => {
            let frames = words(argument).ok_or_else(malformed)?;
            let positions = frames.chunks_exact(2).map(|frame| FramePosition { unit: frame[0], offset: frame[1] });
            Ok(state.units.format(positions).into_bytes())
        }
        op::SOURCE_TEXT => {
            let [unit, start, end] = words(argument).ok_or_else(malformed)?[..] else { return Err(malformed()) };
            let source = state.units.source(unit as usize, start as usize, end as usize);
            Ok(source.ok_or_else(malformed)?.as_bytes().to_vec())
        }
        op::MONOTONIC_NOW if phase == memory::phase::PROGRAM => {
            Ok((state.started.elapsed().as_nanos() as u64).to_le_bytes().to_vec())
        }
        op::MONOTONIC_NOW => return Err(BridgeError::WrongPhase(op)),
        _ => return Err(BridgeError::UnknownOperation(op)),
    };
    Ok(reply)
}

fn take<H: Host>(mut caller: Caller<'_, State<H>>, address: u32) -> wasmtime::Result<()> {
    let memory = memory_of(&caller)?;
    let (bytes, state) = memory.data_and_store_mut(&mut caller);
    let reply = std::mem::take(&mut state.reply);
    let length = reply.len() as u32;
    let target = cells::slice_mut(bytes, address, length).ok_or(BridgeError::OutOfBounds { address, length })?;
    target.copy_from_slice(&reply);
    Ok(())
}

fn capture_stack<H: Host>(mut caller: Caller<'_, State<H>>, address: u32, capacity: u32) -> wasmtime::Result<u32> {
    let backtrace = WasmBacktrace::capture(&caller);
    let frames = caller.data().units.frames(&backtrace, capacity as usize);
    let encoded: Vec<u8> =
        frames.iter().flat_map(|frame| [frame.unit, frame.offset]).flat_map(u32::to_le_bytes).collect();
    let memory = memory_of(&caller)?;
    let length = encoded.len() as u32;
    let bytes = memory.data_mut(&mut caller);
    let target = cells::slice_mut(bytes, address, length).ok_or(BridgeError::OutOfBounds { address, length })?;
    target.copy_from_slice(&encoded);
    Ok(frames.len() as u32)
}

/// What a failed synchronous operation makes the guest throw.
fn throw_text(error: &ThrowError) -> Vec<u8> {
    serde_json::json!(error).to_string().into_bytes()
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Little-endian words; `None` if the length is no multiple of four.
fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, []) = bytes.as_chunks() else { return None };
    Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
