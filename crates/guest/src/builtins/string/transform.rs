//! Strings made from strings: concatenation, repetition, padding, trimming, and the HTML methods of Annex B.

use super::this_string;
use crate::builtin::{CallContext, methods, native};
use crate::convert::{to_integer_or_infinity, to_length, to_string};
use crate::names::keys;
use crate::object::{Attributes, Object};
use crate::string::{JsString, MAX_LENGTH, StringBuilder, is_space};
use crate::throw::{JsResult, throw_range_error};
use crate::value::Value;

pub(super) fn install(prototype: Object) {
    methods(
        prototype,
        &[
            ("concat", 1, native(concat)),
            ("repeat", 1, native(repeat)),
            ("padStart", 1, native(|cx| pad(cx, "padStart", false))),
            ("padEnd", 1, native(|cx| pad(cx, "padEnd", true))),
            ("trim", 0, native(trim)),
            ("trimStart", 0, native(trim_start)),
            ("trimEnd", 0, native(trim_end)),
            ("anchor", 1, native(|cx| html(cx, "anchor", "a", "name"))),
            ("big", 0, native(|cx| html(cx, "big", "big", ""))),
            ("blink", 0, native(|cx| html(cx, "blink", "blink", ""))),
            ("bold", 0, native(|cx| html(cx, "bold", "b", ""))),
            ("fixed", 0, native(|cx| html(cx, "fixed", "tt", ""))),
            ("fontcolor", 1, native(|cx| html(cx, "fontcolor", "font", "color"))),
            ("fontsize", 1, native(|cx| html(cx, "fontsize", "font", "size"))),
            ("italics", 0, native(|cx| html(cx, "italics", "i", ""))),
            ("link", 1, native(|cx| html(cx, "link", "a", "href"))),
            ("small", 0, native(|cx| html(cx, "small", "small", ""))),
            ("strike", 0, native(|cx| html(cx, "strike", "strike", ""))),
            ("sub", 0, native(|cx| html(cx, "sub", "sub", ""))),
            ("sup", 0, native(|cx| html(cx, "sup", "sup", ""))),
        ],
    );
    for (alias, name) in [("trimLeft", "trimStart"), ("trimRight", "trimEnd")] {
        if let Some(property) = prototype.ordinary_get_own(name.into())
            && let crate::object::Content::Data(method) = property.content
        {
            prototype.define(alias, method, Attributes::HIDDEN);
        }
    }
    prototype.define(keys::length(), Value::int(0), Attributes::NONE);
}

fn concat(cx: &CallContext) -> JsResult {
    let mut string = this_string(cx, "concat")?;
    for &argument in cx.arguments {
        string = string.concat(to_string(argument)?)?;
    }
    Ok(string.into())
}

/// Appends `string` as often as needed for `length` units, the last time in part.
fn fill(out: &mut StringBuilder, string: JsString, length: u32) {
    let units = string.units();
    let end = out.len() + length as usize;
    while out.len() + units.len() <= end {
        out.push_units(units);
    }
    out.push_units(string.slice(0, (end - out.len()) as u32).units());
}

fn repeat(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "repeat")?;
    let count = to_integer_or_infinity(cx.arg(0))?;
    if count < 0.0 || count.is_infinite() {
        return Err(throw_range_error(format!("Invalid count value: {}", to_string(cx.arg(0))?.to_text())));
    }
    if count == 0.0 || string.is_empty() {
        return Ok(JsString::empty().into());
    }
    let length = count * string.len() as f64;
    if length > MAX_LENGTH as f64 {
        return Err(throw_range_error("Invalid string length"));
    }
    let mut out = StringBuilder::with_capacity(length as usize);
    fill(&mut out, string, length as u32);
    Ok(out.finish()?.into())
}

/// `padStart`, or `padEnd` if `at_end`.
fn pad(cx: &CallContext, method: &str, at_end: bool) -> JsResult {
    let string = this_string(cx, method)?;
    let length = to_length(cx.arg(0))?;
    if length <= string.len() as u64 {
        return Ok(string.into());
    }
    let filler = if cx.arg(1).is_undefined() { JsString::from_unit(b' ' as u16) } else { to_string(cx.arg(1))? };
    if filler.is_empty() {
        return Ok(string.into());
    }
    if length > u64::from(MAX_LENGTH) {
        return Err(throw_range_error("Invalid string length"));
    }
    let missing = length as u32 - string.len();
    let mut out = StringBuilder::with_capacity(length as usize);
    if at_end {
        out.push_string(string);
    }
    fill(&mut out, filler, missing);
    if !at_end {
        out.push_string(string);
    }
    Ok(out.finish()?.into())
}

fn trimmed(string: JsString, start: bool, end: bool) -> JsString {
    let units = string.units();
    let is_space_at = |index: u32| units.get(index as usize).is_some_and(is_space);
    let (mut from, mut to) = (0, string.len());
    while start && from < to && is_space_at(from) {
        from += 1;
    }
    while end && to > from && is_space_at(to - 1) {
        to -= 1;
    }
    string.slice(from, to)
}

fn trim(cx: &CallContext) -> JsResult {
    Ok(trimmed(this_string(cx, "trim")?, true, true).into())
}

fn trim_start(cx: &CallContext) -> JsResult {
    Ok(trimmed(this_string(cx, "trimLeft")?, true, false).into())
}

fn trim_end(cx: &CallContext) -> JsResult {
    Ok(trimmed(this_string(cx, "trimRight")?, false, true).into())
}

/// CreateHTML.
fn html(cx: &CallContext, method: &str, tag: &str, attribute: &str) -> JsResult {
    let string = this_string(cx, method)?;
    let mut builder = StringBuilder::new();
    builder.push_str(&format!("<{tag}"));
    if !attribute.is_empty() {
        builder.push_str(&format!(" {attribute}=\""));
        for unit in to_string(cx.arg(0))?.units().iter() {
            match unit {
                0x22 => builder.push_str("&quot;"),
                _ => builder.push_unit(unit),
            }
        }
        builder.push_str("\"");
    }
    builder.push_str(">");
    builder.push_string(string);
    builder.push_str(&format!("</{tag}>"));
    Ok(builder.finish()?.into())
}
