//! `String` (ECMA-262 §22.1).

mod access;
mod case;
mod collation;
mod collation_table;
pub mod iterator;
mod normalization;
mod pattern;
mod search;
mod substitution;
mod transform;

pub use collation::compare_in_english;
pub use substitution::{Captures, substitute};

use crate::builtin::{CallContext, constructor, methods, native, native_constructor};
use crate::convert::{require_coercible, to_number, to_object, to_string};
use crate::names;
use crate::object::PrimitiveWrapper;
use crate::realm::{Intrinsic, intrinsic};
use crate::string::{JsString, StringBuilder};
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

/// Defines `String`.
pub fn install() {
    let prototype = intrinsic(Intrinsic::StringPrototype);
    let string = constructor("String", 1, native_constructor(construct), prototype);
    methods(
        string,
        &[
            ("fromCharCode", 1, native(from_char_code)),
            ("fromCodePoint", 1, native(from_code_point)),
            ("raw", 1, native(raw)),
        ],
    );
    methods(prototype, &[("toString", 0, native(to_string_method)), ("valueOf", 0, native(value_of))]);
    access::install(prototype);
    search::install(prototype);
    transform::install(prototype);
    case::install(prototype);
    collation::install(prototype);
    pattern::install(prototype);
    iterator::install(prototype);
}

/// `this` of `String.prototype[method]` as a string; TypeError for undefined and null.
#[inline]
fn this_string(cx: &CallContext, method: &str) -> JsResult<JsString> {
    match cx.this.as_string() {
        Some(string) => Ok(string),
        None if cx.this.is_nullish() => {
            require_coercible(cx.this, format_args!("String.prototype.{method}")).map(|_| JsString::empty())
        }
        None => to_string(cx.this),
    }
}

fn construct(cx: &CallContext) -> JsResult {
    let value = match cx.arguments.first() {
        None => JsString::empty(),
        Some(value) => match value.as_symbol() {
            Some(symbol) if !cx.is_construct() => return Ok(symbol.descriptive_string().as_str().into()),
            _ => to_string(*value)?,
        },
    };
    if !cx.is_construct() {
        return Ok(value.into());
    }
    Ok(PrimitiveWrapper::wrap(value.into(), cx.new_prototype(Intrinsic::StringPrototype)?).into())
}

fn this_value(cx: &CallContext, method: &str) -> JsResult {
    if cx.this.is_string() {
        return Ok(cx.this);
    }
    match cx.this.as_object().and_then(PrimitiveWrapper::string) {
        Some(string) => Ok(string.into()),
        None => Err(throw_type_error(format!("String.prototype.{method} requires that 'this' be a String"))),
    }
}

fn to_string_method(cx: &CallContext) -> JsResult {
    this_value(cx, "toString")
}

fn value_of(cx: &CallContext) -> JsResult {
    this_value(cx, "valueOf")
}

fn from_char_code(cx: &CallContext) -> JsResult {
    if let [only] = cx.arguments {
        return Ok(JsString::from_unit(crate::convert::to_int32(*only)? as u16).into());
    }
    let mut builder = StringBuilder::with_capacity(cx.arguments.len());
    for &argument in cx.arguments {
        builder.push_unit(crate::convert::to_int32(argument)? as u16);
    }
    Ok(builder.finish()?.into())
}

fn from_code_point(cx: &CallContext) -> JsResult {
    let mut builder = StringBuilder::with_capacity(cx.arguments.len());
    for &argument in cx.arguments {
        let point = to_number(argument)?;
        if point.fract() != 0.0 || !(0.0..=1_114_111.0).contains(&point) {
            let text = to_string(argument)?.to_text();
            return Err(throw_range_error(format!("Invalid code point {text}")));
        }
        builder.push_code_point(point as u32);
    }
    Ok(builder.finish()?.into())
}

fn raw(cx: &CallContext) -> JsResult {
    let template = to_object(cx.arg(0))?;
    let raw = to_object(template.get(names::keys::raw())?)?;
    let length = raw.length()?;
    let mut builder = StringBuilder::new();
    for index in 0..length {
        builder.push_string(to_string(raw.get(crate::key::PropertyKey::integer(index))?)?);
        if index + 1 < length
            && let Some(&substitution) = cx.arguments.get(index as usize + 1)
        {
            builder.push_string(to_string(substitution)?);
        }
    }
    Ok(builder.finish()?.into())
}

/// An argument as a position: integer, clamped to `0..=length`.
#[inline]
fn position(value: Value, length: u32) -> JsResult<u32> {
    if let Some(int) = value.as_int() {
        return Ok(int.clamp(0, length.min(i32::MAX as u32) as i32) as u32);
    }
    Ok(crate::convert::to_integer_or_infinity(value)?.clamp(0.0, length as f64) as u32)
}
