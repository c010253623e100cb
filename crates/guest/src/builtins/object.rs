//! `Object`: constructor, statics and prototype.

pub mod descriptor;
mod enumerate;
mod integrity;
pub mod listing;
mod prototype;

pub use enumerate::{entry_parts, group};
pub use prototype::{builtin_tag, is_object_to_string, to_string_tag_of};

use crate::builtin::{CallContext, Method, constructor, methods, native, native_constructor};
use crate::convert::{same_value, to_object, to_property_key};
use crate::error::display;
use crate::object::Object;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;
use descriptor::{from_property, to_property_descriptor};

const STATICS: &[Method] = &[
    ("create", 2, native(create)),
    ("defineProperty", 3, native(define_property)),
    ("defineProperties", 2, native(|cx| define_all(require_object(cx, "Object.defineProperties")?, cx.arg(1)))),
    ("getOwnPropertyDescriptor", 2, native(get_own_property_descriptor)),
    ("getOwnPropertyDescriptors", 1, native(get_own_property_descriptors)),
    ("getPrototypeOf", 1, native(get_prototype_of)),
    ("setPrototypeOf", 2, native(set_prototype_of)),
    ("hasOwn", 2, native(has_own)),
    ("is", 2, native(|cx| Ok(same_value(cx.arg(0), cx.arg(1)).into()))),
];

/// Builds `Object` and its prototype.
pub(crate) fn install() {
    let object = constructor("Object", 1, native_constructor(construct), intrinsic(Intrinsic::ObjectPrototype));
    for table in [STATICS, enumerate::STATICS, integrity::STATICS] {
        methods(object, table);
    }
    prototype::install();
}

fn construct(cx: &CallContext) -> JsResult {
    if cx.is_construct() && cx.new_target != cx.callee.into() {
        return Ok(Object::ordinary(Some(cx.new_prototype(Intrinsic::ObjectPrototype)?)).into());
    }
    if cx.arg(0).is_nullish() { Ok(Object::new().into()) } else { Ok(to_object(cx.arg(0))?.into()) }
}

fn require_object(cx: &CallContext, name: &str) -> JsResult<Object> {
    cx.arg(0).as_object().ok_or_else(|| throw_type_error(format!("{name} called on non-object")))
}

/// A prototype argument: an object, or `None` for null.
pub fn to_prototype(value: Value) -> JsResult<Option<Object>> {
    if value.is_object() || value.is_null() {
        return Ok(value.as_object());
    }
    Err(throw_type_error(format!("Object prototype may only be an Object or null: {}", display(value))))
}

fn create(cx: &CallContext) -> JsResult {
    let object = Object::ordinary(to_prototype(cx.arg(0))?);
    if cx.arg(1).is_undefined() { Ok(object.into()) } else { define_all(object, cx.arg(1)) }
}

fn define_property(cx: &CallContext) -> JsResult {
    let object = require_object(cx, "Object.defineProperty")?;
    let key = to_property_key(cx.arg(1))?;
    object.define_or_throw(key, &to_property_descriptor(cx.arg(2))?)?;
    Ok(object.into())
}

/// ObjectDefineProperties: all descriptors are read before the first is applied.
fn define_all(object: Object, properties: Value) -> JsResult {
    let source = to_object(properties)?;
    let mut descriptors = vec![];
    for key in source.own_keys()? {
        if source.get_own_property(key)?.is_some_and(|property| property.attributes.is_enumerable()) {
            descriptors.push((key, to_property_descriptor(source.get(key)?)?));
        }
    }
    for (key, descriptor) in descriptors {
        object.define_or_throw(key, &descriptor)?;
    }
    Ok(object.into())
}

fn get_own_property_descriptor(cx: &CallContext) -> JsResult {
    let object = to_object(cx.arg(0))?;
    Ok(from_property(object.get_own_property(to_property_key(cx.arg(1))?)?))
}

fn get_own_property_descriptors(cx: &CallContext) -> JsResult {
    let object = to_object(cx.arg(0))?;
    let result = Object::new();
    for key in object.own_keys()? {
        let descriptor = from_property(object.get_own_property(key)?);
        if !descriptor.is_undefined() {
            result.create_data_property(key, descriptor)?;
        }
    }
    Ok(result.into())
}

fn get_prototype_of(cx: &CallContext) -> JsResult {
    let prototype = to_object(cx.arg(0))?.get_prototype_of()?;
    Ok(prototype.map_or(Value::NULL, Value::from))
}

fn set_prototype_of(cx: &CallContext) -> JsResult {
    let target = cx.arg(0);
    if target.is_nullish() {
        return Err(throw_type_error("Object.setPrototypeOf called on null or undefined"));
    }
    let prototype = to_prototype(cx.arg(1))?;
    if let Some(object) = target.as_object() {
        change_prototype(object, prototype)?;
    }
    Ok(target)
}

/// [[SetPrototypeOf]]: false if refused. `Object.prototype` never has one.
pub fn try_change_prototype(object: Object, prototype: Option<Object>) -> JsResult<bool> {
    if object == intrinsic(Intrinsic::ObjectPrototype) {
        return Ok(prototype.is_none());
    }
    object.set_prototype_of(prototype)
}

/// [[SetPrototypeOf]]: TypeError if refused.
fn change_prototype(object: Object, prototype: Option<Object>) -> JsResult<()> {
    if try_change_prototype(object, prototype)? {
        return Ok(());
    }
    Err(if object == intrinsic(Intrinsic::ObjectPrototype) {
        throw_type_error("Immutable prototype object 'Object.prototype' cannot have their prototype set")
    } else if object.as_kind::<crate::builtins::proxy::ProxyObject>().is_some() {
        throw_type_error("'setPrototypeOf' on proxy: trap returned falsish for property 'undefined'")
    } else if object.is_extensible()? {
        throw_type_error("Cyclic __proto__ value")
    } else {
        throw_type_error(format!("{} is not extensible", display(object.into())))
    })
}

fn has_own(cx: &CallContext) -> JsResult {
    let object = to_object(cx.arg(0))?;
    Ok(object.has_own_property(to_property_key(cx.arg(1))?)?.into())
}
