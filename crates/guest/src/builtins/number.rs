//! `Number` (ECMA-262 §21.1), `parseInt`, `parseFloat`.

mod format;
mod parse;

use crate::builtin::{CallContext, constants, constructor, method, methods, native, native_constructor};
use crate::convert::{Numeric, bigint_to_number, to_int32, to_integer_or_infinity, to_numeric, to_string};
use crate::object::{Attributes, PrimitiveWrapper};
use crate::realm::{Intrinsic, global, intrinsic};
use crate::string::{JsString, number_to_string};
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Defines `Number`, `parseInt` and `parseFloat`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::NumberPrototype);
    let number = constructor("Number", 1, native_constructor(construct), prototype);
    constants(
        number,
        &[
            ("MAX_VALUE", f64::MAX.into()),
            ("MIN_VALUE", f64::from_bits(1).into()),
            ("NaN", f64::NAN.into()),
            ("NEGATIVE_INFINITY", f64::NEG_INFINITY.into()),
            ("POSITIVE_INFINITY", f64::INFINITY.into()),
            ("MAX_SAFE_INTEGER", MAX_SAFE_INTEGER.into()),
            ("MIN_SAFE_INTEGER", (-MAX_SAFE_INTEGER).into()),
            ("EPSILON", f64::EPSILON.into()),
        ],
    );
    methods(
        number,
        &[
            ("isFinite", 1, native(|cx| Ok(cx.arg(0).as_number().is_some_and(f64::is_finite).into()))),
            ("isInteger", 1, native(|cx| Ok(cx.arg(0).as_number().is_some_and(is_integer).into()))),
            ("isNaN", 1, native(|cx| Ok(cx.arg(0).as_number().is_some_and(f64::is_nan).into()))),
            ("isSafeInteger", 1, native(|cx| Ok(cx.arg(0).as_number().is_some_and(is_safe_integer).into()))),
        ],
    );
    for (name, length, code) in [("parseFloat", 1, native(parse_float)), ("parseInt", 2, native(parse_int))] {
        let function = method(global(), name, length, code);
        number.define(name, function.into(), Attributes::HIDDEN);
    }
    methods(
        prototype,
        &[
            ("toExponential", 1, native(to_exponential)),
            ("toFixed", 1, native(to_fixed)),
            ("toPrecision", 1, native(to_precision)),
            ("toString", 1, native(to_string_method)),
            ("valueOf", 0, native(|cx| Ok(this_number(cx, "valueOf")?.into()))),
            ("toLocaleString", 0, native(to_locale_string)),
        ],
    );
}

fn is_integer(number: f64) -> bool {
    number.is_finite() && number.fract() == 0.0
}

fn is_safe_integer(number: f64) -> bool {
    is_integer(number) && number.abs() <= MAX_SAFE_INTEGER
}

fn construct(cx: &CallContext) -> JsResult {
    let number = match cx.arguments.first() {
        None => 0.0,
        Some(&value) => match to_numeric(value)? {
            Numeric::Number(number) => number,
            Numeric::BigInt(bigint) => bigint_to_number(bigint.value()),
        },
    };
    if !cx.is_construct() {
        return Ok(number.into());
    }
    Ok(PrimitiveWrapper::wrap(number.into(), cx.new_prototype(Intrinsic::NumberPrototype)?).into())
}

/// thisNumberValue
fn this_number(cx: &CallContext, method: &str) -> JsResult<f64> {
    if let Some(number) = cx.this.as_number() {
        return Ok(number);
    }
    let wrapped = cx.this.as_object().and_then(PrimitiveWrapper::unwrap).and_then(Value::as_number);
    wrapped.ok_or_else(|| throw_type_error(format!("Number.prototype.{method} requires that 'this' be a Number")))
}

/// A count of digits; RangeError outside `range`.
fn digits(value: Value, minimum: f64, method: &str) -> JsResult<usize> {
    let digits = to_integer_or_infinity(value)?;
    if (minimum..=100.0).contains(&digits) {
        return Ok(digits as usize);
    }
    let what = if method == "toPrecision" {
        "toPrecision() argument must be between 1 and 100".to_owned()
    } else {
        format!(
            "{method}() {} must be between 0 and 100",
            if method == "toFixed" { "digits argument" } else { "argument" }
        )
    };
    Err(throw_range_error(what))
}

fn to_exponential(cx: &CallContext) -> JsResult {
    let number = this_number(cx, "toExponential")?;
    let fraction = to_integer_or_infinity(cx.arg(0))?;
    if !number.is_finite() {
        return Ok(number_to_string(number).into());
    }
    let fraction = if cx.arg(0).is_undefined() { None } else { Some(digits(fraction.into(), 0.0, "toExponential")?) };
    Ok(format::to_exponential(number, fraction).as_str().into())
}

fn to_fixed(cx: &CallContext) -> JsResult {
    let number = this_number(cx, "toFixed")?;
    let fraction = digits(cx.arg(0), 0.0, "toFixed")?;
    if !number.is_finite() || number.abs() >= 1e21 {
        return Ok(number_to_string(number).into());
    }
    Ok(format::to_fixed(number, fraction).as_str().into())
}

fn to_precision(cx: &CallContext) -> JsResult {
    let number = this_number(cx, "toPrecision")?;
    if cx.arg(0).is_undefined() {
        return Ok(number_to_string(number).into());
    }
    let precision = to_integer_or_infinity(cx.arg(0))?;
    if !number.is_finite() {
        return Ok(number_to_string(number).into());
    }
    Ok(format::to_precision(number, digits(precision.into(), 1.0, "toPrecision")?).as_str().into())
}

fn to_string_method(cx: &CallContext) -> JsResult {
    let number = this_number(cx, "toString")?;
    let radix = if cx.arg(0).is_undefined() { 10.0 } else { to_integer_or_infinity(cx.arg(0))? };
    if !(2.0..=36.0).contains(&radix) {
        return Err(throw_range_error("toString() radix argument must be between 2 and 36"));
    }
    if radix == 10.0 || !number.is_finite() {
        return Ok(number_to_string(number).into());
    }
    Ok(format::to_radix(number, radix as u32).as_str().into())
}

/// English grouping with at most three decimals, unless options say otherwise.
fn to_locale_string(cx: &CallContext) -> JsResult {
    let number = this_number(cx, "toLocaleString")?;
    if !cx.arg(0).is_undefined() || !cx.arg(1).is_undefined() || number.abs() >= 1e15 {
        return super::intl::number_to_locale_string(number, cx.arg(0), cx.arg(1));
    }
    if number.is_nan() {
        return Ok("NaN".into());
    }
    if number.is_infinite() {
        return Ok(if number > 0.0 { "∞" } else { "-∞" }.into());
    }
    Ok(format::grouped(number).as_str().into())
}

fn parse_float(cx: &CallContext) -> JsResult {
    if cx.arg(0).is_int() {
        return Ok(cx.arg(0));
    }
    Ok(parse::parse_float(to_string(cx.arg(0))?.units()).into())
}

fn parse_int(cx: &CallContext) -> JsResult {
    if cx.arg(0).is_int() && cx.arg(1).is_undefined() {
        return Ok(cx.arg(0));
    }
    let string: JsString = to_string(cx.arg(0))?;
    let radix = to_int32(cx.arg(1))?;
    Ok(parse::parse_int(string.units(), radix).into())
}

/// `parseFloat(text)`
pub fn parse_float_text(text: &str) -> f64 {
    parse::parse_float(JsString::from_str(text).units())
}
