//! `Math` (ECMA-262 §21.3).

mod fdlibm;
pub mod float16;
mod power;
mod random;
mod sum;
mod trigonometry;

use crate::builtin::{CallContext, constants, methods, native, to_string_tag};
use crate::convert::{to_int32, to_number, to_uint32};
use crate::object::{Attributes, Object};
use crate::realm::global;
use crate::throw::JsResult;
use crate::value::Value;

/// Defines `Math`.
pub(crate) fn install() {
    use core::f64::consts;
    let math = Object::new();
    constants(
        math,
        &[
            ("E", consts::E.into()),
            ("LN10", consts::LN_10.into()),
            ("LN2", consts::LN_2.into()),
            ("LOG10E", consts::LOG10_E.into()),
            ("LOG2E", consts::LOG2_E.into()),
            ("PI", consts::PI.into()),
            ("SQRT1_2", consts::FRAC_1_SQRT_2.into()),
            ("SQRT2", consts::SQRT_2.into()),
        ],
    );
    methods(
        math,
        &[
            ("abs", 1, native(abs)),
            ("acos", 1, native(|cx| unary(cx, libm::acos))),
            ("acosh", 1, native(|cx| unary(cx, fdlibm::acosh))),
            ("asin", 1, native(|cx| unary(cx, libm::asin))),
            ("asinh", 1, native(|cx| unary(cx, fdlibm::asinh))),
            ("atan", 1, native(|cx| unary(cx, libm::atan))),
            ("atanh", 1, native(|cx| unary(cx, libm::atanh))),
            ("atan2", 2, native(|cx| binary(cx, libm::atan2))),
            ("ceil", 1, native(|cx| rounding(cx, f64::ceil))),
            ("cbrt", 1, native(|cx| unary(cx, fdlibm::cbrt))),
            ("expm1", 1, native(|cx| unary(cx, libm::expm1))),
            ("clz32", 1, native(|cx| Ok(to_uint32(cx.arg(0))?.leading_zeros().into()))),
            ("cos", 1, native(|cx| unary(cx, trigonometry::cos))),
            ("cosh", 1, native(|cx| unary(cx, fdlibm::cosh))),
            ("exp", 1, native(|cx| unary(cx, fdlibm::exp))),
            ("floor", 1, native(|cx| rounding(cx, f64::floor))),
            ("fround", 1, native(|cx| unary(cx, |number| number as f32 as f64))),
            ("f16round", 1, native(|cx| unary(cx, |number| float16::to_f64(float16::from_f64(number))))),
            ("hypot", 2, native(hypot)),
            ("imul", 2, native(imul)),
            ("log", 1, native(|cx| unary(cx, fdlibm::log))),
            ("log1p", 1, native(|cx| unary(cx, libm::log1p))),
            ("log2", 1, native(|cx| unary(cx, libm::log2))),
            ("log10", 1, native(|cx| unary(cx, fdlibm::log10))),
            ("max", 2, native(max)),
            ("min", 2, native(min)),
            ("pow", 2, native(|cx| binary(cx, pow))),
            ("random", 0, native(|_| Ok(Value::double(random::next())))),
            ("round", 1, native(|cx| rounding(cx, round))),
            ("sign", 1, native(|cx| unary(cx, sign))),
            ("sin", 1, native(|cx| unary(cx, trigonometry::sin))),
            ("sinh", 1, native(|cx| unary(cx, fdlibm::sinh))),
            ("sqrt", 1, native(|cx| unary(cx, f64::sqrt))),
            ("sumPrecise", 1, native(sum::sum_precise)),
            ("tan", 1, native(|cx| unary(cx, libm::tan))),
            ("tanh", 1, native(|cx| unary(cx, fdlibm::tanh))),
            ("trunc", 1, native(|cx| rounding(cx, f64::trunc))),
        ],
    );
    to_string_tag(math, "Math");
    global().define("Math", math.into(), Attributes::HIDDEN);
}

