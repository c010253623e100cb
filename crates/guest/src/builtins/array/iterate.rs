//! The methods that call a function for each element.

use super::elements::{array_species_create, create_at, get_at, get_present};
use crate::builtin::{CallContext, Method, native};
use crate::builtins::check::require_function;
use crate::call::Callee;
use crate::convert::{is_array, require_coercible, to_boolean, to_object};
use crate::object::Object;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("forEach", 1, native(for_each)),
    ("map", 1, native(map)),
    ("filter", 1, native(filter)),
    ("some", 1, native(some)),
    ("every", 1, native(every)),
    ("find", 1, native(find)),
    ("findIndex", 1, native(find_index)),
    ("findLast", 1, native(find_last)),
    ("findLastIndex", 1, native(find_last_index)),
    ("reduce", 1, native(reduce)),
    ("reduceRight", 1, native(reduce_right)),
    ("flatMap", 1, native(flat_map)),
    ("flat", 0, native(flat)),
];

/// What such a method works on.
struct Iteration {
    object: Object,
    length: u64,
    callee: Callee,
    this: Value,
}

impl Iteration {
    fn new(cx: &CallContext, name: &str) -> JsResult<Iteration> {
        let object = to_object(require_coercible(cx.this, name)?)?;
        let length = object.length()?;
        Ok(Iteration { object, length, callee: Callee::new(require_function(cx.arg(0))?)?, this: cx.arg(1) })
    }

    #[inline(always)]
    fn call(&self, value: Value, index: u64) -> JsResult {
        self.callee.call(self.this, [value, number(index), self.object.into()])
    }

    /// Calls the function for each element that is there, until `step` says stop.
    #[inline(always)]
    fn each(&self, mut step: impl FnMut(u64, Value, Value) -> JsResult<bool>) -> JsResult<()> {
        for index in 0..self.length {
            if let Some(value) = get_present(self.object, index)?
                && !step(index, value, self.call(value, index)?)?
            {
                break;
            }
        }
        Ok(())
    }

    /// The first element and its index, holes included, for which the function says yes.
    #[inline(always)]
    fn search(&self, indices: impl Iterator<Item = u64>) -> JsResult<Option<(u64, Value)>> {
        for index in indices {
            let value = get_at(self.object, index)?;
            if to_boolean(self.call(value, index)?) {
                return Ok(Some((index, value)));
            }
        }
        Ok(None)
    }
}

/// An index as a number.
#[inline(always)]
fn number(index: u64) -> Value {
    match i32::try_from(index) {
        Ok(index) => Value::int(index),
        Err(_) => Value::number(index as f64),
    }
}

fn for_each(cx: &CallContext) -> JsResult {
    Iteration::new(cx, "Array.prototype.forEach")?.each(|_, _, _| Ok(true))?;
    Ok(Value::UNDEFINED)
}

fn map(cx: &CallContext) -> JsResult {
    let iteration = Iteration::new(cx, "Array.prototype.map")?;
    let result = array_species_create(iteration.object, iteration.length)?;
    iteration.each(|index, _, mapped| {
        create_at(result, index, mapped)?;
        Ok(true)
    })?;
    Ok(result.into())
}

fn filter(cx: &CallContext) -> JsResult {
    let iteration = Iteration::new(cx, "Array.prototype.filter")?;
    let result = array_species_create(iteration.object, 0)?;
    let mut count = 0;
    iteration.each(|_, value, answer| {
        if to_boolean(answer) {
            create_at(result, count, value)?;
            count += 1;
        }
        Ok(true)
    })?;
    Ok(result.into())
}

fn some(cx: &CallContext) -> JsResult {
    let mut found = false;
    Iteration::new(cx, "Array.prototype.some")?.each(|_, _, answer| {
        found = to_boolean(answer);
        Ok(!found)
    })?;
    Ok(found.into())
}

