//! What compiled code calls: the functions of [`convex_wasm_abi::functions`], exported as `rt_<name>`. Their documentation
//! is there; signatures here must agree with it.
#![allow(missing_docs)]

mod calls;
mod disposal;
mod exceptions;
mod iteration;
mod literals;
mod modules;
mod operators;
mod properties;
mod suspension;
mod with;

use crate::cell::Gc;
use crate::string::JsString;
use crate::value::Value;

/// A name compiled code passes: the address of a string, or 0.
fn name(address: u32) -> Option<JsString> {
    // SAFETY: compiled code passes 0 or the address of an interned constant.
    (address != 0).then(|| unsafe { JsString::from_address(address) })
}

/// A string compiled code passes.
fn string(address: u32) -> JsString {
    name(address).unwrap_or_else(JsString::empty)
}

/// A cell compiled code passes.
fn cell<T>(address: u32) -> Gc<T> {
    // SAFETY: the ABI says what cell compiled code passes in each place.
    unsafe { Gc::from_address(address) }
}

/// An internal cell compiled code passes as a value: what the guest gave it before.
fn internal<T>(value: Value) -> Gc<T> {
    cell(value.payload())
}
