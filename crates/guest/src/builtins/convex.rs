//! `Convex`, `process.env`, and what depends on the execution.

mod environment;
mod forbidden;

use convex_wasm_abi::bridge::op;
use convex_wasm_abi::memory::phase;
pub use environment::EnvironmentExotic;

use crate::builtin::{CallContext, methods, native};
use crate::builtins::json;
use crate::convert::to_string;
use crate::error::new_error;
use crate::host;
use crate::memory::PHASE;
use crate::names::keys;
use crate::object::{Attributes, Object};
use crate::operations::enqueue_operation;
use crate::realm::{Intrinsic, global, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, Throw};

/// Defines `Convex`, `process`, and the globals that functions may not use.
pub(crate) fn install() {
    let convex = Object::new();
    methods(
        convex,
        &[
            ("syscall", 2, native(syscall)),
            ("asyncSyscall", 2, native(async_syscall)),
            ("jsSyscall", 2, native(js_syscall)),
        ],
    );
    global().define("Convex", convex.into(), Attributes::HIDDEN);
    environment::install();
    forbidden::install();
}

/// Throws an `Error` with a `code`.
#[cold]
fn throw_with_code(message: &str, code: &str) -> Throw {
    let error = new_error(intrinsic(Intrinsic::ErrorPrototype), message.into()).object();
    error.define(keys::code(), code.into(), Attributes::HIDDEN);
    Throw::value(error.into())
}

/// Refuses system calls while modules are evaluated and in plain programs.
fn require_execution(name: JsString) -> JsResult<()> {
    if matches!(PHASE.get(), phase::QUERY | phase::MUTATION) {
        return Ok(());
    }
    let name = name.to_text();
    let is_database = ["get", "query", "insert", "shallowMerge", "replace", "remove", "count", "db/"]
        .iter()
        .any(|operation| name.strip_prefix("1.0/").is_some_and(|name| name.starts_with(operation)));
    Err(if is_database {
        throw_with_code("Can't use database at import time.", "NoDbDuringImport")
    } else {
        throw_with_code(&format!("Can't use syscall `{name}` at import time."), "NoSyscallDuringImport")
    })
}

fn utf8(string: JsString) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(string.len() as usize);
    string.append_utf8(&mut bytes);
    bytes
}

/// The string of UTF-8 that the host wrote.
fn from_utf8(bytes: &[u8]) -> JsString {
    if bytes.is_ascii() { JsString::from_latin1(bytes) } else { JsString::from_str(&String::from_utf8_lossy(bytes)) }
}

/// The error in a host's refusal: JSON with `message` and perhaps `code`.
fn refusal(reply: &[u8]) -> Throw {
    let parsed = match json::parse(from_utf8(reply)) {
        Ok(parsed) => parsed.as_object(),
        Err(thrown) => {
            thrown.take();
            None
        }
    };
    let text = |key| {
        let value = parsed.and_then(|object| object.ordinary_get_own(key))?;
        match value.content {
            crate::object::Content::Data(value) => value.as_string().map(JsString::to_text),
            crate::object::Content::Accessor { .. } => None,
        }
    };
    let message = text(keys::message()).unwrap_or_else(|| from_utf8(reply).to_text());
    match text(keys::code()) {
        Some(code) => throw_with_code(&message, &code),
        None => Throw::value(new_error(intrinsic(Intrinsic::ErrorPrototype), message.as_str().into()).into()),
    }
}

fn syscall(cx: &CallContext) -> JsResult {
    let (name, argument) = (to_string(cx.arg(0))?, to_string(cx.arg(1))?);
    require_execution(name)?;
    let name = utf8(name);
    let mut input = (name.len() as u32).to_le_bytes().to_vec();
    input.extend_from_slice(&name);
    argument.append_utf8(&mut input);
    match host::operation(op::SYSCALL, &input) {
        Ok(reply) => Ok(from_utf8(&reply).into()),
        Err(reply) => Err(refusal(&reply)),
    }
}

fn async_syscall(cx: &CallContext) -> JsResult {
    let (name, argument) = (to_string(cx.arg(0))?, to_string(cx.arg(1))?);
    require_execution(name)?;
    Ok(enqueue_operation(&utf8(name), &utf8(argument)).into())
}

fn js_syscall(cx: &CallContext) -> JsResult {
    let name = to_string(cx.arg(0))?.to_text();
    if name.starts_with("storage/") {
        return Err(throw_with_code(
            &forbidden::text("`storage.store()` or `storage.get()`"),
            "NoStorageInQueriesOrMutations",
        ));
    }
    Err(throw_with_code(&format!("Unknown operation {name}"), "UnknownOperation"))
}

/// Throws what a query or mutation gets for using something only actions may use.
#[cold]
pub fn throw_forbidden(code: &str, description: &str) -> Throw {
    throw_with_code(&forbidden::text(description), code)
}
