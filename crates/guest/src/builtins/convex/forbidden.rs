//! Globals that only actions may use, and globals the guest does not have.

use convex_wasm_abi::memory::phase;
use convex_wasm_abi::unit::function_info as info;

use super::throw_forbidden;
use crate::builtin::{CallContext, Method, method, methods, native, native_constructor};
use crate::builtins::proxy;
use crate::memory::PHASE;
use crate::names::keys;
use crate::object::{Attributes, Object, new_native_function};
use crate::realm::global;
use crate::string::JsString;
use crate::throw::{JsResult, hand_over};
use crate::value::Value;

const FUNCTIONS: &[Method] = &[
    ("fetch", 1, native(|cx| refuse(cx, "NoFetchInQueriesOrMutations", "`fetch()`"))),
    ("setTimeout", 2, native(|cx| refuse(cx, "NoSleepInQueriesOrMutations", "`setTimeout`"))),
    ("setInterval", 2, native(|cx| refuse(cx, "NoSleepInQueriesOrMutations", "`setInterval`"))),
    ("clearTimeout", 1, native(|_| Ok(Value::UNDEFINED))),
    ("clearInterval", 1, native(|_| Ok(Value::UNDEFINED))),
];

/// Names that exist in the default runtime. Libraries look at many of them without need, so each is a stand-in: a proxy
/// that `typeof` and comparisons take for the real thing, while whoever uses it is run on V8.
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
    "Performance",
    "PerformanceEntry",
    "PerformanceMark",
    "PerformanceMeasure",
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

/// Those that are plain objects; the others are constructors.
const NAMESPACES: &[&str] = &["Atomics", "WebAssembly"];

/// What can be done with an object, as the traps of a proxy.
const TRAPS: &[&str] = &[
    "apply",
    "construct",
    "defineProperty",
    "deleteProperty",
    "getOwnPropertyDescriptor",
    "getPrototypeOf",
    "has",
    "isExtensible",
    "ownKeys",
    "preventExtensions",
    "set",
    "setPrototypeOf",
];

/// Defines them.
pub(super) fn install() {
    let global = global();
    methods(global, FUNCTIONS);
    let traps = Object::new();
    for trap in TRAPS {
        method(traps, trap, 0, native(used));
    }
    method(traps, "get", 0, native(get));
    for name in MISSING {
        if global.find((*name).into()).is_none() {
            let stand_in = stand_in(name, traps);
            global.define(*name, stand_in, Attributes::HIDDEN);
        }
    }
}

fn stand_in(name: &str, traps: Object) -> Value {
    let handler = Object::ordinary(Some(traps));
    handler.define("name", JsString::from_str(name).into(), Attributes::ALL);
    if NAMESPACES.contains(&name) {
        return proxy::new(Object::new(), handler);
    }
    handler.define("prototype", proxy::new(Object::new(), handler), Attributes::ALL);
    proxy::new(new_native_function(name, 0, native_constructor(used), info::CONSTRUCTOR).object(), handler)
}

/// The trap `get`. Libraries declare classes that extend one of these long before they make an instance: the prototype may
/// be had, and is a stand-in too.
fn get(cx: &CallContext) -> JsResult {
    match (cx.this.as_object(), cx.arg(1).as_string()) {
        (Some(handler), Some(key)) if key == crate::names::prototype() && handler.find(keys::prototype()).is_some() => {
            handler.get(keys::prototype())
        }
        _ => used(cx),
    }
}

/// Every trap; `this` is the handler, which knows the name.
fn used(cx: &CallContext) -> JsResult {
    let name = cx.this.as_object().map(|handler| handler.get("name".into()));
    let name = name.transpose()?.and_then(Value::as_string);
    hand_over(&name.map_or_else(String::new, |name| name.to_text()))
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
