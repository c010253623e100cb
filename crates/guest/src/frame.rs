//! Frames of async functions and generators (see [`convex_wasm_abi::layout::frame`]).

use core::cell::Cell;

use convex_wasm_abi::layout::{frame as abi, kind};

use crate::call::{NATIVE_FRAME, check_stack};
use crate::cell::{Gc, Header};
use crate::heap;
use crate::memory::STACK_DEPTH;
use crate::object::FunctionCell;
use crate::promise::{PromiseObject, queue};
use crate::throw::{JsResult, from_word};
use crate::value::Value;

/// A frame; its slots follow.
#[repr(C)]
pub struct FrameCell {
    /// Extra: number of slots. Word: state of the compiled code.
    header: Header,
    /// The function that was called.
    pub function: Cell<Gc<FunctionCell>>,
    code: Cell<u32>,
    /// The promise or generator object.
    pub owner: Cell<Value>,
}

/// How a frame is resumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResumeMode {
    /// Go on with the value.
    Next,
    /// Throw it.
    Throw,
    /// Return it.
    Return,
}

impl ResumeMode {
    /// The number compiled code knows.
    pub fn number(self) -> i32 {
        match self {
            ResumeMode::Next => abi::NEXT,
            ResumeMode::Throw => abi::THROW,
            ResumeMode::Return => abi::RETURN,
        }
    }

    /// The mode with that number.
    pub fn from_number(number: i32) -> ResumeMode {
        match number {
            abi::NEXT => ResumeMode::Next,
            abi::THROW => ResumeMode::Throw,
            _ => ResumeMode::Return,
        }
    }
}

type ResumeFunction = extern "C" fn(u32, i32, Value) -> Value;

impl FrameCell {
    /// A frame at its start; slots are UNDEFINED.
    pub fn allocate(function: Gc<FunctionCell>, slots: u32, code: u32) -> Gc<FrameCell> {
        let address = heap::allocate(abi::SLOTS + slots * 8);
        let cell = FrameCell {
            header: Header::new(kind::FRAME, 0, slots as u16, 0),
            function: Cell::new(function),
            code: Cell::new(code),
            owner: Cell::new(Value::UNDEFINED),
        };
        // SAFETY: fresh memory for the frame and its slots.
        unsafe {
            core::ptr::write(address as usize as *mut FrameCell, cell);
            for slot in 0..slots {
                core::ptr::write((address + abi::SLOTS + slot * 8) as usize as *mut Value, Value::UNDEFINED);
            }
            Gc::from_address(address)
        }
    }
}

impl FrameCell {
    /// State of the compiled code: the number of the point where it is suspended.
    pub fn state(&self) -> u32 {
        self.header.word.get()
    }
}

impl Gc<FrameCell> {
    /// Runs to the next suspension (`Ok(SUSPENDED)`), the completion value, or an exception.
    #[inline]
    pub fn run(self, mode: ResumeMode, value: Value) -> JsResult {
        // SAFETY: compiled code gave the table index of a resume function; on wasm32 a function pointer is its table index.
        let code = unsafe { core::mem::transmute::<usize, ResumeFunction>(self.code.get() as usize) };
        check_stack()?;
        let depth = STACK_DEPTH.get();
        STACK_DEPTH.set(depth + NATIVE_FRAME);
        let word = code(self.address(), mode.number(), value);
        STACK_DEPTH.set(depth);
        from_word(word)
    }
}

/// Starts an async function: runs it to its first suspension and answers its promise.
pub fn start_async(frame: Gc<FrameCell>) -> Gc<PromiseObject> {
    let promise = PromiseObject::pending();
    frame.owner.set(promise.into());
    step_async(frame, promise, ResumeMode::Next, Value::UNDEFINED);
    promise
}

fn step_async(frame: Gc<FrameCell>, promise: Gc<PromiseObject>, mode: ResumeMode, value: Value) {
    match frame.run(mode, value) {
        Ok(Value::SUSPENDED) => {}
        Ok(value) => promise.resolve(value),
        Err(thrown) => promise.reject(thrown.take()),
    }
}

/// Goes on with a frame that awaited something.
#[inline]
pub fn resume(frame: Gc<FrameCell>, rejected: bool, value: Value) {
    let mode = if rejected { ResumeMode::Throw } else { ResumeMode::Next };
    queue::set_current(frame.owner.get());
    match frame.owner.get().as_kind::<PromiseObject>() {
        Some(promise) => step_async(frame, promise, mode, value),
        None => crate::generator::resume_async_generator(frame, mode, value),
    }
}
