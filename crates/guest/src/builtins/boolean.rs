//! `Boolean` (ECMA-262 §20.3).

use crate::builtin::{CallContext, constructor, methods, native, native_constructor};
use crate::convert::to_boolean;
use crate::names;
use crate::object::PrimitiveWrapper;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// Defines `Boolean`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::BooleanPrototype);
    constructor("Boolean", 1, native_constructor(construct), prototype);
    methods(prototype, &[("toString", 0, native(to_string)), ("valueOf", 0, native(|cx| this_boolean(cx, "valueOf")))]);
}

fn construct(cx: &CallContext) -> JsResult {
    let value = Value::bool(to_boolean(cx.arg(0)));
    if !cx.is_construct() {
        return Ok(value);
    }
    Ok(PrimitiveWrapper::wrap(value, cx.new_prototype(Intrinsic::BooleanPrototype)?).into())
}

/// thisBooleanValue
fn this_boolean(cx: &CallContext, method: &str) -> JsResult {
    if cx.this.is_bool() {
        return Ok(cx.this);
    }
    let wrapped = cx.this.as_object().and_then(PrimitiveWrapper::unwrap).filter(|value| value.is_bool());
    wrapped.ok_or_else(|| throw_type_error(format!("Boolean.prototype.{method} requires that 'this' be a Boolean")))
}

fn to_string(cx: &CallContext) -> JsResult {
    let value = this_boolean(cx, "toString")?;
    Ok(if value == Value::TRUE { names::true_() } else { names::false_() }.into())
}
