//! Error objects and their stacks.

use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{get_value, to_string};
use crate::host;
pub use crate::message::{constructor_name, describe, describe_with_type, display};
use crate::names::keys;
use crate::object::{Attributes, Object, ObjectHeader};
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// Most frames an error keeps; V8's default for `Error.stackTraceLimit`.
const STACK_TRACE_LIMIT: usize = 10;

/// A frame of compiled code.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct StackFrame {
    /// Index of the unit.
    pub unit: u32,
    /// Offset in its Wasm module.
    pub offset: u32,
}

/// An error. Its `stack` property is written when it is read first.
#[repr(C)]
pub struct ErrorObject {
    header: ObjectHeader,
    frames: Vec<StackFrame>,
}

// SAFETY: only `new_error` makes cells of this kind.
unsafe impl ObjectKind for ErrorObject {
    const KIND: u8 = kind::ERROR;
}

impl ErrorObject {
    /// The stack at construction, innermost frame first.
    pub fn frames(&self) -> &[StackFrame] {
        &self.frames
    }
}

/// The stack of compiled code right now, innermost frame first.
pub fn capture_stack() -> Vec<StackFrame> {
    let mut frames = [StackFrame { unit: 0, offset: 0 }; STACK_TRACE_LIMIT];
    let count = host::capture_stack(&mut frames);
    frames[..count].to_vec()
}

/// A new error with that prototype; own properties `stack` and, unless the message is undefined, `message`.
pub fn new_error(prototype: Object, message: Value) -> Gc<ErrorObject> {
    let header = ObjectHeader::new::<ErrorObject>(prototype);
    let error = Gc::new(ErrorObject { header, frames: capture_stack() });
    error.object().add_slot(keys::stack(), Value::EMPTY, Attributes::HIDDEN);
    if !message.is_undefined() {
        error.object().add_slot(keys::message(), message, Attributes::HIDDEN);
    }
    error
}

/// Value of the `stack` property of an error that nobody has read or written yet.
pub fn lazy_stack(object: Object) -> Value {
    let Some(error) = object.as_kind::<ErrorObject>() else { return Value::UNDEFINED };
    crate::builtins::error::require_plain_stacks();
    let mut text = match error_to_string(object) {
        Ok(header) => header.to_text(),
        Err(thrown) => {
            thrown.take();
            "<error>".to_owned()
        }
    };
    text.push_str(&host::format_stack(&error.frames));
    Value::from(text.as_str())
}

/// `Error.prototype.toString` of any object.
pub fn error_to_string(object: Object) -> JsResult<JsString> {
    let name = object.get(keys::name_())?;
    let name = if name.is_undefined() { JsString::from_str("Error") } else { to_string(name)? };
    let message = object.get(keys::message())?;
    let message = if message.is_undefined() { JsString::empty() } else { to_string(message)? };
    if name.is_empty() || message.is_empty() {
        return name.concat(message);
    }
    name.concat(JsString::from_str(": "))?.concat(message)
}

/// What `String(error)` gives, whatever happens on the way.
pub fn safe_to_string(value: Value) -> String {
    if let Some(symbol) = value.as_symbol() {
        return symbol.descriptive_string();
    }
    match to_string(value) {
        Ok(string) => string.to_text(),
        Err(thrown) => {
            thrown.take();
            "[object]".to_owned()
        }
    }
}

/// A property of any value as text, whatever happens on the way; `None` if it is no string.
pub fn safe_text_property(value: Value, key: crate::key::PropertyKey) -> Option<String> {
    if value.is_nullish() {
        return None;
    }
    match get_value(value, key) {
        Ok(found) => found.as_string().map(JsString::to_text),
        Err(thrown) => {
            thrown.take();
            None
        }
    }
}
