//! `Reflect`.

use super::object::descriptor::{from_property, to_property_descriptor};
use super::object::{to_prototype, try_change_prototype};
use crate::builtin::{CallContext, Method, methods, native, to_string_tag};
use crate::call::{call, construct, is_callable, is_constructor};
use crate::convert::{to_property_key, type_of};
use crate::error::display;
use crate::iterate::array_like;
use crate::key::PropertyKey;
use crate::object::{Attributes, Object};
use crate::realm::global;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

const METHODS: &[Method] = &[
    ("apply", 3, native(apply)),
    ("construct", 2, native(construct_target)),
    ("defineProperty", 3, native(define_property)),
    ("deleteProperty", 2, native(delete_property)),
    ("get", 2, native(get)),
    ("getOwnPropertyDescriptor", 2, native(get_own_property_descriptor)),
    ("getPrototypeOf", 1, native(get_prototype_of)),
    ("has", 2, native(has)),
    ("isExtensible", 1, native(|cx| Ok(target(cx, "isExtensible")?.is_extensible()?.into()))),
    ("ownKeys", 1, native(own_keys)),
    ("preventExtensions", 1, native(|cx| Ok(target(cx, "preventExtensions")?.prevent_extensions()?.into()))),
    ("set", 3, native(set)),
    ("setPrototypeOf", 2, native(set_prototype_of)),
];

/// Builds `Reflect`.
pub(crate) fn install() {
    let reflect = Object::new();
    methods(reflect, METHODS);
    to_string_tag(reflect, "Reflect");
    global().define("Reflect", reflect.into(), Attributes::HIDDEN);
}

fn target(cx: &CallContext, name: &str) -> JsResult<Object> {
    cx.arg(0).as_object().ok_or_else(|| throw_type_error(format!("Reflect.{name} called on non-object")))
}

fn apply(cx: &CallContext) -> JsResult {
    let function = cx.arg(0);
    if !is_callable(function) {
        return Err(throw_type_error(format!(
            "Function.prototype.apply was called on {}, which is {} and not a function",
            display(function),
            with_article(&type_of(function).to_text())
        )));
    }
    call(function, cx.arg(1), &array_like(cx.arg(2))?)
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

fn construct_target(cx: &CallContext) -> JsResult {
    let new_target = cx.arguments.get(2).copied().unwrap_or(cx.arg(0));
    for candidate in [cx.arg(0), new_target] {
        if !is_constructor(candidate) {
            return Err(throw_type_error(format!("{} is not a constructor", display(candidate))));
        }
    }
    Ok(construct(cx.arg(0), &array_like(cx.arg(1))?, new_target)?.into())
}

fn define_property(cx: &CallContext) -> JsResult {
    let object = target(cx, "defineProperty")?;
    let key = to_property_key(cx.arg(1))?;
    Ok(object.define_own_property(key, &to_property_descriptor(cx.arg(2))?)?.into())
}

fn delete_property(cx: &CallContext) -> JsResult {
    Ok(target(cx, "deleteProperty")?.delete(to_property_key(cx.arg(1))?)?.into())
}

fn get(cx: &CallContext) -> JsResult {
    let object = target(cx, "get")?;
    let receiver = cx.arguments.get(2).copied().unwrap_or(cx.arg(0));
    object.get_with_receiver(to_property_key(cx.arg(1))?, receiver)
}

fn set(cx: &CallContext) -> JsResult {
    let object = target(cx, "set")?;
    let receiver = cx.arguments.get(3).copied().unwrap_or(cx.arg(0));
    Ok(object.set_with_receiver(to_property_key(cx.arg(1))?, cx.arg(2), receiver)?.into())
}

fn get_own_property_descriptor(cx: &CallContext) -> JsResult {
    let object = target(cx, "getOwnPropertyDescriptor")?;
    Ok(from_property(object.get_own_property(to_property_key(cx.arg(1))?)?))
}

fn get_prototype_of(cx: &CallContext) -> JsResult {
    let prototype = target(cx, "getPrototypeOf")?.get_prototype_of()?;
    Ok(prototype.map_or(Value::NULL, Value::from))
}

fn set_prototype_of(cx: &CallContext) -> JsResult {
    let object = target(cx, "setPrototypeOf")?;
    Ok(try_change_prototype(object, to_prototype(cx.arg(1))?)?.into())
}

fn has(cx: &CallContext) -> JsResult {
    Ok(target(cx, "has")?.has_property(to_property_key(cx.arg(1))?)?.into())
}

fn own_keys(cx: &CallContext) -> JsResult {
    let keys = target(cx, "ownKeys")?.own_keys()?;
    Ok(keys.into_iter().map(PropertyKey::to_value).collect::<Vec<Value>>().into())
}
