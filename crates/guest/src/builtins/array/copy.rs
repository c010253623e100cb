//! The methods that make a new array from parts of this one.

use core::ops::Range;

use super::elements::{
    InheritedSite, MAX_SAFE_LENGTH, array_create, array_species_create, as_movable_array, as_plain_array, create_at,
    create_from_species, get_at, get_present, inherited, set_length, species,
};
use crate::builtin::{CallContext, Method, native};
use crate::cell::Gc;
use crate::convert::{is_array, to_boolean, to_integer_or_infinity, to_object, to_relative_index};
use crate::object::{ArrayCell, Object};
use crate::state::State;
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("slice", 2, native(slice)),
    ("concat", 1, native(concat)),
    ("toReversed", 0, native(to_reversed)),
    ("toSpliced", 2, native(to_spliced)),
    ("with", 2, native(with)),
];

/// Copies elements, holes included.
fn copy(array: Gc<ArrayCell>, start: usize, end: usize) -> Gc<ArrayCell> {
    ArrayCell::from_cells(&array.dense()[start..end])
}

fn slice(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let start = to_relative_index(cx.arg(0), length, 0)?;
    let end = to_relative_index(cx.arg(1), length, length)?.max(start);
    let species = species(object)?;
    if species.is_none()
        && let Some(array) = as_movable_array(object)
        && end <= u64::from(array.len())
    {
        return Ok(copy(array, start as usize, end as usize).into());
    }
    let result = create_from_species(species, end - start)?;
    for index in start..end {
        if let Some(value) = get_present(object, index)? {
            create_at(result, index - start, value)?;
        }
    }
    set_length(result, end - start)?;
    Ok(result.into())
}

fn concat(cx: &CallContext) -> JsResult {
    let object = to_object(crate::convert::require_coercible(cx.this, "Array.prototype.concat")?)?;
    let result = array_species_create(object, 0)?;
    let mut length = 0;
    append(result, &mut length, object.into())?;
    for &item in cx.arguments {
        append(result, &mut length, item)?;
    }
    set_length(result, length)?;
    Ok(result.into())
}

/// Appends `item` to `target`, or its elements if it is to be spread.
fn append(target: Object, length: &mut u64, item: Value) -> JsResult<()> {
    let Some(source) = is_concat_spreadable(item)? else {
        if *length >= MAX_SAFE_LENGTH {
            return Err(throw_type_error("Invalid array length"));
        }
        create_at(target, *length, item)?;
        *length += 1;
        return Ok(());
    };
    let count = source.length()?;
    if *length + count > MAX_SAFE_LENGTH {
        return Err(throw_type_error("Invalid array length"));
    }
    if let (Some(source), Some(target)) = (as_plain_array(source), as_plain_array(target))
        && u64::from(target.len()) == *length
        && *length + count < u64::from(u32::MAX)
        && target.append_packed(source.dense())
    {
        *length += count;
        return Ok(());
    }
    for index in 0..count {
        if let Some(value) = get_present(source, index)? {
            create_at(target, *length + index, value)?;
        }
    }
    *length += count;
    Ok(())
}

/// IsConcatSpreadable: the object, if so.
fn is_concat_spreadable(item: Value) -> JsResult<Option<Object>> {
    let Some(object) = item.as_object() else { return Ok(None) };
    static SITE: State<InheritedSite> = InheritedSite::unknown();
    let marked = inherited(object, crate::symbol::is_concat_spreadable().into(), &SITE)?;
    let spreadable = if marked.is_undefined() { is_array(item)? } else { to_boolean(marked) };
    Ok(spreadable.then_some(object))
}

/// A new array, which will have that length.
fn array_for(length: u64) -> JsResult<Gc<ArrayCell>> {
    if length > u64::from(u32::MAX) {
        return Err(throw_range_error("Invalid array length"));
    }
    array_create(0)
}

/// Appends elements of an array-like to a new array.
fn gather(target: Gc<ArrayCell>, object: Object, range: Range<u64>) -> JsResult<()> {
    if let Some(array) = as_plain_array(object)
        && let Some(elements) = array.dense().get(range.start as usize..range.end.max(range.start) as usize)
        && target.append_packed(elements)
    {
        return Ok(());
    }
    for index in range {
        target.push(get_at(object, index)?);
    }
    Ok(())
}

fn to_reversed(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let result = array_for(length)?;
    for index in (0..length).rev() {
        result.push(get_at(object, index)?);
    }
    Ok(result.into())
}

fn to_spliced(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let start = to_relative_index(cx.arg(0), length, 0)?;
    let skipped = match cx.arguments.len() {
        0 => 0,
        1 => length - start,
        _ => to_integer_or_infinity(cx.arg(1))?.clamp(0.0, (length - start) as f64) as u64,
    };
    let new_length = length - skipped + cx.rest(2).len() as u64;
    if new_length > MAX_SAFE_LENGTH {
        return Err(throw_type_error("Invalid array length"));
    }
    let result = array_for(new_length)?;
    gather(result, object, 0..start)?;
    cx.rest(2).iter().for_each(|&value| result.push(value));
    gather(result, object, start + skipped..length)?;
    Ok(result.into())
}

fn with(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let length = object.length()?;
    let relative = to_integer_or_infinity(cx.arg(0))?;
    let index = if relative < 0.0 { length as f64 + relative } else { relative };
    if index < 0.0 || index >= length as f64 {
        return Err(throw_range_error(format!("Invalid index : {relative}")));
    }
    let index = index as u64;
    let result = array_for(length)?;
    gather(result, object, 0..index)?;
    result.push(cx.arg(1));
    gather(result, object, index + 1..length)?;
    Ok(result.into())
}
