//! The host's side of the bridge: the functions a guest imports (see [`convex_wasm_abi::bridge`]).

use std::{mem::MaybeUninit, sync::Arc, time::Instant};

use convex_wasm_abi::{bridge::op, memory};
use convex_wasm_execution::{BoxError, Host, HostError, LogLevel, ThrowError};
use wasmtime::{Caller, Extern, Func, FuncType, Memory, Store, ValRaw, ValType, WasmBacktrace};

use crate::{
    cells::{self, Cells},
    engine::Engine,
    roots,
    trace::Trace,
    units::UnitTable,
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
    engine: Engine,
    /// The linear memory, once it exists.
    pub(crate) memory: Option<Memory>,
    /// Replies of `call` that the guest has not taken yet. (The room for one may cost a collection, which asks for more.)
    replies: Vec<Vec<u8>>,
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
    pub(crate) fn new(engine: Engine, units: Arc<UnitTable>) -> Self {
        State {
            host: None,
            stop: None,
            ticks_left: 0,
            units,
            engine,
            memory: None,
            replies: Vec::new(),
            started: Instant::now(),
        }
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
        self.replies = Vec::new();
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
        "capture_stack" => {
            let ty = FuncType::new(store.engine(), [ValType::I32, ValType::I32], [ValType::I32]);
            // SAFETY: the function reads two words and writes one, as its type says.
            unsafe { Func::new_unchecked(store, ty, capture_stack::<H>) }.into()
        }
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
    if let op::STACK_REFERENCES | op::WRITTEN_PAGES = op {
        let reply = find_roots(state, op, argument, bytes)?;
        return leave(state, reply).map_err(Into::into);
    }
    let (reply, thrown) = match operation(state, op, phase, argument)? {
        Ok(reply) => (reply, false),
        Err(HostError::Throw(error)) => (throw_text(&error), true),
        Err(HostError::Abort(error)) => {
            state.stop = Some(Stop::Abort(error));
            return Err(Stopped.into());
        }
    };
    let length = leave(state, reply)?;
    Ok(if thrown { -1 - length } else { length })
}

/// Keeps a reply for the guest to take. Answers its length.
fn leave<H>(state: &mut State<H>, reply: Vec<u8>) -> Result<i32, BridgeError> {
    let length = i32::try_from(reply.len()).map_err(|_| BridgeError::TooLong(reply.len()))?;
    state.replies.push(reply);
    Ok(length)
}

/// What the collector of the guest wants to know about a range of its memory.
fn find_roots<H>(state: &State<H>, op: u32, argument: &[u8], memory: &[u8]) -> Result<Vec<u8>, BridgeError> {
    let [start, end] = words(argument).ok_or(BridgeError::Malformed(op))?[..] else {
        return Err(BridgeError::Malformed(op));
    };
    if start > end || end as usize > memory.len() {
        return Err(BridgeError::OutOfBounds { address: start, length: end.wrapping_sub(start) });
    }
    let (engine, base, range) = (&state.engine.0, memory.as_ptr(), start..end);
    Ok(match op {
        op::STACK_REFERENCES => {
            roots::stack_references(&engine.stacks, base, &range).into_iter().flat_map(u32::to_le_bytes).collect()
        }
        _ => {
            let runs = roots::written_pages(engine.pagemap.as_ref(), base, &range);
            let runs = roots::without_constants(runs, memory, &engine.guest.data);
            runs.into_iter().flat_map(|run| [run.start, run.end]).flat_map(u32::to_le_bytes).collect()
        }
    })
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
            let words = words(argument).ok_or_else(malformed)?;
            let trace = Trace::decode(&words).ok_or_else(malformed)?;
            Ok(trace.to_text(&state.units).into_bytes())
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
    let reply = state.replies.pop().unwrap_or_default();
    let length = reply.len() as u32;
    let target = cells::slice_mut(bytes, address, length).ok_or(BridgeError::OutOfBounds { address, length })?;
    target.copy_from_slice(&reply);
    Ok(())
}

/// `capture_stack`. It takes its arguments as they lie in the frame of the trampoline that called it, since that is where
/// the walk begins.
fn capture_stack<H: Host>(
    mut caller: Caller<'_, State<H>>,
    values: &mut [MaybeUninit<ValRaw>],
) -> wasmtime::Result<()> {
    let arguments = values.as_ptr_range().end.addr();
    let [address, capacity] = values else { return Err(BridgeError::Malformed(0).into()) };
    // SAFETY: the type of the function says that these are words.
    let [first, second] = [&*address, capacity].map(|value| unsafe { value.assume_init_ref() }.get_u32());
    let state = caller.data();
    if second == 0 {
        state.engine.0.walker.measure(arguments);
    }
    let backtrace = || WasmBacktrace::capture(&caller);
    let frames = state.engine.0.walker.capture(&state.units, arguments, second as usize, backtrace);
    let length = 8 * frames.len() as u32;
    let memory = memory_of(&caller)?;
    let bytes = memory.data_mut(&mut caller);
    let target = cells::slice_mut(bytes, first, length).ok_or(BridgeError::OutOfBounds { address: first, length })?;
    for (place, word) in target.chunks_exact_mut(4).zip(frames.iter().flat_map(|frame| frame.encode())) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    address.write(ValRaw::u32(frames.len() as u32));
    Ok(())
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
