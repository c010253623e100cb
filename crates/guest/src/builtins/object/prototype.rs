//! `Object.prototype`.

use super::{change_prototype, to_prototype};
use crate::builtin::{CallContext, Method, accessor, methods, native};
use crate::call::{invoke, is_callable};
use crate::cell::kind;
use crate::convert::{is_array, require_coercible, to_object, to_property_key};
use crate::names::keys;
use crate::object::{Attributes, Content, Object, PrimitiveWrapper, PropertyDescriptor};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::{JsString, intern_str};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

const METHODS: &[Method] = &[
    ("hasOwnProperty", 1, native(has_own_property)),
    ("isPrototypeOf", 1, native(is_prototype_of)),
    ("propertyIsEnumerable", 1, native(property_is_enumerable)),
    ("toString", 0, native(object_to_string)),
    ("toLocaleString", 0, native(to_locale_string)),
    ("valueOf", 0, native(|cx| Ok(to_object(cx.this)?.into()))),
    ("__defineGetter__", 2, native(|cx| define_half(cx, true))),
    ("__defineSetter__", 2, native(|cx| define_half(cx, false))),
    ("__lookupGetter__", 1, native(|cx| look_up_half(cx, true))),
    ("__lookupSetter__", 1, native(|cx| look_up_half(cx, false))),
];

pub(super) fn install() {
    let prototype = intrinsic(Intrinsic::ObjectPrototype);
    methods(prototype, METHODS);
    accessor(prototype, "__proto__", native(get_proto), Some(native(set_proto)));
}

fn has_own_property(cx: &CallContext) -> JsResult {
    let key = to_property_key(cx.arg(0))?;
    Ok(to_object(cx.this)?.has_own_property(key)?.into())
}

fn is_prototype_of(cx: &CallContext) -> JsResult {
    let Some(mut object) = cx.arg(0).as_object() else { return Ok(Value::FALSE) };
    let wanted = to_object(cx.this)?;
    while let Some(prototype) = object.get_prototype_of()? {
        if prototype == wanted {
            return Ok(Value::TRUE);
        }
        object = prototype;
    }
    Ok(Value::FALSE)
}

fn property_is_enumerable(cx: &CallContext) -> JsResult {
    let key = to_property_key(cx.arg(0))?;
    let property = to_object(cx.this)?.get_own_property(key)?;
    Ok(property.is_some_and(|property| property.attributes.is_enumerable()).into())
}

fn to_locale_string(cx: &CallContext) -> JsResult {
    invoke(require_coercible(cx.this, "Object.prototype.toLocaleString")?, keys::to_string(), &[])
}

/// `Object.prototype.toString` of any value.
pub fn to_string_tag_of(value: Value) -> JsResult {
    if value.is_nullish() {
        return Ok(if value.is_null() { "[object Null]" } else { "[object Undefined]" }.into());
    }
    let object = to_object(value)?;
    // A revoked proxy cannot say whether it is one for an array.
    let builtin = if is_array(object.into())? { "[object Array]" } else { builtin_tag(object) };
    let tag = object.get_with_receiver(crate::symbol::to_string_tag().into(), value)?;
    match tag.as_string() {
        Some(tag) => Ok(JsString::from_str("[object ").concat(tag)?.concat(JsString::from_str("]"))?.into()),
        None => Ok(intern_str(builtin).into()),
    }
}

/// What objects of built-in kinds say if they have no tag of their own; proxies aside.
pub fn builtin_tag(object: Object) -> &'static str {
    match object.kind.get() {
        kind::ARRAY => "[object Array]",
        kind::ARGUMENTS | kind::MAPPED_ARGUMENTS => "[object Arguments]",
        kind::ERROR => "[object Error]",
        kind::DATE => "[object Date]",
        kind::REGEXP => "[object RegExp]",
        kind::STRING_WRAPPER => "[object String]",
        kind::PRIMITIVE_WRAPPER => match PrimitiveWrapper::unwrap(object) {
            Some(value) if value.is_bool() => "[object Boolean]",
            Some(value) if value.is_number() => "[object Number]",
            _ => "[object Object]",
        },
        _ if is_callable(object.into()) => "[object Function]",
        _ => "[object Object]",
    }
}

/// Whether a value is `Object.prototype.toString` itself.
pub fn is_object_to_string(value: Value) -> bool {
    let function = value.as_object().and_then(Object::as_function);
    function.is_some_and(|function| function.code.get() == native(object_to_string).index())
}

fn object_to_string(cx: &CallContext) -> JsResult {
    to_string_tag_of(cx.this)
}

fn get_proto(cx: &CallContext) -> JsResult {
    let prototype = to_object(cx.this)?.get_prototype_of()?;
    Ok(prototype.map_or(Value::NULL, Value::from))
}

fn set_proto(cx: &CallContext) -> JsResult {
    let this = require_coercible(cx.this, "set Object.prototype.__proto__")?;
    if let Some(object) = this.as_object()
        && (cx.arg(0).is_object() || cx.arg(0).is_null())
    {
        change_prototype(object, to_prototype(cx.arg(0))?)?;
    }
    Ok(Value::UNDEFINED)
}

fn define_half(cx: &CallContext, getter: bool) -> JsResult {
    let object = to_object(cx.this)?;
    let function = cx.arg(1);
    if !is_callable(function) {
        let name = if getter { "__defineGetter__" } else { "__defineSetter__" };
        return Err(throw_type_error(format!("Object.prototype.{name}: Expecting function")));
    }
    let (get, set) = if getter { (Some(function), None) } else { (None, Some(function)) };
    let attributes = Attributes::ENUMERABLE.with(Attributes::CONFIGURABLE);
    object.define_or_throw(to_property_key(cx.arg(0))?, &PropertyDescriptor::accessor(get, set, attributes))?;
    Ok(Value::UNDEFINED)
}

fn look_up_half(cx: &CallContext, getter: bool) -> JsResult {
    let mut holder = Some(to_object(cx.this)?);
    let key = to_property_key(cx.arg(0))?;
    while let Some(object) = holder {
        if let Some(property) = object.get_own_property(key)? {
            return Ok(match property.content {
                Content::Accessor { get, set } => {
                    if getter {
                        get
                    } else {
                        set
                    }
                }
                Content::Data(_) => Value::UNDEFINED,
            });
        }
        holder = object.get_prototype_of()?;
    }
    Ok(Value::UNDEFINED)
}
