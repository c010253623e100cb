//! `performance`: `now` is the execution's clock, which stands still in queries and mutations.

use convex_wasm_abi::bridge::op;
use convex_wasm_abi::memory::phase;

use crate::builtin::{CallContext, methods, native};
use crate::host;
use crate::memory::PHASE;
use crate::object::{Attributes, Object};
use crate::realm::global;
use crate::throw::JsResult;

/// Defines `performance`.
pub(crate) fn install() {
    let performance = Object::new();
    methods(performance, &[("now", 0, native(now))]);
    performance.define("timeOrigin", 0.0.into(), Attributes::HIDDEN);
    global().define("performance", performance.into(), Attributes::HIDDEN);
}

/// Milliseconds: real ones since some start in a plain program, none elapsed in a function.
fn now(_: &CallContext) -> JsResult {
    if PHASE.get() != phase::PROGRAM {
        return Ok(0.0.into());
    }
    let reply = host::operation(op::MONOTONIC_NOW, &[]).unwrap_or_default();
    let nanoseconds = reply.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    Ok((nanoseconds as f64 / 1e6).into())
}
