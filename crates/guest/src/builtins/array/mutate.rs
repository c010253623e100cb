//! The methods that change the array.

use core::cell::Cell;

use super::elements::{
    MAX_SAFE_LENGTH, as_movable_array, as_packed_array, as_plain_array, create_at, create_from_species, delete_at,
    get_at, get_present, set_at, set_length, species,
};
use crate::builtin::{CallContext, Method, native};
use crate::cell::Gc;
use crate::convert::{to_integer_or_infinity, to_object, to_relative_index};
use crate::object::{ArrayCell, Object};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("push", 1, native(push)),
    ("pop", 0, native(pop)),
    ("shift", 0, native(shift)),
    ("unshift", 1, native(unshift)),
    ("splice", 2, native(splice)),
    ("reverse", 0, native(reverse)),
    ("fill", 1, native(fill)),
    ("copyWithin", 2, native(copy_within)),
];

fn number(length: u64) -> Value {
    Value::number(length as f64)
}

fn push(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    if let Some(array) = as_plain_array(object)
        && u64::from(array.len()) + (cx.arguments.len() as u64) < u64::from(u32::MAX)
    {
        cx.arguments.iter().for_each(|&value| array.push(value));
        return Ok(Value::from(array.len()));
    }
    let length = object.length()?;
    let count = cx.arguments.len() as u64;
    if length + count > MAX_SAFE_LENGTH {
        return Err(throw_type_error(format!(
            "Pushing {count} elements on an array-like of length {length} is disallowed, as the total surpasses 2**53-1"
        )));
    }
    for (index, &value) in cx.arguments.iter().enumerate() {
        object.set(crate::key::PropertyKey::integer(length + index as u64), value)?;
    }
    set_length(object, length + count)?;
    Ok(number(length + count))
}

fn pop(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    if let Some(array) = as_plain_array(object)
        && array.len() > 0
        && !array.element(array.len() - 1).is_empty()
    {
        return Ok(array.pop());
    }
    let Some(last) = object.length()?.checked_sub(1) else {
        set_length(object, 0)?;
        return Ok(Value::UNDEFINED);
    };
    let value = get_at(object, last)?;
    delete_at(object, last)?;
    set_length(object, last)?;
    Ok(value)
}

fn shift(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    if let Some(array) = as_movable_array(object)
        && let elements = array.dense()
        && let Some(first) = elements.first()
        && !first.get().is_empty()
    {
        let value = first.get();
        // Holes move with the others.
        move_cells(elements, 1, 0, elements.len() - 1);
        array.pop();
        return Ok(value);
    }
    let length = object.length()?;
    if length == 0 {
        set_length(object, 0)?;
        return Ok(Value::UNDEFINED);
    }
    let value = get_at(object, 0)?;
    move_elements(object, 1, 0, length - 1)?;
    delete_at(object, length - 1)?;
    set_length(object, length - 1)?;
    Ok(value)
}

fn unshift(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let count = cx.arguments.len() as u64;
    if count > 0 {
        if let Some(array) = as_movable_array(object)
            && length + count < u64::from(u32::MAX)
        {
            replace_range(array, 0, 0, cx.arguments);
            return Ok(number(length + count));
        }
        if length + count > MAX_SAFE_LENGTH {
            return Err(throw_type_error("Invalid array length"));
        }
        move_elements(object, 0, count, length)?;
        for (index, &value) in cx.arguments.iter().enumerate() {
            set_at(object, index as u64, value)?;
        }
    }
    set_length(object, length + count)?;
    Ok(number(length + count))
}

/// Replaces `removed` elements at `start` of a plain array by `inserted`. Holes move with the others.
fn replace_range(array: Gc<ArrayCell>, start: usize, removed: usize, inserted: &[Value]) {
    let old = array.len() as usize;
    let new = old - removed + inserted.len();
    // Pushing grows the storage by more than is asked for, so that repeated insertion stays cheap.
    (old..new).for_each(|_| array.push(Value::EMPTY));
    let elements = array.dense();
    let (from, to) = (start + removed, start + inserted.len());
    move_cells(elements, from, to, old - from);
    for (index, &value) in inserted.iter().enumerate() {
        elements[start + index].set(value);
    }
    if new < old {
        array.set_dense_length(new as u32);
    }
}

