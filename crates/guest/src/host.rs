//! The host's functions (see [`convex_wasm_abi::bridge`]).

use core::mem::MaybeUninit;

use convex_wasm_abi::bridge::op;

use crate::stack::StackFrame;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    fn call(op: u32, address: u32, length: u32) -> i32;
    fn take(address: u32);
    #[link_name = "capture_stack"]
    fn host_capture_stack(address: u32, capacity: u32) -> u32;
}

/// A synchronous host operation. `Err` holds the JSON of an error to throw: `{"code","message"}`.
pub fn operation(op: u32, input: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
    // SAFETY: the host reads `input.len()` bytes at the address.
    let answer = unsafe { call(op, input.as_ptr() as u32, input.len() as u32) };
    let (length, failed) = if answer < 0 { (-1 - answer, true) } else { (answer, false) };
    let mut reply = vec![0; length as usize];
    // SAFETY: the host writes exactly the length it announced.
    unsafe { take(reply.as_mut_ptr() as u32) };
    if failed { Err(reply) } else { Ok(reply) }
}

/// As [`operation`], for when nothing may be allocated: the reply, at most `capacity` bytes, is put at `address`. Answers its
/// length; `None` if it failed or is longer.
pub fn operation_to(op: u32, input: &[u8], address: u32, capacity: u32) -> Option<u32> {
    // SAFETY: the host reads `input.len()` bytes at the address.
    let length = u32::try_from(unsafe { call(op, input.as_ptr() as u32, input.len() as u32) }).ok()?;
    if length > capacity {
        return None;
    }
    // SAFETY: the host writes exactly the length it announced, for which the caller has room.
    unsafe { take(address) };
    Some(length)
}

/// Fills `frames` from the innermost frame of compiled code outwards; answers those it filled.
pub fn capture_stack(frames: &mut [MaybeUninit<StackFrame>]) -> &[StackFrame] {
    // SAFETY: the host writes at most `frames.len()` frames of two words.
    let count = unsafe { host_capture_stack(frames.as_mut_ptr() as u32, frames.len() as u32) };
    let captured = &frames[..(count as usize).min(frames.len())];
    // SAFETY: the host has written that many.
    unsafe { captured.assume_init_ref() }
}

/// Shows the host a stack that nothing else has been on.
pub fn show_stack() {
    capture_stack(&mut []);
}

/// Text of a trace's frames: `\n    at name (convex:/module.js:line:column)` each.
pub fn format_stack(trace: impl Iterator<Item = u32>) -> String {
    let bytes: Vec<u8> = trace.flat_map(u32::to_le_bytes).collect();
    text(operation(op::FORMAT_STACK, &bytes))
}

/// Source text `start..end` of a unit's module.
pub fn source_text(unit: u32, start: u32, end: u32) -> String {
    let bytes: Vec<u8> = [unit, start, end].into_iter().flat_map(u32::to_le_bytes).collect();
    text(operation(op::SOURCE_TEXT, &bytes))
}

fn text(reply: Result<Vec<u8>, Vec<u8>>) -> String {
    reply.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}
