//! `console`: lines for the host.
//!
//! In a Convex function every argument is inspected, strings in quotes; in a plain program lines are those of Node's
//! `console`, with format directives and bare strings.

mod describe;
mod errors;
mod format;
mod inspect;
mod layout;
mod quote;
mod special;

use convex_wasm_abi::bridge::op;
use convex_wasm_abi::memory::phase;
pub use inspect::inspect;

use crate::builtin::{CallContext, methods, native};
use crate::convert::to_string;
use crate::error::safe_to_string;
use crate::host;
use crate::memory::{PHASE, time_ms};
use crate::object::{Attributes, Object};
use crate::realm::global;
use crate::stack::Trace;
use crate::state::State;
use crate::throw::JsResult;
use crate::value::Value;

/// Levels of lines, as the host numbers them.
#[derive(Clone, Copy)]
enum Level {
    Debug = 0,
    Log = 1,
    Info = 2,
    Warn = 3,
    Error = 4,
}

/// Running timers: label and start.
static TIMERS: State<Vec<(String, f64)>> = State::new(Vec::new());

/// Defines `console`.
pub(crate) fn install() {
    let console = Object::new();
    methods(
        console,
        &[
            ("debug", 0, native(|cx| log(cx, Level::Debug))),
            ("error", 0, native(|cx| log(cx, Level::Error))),
            ("info", 0, native(|cx| log(cx, Level::Info))),
            ("log", 0, native(|cx| log(cx, Level::Log))),
            ("warn", 0, native(|cx| log(cx, Level::Warn))),
            ("trace", 0, native(trace)),
            ("time", 0, native(time)),
            ("timeLog", 0, native(time_log)),
            ("timeEnd", 0, native(time_end)),
        ],
    );
    global().define("console", console.into(), Attributes::HIDDEN);
}

fn emit(level: Level, message: &str) {
    let mut line = Vec::with_capacity(message.len() + 1);
    line.push(level as u8);
    line.extend_from_slice(message.as_bytes());
    // A line that the host refuses is lost, as any line beyond its limits is.
    let _ = host::operation(op::LOG, &line);
}

/// The arguments as a line.
fn message(arguments: &[Value]) -> String {
    if PHASE.get() == phase::PROGRAM {
        return format::format(arguments);
    }
    arguments.iter().map(|&argument| inspect(argument)).collect::<Vec<_>>().join(" ")
}

fn log(cx: &CallContext, level: Level) -> JsResult {
    emit(level, &message(cx.arguments));
    Ok(Value::UNDEFINED)
}

fn trace(cx: &CallContext) -> JsResult {
    let stack = Trace::capture(None).map(|trace| trace.to_text()).unwrap_or_default();
    emit(Level::Log, &(message(cx.arguments) + &stack));
    Ok(Value::UNDEFINED)
}

fn label(cx: &CallContext) -> JsResult<String> {
    if cx.arg(0).is_undefined() {
        return Ok("default".to_owned());
    }
    to_string(cx.arg(0)).map(|label| label.to_text())
}

fn time(cx: &CallContext) -> JsResult {
    let label = label(cx)?;
    let is_running = TIMERS.with(|timers| timers.iter().any(|timer| timer.0 == label));
    if is_running {
        emit(Level::Warn, &format!("Timer '{label}' already exists"));
    } else {
        TIMERS.with(|timers| timers.push((label, time_ms())));
    }
    Ok(Value::UNDEFINED)
}

/// Logs the time a timer has been running, and whatever else is to be said.
fn report(cx: &CallContext, end: bool) -> JsResult {
    let label = label(cx)?;
    let start = TIMERS.with(|timers| {
        let index = timers.iter().position(|timer| timer.0 == label)?;
        Some(if end { timers.remove(index).1 } else { timers[index].1 })
    });
    match start {
        None => emit(Level::Warn, &format!("Timer '{label}' does not exist")),
        Some(start) => {
            let mut line = format!("{label}: {}ms", safe_to_string((time_ms() - start).into()));
            if cx.arguments.len() > 1 {
                line = format!("{line} {}", message(cx.rest(1)));
            }
            emit(Level::Info, &line);
        }
    }
    Ok(Value::UNDEFINED)
}

fn time_log(cx: &CallContext) -> JsResult {
    report(cx, false)
}

fn time_end(cx: &CallContext) -> JsResult {
    report(cx, true)
}
