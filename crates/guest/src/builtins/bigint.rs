//! `BigInt` (ECMA-262 §21.2). Operators are in [`crate::bigint`].

use num_bigint::BigInt;
use num_traits::{One, Signed};

use crate::bigint::BigIntCell;
use crate::builtin::{CallContext, constructor, methods, native, native_constructor, to_string_tag};
use crate::convert::{Hint, to_bigint, to_index, to_integer_or_infinity, to_primitive};
use crate::object::PrimitiveWrapper;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_range_error, throw_type_error};

/// Most bits V8 allows.
const MAX_BITS: u64 = 1 << 30;

/// Defines `BigInt`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::BigIntPrototype);
    let bigint = constructor("BigInt", 1, native_constructor(construct), prototype);
    methods(bigint, &[("asUintN", 2, native(as_uint_n)), ("asIntN", 2, native(as_int_n))]);
    methods(
        prototype,
        &[
            ("toLocaleString", 0, native(to_locale_string)),
            ("toString", 0, native(to_string)),
            ("valueOf", 0, native(|cx| this_bigint(cx, "valueOf"))),
        ],
    );
    to_string_tag(prototype, "BigInt");
}

fn construct(cx: &CallContext) -> JsResult {
    if cx.is_construct() {
        return Err(throw_type_error("BigInt is not a constructor"));
    }
    let primitive = to_primitive(cx.arg(0), Hint::Number)?;
    let Some(number) = primitive.as_number() else { return Ok(to_bigint(primitive)?.into()) };
    match num_traits::FromPrimitive::from_f64(number).filter(|_| number.fract() == 0.0) {
        Some(value) => Ok(BigIntCell::new(value).into()),
        None => {
            let text = crate::string::number_to_string(number).to_text();
            Err(throw_range_error(format!(
                "The number {text} cannot be converted to a BigInt because it is not an integer"
            )))
        }
    }
}

/// thisBigIntValue
fn this_bigint(cx: &CallContext, method: &str) -> JsResult {
    if cx.this.is_bigint() {
        return Ok(cx.this);
    }
    let wrapped = cx.this.as_object().and_then(PrimitiveWrapper::unwrap).filter(|value| value.is_bigint());
    wrapped.ok_or_else(|| throw_type_error(format!("BigInt.prototype.{method} requires that 'this' be a BigInt")))
}

fn to_string(cx: &CallContext) -> JsResult {
    let this = this_bigint(cx, "toString")?;
    let radix = if cx.arg(0).is_undefined() { 10.0 } else { to_integer_or_infinity(cx.arg(0))? };
    if !(2.0..=36.0).contains(&radix) {
        return Err(throw_range_error("toString() radix argument must be between 2 and 36"));
    }
    let text = this.as_bigint().map(|bigint| bigint.value().to_str_radix(radix as u32)).unwrap_or_default();
    Ok(text.as_str().into())
}

fn to_locale_string(cx: &CallContext) -> JsResult {
    let this = this_bigint(cx, "toLocaleString")?;
    if !cx.arg(0).is_undefined() || !cx.arg(1).is_undefined() {
        return super::intl::bigint_to_locale_string(this, cx.arg(0), cx.arg(1));
    }
    let text = this.as_bigint().map(|bigint| bigint.value().to_string()).unwrap_or_default();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    let mut out = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    Ok(out.as_str().into())
}

/// Bits and value of `asIntN` and `asUintN`.
fn truncation(cx: &CallContext) -> JsResult<(u64, BigInt)> {
    let bits = to_index(cx.arg(0), "Invalid value: not (convertible to) a safe integer")?;
    Ok((bits, to_bigint(cx.arg(1))?.value().clone()))
}

/// `value` modulo 2^bits.
fn modulo(value: &BigInt, bits: u64) -> BigInt {
    let modulus = BigInt::one() << bits;
    num_integer::Integer::mod_floor(value, &modulus)
}

fn as_uint_n(cx: &CallContext) -> JsResult {
    let (bits, value) = truncation(cx)?;
    if !value.is_negative() && value.bits() <= bits {
        return Ok(BigIntCell::new(value).into());
    }
    if bits > MAX_BITS {
        return Err(throw_range_error("Maximum BigInt size exceeded"));
    }
    Ok(BigIntCell::new(modulo(&value, bits)).into())
}

fn as_int_n(cx: &CallContext) -> JsResult {
    let (bits, value) = truncation(cx)?;
    if value.bits() < bits {
        return Ok(BigIntCell::new(value).into());
    }
    if bits == 0 {
        return Ok(BigIntCell::new(BigInt::ZERO).into());
    }
    let mut result = modulo(&value, bits);
    if result.bits() == bits {
        result -= BigInt::one() << bits;
    }
    Ok(BigIntCell::new(result).into())
}
