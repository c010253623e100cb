//! Error objects and their stacks.

use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{get_value, to_string};
pub use crate::message::{constructor_name, describe, describe_with_type, display};
use crate::names::{self, keys};
use crate::object::{Attributes, FunctionCell, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::stack::Trace;
use crate::state::State;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// An error. Its `stack` property is written when it is read first.
#[repr(C)]
pub struct ErrorObject {
    header: ObjectHeader,
    trace: State<Option<Trace>>,
}

// SAFETY: only `new_error` makes cells of this kind.
unsafe impl ObjectKind for ErrorObject {
    const KIND: u8 = kind::ERROR;
}

impl ErrorObject {
    /// Reads the stack at construction, if there is one.
    pub fn with_trace<R>(&self, read: impl FnOnce(Option<&Trace>) -> R) -> R {
        self.trace.with(|trace| read(trace.as_ref()))
    }

    /// Gives it another stack.
    pub fn set_trace(&self, trace: Option<Trace>) {
        self.trace.with(|place| *place = trace);
    }
}

/// A new error with that prototype; own properties `stack` and, unless the message is undefined, `message`.
pub fn new_error(prototype: Object, message: Value) -> Gc<ErrorObject> {
    new_error_below(prototype, message, None)
}

/// As [`new_error`]; the stack leaves out the frames down to that function's innermost.
pub fn new_error_below(prototype: Object, message: Value, below: Option<Gc<FunctionCell>>) -> Gc<ErrorObject> {
    let header = ObjectHeader::new::<ErrorObject>(prototype);
    let error = Gc::new(ErrorObject { header, trace: State::new(Trace::capture(below)) });
    error.object().add_slot(keys::stack(), Value::EMPTY, Attributes::HIDDEN);
    if !message.is_undefined() {
        error.object().add_slot(keys::message(), message, Attributes::HIDDEN);
    }
    error
}

/// The `SuppressedError` of an error thrown while another was on its way.
pub fn suppressed(error: Value, suppressed: Value) -> Value {
    let prototype = intrinsic(Intrinsic::SuppressedErrorPrototype);
    let result = new_error(prototype, "An error was suppressed during disposal".into()).object();
    result.define(names::error(), error, Attributes::HIDDEN);
    result.define(names::suppressed(), suppressed, Attributes::HIDDEN);
    result.into()
}

/// Value of the `stack` property of an error that nobody has read or written yet.
pub fn lazy_stack(object: Object) -> Value {
    let Some(error) = object.as_kind::<ErrorObject>() else { return Value::UNDEFINED };
    crate::builtins::error::require_plain_stacks();
    let Some(frames) = error.with_trace(|trace| trace.map(Trace::to_text)) else { return Value::UNDEFINED };
    let header = match error_to_string(object) {
        Ok(header) => header.to_text(),
        Err(thrown) => {
            thrown.take();
            "<error>".to_owned()
        }
    };
    Value::from((header + &frames).as_str())
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
