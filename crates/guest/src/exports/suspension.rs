//! Async functions and generators.

use super::cell;
use crate::frame::{FrameCell, start_async};
use crate::generator;
use crate::promise::await_in_frame;
use crate::throw::{to_status, to_word};
use crate::value::Value;

#[unsafe(no_mangle)]
extern "C" fn rt_new_frame(function: u32, slots: u32, code: u32) -> u32 {
    FrameCell::allocate(cell(function), slots, code).address()
}

#[unsafe(no_mangle)]
extern "C" fn rt_async_start(frame: u32) -> Value {
    start_async(cell(frame)).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_await(frame: u32, value: Value) -> i32 {
    to_status(await_in_frame(cell(frame), value))
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_generator(frame: u32) -> Value {
    to_word(generator::new_generator(cell(frame)).map(Value::from))
}

#[unsafe(no_mangle)]
extern "C" fn rt_async_yield(frame: u32, value: Value) {
    generator::async_yield(cell(frame), value);
}
