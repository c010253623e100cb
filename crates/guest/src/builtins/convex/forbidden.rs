//! Globals that only actions may use, and globals the guest does not have.

use convex_wasm_abi::memory::phase;

use super::throw_forbidden;
use crate::builtin::{CallContext, Method, accessor, methods, native};
use crate::memory::PHASE;
use crate::realm::global;
use crate::throw::{JsResult, hand_over};
use crate::value::Value;

const FUNCTIONS: &[Method] = &[
    ("fetch", 1, native(|cx| refuse(cx, "NoFetchInQueriesOrMutations", "`fetch()`"))),
    ("setTimeout", 2, native(|cx| refuse(cx, "NoSleepInQueriesOrMutations", "`setTimeout`"))),
    ("setInterval", 2, native(|cx| refuse(cx, "NoSleepInQueriesOrMutations", "`setInterval`"))),
    ("clearTimeout", 1, native(|_| Ok(Value::UNDEFINED))),
    ("clearInterval", 1, native(|_| Ok(Value::UNDEFINED))),
];

/// Names that exist in the default runtime. Whoever looks at them is run on V8.
const MISSING: &[&str] = &[
    "AbortController",
    "AbortSignal",
    "AsyncLocalStorage",
    "AsyncResource",
    "Atomics",
    "Blob",
    "ByteLengthQueuingStrategy",
    "CountQueuingStrategy",
    "CustomEvent",
    "Event",
    "EventTarget",
    "File",
    "FormData",
    "Headers",
    "Intl",
    "ReadableStream",
    "ReadableStreamBYOBReader",
    "ReadableStreamDefaultReader",
    "Request",
    "Response",
    "TextDecoderStream",
    "TextEncoderStream",
    "TransformStream",
    "WebAssembly",
    "WritableStream",
    "WritableStreamDefaultWriter",
];

/// Defines them.
pub(super) fn install() {
    let global = global();
    methods(global, FUNCTIONS);
    for name in MISSING {
        if global.find((*name).into()).is_none() {
            accessor(global, name, native(missing), Some(native(replace)));
        }
    }
}

/// What an error says about something that only actions may use.
pub fn text(description: &str) -> String {
    format!(
        "Can't use {description} in queries and mutations. Please consider using an action. See \
         https://docs.convex.dev/functions/actions for more details."
    )
}

fn refuse(_: &CallContext, code: &str, description: &str) -> JsResult {
    if PHASE.get() == phase::PROGRAM {
        hand_over(description);
    }
    Err(throw_forbidden(code, description))
}

fn missing(cx: &CallContext) -> JsResult {
    let name = cx.callee.static_name().to_text();
    hand_over(name.trim_start_matches("get "))
}

/// Assignment makes it an ordinary property.
fn replace(cx: &CallContext) -> JsResult {
    let name = cx.callee.static_name().to_text();
    global().define(name.trim_start_matches("set "), cx.arg(0), crate::object::Attributes::HIDDEN);
    Ok(Value::UNDEFINED)
}
