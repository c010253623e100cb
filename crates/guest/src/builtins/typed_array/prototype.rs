//! %TypedArray%.prototype: properties, iteration and search. What makes or changes arrays is in [`transform`].
//!
//! [`transform`]: super::transform

use super::{TypedArrayObject, transform, view};
use crate::builtin::{CallContext, Method, accessor, getters, method, methods, native};
use crate::builtins::array::iterator::{IterationKind, create as create_iterator};
use crate::builtins::check::require_callback;
use crate::call::call;
use crate::cell::Gc;
use crate::convert::{
    get_value, same_value_zero, strict_equals, to_boolean, to_integer_or_infinity, to_relative_index, to_string,
};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::Attributes;
use crate::realm::{Intrinsic, intrinsic, set_intrinsic};
use crate::string::{JsString, StringBuilder};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

const METHODS: &[Method] = &[
    ("at", 1, native(at)),
    ("every", 1, native(every)),
    ("find", 1, native(find)),
    ("findIndex", 1, native(find_index)),
    ("findLast", 1, native(find_last)),
    ("findLastIndex", 1, native(find_last_index)),
    ("forEach", 1, native(for_each)),
    ("includes", 1, native(includes)),
    ("indexOf", 1, native(index_of)),
    ("join", 1, native(join)),
    ("lastIndexOf", 1, native(last_index_of)),
    ("reduce", 1, native(reduce)),
    ("reduceRight", 1, native(reduce_right)),
    ("some", 1, native(some)),
    ("toLocaleString", 0, native(to_locale_string)),
    ("keys", 0, native(|cx| iterator(cx, "keys", IterationKind::Keys))),
    ("entries", 0, native(|cx| iterator(cx, "entries", IterationKind::Entries))),
];

pub(super) fn install() {
    let prototype = intrinsic(Intrinsic::TypedArrayPrototype);
    methods(prototype, METHODS);
    methods(prototype, transform::METHODS);
    let values = method(prototype, "values", 0, native(|cx| iterator(cx, "values", IterationKind::Values)));
    prototype.define(crate::symbol::iterator(), values.into(), Attributes::HIDDEN);
    if let Ok(to_string) = intrinsic(Intrinsic::ArrayPrototype).get(keys::to_string()) {
        prototype.define(crate::names::to_string(), to_string, Attributes::HIDDEN);
    }
    getters(
        prototype,
        &[
            ("buffer", native(|cx| Ok(this(cx)?.buffer().into()))),
            ("byteLength", native(byte_length)),
            ("byteOffset", native(byte_offset)),
            ("length", native(|cx| Ok(Value::from(this(cx)?.length())))),
        ],
    );
    if let Some(entry) = prototype.find(keys::length())
        && let Some(getter) = prototype.accessor_slot(entry).get.get().as_object()
    {
        set_intrinsic(Intrinsic::TypedArrayLength, getter);
    }
    accessor(prototype, "@@toStringTag", native(tag), None);
}

fn this(cx: &CallContext) -> JsResult<Gc<TypedArrayObject>> {
    cx.this.as_object().and_then(view).ok_or_else(|| throw_type_error("this is not a typed array."))
}

/// ValidateTypedArray of `this`: the array and its length.
pub(super) fn valid(cx: &CallContext, name: &str) -> JsResult<(Gc<TypedArrayObject>, u32)> {
    let array = this(cx)?;
    Ok((array, array.valid_length(format_args!("%TypedArray%.prototype.{name}"))?))
}

/// As [`valid`], for methods that write.
pub(super) fn valid_to_write(cx: &CallContext, name: &str) -> JsResult<(Gc<TypedArrayObject>, u32)> {
    let array = this(cx)?;
    Ok((array, array.valid_length_to_write(format_args!("%TypedArray%.prototype.{name}"))?))
}

fn tag(cx: &CallContext) -> JsResult {
    let array = cx.this.as_object().and_then(view);
    Ok(array.map_or(Value::UNDEFINED, |array| array.element_type().class_name().into()))
}

fn byte_length(cx: &CallContext) -> JsResult {
    let array = this(cx)?;
    Ok(Value::from(array.length() * array.element_type().size()))
}

fn byte_offset(cx: &CallContext) -> JsResult {
    let array = this(cx)?;
    Ok(Value::from(if array.length_in_bounds().is_some() { array.byte_offset() } else { 0 }))
}

fn iterator(cx: &CallContext, name: &str, kind: IterationKind) -> JsResult {
    let (array, _) = valid(cx, name)?;
    Ok(create_iterator(array.object(), kind))
}

fn at(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "at")?;
    let relative = to_integer_or_infinity(cx.arg(0))?;
    let index = if relative < 0.0 { f64::from(length) + relative } else { relative };
    if index < 0.0 || index >= f64::from(length) { Ok(Value::UNDEFINED) } else { Ok(array.get(index as u32)) }
}

