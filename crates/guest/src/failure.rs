//! Errors on their way to the host and back.

use crate::bridge::write_json_string;
use crate::builtins::json;
use crate::builtins::symbol::registered_key;
use crate::cell::{Gc, kind};
use crate::error::{ErrorObject, new_error, safe_text_property, safe_to_string};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::Attributes;
use crate::promise::queue::take_unhandled;
use crate::realm::{Intrinsic, intrinsic};
use crate::stack::Trace;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// What FAILED leaves for the host: JSON of name, message, stack, text and data of whatever was thrown.
pub fn to_json(reason: Value) -> String {
    let mut out = String::from("{\"name\":");
    let name = safe_text_property(reason, keys::name_()).unwrap_or_else(|| "Error".to_owned());
    write_json_string(&mut out, &name);
    out.push_str(",\"message\":");
    let text = safe_to_string(reason);
    write_json_string(&mut out, &safe_text_property(reason, keys::message()).unwrap_or_else(|| text.clone()));
    out.push_str(",\"stack\":[");
    if let Some(error) = reason.as_kind::<ErrorObject>() {
        error.with_trace(|trace| trace.into_iter().for_each(|trace| write_trace(&mut out, trace)));
    }
    out.push_str("],\"text\":");
    write_json_string(&mut out, &text);
    if take_unhandled() {
        out.push_str(",\"unhandled\":true");
    }
    if let Some(data) = convex_error_data(reason) {
        out.push_str(",\"data\":");
        write_json_string(&mut out, &data);
    }
    out.push('}');
    out
}

fn write_trace(out: &mut String, trace: &Trace) {
    for (index, word) in trace.words().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        out.push_str(&format!("{separator}{word}"));
    }
}

/// The `data` of a ConvexError (known by its own property `Symbol.for("ConvexError")`), which the library has made JSON
/// text of.
fn convex_error_data(reason: Value) -> Option<String> {
    let object = reason.as_object().filter(|object| object.kind.get() != kind::PROXY)?;
    let is_marker = |key: &PropertyKey| {
        key.is_symbol()
            && registered_key(key.to_value()).and_then(Value::as_string).is_some_and(|name| name.is("ConvexError"))
    };
    object.ordinary_own_keys().iter().find(|key| is_marker(key))?;
    safe_text_property(reason, keys::data())
}

/// The `Error` a failed operation rejects with: `{"message","data"?,"code"?}`. The data, Convex JSON, comes parsed.
pub fn from_json(text: JsString) -> JsResult<Gc<ErrorObject>> {
    let reply = json::parse(text)?;
    let field = |key: PropertyKey| match reply.as_object() {
        Some(object) => object.get(key),
        None => Ok(Value::UNDEFINED),
    };
    let error = new_error(intrinsic(Intrinsic::ErrorPrototype), field(keys::message())?);
    for key in [keys::data(), keys::code()] {
        let value = field(key)?;
        if !value.is_undefined() {
            error.object().add_slot(key, value, Attributes::ALL);
        }
    }
    Ok(error)
}
