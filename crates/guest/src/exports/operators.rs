//! Operators, where compiled code's own fast paths end.

use core::cmp::Ordering;

use crate::bigint::{BigIntCell, BinaryOp, binary};
use crate::cell::Gc;
use crate::convert::{
    self, Hint, Numeric, double_to_int32, loose_equals, strict_equals, to_boolean, to_number, to_numeric, to_primitive,
    type_of,
};
use crate::memory::argument;
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error, to_status, to_word};
use crate::value::Value;

#[unsafe(no_mangle)]
extern "C" fn rt_add(a: Value, b: Value) -> Value {
    to_word(add(a, b))
}

fn add(a: Value, b: Value) -> JsResult {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(Value::number(a + b));
    }
    if let (Some(a), Some(b)) = (a.as_string(), b.as_string()) {
        return a.concat(b).map(Value::from);
    }
    let a = to_primitive(a, Hint::Default)?;
    let b = to_primitive(b, Hint::Default)?;
    if a.is_string() || b.is_string() {
        return convert::to_string(a)?.concat(convert::to_string(b)?).map(Value::from);
    }
    arithmetic(a, b, BinaryOp::Add, |a, b| a + b)
}

/// A numeric operator on any values.
#[inline]
fn arithmetic(a: Value, b: Value, op: BinaryOp, on_numbers: impl Fn(f64, f64) -> f64) -> JsResult {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(Value::number(on_numbers(a, b)));
    }
    match both(a, b)? {
        Both::Numbers(a, b) => Ok(Value::number(on_numbers(a, b))),
        Both::BigInts(a, b) => binary(op, a, b).map(Value::from),
    }
}

/// A bitwise operator on any values.
#[inline]
fn bitwise(a: Value, b: Value, op: BinaryOp, on_ints: impl Fn(i32, i32) -> i32) -> JsResult {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(Value::int(on_ints(double_to_int32(a), double_to_int32(b))));
    }
    match both(a, b)? {
        Both::Numbers(a, b) => Ok(Value::int(on_ints(double_to_int32(a), double_to_int32(b)))),
        Both::BigInts(a, b) => binary(op, a, b).map(Value::from),
    }
}

/// Two operands of one numeric type.
enum Both {
    Numbers(f64, f64),
    BigInts(Gc<BigIntCell>, Gc<BigIntCell>),
}

