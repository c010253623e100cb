//! The statics of `Array`.

use super::elements::{array_create, create_at, get_at, set_length};
use crate::builtin::{CallContext, Method, native};
use crate::builtins::check::require_function;
use crate::call::{call, construct, is_callable, is_constructor};
use crate::convert::{get_value, is_array, to_object};
use crate::iterate::{IteratorRecord, iterates_plainly};
use crate::object::Object;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

pub(super) const STATICS: &[Method] = &[
    ("from", 1, native(from)),
    ("fromAsync", 1, native(super::from_async::from_async)),
    ("of", 0, native(of)),
    ("isArray", 1, native(|cx| Ok(is_array(cx.arg(0))?.into()))),
];

/// The object that `this` as a constructor makes, given a length or not; an array if it is no constructor.
pub(super) fn create(this: Value, length: Option<u64>) -> JsResult<Object> {
    if this == intrinsic(Intrinsic::ArrayConstructor).into() || !is_constructor(this) {
        return Ok(array_create(length.unwrap_or(0))?.object());
    }
    match length {
        Some(length) => construct(this, &[Value::number(length as f64)], this),
        None => construct(this, &[], this),
    }
}

fn of(cx: &CallContext) -> JsResult {
    let length = cx.arguments.len() as u64;
    let result = create(cx.this, Some(length))?;
    for (index, &value) in cx.arguments.iter().enumerate() {
        create_at(result, index as u64, value)?;
    }
    set_length(result, length)?;
    Ok(result.into())
}

fn from(cx: &CallContext) -> JsResult {
    let (items, this) = (cx.arg(0), cx.arg(2));
    let mapper = if cx.arg(1).is_undefined() { None } else { Some(require_function(cx.arg(1))?) };
    let map = |value: Value, index: u64| match mapper {
        Some(mapper) => call(mapper, this, &[value, Value::number(index as f64)]),
        None => Ok(value),
    };
    let record = if iterates_plainly(items) {
        Some((create(cx.this, None)?, IteratorRecord::open(items)?))
    } else {
        match iterator_method(items)? {
            Some(method) => Some((create(cx.this, None)?, IteratorRecord::from_method(items, method)?)),
            None => None,
        }
    };
    let Some((result, record)) = record else { return from_array_like(cx, map) };
    if mapper.is_none()
        && cx.this == intrinsic(Intrinsic::ArrayConstructor).into()
        && let Some(array) = result.as_array()
    {
        record.drain_into(array)?;
        return Ok(result.into());
    }
    let mut count = 0;
    while let Some(value) = record.step()? {
        if let Err(thrown) = map(value, count).and_then(|mapped| create_at(result, count, mapped)) {
            record.close_silently();
            return Err(thrown);
        }
        count += 1;
    }
    set_length(result, count)?;
    Ok(result.into())
}

/// GetMethod(items, Symbol.iterator).
fn iterator_method(items: Value) -> JsResult<Option<Value>> {
    let method = get_value(items, crate::symbol::iterator().into())?;
    if method.is_nullish() {
        return Ok(None);
    }
    if !is_callable(method) {
        return Err(throw_type_error(
            "%Array%.from requires that the property of the first argument, items[Symbol.iterator], when exists, be a \
             function",
        ));
    }
    Ok(Some(method))
}

fn from_array_like(cx: &CallContext, map: impl Fn(Value, u64) -> JsResult) -> JsResult {
    let source = to_object(cx.arg(0))?;
    let length = source.length()?;
    let result = create(cx.this, Some(length))?;
    for index in 0..length {
        create_at(result, index, map(get_at(source, index)?, index)?)?;
    }
    set_length(result, length)?;
    Ok(result.into())
}
