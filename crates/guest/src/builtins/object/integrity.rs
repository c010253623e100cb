//! The statics that restrict objects.

use crate::builtin::{CallContext, Method, native};
use crate::cell::kind;
use crate::object::Object;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

pub(super) const STATICS: &[Method] = &[
    ("freeze", 1, native(|cx| restrict(cx, freeze))),
    ("seal", 1, native(|cx| restrict(cx, |object| object.set_integrity(false)))),
    ("preventExtensions", 1, native(|cx| restrict(cx, Object::prevent_extensions))),
    ("isFrozen", 1, native(|cx| test(cx, |object| object.test_integrity(true)))),
    ("isSealed", 1, native(|cx| test(cx, |object| object.test_integrity(false)))),
    ("isExtensible", 1, native(|cx| test(cx, |object| Ok(!object.is_extensible()?)).map(negate))),
];

/// Restricts the argument if it is an object; TypeError if a proxy refuses.
fn restrict(cx: &CallContext, how: impl Fn(Object) -> JsResult<bool>) -> JsResult {
    if let Some(object) = cx.arg(0).as_object()
        && !how(object)?
    {
        return Err(throw_type_error("'preventExtensions' on proxy: trap returned falsish"));
    }
    Ok(cx.arg(0))
}

fn freeze(object: Object) -> JsResult<bool> {
    let is_view = (kind::TYPED_ARRAY..kind::FIRST_PRIVATE_OBJECT).contains(&object.kind.get());
    if is_view && object.length()? > 0 {
        return Err(throw_type_error("Cannot freeze array buffer views with elements"));
    }
    object.set_integrity(true)
}

/// Whether the argument is restricted; primitives are.
fn test(cx: &CallContext, how: impl Fn(Object) -> JsResult<bool>) -> JsResult {
    match cx.arg(0).as_object() {
        Some(object) => Ok(how(object)?.into()),
        None => Ok(Value::TRUE),
    }
}

fn negate(value: Value) -> Value {
    Value::bool(value == Value::FALSE)
}
