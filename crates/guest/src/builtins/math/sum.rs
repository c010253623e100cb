//! `Math.sumPrecise`: the sum of numbers, rounded once.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::builtin::CallContext;
use crate::error::display;
use crate::iterate::iterate;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// The smallest positive double is 2 to this power.
const LEAST_EXPONENT: i32 = -1074;

pub(super) fn sum_precise(cx: &CallContext) -> JsResult {
    // Not finite numbers are added as they are, since rounding does not matter to them.
    let (mut exact, mut special, mut only_minus_zero) = (BigInt::zero(), -0.0, true);
    iterate(cx.arg(0), |value| {
        let Some(number) = value.as_number() else {
            return Err(throw_type_error(format!("{} is not a number", display(value))));
        };
        if !number.is_finite() {
            special += number;
        } else if number != 0.0 {
            exact += multiple_of_least(number);
        }
        only_minus_zero &= number == 0.0 && number.is_sign_negative();
        Ok(true)
    })?;
    Ok(Value::number(match exact.is_zero() {
        _ if special != 0.0 => special,
        true if only_minus_zero => -0.0,
        true => 0.0,
        false => rounded(&exact),
    }))
}

/// A finite number as a multiple of the smallest positive one.
fn multiple_of_least(number: f64) -> BigInt {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as u32, bits & ((1 << 52) - 1));
    let magnitude = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | 1 << 52) << (exponent - 1),
    };
    if number < 0.0 { -magnitude } else { magnitude }
}

/// The double nearest to a multiple of the smallest positive one; of two the even one.
fn rounded(exact: &BigInt) -> f64 {
    let magnitude = exact.magnitude();
    // 64 bits are enough to round by, if the lowest tells whether anything was cut off.
    let cut = magnitude.bits().saturating_sub(64);
    let top = (magnitude >> cut).to_u64().unwrap_or(u64::MAX);
    let is_inexact = magnitude.trailing_zeros().is_some_and(|zeros| zeros < cut);
    let scaled = (top | u64::from(is_inexact)) as f64;
    // In two steps: either power of two is a double, and only the second product may overflow.
    let exponent = cut as i32 + LEAST_EXPONENT;
    let value = scaled * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    if exact.is_negative() { -value } else { value }
}