fn both(a: Value, b: Value) -> JsResult<Both> {
    match (to_numeric(a)?, to_numeric(b)?) {
        (Numeric::Number(a), Numeric::Number(b)) => Ok(Both::Numbers(a, b)),
        (Numeric::BigInt(a), Numeric::BigInt(b)) => Ok(Both::BigInts(a, b)),
        _ => Err(throw_type_error("Cannot mix BigInt and other types, use explicit conversions")),
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_sub(a: Value, b: Value) -> Value {
    to_word(arithmetic(a, b, BinaryOp::Sub, |a, b| a - b))
}

#[unsafe(no_mangle)]
extern "C" fn rt_mul(a: Value, b: Value) -> Value {
    to_word(arithmetic(a, b, BinaryOp::Mul, |a, b| a * b))
}

#[unsafe(no_mangle)]
extern "C" fn rt_div(a: Value, b: Value) -> Value {
    to_word(arithmetic(a, b, BinaryOp::Div, |a, b| a / b))
}

#[unsafe(no_mangle)]
extern "C" fn rt_rem(a: Value, b: Value) -> Value {
    to_word(arithmetic(a, b, BinaryOp::Rem, remainder))
}

#[unsafe(no_mangle)]
extern "C" fn rt_exp(a: Value, b: Value) -> Value {
    to_word(arithmetic(a, b, BinaryOp::Exp, power))
}

/// Number::remainder. Exact integers need no loop over the difference of exponents.
fn remainder(a: f64, b: f64) -> f64 {
    let (int_a, int_b) = (a as i64, b as i64);
    let are_ints = int_a as f64 == a && int_b as f64 == b && a.abs() < 9.0e18 && b.abs() < 9.0e15;
    if !are_ints || int_b == 0 {
        return a % b;
    }
    ((int_a % int_b) as f64).copysign(a)
}

/// Number::exponentiate.
pub fn power(base: f64, exponent: f64) -> f64 {
    crate::builtins::math::pow(base, exponent)
}

#[unsafe(no_mangle)]
extern "C" fn rt_bit_and(a: Value, b: Value) -> Value {
    to_word(bitwise(a, b, BinaryOp::And, |a, b| a & b))
}

#[unsafe(no_mangle)]
extern "C" fn rt_bit_or(a: Value, b: Value) -> Value {
    to_word(bitwise(a, b, BinaryOp::Or, |a, b| a | b))
}

#[unsafe(no_mangle)]
extern "C" fn rt_bit_xor(a: Value, b: Value) -> Value {
    to_word(bitwise(a, b, BinaryOp::Xor, |a, b| a ^ b))
}

#[unsafe(no_mangle)]
extern "C" fn rt_shl(a: Value, b: Value) -> Value {
    to_word(bitwise(a, b, BinaryOp::Shl, |a, b| a.wrapping_shl(b as u32)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_shr(a: Value, b: Value) -> Value {
    to_word(bitwise(a, b, BinaryOp::Shr, |a, b| a.wrapping_shr(b as u32)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_ushr(a: Value, b: Value) -> Value {
    let shift = || match both(a, b)? {
        Both::Numbers(a, b) => Ok(Value::from((double_to_int32(a) as u32).wrapping_shr(double_to_int32(b) as u32))),
        Both::BigInts(..) => Err(throw_type_error("BigInts have no unsigned right shift, use >> instead")),
    };
    to_word(shift())
}

/// A unary operator on any value.
fn unary(
    value: Value,
    number: impl Fn(f64) -> Value,
    bigint: impl Fn(&num_bigint::BigInt) -> num_bigint::BigInt,
) -> JsResult {
    Ok(match to_numeric(value)? {
        Numeric::Number(value) => number(value),
        Numeric::BigInt(value) => BigIntCell::new(bigint(value.value())).into(),
    })
}

#[unsafe(no_mangle)]
extern "C" fn rt_neg(value: Value) -> Value {
    to_word(unary(value, |number| Value::number(-number), |bigint| -bigint))
}

#[unsafe(no_mangle)]
extern "C" fn rt_bit_not(value: Value) -> Value {
    to_word(unary(value, |number| Value::int(!double_to_int32(number)), |bigint| -bigint - 1))
}

#[unsafe(no_mangle)]
extern "C" fn rt_inc(value: Value) -> Value {
    to_word(unary(value, |number| Value::number(number + 1.0), |bigint| bigint + 1))
}

#[unsafe(no_mangle)]
extern "C" fn rt_dec(value: Value) -> Value {
    to_word(unary(value, |number| Value::number(number - 1.0), |bigint| bigint - 1))
}

#[unsafe(no_mangle)]
extern "C" fn rt_to_numeric(value: Value) -> Value {
    to_word(to_numeric(value).map(|numeric| match numeric {
        Numeric::Number(number) => Value::number(number),
        Numeric::BigInt(bigint) => bigint.into(),
    }))
}

#[unsafe(no_mangle)]
extern "C" fn rt_to_number(value: Value) -> Value {
    to_word(to_number(value).map(Value::number))
}

/// Order of two values after ToPrimitive, the left first; `None` if undefined (NaN).
fn compare(a: Value, b: Value) -> JsResult<Option<Ordering>> {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(a.partial_cmp(&b));
    }
    let a = to_primitive(a, Hint::Number)?;
    let b = to_primitive(b, Hint::Number)?;
    if let (Some(a), Some(b)) = (a.as_string(), b.as_string()) {
        return Ok(Some(a.compare(b)));
    }
    match (a.as_bigint(), b.as_bigint()) {
        (Some(bigint), None) if b.is_string() => return Ok(compare_with_text(bigint, b)),
        (None, Some(bigint)) if a.is_string() => return Ok(compare_with_text(bigint, a).map(Ordering::reverse)),
        _ => {}
    }
    Ok(match (to_numeric(a)?, to_numeric(b)?) {
        (Numeric::Number(a), Numeric::Number(b)) => a.partial_cmp(&b),
        (Numeric::BigInt(a), Numeric::BigInt(b)) => Some(a.value().cmp(b.value())),
        (Numeric::BigInt(a), Numeric::Number(b)) => convert::compare_bigint(a.value(), b),
        (Numeric::Number(a), Numeric::BigInt(b)) => convert::compare_bigint(b.value(), a).map(Ordering::reverse),
    })
}

fn compare_with_text(bigint: Gc<BigIntCell>, text: Value) -> Option<Ordering> {
    convert::string_to_bigint(text.as_string()?).map(|other| bigint.value().cmp(&other))
}

fn relation(a: Value, b: Value, holds: fn(Ordering) -> bool) -> Value {
    to_word(compare(a, b).map(|order| Value::bool(order.is_some_and(holds))))
}

#[unsafe(no_mangle)]
extern "C" fn rt_less(a: Value, b: Value) -> Value {
    relation(a, b, Ordering::is_lt)
}

#[unsafe(no_mangle)]
extern "C" fn rt_less_equal(a: Value, b: Value) -> Value {
    relation(a, b, Ordering::is_le)
}

#[unsafe(no_mangle)]
extern "C" fn rt_greater(a: Value, b: Value) -> Value {
    relation(a, b, Ordering::is_gt)
}

#[unsafe(no_mangle)]
extern "C" fn rt_greater_equal(a: Value, b: Value) -> Value {
    relation(a, b, Ordering::is_ge)
}

#[unsafe(no_mangle)]
extern "C" fn rt_strict_equal(a: Value, b: Value) -> i32 {
    strict_equals(a, b) as i32
}

#[unsafe(no_mangle)]
extern "C" fn rt_loose_equal(a: Value, b: Value) -> Value {
    to_word(loose_equals(a, b).map(Value::bool))
}

#[unsafe(no_mangle)]
extern "C" fn rt_to_boolean(value: Value) -> i32 {
    to_boolean(value) as i32
}

#[unsafe(no_mangle)]
extern "C" fn rt_type_of(value: Value) -> Value {
    type_of(value).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_to_string(value: Value) -> Value {
    to_word(convert::to_string(value).map(Value::from))
}

#[unsafe(no_mangle)]
extern "C" fn rt_to_property_key(value: Value) -> Value {
    if value.as_int().is_some_and(|int| int >= 0) || value.is_symbol() {
        return value;
    }
    to_word(convert::to_property_key(value).map(|key| match key.as_index() {
        Some(index) => Value::from(index),
        None => key.to_value(),
    }))
}

#[unsafe(no_mangle)]
extern "C" fn rt_to_object(value: Value) -> Value {
    to_word(convert::to_object(value).map(Value::from))
}

#[unsafe(no_mangle)]
extern "C" fn rt_concat(count: u32) -> Value {
    to_word(concat(count))
}

fn concat(count: u32) -> JsResult {
    if count == 2 {
        let (first, second) = (argument(0), argument(1));
        return convert::to_string(first)?.concat(convert::to_string(second)?).map(Value::from);
    }
    // ToString of an object calls JavaScript, which overwrites the argument buffer.
    let mut inline = [Value::UNDEFINED; 16];
    let mut spilled = vec![];
    let parts: &[Value] = if count as usize <= inline.len() {
        for (index, part) in inline.iter_mut().enumerate().take(count as usize) {
            *part = argument(index as u32);
        }
        &inline[..count as usize]
    } else {
        spilled.extend((0..count).map(argument));
        &spilled
    };
    concat_parts(parts)
}

fn concat_parts(parts: &[Value]) -> JsResult {
    let mut inline = [JsString::empty(); 16];
    let mut spilled = vec![];
    let strings: &mut [JsString] = if parts.len() <= inline.len() {
        &mut inline[..parts.len()]
    } else {
        spilled.resize(parts.len(), JsString::empty());
        &mut spilled
    };
    for (string, &part) in strings.iter_mut().zip(parts) {
        *string = convert::to_string(part)?;
    }
    JsString::concat_all(strings).map(Value::from)
}

#[unsafe(no_mangle)]
extern "C" fn rt_float_rem(a: f64, b: f64) -> f64 {
    remainder(a, b)
}

#[unsafe(no_mangle)]
extern "C" fn rt_float_pow(a: f64, b: f64) -> f64 {
    power(a, b)
}

#[unsafe(no_mangle)]
extern "C" fn rt_float_to_int32(value: f64) -> i32 {
    double_to_int32(value)
}

#[unsafe(no_mangle)]
extern "C" fn rt_primitive_to_float(value: Value) -> f64 {
    match to_number(value) {
        Ok(number) => number,
        Err(thrown) => {
            thrown.take();
            f64::NAN
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_require_object_coercible(value: Value, name_address: u32) -> i32 {
    if !value.is_nullish() {
        return 0;
    }
    let what = if value.is_null() { "null" } else { "undefined" };
    let name = super::name(name_address).map_or_else(|| what.to_owned(), |name| name.to_text());
    // What the source does not name is shown as the value it is.
    let target = match (name.strip_suffix("of ''"), name.strip_suffix("of '(intermediate value)'")) {
        (Some(property), _) if value.is_null() => format!("{property}of 'object null'"),
        (Some(property), _) | (_, Some(property)) => format!("{property}of '{what}'"),
        _ if name.starts_with("property '") => name,
        _ => format!("'{name}'"),
    };
    to_status(Err(throw_type_error(format!("Cannot destructure {target} as it is {what}."))))
}

#[unsafe(no_mangle)]
extern "C" fn rt_sloppy_this(value: Value) -> Value {
    if value.is_object() {
        return value;
    }
    match convert::to_object(value) {
        Ok(object) => object.into(),
        Err(thrown) => {
            thrown.take();
            crate::realm::global().into()
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_regexp(pattern: Value, flags: Value) -> Value {
    match (pattern.as_string(), flags.as_string()) {
        (Some(pattern), Some(flags)) => to_word(crate::builtins::regexp::create(pattern, flags)),
        // Compiled code passes constants.
        _ => Value::UNDEFINED,
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_set_literal_prototype(object: Value, prototype: Value) {
    let Some(object) = object.as_object() else { return };
    if prototype.is_null() {
        object.force_prototype(None);
    } else if let Some(prototype) = prototype.as_object() {
        object.force_prototype(Some(prototype));
    }
}
