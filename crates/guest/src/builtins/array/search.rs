//! The methods that look for elements or turn them into text.

use core::cell::Cell;

use super::elements::{as_movable_array, get_at, get_present};
use crate::builtin::{CallContext, Method, native};
use crate::call::{call, is_callable};
use crate::convert::{
    get_value, same_value_zero, strict_equals, to_integer_or_infinity, to_object, to_relative_index, to_string,
};
use crate::names::keys;
use crate::object::Object;
use crate::state::State;
use crate::string::{JsString, StringBuilder, append_int};
use crate::throw::JsResult;
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("at", 1, native(at)),
    ("indexOf", 1, native(index_of)),
    ("lastIndexOf", 1, native(last_index_of)),
    ("includes", 1, native(includes)),
    ("join", 1, native(join)),
    ("toString", 0, native(to_string_method)),
    ("toLocaleString", 0, native(to_locale_string)),
];

fn at(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()? as f64;
    let relative = to_integer_or_infinity(cx.arg(0))?;
    let index = if relative < 0.0 { length + relative } else { relative };
    if index < 0.0 || index >= length { Ok(Value::UNDEFINED) } else { get_at(object, index as u64) }
}

/// Position of the first element that is `===` to the value, which decides how to compare.
fn position(elements: &[Cell<Value>], wanted: Value) -> Option<usize> {
    if wanted.is_int() {
        let same = |element: Value| element.is_double() && element.as_number() == wanted.as_number();
        return elements.iter().position(|element| element.get() == wanted || same(element.get()));
    }
    if let Some(number) = wanted.as_number() {
        return elements.iter().position(|element| element.get().as_number() == Some(number));
    }
    if let Some(string) = wanted.as_string() {
        let is_it = |element: &Cell<Value>| element.get().as_string().is_some_and(|element| element.equals(string));
        return elements.iter().position(is_it);
    }
    if wanted.is_bigint() {
        return elements.iter().position(|element| strict_equals(element.get(), wanted));
    }
    elements.iter().position(|element| element.get() == wanted)
}

fn index_of(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    if length == 0 {
        return Ok(Value::int(-1));
    }
    let start = to_relative_index(cx.arg(1), length, 0)?;
    if let Some(array) = as_movable_array(object) {
        let rest = array.dense().get(start as usize..length as usize).unwrap_or(&[]);
        let found = position(rest, cx.arg(0));
        return Ok(found.map_or(Value::int(-1), |position| Value::from(position + start as usize)));
    }
    for index in start..length {
        if get_present(object, index)?.is_some_and(|element| strict_equals(element, cx.arg(0))) {
            return Ok(Value::number(index as f64));
        }
    }
    Ok(Value::int(-1))
}

fn last_index_of(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    if length == 0 {
        return Ok(Value::int(-1));
    }
    let from = match cx.arguments.get(1) {
        Some(&from) => to_integer_or_infinity(from)?,
        None => length as f64 - 1.0,
    };
    let end = if from < 0.0 { (length as f64 + from + 1.0).max(0.0) } else { (from + 1.0).min(length as f64) };
    for index in (0..end as u64).rev() {
        if get_present(object, index)?.is_some_and(|element| strict_equals(element, cx.arg(0))) {
            return Ok(Value::number(index as f64));
        }
    }
    Ok(Value::int(-1))
}

fn includes(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    if length == 0 {
        return Ok(Value::FALSE);
    }
    let (start, wanted) = (to_relative_index(cx.arg(1), length, 0)?, cx.arg(0));
    // A hole is undefined here.
    if let Some(array) = as_movable_array(object)
        && u64::from(array.len()) == length
        && !wanted.is_undefined()
        && !wanted.as_number().is_some_and(f64::is_nan)
    {
        return Ok(position(&array.dense()[start as usize..], wanted).is_some().into());
    }
    for index in start..length {
        if same_value_zero(get_at(object, index)?, wanted) {
            return Ok(Value::TRUE);
        }
    }
    Ok(Value::FALSE)
}

/// Objects being joined right now: one that contains itself is an empty string there.
static JOINING: State<Vec<Object>> = State::new(Vec::new());

/// Text of the elements of `object` with `separator` between them; nothing if it is being joined already.
fn join_elements(
    object: Object,
    length: u64,
    separator: JsString,
    mut append: impl FnMut(&mut StringBuilder, Value) -> JsResult<()>,
) -> JsResult<JsString> {
    if JOINING.with(|joining| joining.contains(&object)) {
        return Ok(JsString::empty());
    }
    let _level = crate::call::descend()?;
    JOINING.with(|joining| joining.push(object));
    let joined = (|| {
        let mut text = StringBuilder::new();
        for index in 0..length {
            if index > 0 {
                text.push_string(separator);
            }
            let element = get_at(object, index)?;
            if !element.is_nullish() {
                append(&mut text, element)?;
            }
            if text.len() > crate::string::MAX_LENGTH as usize {
                break;
            }
        }
        text.finish()
    })();
    JOINING.with(|joining| joining.pop());
    joined
}

fn join(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let separator = if cx.arg(0).is_undefined() { JsString::from_str(",") } else { to_string(cx.arg(0))? };
    let append = |text: &mut StringBuilder, element: Value| {
        match element.as_int() {
            Some(int) => append_int(text, int),
            None => text.push_string(to_string(element)?),
        }
        Ok(())
    };
    Ok(join_elements(object, length, separator, append)?.into())
}

fn to_string_method(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let join = object.get(keys::join())?;
    if is_callable(join) {
        return call(join, object.into(), &[]);
    }
    crate::builtins::object::to_string_tag_of(object.into())
}

fn to_locale_string(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let locale = |text: &mut StringBuilder, element: Value| {
        let method = get_value(element, crate::key::PropertyKey::from_text("toLocaleString"))?;
        text.push_string(to_string(call(method, element, cx.arguments)?)?);
        Ok(())
    };
    Ok(join_elements(object, object.length()?, JsString::from_str(","), locale)?.into())
}