/// The first index for which the function says yes, with its value.
fn search(
    cx: &CallContext,
    array: Gc<TypedArrayObject>,
    indices: impl Iterator<Item = u32>,
) -> JsResult<Option<(u32, Value)>> {
    let function = require_callback(cx.arg(0))?;
    for index in indices {
        let value = array.get(index);
        if to_boolean(call(function, cx.arg(1), &[value, Value::from(index), array.into()])?) {
            return Ok(Some((index, value)));
        }
    }
    Ok(None)
}

fn found_value(found: Option<(u32, Value)>) -> Value {
    found.map_or(Value::UNDEFINED, |(_, value)| value)
}

fn found_index(found: Option<(u32, Value)>) -> Value {
    found.map_or(Value::int(-1), |(index, _)| Value::from(index))
}

fn find(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "find")?;
    Ok(found_value(search(cx, array, 0..length)?))
}

fn find_index(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "findIndex")?;
    Ok(found_index(search(cx, array, 0..length)?))
}

fn find_last(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "findLast")?;
    Ok(found_value(search(cx, array, (0..length).rev())?))
}

fn find_last_index(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "findLastIndex")?;
    Ok(found_index(search(cx, array, (0..length).rev())?))
}

fn some(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "some")?;
    Ok(search(cx, array, 0..length)?.is_some().into())
}

fn every(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "every")?;
    let function = require_callback(cx.arg(0))?;
    for index in 0..length {
        if !to_boolean(call(function, cx.arg(1), &[array.get(index), Value::from(index), array.into()])?) {
            return Ok(Value::FALSE);
        }
    }
    Ok(Value::TRUE)
}

fn for_each(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "forEach")?;
    let function = require_callback(cx.arg(0))?;
    for index in 0..length {
        call(function, cx.arg(1), &[array.get(index), Value::from(index), array.into()])?;
    }
    Ok(Value::UNDEFINED)
}

fn reduce(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "reduce")?;
    fold(cx, array, 0..length)
}

fn reduce_right(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "reduceRight")?;
    fold(cx, array, (0..length).rev())
}

fn fold(cx: &CallContext, array: Gc<TypedArrayObject>, mut indices: impl Iterator<Item = u32>) -> JsResult {
    let function = require_callback(cx.arg(0))?;
    let initial = cx.arguments.get(1).copied();
    let Some(mut accumulator) = initial.or_else(|| indices.next().map(|first| array.get(first))) else {
        return Err(throw_type_error("Reduce of empty array with no initial value"));
    };
    for index in indices {
        let arguments = [accumulator, array.get(index), Value::from(index), array.into()];
        accumulator = call(function, Value::UNDEFINED, &arguments)?;
    }
    Ok(accumulator)
}

fn includes(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "includes")?;
    if length == 0 {
        return Ok(Value::FALSE);
    }
    let start = to_relative_index(cx.arg(1), u64::from(length), 0)? as u32;
    Ok((start..length).any(|index| same_value_zero(array.get(index), cx.arg(0))).into())
}

fn index_of(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "indexOf")?;
    if length == 0 {
        return Ok(Value::int(-1));
    }
    let start = to_relative_index(cx.arg(1), u64::from(length), 0)? as u32;
    let found = (start..length.min(array.length())).find(|&index| strict_equals(array.get(index), cx.arg(0)));
    Ok(found.map_or(Value::int(-1), Value::from))
}

fn last_index_of(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "lastIndexOf")?;
    if length == 0 {
        return Ok(Value::int(-1));
    }
    let length_f64 = f64::from(length);
    let from = match cx.arguments.get(1) {
        Some(&from) => to_integer_or_infinity(from)?,
        None => length_f64 - 1.0,
    };
    let end = if from < 0.0 { (length_f64 + from + 1.0).max(0.0) } else { (from + 1.0).min(length_f64) };
    let found = (0..(end as u32).min(array.length())).rev().find(|&index| strict_equals(array.get(index), cx.arg(0)));
    Ok(found.map_or(Value::int(-1), Value::from))
}

fn join(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "join")?;
    let separator = if cx.arg(0).is_undefined() { JsString::from_str(",") } else { to_string(cx.arg(0))? };
    join_with(array, length, separator, to_string)
}

fn to_locale_string(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "toLocaleString")?;
    join_with(array, length, JsString::from_str(","), |value| {
        let method = get_value(value, PropertyKey::from("toLocaleString"))?;
        to_string(call(method, value, cx.arguments)?)
    })
}

fn join_with(
    array: Gc<TypedArrayObject>,
    length: u32,
    separator: JsString,
    text_of: impl Fn(Value) -> JsResult<JsString>,
) -> JsResult {
    let mut text = StringBuilder::new();
    for index in 0..length {
        if index > 0 {
            text.push_string(separator);
        }
        let value = array.get(index);
        if !value.is_undefined() {
            text.push_string(text_of(value)?);
        }
    }
    Ok(text.finish()?.into())
}
