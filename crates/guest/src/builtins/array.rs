//! `Array`: constructor, statics and prototype.

mod copy;
pub mod elements;
mod from;
mod from_async;
mod iterate;
pub mod iterator;
mod mutate;
mod search;
pub mod sort;
mod tim_sort;

pub use tim_sort::tim_sort;

use crate::builtin::{CallContext, accessor, constructor, methods, native, native_constructor};
use crate::object::{ArrayCell, Attributes, Object};
use crate::realm::{Intrinsic, intrinsic, set_intrinsic};
use crate::shape::root_shape;
use crate::throw::{JsResult, throw_range_error};
use crate::value::Value;

/// Builds `Array`, its prototype and %ArrayIteratorPrototype%.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::ArrayPrototype);
    let array = constructor("Array", 1, native_constructor(construct), prototype);
    set_intrinsic(Intrinsic::ArrayConstructor, array);
    methods(array, from::STATICS);
    accessor(array, "@@species", native(|cx| Ok(cx.this)), None);
    for table in [iterate::METHODS, mutate::METHODS, copy::METHODS, search::METHODS, sort::METHODS] {
        methods(prototype, table);
    }
    methods(prototype, &[("keys", 0, native(iterator::keys)), ("entries", 0, native(iterator::entries))]);
    let values = crate::builtin::method(prototype, "values", 0, native(iterator::values));
    set_intrinsic(Intrinsic::ArrayValues, values);
    prototype.define(crate::symbol::iterator(), values.into(), Attributes::HIDDEN);
    prototype.define(crate::symbol::unscopables(), unscopables().into(), Attributes::CONFIGURABLE);
    iterator::install();
}

fn unscopables() -> Object {
    const NAMES: &[&str] = &[
        "at",
        "copyWithin",
        "entries",
        "fill",
        "find",
        "findIndex",
        "findLast",
        "findLastIndex",
        "flat",
        "flatMap",
        "includes",
        "keys",
        "toReversed",
        "toSorted",
        "toSpliced",
        "values",
    ];
    let object = Object::ordinary(None);
    NAMES.iter().for_each(|&name| object.define(name, Value::TRUE, Attributes::ALL));
    object
}

/// `Array(…)`, with or without `new`.
fn construct(cx: &CallContext) -> JsResult {
    let prototype = cx.new_prototype(Intrinsic::ArrayPrototype)?;
    let shape = if prototype == intrinsic(Intrinsic::ArrayPrototype) {
        crate::realm_shapes::array_shape()
    } else {
        root_shape(crate::cell::kind::ARRAY, Some(prototype), 0)
    };
    let array = ArrayCell::with_shape(shape, 0);
    if let [length] = cx.arguments
        && let Some(number) = length.as_number()
    {
        if f64::from(number as u32) != number {
            return Err(throw_range_error("Invalid array length"));
        }
        return Ok(elements::array_with_length(array, number as u64)?.into());
    }
    cx.arguments.iter().for_each(|&value| array.push(value));
    Ok(array.into())
}
