//! `JSON` (ECMA-262 §25.5).

mod circular;
mod error;
mod parse;
mod quote;
mod raw;
mod revive;
mod sized_shape;
mod special;
mod stringify;
mod units;

pub use parse::parse;
pub use stringify::{Options, stringify};

use crate::builtin::{CallContext, methods, native, to_string_tag};
use crate::call;
use crate::convert::{is_array, to_integer_or_infinity, to_number, to_string};
use crate::key::PropertyKey;
use crate::object::{Attributes, Object, PrimitiveWrapper};
use crate::realm::global;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// Most characters of indentation a level.
const MAX_GAP: usize = 10;

/// Defines `JSON`.
pub fn install() {
    let json = Object::new();
    methods(json, &[("parse", 2, native(json_parse)), ("stringify", 3, native(json_stringify))]);
    methods(json, &[("rawJSON", 1, native(raw::raw_json)), ("isRawJSON", 1, native(raw::is_raw_json))]);
    to_string_tag(json, "JSON");
    global().define("JSON", json.into(), Attributes::HIDDEN);
}

fn json_parse(cx: &CallContext) -> JsResult {
    let source = to_string(cx.arg(0))?;
    let value = parse(source)?;
    let reviver = cx.arg(1);
    if !call::is_callable(reviver) {
        return Ok(value);
    }
    revive::revive(source, value, reviver)
}

fn json_stringify(cx: &CallContext) -> JsResult {
    let mut options = Options::default();
    if let Some(replacer) = cx.arg(1).as_object() {
        if call::is_callable(replacer.into()) {
            options.replacer = Some(replacer);
        } else if is_array(replacer.into())? {
            options.allowed = Some(property_list(replacer)?);
        }
    }
    options.gap = gap(cx.arg(2))?;
    Ok(stringify(cx.arg(0), options)?.map_or(Value::UNDEFINED, Value::from))
}

/// The names in a replacer array: strings, numbers and wrappers of them, each once.
fn property_list(list: Object) -> JsResult<Vec<PropertyKey>> {
    let mut allowed = vec![];
    for index in 0..list.length()? {
        let item = list.get(PropertyKey::integer(index))?;
        let wrapped = item.as_object().and_then(PrimitiveWrapper::unwrap).unwrap_or(item);
        if wrapped.is_string() || wrapped.is_number() {
            let key = PropertyKey::from_string(to_string(item)?);
            if !allowed.contains(&key) {
                allowed.push(key);
            }
        }
    }
    Ok(allowed)
}

/// Indentation of one level from the third argument: that many spaces, or the text itself.
fn gap(space: Value) -> JsResult<String> {
    let space = match space.as_object().and_then(PrimitiveWrapper::unwrap) {
        Some(primitive) if primitive.is_number() => Value::number(to_number(space)?),
        Some(primitive) if primitive.is_string() => to_string(space)?.into(),
        _ => space,
    };
    if space.is_number() {
        let count = to_integer_or_infinity(space)?.clamp(0.0, MAX_GAP as f64);
        return Ok(" ".repeat(count as usize));
    }
    let text = space.as_string().map(JsString::to_text).unwrap_or_default();
    Ok(text.chars().take(MAX_GAP).collect())
}
