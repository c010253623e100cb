//! Looking for strings in strings.

use super::{position, this_string};
use crate::builtin::{CallContext, methods, native};
use crate::builtins::regexp::is_regexp;
use crate::convert::{to_number, to_string};
use crate::object::Object;
use crate::string::{JsString, Units};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

pub(super) fn install(prototype: Object) {
    methods(
        prototype,
        &[
            ("indexOf", 1, native(index_of)),
            ("lastIndexOf", 1, native(last_index_of)),
            ("includes", 1, native(includes)),
            ("startsWith", 1, native(starts_with)),
            ("endsWith", 1, native(ends_with)),
        ],
    );
}

fn index_of(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "indexOf")?;
    let needle = to_string(cx.arg(0))?;
    let from = position(cx.arg(1), string.len())?;
    Ok(string.index_of(needle, from).map_or(Value::int(-1), Value::from))
}

fn last_index_of(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "lastIndexOf")?;
    let needle = to_string(cx.arg(0))?;
    let from = to_number(cx.arg(1))?;
    let Some(last) = string.len().checked_sub(needle.len()) else { return Ok(Value::int(-1)) };
    let from = if from.is_nan() { last } else { from.clamp(0.0, last as f64) as u32 };
    let found = match (string.units(), needle.units()) {
        (Units::Latin1(text), Units::Latin1(needle)) => rfind(text, needle, from as usize),
        (Units::Utf16(text), Units::Utf16(needle)) => rfind(text, needle, from as usize),
        _ => (0..=from).rev().find(|&start| matches_at(string, needle, start)).map(|start| start as usize),
    };
    Ok(found.map_or(Value::int(-1), Value::from))
}

/// Position of the last occurrence of `needle` at or before `from`, where it has room.
fn rfind<T: PartialEq>(text: &[T], needle: &[T], from: usize) -> Option<usize> {
    let Some(first) = needle.first() else { return Some(from) };
    let mut end = from + 1;
    loop {
        let start = text[..end].iter().rposition(|unit| unit == first)?;
        if text[start..start + needle.len()] == *needle {
            return Some(start);
        }
        end = start;
    }
}

/// Whether `needle` stands at `start`.
fn matches_at(string: JsString, needle: JsString, start: u32) -> bool {
    let start = start as usize;
    let range = start..start + needle.len() as usize;
    match (string.units(), needle.units()) {
        (Units::Latin1(text), Units::Latin1(needle)) => text.get(range) == Some(needle),
        (Units::Utf16(text), Units::Utf16(needle)) => text.get(range) == Some(needle),
        (text, needle) => (0..needle.len()).all(|index| text.get(start + index) == needle.get(index)),
    }
}

/// The needle of a method that refuses regular expressions.
fn plain_needle(value: Value, method: &str) -> JsResult<JsString> {
    if is_regexp(value)? {
        return Err(throw_type_error(format!(
            "First argument to String.prototype.{method} must not be a regular expression"
        )));
    }
    to_string(value)
}

fn includes(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "includes")?;
    let needle = plain_needle(cx.arg(0), "includes")?;
    let from = position(cx.arg(1), string.len())?;
    Ok(string.index_of(needle, from).is_some().into())
}

fn starts_with(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "startsWith")?;
    let needle = plain_needle(cx.arg(0), "startsWith")?;
    let start = position(cx.arg(1), string.len())?;
    Ok((needle.len() <= string.len() - start && matches_at(string, needle, start)).into())
}

fn ends_with(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "endsWith")?;
    let needle = plain_needle(cx.arg(0), "endsWith")?;
    let end = if cx.arg(1).is_undefined() { string.len() } else { position(cx.arg(1), string.len())? };
    Ok(end.checked_sub(needle.len()).is_some_and(|start| matches_at(string, needle, start)).into())
}
