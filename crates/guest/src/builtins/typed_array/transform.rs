//! The methods of typed arrays that change them or make others of them.

use super::construct::{same_type, species_create};
use super::prototype::{valid, valid_to_write};
use super::{Element, TypedArrayObject, view};
use crate::builtin::{CallContext, Method, native};
use crate::builtins::array::sort::{comparator, compares_less};
use crate::builtins::array::tim_sort;
use crate::builtins::check::require_callback;
use crate::call::{Callee, call};
use crate::cell::Gc;
use crate::convert::{to_boolean, to_integer_or_infinity, to_object, to_relative_index};
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("copyWithin", 2, native(copy_within)),
    ("fill", 1, native(fill)),
    ("filter", 1, native(filter)),
    ("map", 1, native(map)),
    ("reverse", 0, native(reverse)),
    ("set", 1, native(set)),
    ("slice", 2, native(slice)),
    ("sort", 1, native(sort)),
    ("subarray", 2, native(subarray)),
    ("toReversed", 0, native(to_reversed)),
    ("toSorted", 1, native(to_sorted)),
    ("with", 2, native(with)),
];

fn copy_within(cx: &CallContext) -> JsResult {
    let (array, length) = valid_to_write(cx, "copyWithin")?;
    let length = u64::from(length);
    let to = to_relative_index(cx.arg(0), length, 0)? as u32;
    let from = to_relative_index(cx.arg(1), length, 0)? as u32;
    let end = to_relative_index(cx.arg(2), length, length)? as u32;
    let now = array.valid_length("%TypedArray%.prototype.copyWithin")?;
    let count = end.saturating_sub(from).min(length as u32 - to).min(now.saturating_sub(from.max(to)));
    let size = array.element_type().size();
    let bytes = array.buffer().read(array.byte_offset() + from * size, count * size);
    array.buffer().write(array.byte_offset() + to * size, &bytes);
    Ok(cx.this)
}

fn fill(cx: &CallContext) -> JsResult {
    let (array, length) = valid_to_write(cx, "fill")?;
    let element = array.element_type().convert(cx.arg(0))?;
    let start = to_relative_index(cx.arg(1), u64::from(length), 0)? as u32;
    let end = to_relative_index(cx.arg(2), u64::from(length), u64::from(length))? as u32;
    let now = array.valid_length("%TypedArray%.prototype.fill")?;
    for index in start..end.min(now) {
        array.set_element(index, element);
    }
    Ok(cx.this)
}

fn filter(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "filter")?;
    let function = require_callback(cx.arg(0))?;
    let mut kept = vec![];
    for index in 0..length {
        let value = array.get(index);
        if to_boolean(call(function, cx.arg(1), &[value, Value::from(index), array.into()])?) {
            kept.push(value);
        }
    }
    let result = species_create(array, &[Value::from(kept.len())], "%TypedArray%.prototype.filter")?;
    for (index, value) in kept.into_iter().enumerate() {
        result.set(index as u32, value)?;
    }
    Ok(result.into())
}

fn map(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "map")?;
    let function = require_callback(cx.arg(0))?;
    let result = species_create(array, &[Value::from(length)], "%TypedArray%.prototype.map")?;
    for index in 0..length {
        let mapped = call(function, cx.arg(1), &[array.get(index), Value::from(index), array.into()])?;
        result.set(index, mapped)?;
    }
    Ok(result.into())
}

fn reverse(cx: &CallContext) -> JsResult {
    let (array, _) = valid_to_write(cx, "reverse")?;
    let mut values = array.to_vec();
    values.reverse();
    store(array, values)?;
    Ok(cx.this)
}

/// Writes values that are elements already.
fn store(array: Gc<TypedArrayObject>, values: Vec<Value>) -> JsResult<()> {
    values.into_iter().enumerate().try_for_each(|(index, value)| array.set(index as u32, value))
}

fn set(cx: &CallContext) -> JsResult {
    let Some(target) = cx.this.as_object().and_then(view) else {
        return Err(throw_type_error("this is not a typed array."));
    };
    target.buffer().require_mutable("%TypedArray%.prototype.set")?;
    let offset = to_integer_or_infinity(cx.arg(1))?;
    if offset < 0.0 {
        return Err(throw_range_error("offset is out of bounds"));
    }
    let length = f64::from(target.valid_length("%TypedArray%.prototype.set")?);
    let check = |count: f64| {
        if offset + count > length { Err(throw_range_error("offset is out of bounds")) } else { Ok(()) }
    };
    if let Some(source) = cx.arg(0).as_object().and_then(view) {
        let count = source.valid_length("%TypedArray%.prototype.set")?;
        if source.element_type().is_bigint() != target.element_type().is_bigint() {
            return Err(throw_type_error("Cannot mix BigInt and other types, use explicit conversions"));
        }
        check(f64::from(count))?;
        if source.element_type() == target.element_type() {
            let start = target.byte_offset() + offset as u32 * target.element_type().size();
            target.buffer().write(start, &source.to_bytes());
            return Ok(Value::UNDEFINED);
        }
        // The copy is needed if both are views of one buffer.
        let values = source.to_vec();
        for (index, value) in values.into_iter().enumerate() {
            target.set(offset as u32 + index as u32, value)?;
        }
        return Ok(Value::UNDEFINED);
    }
    let source = to_object(cx.arg(0))?;
    let count = source.length()?;
    check(count as f64)?;
    for index in 0..count {
        let value = crate::builtins::array::elements::get_at(source, index)?;
        target.set(offset as u32 + index as u32, value)?;
    }
    Ok(Value::UNDEFINED)
}