fn every(cx: &CallContext) -> JsResult {
    let mut all = true;
    Iteration::new(cx, "Array.prototype.every")?.each(|_, _, answer| {
        all = to_boolean(answer);
        Ok(all)
    })?;
    Ok(all.into())
}

fn find(cx: &CallContext) -> JsResult {
    let iteration = Iteration::new(cx, "Array.prototype.find")?;
    Ok(iteration.search(0..iteration.length)?.map_or(Value::UNDEFINED, |(_, value)| value))
}

fn find_index(cx: &CallContext) -> JsResult {
    let iteration = Iteration::new(cx, "Array.prototype.findIndex")?;
    Ok(found_index(iteration.search(0..iteration.length)?))
}

fn find_last(cx: &CallContext) -> JsResult {
    let iteration = Iteration::new(cx, "Array.prototype.findLast")?;
    Ok(iteration.search((0..iteration.length).rev())?.map_or(Value::UNDEFINED, |(_, value)| value))
}

fn find_last_index(cx: &CallContext) -> JsResult {
    let iteration = Iteration::new(cx, "Array.prototype.findLastIndex")?;
    Ok(found_index(iteration.search((0..iteration.length).rev())?))
}

fn found_index(found: Option<(u64, Value)>) -> Value {
    found.map_or(Value::int(-1), |(index, _)| number(index))
}

fn reduce(cx: &CallContext) -> JsResult {
    let object = to_object(require_coercible(cx.this, "Array.prototype.reduce")?)?;
    let length = object.length()?;
    fold(cx, object, 0..length)
}

fn reduce_right(cx: &CallContext) -> JsResult {
    let object = to_object(require_coercible(cx.this, "Array.prototype.reduceRight")?)?;
    let length = object.length()?;
    fold(cx, object, (0..length).rev())
}

#[inline(always)]
fn fold(cx: &CallContext, object: Object, indices: impl Iterator<Item = u64>) -> JsResult {
    let callee = Callee::new(require_function(cx.arg(0))?)?;
    let mut accumulator = cx.arguments.get(1).copied();
    for index in indices {
        let Some(value) = get_present(object, index)? else { continue };
        accumulator = Some(match accumulator {
            None => value,
            Some(accumulator) => callee.call(Value::UNDEFINED, [accumulator, value, number(index), object.into()])?,
        });
    }
    match accumulator {
        Some(result) => Ok(result),
        None => Err(throw_type_error("Reduce of empty array with no initial value")),
    }
}

fn flat(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let depth = if cx.arg(0).is_undefined() { 1.0 } else { crate::convert::to_integer_or_infinity(cx.arg(0))? };
    let result = array_species_create(object, 0)?;
    let mut count = 0;
    flatten(result, &mut count, object, length, depth)?;
    Ok(result.into())
}

fn flat_map(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let callee = Callee::new(require_function(cx.arg(0))?)?;
    let iteration = Iteration { object, length, callee, this: cx.arg(1) };
    let result = array_species_create(object, 0)?;
    let mut count = 0;
    iteration.each(|_, _, mapped| {
        append_flat(result, &mut count, mapped, 1.0)?;
        Ok(true)
    })?;
    Ok(result.into())
}

/// FlattenIntoArray: appends the elements of `source` to `target`, which has `count`.
fn flatten(target: Object, count: &mut u64, source: Object, length: u64, depth: f64) -> JsResult<()> {
    let _level = crate::call::descend()?;
    for index in 0..length {
        if let Some(element) = get_present(source, index)? {
            append_flat(target, count, element, depth)?;
        }
    }
    Ok(())
}

/// Appends `element`, or its elements if it is an array and `depth` is above 0.
fn append_flat(target: Object, count: &mut u64, element: Value, depth: f64) -> JsResult<()> {
    if depth > 0.0
        && is_array(element)?
        && let Some(nested) = element.as_object()
    {
        let length = nested.length()?;
        return flatten(target, count, nested, length, depth - 1.0);
    }
    create_at(target, *count, element)?;
    *count += 1;
    Ok(())
}
