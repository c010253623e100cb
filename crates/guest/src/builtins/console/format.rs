//! `util.format` of Node: the line that its `console.log` prints.

use super::inspect::{inspect, inspect_to_depth, number_text};
use crate::builtins::json;
use crate::convert::to_number;
use crate::error::safe_to_string;
use crate::names::keys;
use crate::object::{Content, Object};
use crate::string::JsString;
use crate::value::Value;

/// The line.
pub fn format(arguments: &[Value]) -> String {
    let mut rest = arguments;
    let mut parts = vec![];
    if let [first, values @ ..] = arguments
        && let Some(template) = first.as_string()
        && !values.is_empty()
    {
        let mut values = values.iter();
        parts.push(expand(&template.to_text(), &mut values));
        rest = values.as_slice();
    }
    parts.extend(rest.iter().map(|&value| bare(value)));
    parts.join(" ")
}

/// A string as it is, everything else inspected.
fn bare(value: Value) -> String {
    value.as_string().map_or_else(|| inspect(value), JsString::to_text)
}

/// Replaces directives as long as there are values.
fn expand(template: &str, values: &mut core::slice::Iter<Value>) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(position) = rest.find('%') {
        out.push_str(&rest[..position]);
        let directive = rest[position + 1..].chars().next();
        let known = directive.is_some_and(|directive| "sdifjoOc".contains(directive));
        let text = match directive {
            Some('%') => Some("%".to_owned()),
            Some(directive) if known => values.next().map(|&value| convert(directive, value)),
            _ => None,
        };
        let width = if text.is_some() { 2 } else { 1 };
        match text {
            Some(text) => out.push_str(&text),
            None => out.push('%'),
        }
        rest = &rest[position + width..];
    }
    out.push_str(rest);
    out
}

fn convert(directive: char, value: Value) -> String {
    match directive {
        's' => text(value),
        'd' => numeric(value, |number| number),
        'i' => numeric(value, f64::trunc),
        'f' => number_text(prefix_number(value)),
        'j' => match json::stringify(value, json::Options::default()) {
            Ok(text) => text.map_or_else(|| "undefined".to_owned(), JsString::to_text),
            Err(thrown) => {
                thrown.take();
                "[Circular]".to_owned()
            }
        },
        'c' => String::new(),
        'o' => inspect_to_depth(value, 4),
        _ => inspect(value),
    }
}

/// `%s`: objects whose `toString` is built in are inspected.
fn text(value: Value) -> String {
    if let Some(number) = value.as_number() {
        return number_text(number);
    }
    if value.is_bigint() {
        return inspect(value);
    }
    match value.as_object() {
        Some(object) if has_built_in_text(object) => inspect_to_depth(value, 0),
        _ => safe_to_string(value),
    }
}

/// Whether the object inherits its `toString`, from a prototype whose constructor is built in.
fn has_built_in_text(object: Object) -> bool {
    if object.find(keys::to_string()).is_some() {
        return false;
    }
    let mut holder = object.prototype();
    while let Some(current) = holder {
        if current.find(keys::to_string()).is_some() {
            let constructor = current.ordinary_get_own(keys::constructor()).map(|property| property.content);
            let Some(Content::Data(constructor)) = constructor else { return false };
            return constructor.as_object().and_then(Object::as_function).is_some_and(|function| function.is_native());
        }
        holder = current.prototype();
    }
    true
}

/// `parseFloat` of the text, for what is no number.
fn prefix_number(value: Value) -> f64 {
    if let Some(number) = value.as_number() {
        return number;
    }
    let text = if value.is_symbol() { String::new() } else { safe_to_string(value) };
    crate::builtins::number::parse_float_text(&text)
}

fn numeric(value: Value, round: fn(f64) -> f64) -> String {
    if value.is_bigint() {
        return inspect(value);
    }
    if value.is_object() || value.is_symbol() {
        return "NaN".to_owned();
    }
    match to_number(value) {
        Ok(number) => number_text(round(number)),
        Err(thrown) => {
            thrown.take();
            "NaN".to_owned()
        }
    }
}