#[inline(always)]
fn unary(cx: &CallContext, function: fn(f64) -> f64) -> JsResult {
    Ok(function(to_number(cx.arg(0))?).into())
}

#[inline(always)]
fn binary(cx: &CallContext, function: fn(f64, f64) -> f64) -> JsResult {
    let (a, b) = (to_number(cx.arg(0))?, to_number(cx.arg(1))?);
    Ok(function(a, b).into())
}

/// As [`unary`], for functions that leave integers alone.
#[inline(always)]
fn rounding(cx: &CallContext, function: fn(f64) -> f64) -> JsResult {
    if cx.arg(0).is_int() {
        return Ok(cx.arg(0));
    }
    unary(cx, function)
}

fn abs(cx: &CallContext) -> JsResult {
    unary(cx, f64::abs)
}

fn sign(number: f64) -> f64 {
    if number == 0.0 || number.is_nan() { number } else { number.signum() }
}

/// Half upwards.
fn round(number: f64) -> f64 {
    let floor = number.floor();
    let rounded = if number - floor >= 0.5 { floor + 1.0 } else { floor };
    rounded.copysign(number)
}

/// `base ** exponent` of numbers (Number::exponentiate).
pub fn pow(base: f64, exponent: f64) -> f64 {
    // Unlike IEEE 754, ECMAScript has 1 ** NaN and (±1) ** ±Infinity be NaN.
    if exponent.is_nan() || base.abs() == 1.0 && exponent.is_infinite() {
        return f64::NAN;
    }
    power::pow(base, exponent)
}

fn imul(cx: &CallContext) -> JsResult {
    let (a, b) = (to_int32(cx.arg(0))?, to_int32(cx.arg(1))?);
    Ok(a.wrapping_mul(b).into())
}

/// All arguments as numbers.
fn numbers(cx: &CallContext) -> JsResult<Vec<f64>> {
    cx.arguments.iter().map(|&argument| to_number(argument)).collect()
}

/// Scaled and with compensated summation, as precise as a plain sum of squares can be.
fn hypot(cx: &CallContext) -> JsResult {
    let numbers = numbers(cx)?;
    if numbers.iter().any(|number| number.is_infinite()) {
        return Ok(f64::INFINITY.into());
    }
    let largest = numbers.iter().fold(0.0, |largest: f64, number| {
        if number.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(number.abs()) }
    });
    if largest == 0.0 || largest.is_nan() {
        return Ok(largest.into());
    }
    let (mut sum, mut compensation) = (0.0, 0.0);
    for number in numbers {
        let scaled = number / largest;
        let summand = scaled * scaled - compensation;
        let next: f64 = sum + summand;
        compensation = (next - sum) - summand;
        sum = next;
    }
    Ok((sum.sqrt() * largest).into())
}

/// `Math.max` and `Math.min`: −0 is below +0, NaN wins.
fn extreme(cx: &CallContext, start: f64, better: fn(f64, f64) -> bool) -> JsResult {
    if let [a, b] = cx.arguments
        && let (Some(a), Some(b)) = (a.as_int(), b.as_int())
    {
        return Ok(Value::int(if better(a as f64, b as f64) { a } else { b }));
    }
    let mut result = start;
    for &argument in cx.arguments {
        let number = to_number(argument)?;
        if number.is_nan() || result.is_nan() {
            result = f64::NAN;
        } else if better(number, result) {
            result = number;
        }
    }
    Ok(result.into())
}

fn max(cx: &CallContext) -> JsResult {
    extreme(cx, f64::NEG_INFINITY, |a, b| a > b || a == 0.0 && b == 0.0 && !a.is_sign_negative())
}

fn min(cx: &CallContext) -> JsResult {
    extreme(cx, f64::INFINITY, |a, b| a < b || a == 0.0 && b == 0.0 && a.is_sign_negative())
}