/// Moves `count` elements in one piece.
fn move_cells(elements: &[Cell<Value>], from: usize, to: usize, count: usize) {
    let (source, target) = (&elements[from..from + count], &elements[to..to + count]);
    // SAFETY: both are ranges of shared cells, whose contents may be copied over each other.
    unsafe { core::ptr::copy(source.as_ptr(), target.as_ptr().cast_mut(), count) };
}

/// Moves `count` elements from index `from` to index `to`, holes included, in the order that overwrites nothing.
fn move_elements(object: Object, from: u64, to: u64, count: u64) -> JsResult<()> {
    let step = |offset: u64| match get_present(object, from + offset)? {
        Some(value) => set_at(object, to + offset, value),
        None => delete_at(object, to + offset),
    };
    if from > to { (0..count).try_for_each(step) } else { (0..count).rev().try_for_each(step) }
}

fn splice(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let start = to_relative_index(cx.arg(0), length, 0)?;
    let inserted = cx.rest(2);
    let removed = match cx.arguments.len() {
        0 => 0,
        1 => length - start,
        _ => to_integer_or_infinity(cx.arg(1))?.clamp(0.0, (length - start) as f64) as u64,
    };
    let new_length = length - removed + inserted.len() as u64;
    if new_length > MAX_SAFE_LENGTH {
        return Err(throw_type_error("Invalid array length"));
    }
    let species = species(object)?;
    if let Some(array) = as_movable_array(object)
        && u64::from(array.len()) == length
        && new_length < u64::from(u32::MAX)
        && species.is_none()
    {
        let (start, removed) = (start as usize, removed as usize);
        let taken = ArrayCell::from_cells(&array.dense()[start..start + removed]);
        replace_range(array, start, removed, inserted);
        return Ok(taken.into());
    }
    let result = create_from_species(species, removed)?;
    for index in 0..removed {
        if let Some(value) = get_present(object, start + index)? {
            create_at(result, index, value)?;
        }
    }
    set_length(result, removed)?;
    let count = inserted.len() as u64;
    if count != removed {
        move_elements(object, start + removed, start + count, length - start - removed)?;
        for index in (new_length..length).rev() {
            delete_at(object, index)?;
        }
    }
    for (index, &value) in inserted.iter().enumerate() {
        set_at(object, start + index as u64, value)?;
    }
    set_length(object, new_length)?;
    Ok(result.into())
}

fn reverse(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    if let Some(array) = as_packed_array(object) {
        let elements = array.dense();
        let last = elements.len();
        (0..last / 2).for_each(|index| elements[index].swap(&elements[last - 1 - index]));
        return Ok(object.into());
    }
    let length = object.length()?;
    for lower in 0..length / 2 {
        let upper = length - 1 - lower;
        let low = get_present(object, lower)?;
        let high = get_present(object, upper)?;
        for (index, value, was_there) in [(lower, high, low.is_some()), (upper, low, high.is_some())] {
            match value {
                Some(value) => set_at(object, index, value)?,
                None if was_there => delete_at(object, index)?,
                None => {}
            }
        }
    }
    Ok(object.into())
}

fn fill(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let start = to_relative_index(cx.arg(1), length, 0)?;
    let end = to_relative_index(cx.arg(2), length, length)?;
    if let Some(array) = as_movable_array(object)
        && let Some(elements) = array.dense().get(start as usize..end.max(start) as usize)
    {
        elements.iter().for_each(|element| element.set(cx.arg(0)));
        return Ok(object.into());
    }
    for index in start..end {
        set_at(object, index, cx.arg(0))?;
    }
    Ok(object.into())
}

fn copy_within(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let to = to_relative_index(cx.arg(0), length, 0)?;
    let from = to_relative_index(cx.arg(1), length, 0)?;
    let end = to_relative_index(cx.arg(2), length, length)?;
    let count = end.saturating_sub(from).min(length - to);
    move_elements(object, from, to, count)?;
    Ok(object.into())
}