fn slice(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "slice")?;
    let length = u64::from(length);
    let start = to_relative_index(cx.arg(0), length, 0)?;
    let end = to_relative_index(cx.arg(1), length, length)?.max(start);
    let count = (end - start) as u32;
    let result = species_create(array, &[Value::from(count)], "%TypedArray%.prototype.slice")?;
    if count == 0 {
        return Ok(result.into());
    }
    let end = (end as u32).min(array.valid_length("%TypedArray%.prototype.slice")?);
    if result.element_type() == array.element_type() {
        let size = array.element_type().size();
        let count = end.saturating_sub(start as u32).min(result.length());
        let (from, to) = (array.byte_offset() + start as u32 * size, result.byte_offset());
        if result.buffer() == array.buffer() && to > from {
            // Bytes may be copied that were written before.
            for index in 0..count * size {
                result.buffer().write(to + index, &array.buffer().read(from + index, 1));
            }
        } else {
            result.buffer().write(to, &array.buffer().read(from, count * size));
        }
        return Ok(result.into());
    }
    for index in start as u32..end {
        result.set(index - start as u32, array.get(index))?;
    }
    Ok(result.into())
}

fn subarray(cx: &CallContext) -> JsResult {
    let Some(array) = cx.this.as_object().and_then(view) else {
        return Err(throw_type_error("this is not a typed array."));
    };
    let length = u64::from(array.length());
    let start = to_relative_index(cx.arg(0), length, 0)?;
    let end = to_relative_index(cx.arg(1), length, length)?.max(start);
    let offset = u64::from(array.byte_offset()) + start * u64::from(array.element_type().size());
    let mut arguments = vec![array.buffer().into(), Value::number(offset as f64)];
    if array.fixed_length.is_some() || !cx.arg(1).is_undefined() {
        arguments.push(Value::number((end - start) as f64));
    }
    Ok(species_create(array, &arguments, "%TypedArray%.prototype.subarray")?.into())
}

/// Sorts elements by the comparator or, without one, by number; −0 before 0, NaN last.
fn sort_elements(values: &mut [Value], comparator: Value) -> JsResult<()> {
    if comparator.is_undefined() {
        values.sort_by(|&a, &b| match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => match (a.as_bigint(), b.as_bigint()) {
                (Some(a), Some(b)) => a.value().cmp(b.value()),
                _ => core::cmp::Ordering::Equal,
            },
        });
        return Ok(());
    }
    let comparator = Callee::new(comparator)?;
    tim_sort(values, |a, b| compares_less(&comparator, a, b))
}

fn sort(cx: &CallContext) -> JsResult {
    let comparator = comparator(cx.arg(0))?;
    let (array, _) = valid_to_write(cx, "sort")?;
    let mut values = array.to_vec();
    sort_elements(&mut values, comparator)?;
    store(array, values)?;
    Ok(cx.this)
}

fn to_sorted(cx: &CallContext) -> JsResult {
    let comparator = comparator(cx.arg(0))?;
    let (array, length) = valid(cx, "toSorted")?;
    let result = same_type(array, length)?;
    let mut values = array.to_vec();
    sort_elements(&mut values, comparator)?;
    store(result, values)?;
    Ok(result.into())
}

fn to_reversed(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "toReversed")?;
    let result = same_type(array, length)?;
    let mut values = array.to_vec();
    values.reverse();
    store(result, values)?;
    Ok(result.into())
}

fn with(cx: &CallContext) -> JsResult {
    let (array, length) = valid(cx, "with")?;
    let relative = to_integer_or_infinity(cx.arg(0))?;
    let index = if relative < 0.0 { f64::from(length) + relative } else { relative };
    let element: Element = array.element_type().convert(cx.arg(1))?;
    if index < 0.0 || index >= f64::from(array.length()) {
        return Err(throw_range_error("Invalid typed array index"));
    }
    let result = same_type(array, length)?;
    store(result, array.to_vec())?;
    result.set_element(index as u32, element);
    Ok(result.into())
}
