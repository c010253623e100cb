//! `sort` and `toSorted`.

use super::elements::{array_create, as_packed_array, delete_at, get_at, get_present, set_at};
use super::tim_sort::tim_sort;
use crate::builtin::{CallContext, Method, native};
use crate::call::{Callee, is_callable};
use crate::convert::{to_number, to_object, to_string};
use crate::error::display;
use crate::object::Object;
use crate::string::JsString;
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[("sort", 1, native(sort)), ("toSorted", 1, native(to_sorted))];

/// The comparator argument: a function or undefined.
pub fn comparator(value: Value) -> JsResult<Value> {
    if value.is_undefined() || is_callable(value) {
        return Ok(value);
    }
    let what = display(value);
    Err(throw_type_error(format!("The comparison function must be either a function or undefined: {what}")))
}

fn sort(cx: &CallContext) -> JsResult {
    let comparator = comparator(cx.arg(0))?;
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let mut values = Vec::new();
    let mut undefined = 0;
    for index in 0..length {
        match get_present(object, index)? {
            Some(value) if value.is_undefined() => undefined += 1,
            Some(value) => values.push(value),
            None => {}
        }
    }
    sort_values(&mut values, comparator)?;
    write_back(object, length, &values, undefined)?;
    Ok(object.into())
}

/// Writes sorted values to the front, then as many `undefined`, and deletes what was behind.
fn write_back(object: Object, length: u64, values: &[Value], undefined: u64) -> JsResult<()> {
    if undefined == 0
        && values.len() as u64 == length
        && let Some(array) = as_packed_array(object)
        && u64::from(array.len()) == length
    {
        array.dense().iter().zip(values).for_each(|(element, &value)| element.set(value));
        return Ok(());
    }
    let used = values.len() as u64 + undefined;
    for index in 0..used {
        set_at(object, index, values.get(index as usize).copied().unwrap_or(Value::UNDEFINED))?;
    }
    for index in used..length {
        if object.has_property(crate::key::PropertyKey::integer(index))? {
            delete_at(object, index)?;
        }
    }
    Ok(())
}

fn to_sorted(cx: &CallContext) -> JsResult {
    let comparator = comparator(cx.arg(0))?;
    let object = to_object(cx.this)?;
    let length = object.length()?;
    if length > u64::from(u32::MAX) {
        return Err(throw_range_error("Invalid array length"));
    }
    let all = (0..length).map(|index| get_at(object, index)).collect::<JsResult<Vec<Value>>>()?;
    let mut values: Vec<Value> = all.iter().copied().filter(|value| !value.is_undefined()).collect();
    sort_values(&mut values, comparator)?;
    values.resize(all.len(), Value::UNDEFINED);
    let result = array_create(0)?;
    values.into_iter().for_each(|value| result.push(value));
    Ok(result.into())
}

/// Sorts values other than `undefined` by the comparator or, without one, by their text.
pub fn sort_values(values: &mut [Value], comparator: Value) -> JsResult<()> {
    if !comparator.is_undefined() {
        let comparator = Callee::new(comparator)?;
        return tim_sort(values, |a, b| compares_less(&comparator, a, b));
    }
    if values.iter().all(|value| !value.is_object() && !value.is_symbol()) {
        return sort_primitives(values);
    }
    // The text of objects is user code, asked for at each comparison.
    tim_sort(values, |a, b| {
        let (a, b) = (to_string(a)?, to_string(b)?);
        Ok(a.compare(b).is_lt())
    })
}

/// Whether the comparator answers a number below 0.
#[inline]
pub fn compares_less(comparator: &Callee, a: Value, b: Value) -> JsResult<bool> {
    let order = comparator.call(Value::UNDEFINED, [a, b])?;
    match order.as_int() {
        Some(order) => Ok(order < 0),
        None => Ok(to_number(order)? < 0.0),
    }
}

/// Sorts primitives by their text, each converted once.
fn sort_primitives(values: &mut [Value]) -> JsResult<()> {
    let mut keyed = Vec::with_capacity(values.len());
    for &value in values.iter() {
        keyed.push((to_string(value)?, value));
    }
    keyed.sort_by(|(a, _): &(JsString, Value), (b, _)| a.compare(*b));
    values.iter_mut().zip(keyed).for_each(|(value, (_, sorted))| *value = sorted);
    Ok(())
}
