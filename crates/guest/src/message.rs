//! How values are called in messages. No user code runs for it.

use crate::builtins::proxy::ProxyObject;
use crate::cell::kind;
use crate::convert::to_string;
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{Content, Object};
use crate::string::JsString;
use crate::value::Value;

/// What V8 calls a value: `"text"`, `#<Point>`, `[object Array]`, `Error: message`, `1`, `Symbol(x)`, source text of functions.
pub fn describe(value: Value) -> String {
    if let Some(string) = value.as_string() {
        return format!("\"{}\"", string.to_text());
    }
    if let Some(symbol) = value.as_symbol() {
        return symbol.descriptive_string();
    }
    match value.as_object() {
        Some(object) => describe_object(object),
        None => to_string(value).map(JsString::to_text).unwrap_or_default(),
    }
}

fn describe_object(object: Object) -> String {
    let object = behind_proxies(object);
    if let Some(function) = object.as_function() {
        return crate::function_source::source_text(function).to_text();
    }
    if object.kind.get() == kind::ERROR {
        return describe_error(object);
    }
    let to_string = quiet_get(object, keys::to_string());
    if to_string.is_some_and(crate::builtins::object::is_object_to_string) {
        return format!("#<{}>", constructor_name(object));
    }
    let tag = quiet_get(object, crate::symbol::to_string_tag().into()).and_then(Value::as_string);
    match tag {
        Some(tag) => format!("[object {}]", tag.to_text()),
        None => crate::builtins::object::builtin_tag(object).to_owned(),
    }
}

/// The first target that is no proxy; a revoked proxy stands for itself.
fn behind_proxies(object: Object) -> Object {
    let mut object = object;
    while let Some((target, _)) = object.as_kind::<ProxyObject>().and_then(|proxy| proxy.parts()) {
        object = target;
    }
    object
}

/// `name: message`, as `Error.prototype.toString` puts them together.
fn describe_error(error: Object) -> String {
    let text = |key| quiet_get(error, key).filter(|value| !value.is_undefined()).map(display);
    let name = text(keys::name_()).unwrap_or_else(|| "Error".to_owned());
    let message = text(keys::message()).unwrap_or_default();
    match (name.is_empty(), message.is_empty()) {
        (_, true) => name,
        (true, _) => message,
        _ => format!("{name}: {message}"),
    }
}

/// The value of a data property of an object or its prototypes.
fn quiet_get(object: Object, key: PropertyKey) -> Option<Value> {
    let mut holder = Some(object);
    while let Some(current) = holder.filter(|current| current.kind.get() != kind::PROXY) {
        if let Some(property) = current.ordinary_get_own(key) {
            return match property.content {
                Content::Data(value) => Some(value),
                Content::Accessor { .. } => None,
            };
        }
        holder = current.prototype();
    }
    None
}

/// As [`describe`], but strings stand without quotes.
pub fn display(value: Value) -> String {
    value.as_string().map_or_else(|| describe(value), JsString::to_text)
}

/// A value that should have been something else, with its type: `number 5`, `string "x"`, `object null`, `undefined`.
pub fn describe_with_type(value: Value) -> String {
    let what = crate::convert::type_of(value).to_text();
    if value.is_string() || value.is_number() || value.is_bool() || value.is_null() {
        return format!("{what} {}", describe(value));
    }
    what
}

/// Name of the constructor an object seems to have.
pub fn constructor_name(object: Object) -> String {
    let constructor = quiet_get(object, keys::constructor()).and_then(Value::as_object);
    let name = constructor.filter(|constructor| constructor.as_function().is_some()).map(Object::function_name);
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "Object".to_owned())
}
