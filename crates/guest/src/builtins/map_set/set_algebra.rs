//! `union`, `intersection`, `isSubsetOf` and their like.

use core::cell::Cell;

use super::{Cursor, OrderedTable, SetObject, Sets, this};
use crate::builtin::{CallContext, Method, native};
use crate::call::{call, is_callable};
use crate::cell::Gc;
use crate::convert::{to_boolean, to_integer_or_infinity, to_number};
use crate::iterate::IteratorRecord;
use crate::names::keys;
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("union", 1, native(union)),
    ("intersection", 1, native(intersection)),
    ("difference", 1, native(difference)),
    ("symmetricDifference", 1, native(symmetric_difference)),
    ("isSubsetOf", 1, native(is_subset_of)),
    ("isSupersetOf", 1, native(is_superset_of)),
    ("isDisjointFrom", 1, native(is_disjoint_from)),
];

/// A Set Record: whatever has `size`, `has` and `keys`.
struct SetLike {
    object: Value,
    size: f64,
    has: Value,
    keys: Value,
}

impl SetLike {
    /// GetSetRecord; `method` is for messages.
    fn new(value: Value, method: &str) -> JsResult<SetLike> {
        let Some(object) = value.as_object() else {
            return Err(throw_type_error(format!("Set.prototype.{method} argument must be an object")));
        };
        let size = to_number(object.get(keys::size())?)?;
        if size.is_nan() {
            return Err(throw_type_error("The .size property is NaN"));
        }
        let size = to_integer_or_infinity(Value::double(size))?;
        if size < 0.0 {
            return Err(throw_range_error(format!("'{size}' is an invalid size")));
        }
        let function = |key, name: &str| {
            let function = object.get(key)?;
            if is_callable(function) {
                return Ok(function);
            }
            Err(throw_type_error(format!("string \"{name}\" is not a function")))
        };
        Ok(SetLike { object: value, size, has: function(keys::has(), "has")?, keys: function(keys::keys_(), "keys")? })
    }

    fn has(&self, value: Value) -> JsResult<bool> {
        Ok(to_boolean(call(self.has, self.object, &[value])?))
    }

    /// The iterator over its keys.
    fn keys(&self) -> JsResult<Gc<IteratorRecord>> {
        let iterator = call(self.keys, self.object, &[])?;
        if !iterator.is_object() {
            return Err(throw_type_error("Result of the keys method is not an object"));
        }
        IteratorRecord::from_iterator(iterator)
    }

    /// Calls `body` with each key until it answers false, which closes the iterator.
    fn each_key(&self, mut body: impl FnMut(Value) -> bool) -> JsResult<()> {
        let keys = self.keys()?;
        while let Some(key) = keys.step()? {
            if !body(key) {
                return keys.close();
            }
        }
        Ok(())
    }
}

fn operands(cx: &CallContext, method: &str) -> JsResult<(Gc<SetObject>, SetLike)> {
    Ok((this::<Sets>(cx, method)?, SetLike::new(cx.arg(0), method)?))
}

fn copy(set: Gc<SetObject>) -> OrderedTable {
    set.with(|table| table.clone())
}

fn size(set: Gc<SetObject>) -> f64 {
    f64::from(set.with(|table| table.len()))
}

/// Calls `body` with each element, also those added meanwhile, until it answers false.
fn each_element(set: Gc<SetObject>, mut body: impl FnMut(Value) -> JsResult<bool>) -> JsResult<()> {
    let cursor = Cell::new(Cursor::default());
    while let Some((element, _)) = set.step(&cursor) {
        if !body(element)? {
            break;
        }
    }
    Ok(())
}

fn union(cx: &CallContext) -> JsResult {
    let (set, other) = operands(cx, "union")?;
    let keys = other.keys()?;
    let mut result = copy(set);
    while let Some(key) = keys.step()? {
        result.add(key);
    }
    Ok(SetObject::of(result).into())
}

fn intersection(cx: &CallContext) -> JsResult {
    let (set, other) = operands(cx, "intersection")?;
    let mut result = OrderedTable::new();
    if size(set) <= other.size {
        each_element(set, |element| {
            if other.has(element)? {
                result.add(element);
            }
            Ok(true)
        })?;
    } else {
        other.each_key(|key| {
            if set.with(|table| table.contains(key)) {
                result.add(key);
            }
            true
        })?;
    }
    Ok(SetObject::of(result).into())
}

fn difference(cx: &CallContext) -> JsResult {
    let (set, other) = operands(cx, "difference")?;
    let mut result = copy(set);
    if size(set) <= other.size {
        each_element(set, |element| {
            if other.has(element)? {
                result.remove(element);
            }
            Ok(true)
        })?;
    } else {
        other.each_key(|key| {
            result.remove(key);
            true
        })?;
    }
    Ok(SetObject::of(result).into())
}

fn symmetric_difference(cx: &CallContext) -> JsResult {
    let (set, other) = operands(cx, "symmetricDifference")?;
    let keys = other.keys()?;
    let mut result = copy(set);
    while let Some(key) = keys.step()? {
        if set.with(|table| table.contains(key)) {
            result.remove(key);
        } else {
            result.add(key);
        }
    }
    Ok(SetObject::of(result).into())
}

fn is_subset_of(cx: &CallContext) -> JsResult {
    let (set, other) = operands(cx, "isSubsetOf")?;
    let mut all = size(set) <= other.size;
    if all {
        each_element(set, |element| {
            all = other.has(element)?;
            Ok(all)
        })?;
    }
    Ok(all.into())
}

fn is_superset_of(cx: &CallContext) -> JsResult {
    let (set, other) = operands(cx, "isSupersetOf")?;
    let mut all = size(set) >= other.size;
    if all {
        other.each_key(|key| {
            all = set.with(|table| table.contains(key));
            all
        })?;
    }
    Ok(all.into())
}

fn is_disjoint_from(cx: &CallContext) -> JsResult {
    let (set, other) = operands(cx, "isDisjointFrom")?;
    let mut disjoint = true;
    if size(set) <= other.size {
        each_element(set, |element| {
            disjoint = !other.has(element)?;
            Ok(disjoint)
        })?;
    } else {
        other.each_key(|key| {
            disjoint = !set.with(|table| table.contains(key));
            disjoint
        })?;
    }
    Ok(disjoint.into())
}
