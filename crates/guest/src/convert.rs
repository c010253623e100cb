//! Conversions and comparisons of the specification.

use convex_wasm_abi::value as abi;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::bigint::BigIntCell;
use crate::call;
use crate::cell::Gc;
use crate::key::PropertyKey;
use crate::names::{self, keys};
use crate::object::{Object, PrimitiveWrapper};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::{JsString, number_to_string, parse_number};
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

/// Preferred type of ToPrimitive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// None.
    Default,
    /// Number.
    Number,
    /// String.
    String,
}

/// ToBoolean
#[inline]
pub fn to_boolean(value: Value) -> bool {
    if value.is_bool() {
        return value == Value::TRUE;
    }
    if let Some(number) = value.as_number() {
        return number != 0.0 && !number.is_nan();
    }
    match value.tag() {
        abi::TAG_STRING => value.as_string().is_some_and(|string| !string.is_empty()),
        abi::TAG_BIGINT => value.as_bigint().is_some_and(|bigint| !bigint.value().is_zero()),
        abi::TAG_SPECIAL => false,
        _ => true,
    }
}

/// ToPrimitive
#[inline]
pub fn to_primitive(value: Value, hint: Hint) -> JsResult {
    match value.as_object() {
        Some(object) => object_to_primitive(object, hint),
        None => Ok(value),
    }
}

fn object_to_primitive(object: Object, hint: Hint) -> JsResult {
    let value = Value::from(object);
    let key = crate::symbol::to_primitive().into();
    if let Some(method) = object.get_method(key)? {
        let hint = match hint {
            Hint::Default => names::default(),
            Hint::Number => names::number(),
            Hint::String => names::string(),
        };
        let result = call::call(method.into(), value, &[hint.into()])?;
        return if result.is_object() {
            Err(throw_type_error("Cannot convert object to primitive value"))
        } else {
            Ok(result)
        };
    }
    let order = if hint == Hint::String {
        [keys::to_string(), keys::value_of()]
    } else {
        [keys::value_of(), keys::to_string()]
    };
    for key in order {
        let method = object.get(key)?;
        if call::is_callable(method) {
            let result = call::call(method, value, &[])?;
            if !result.is_object() {
                return Ok(result);
            }
        }
    }
    Err(throw_type_error("Cannot convert object to primitive value"))
}

/// ToNumber
#[inline]
pub fn to_number(value: Value) -> JsResult<f64> {
    match value.as_number() {
        Some(number) => Ok(number),
        None => to_number_slow(value),
    }
}

fn to_number_slow(value: Value) -> JsResult<f64> {
    Ok(match value.tag() {
        abi::TAG_STRING => value.as_string().map_or(f64::NAN, |string| parse_number(string.units())),
        abi::TAG_SPECIAL => special_to_number(value),
        abi::TAG_SYMBOL => return Err(throw_type_error("Cannot convert a Symbol value to a number")),
        abi::TAG_BIGINT => return Err(throw_type_error("Cannot convert a BigInt value to a number")),
        _ => return to_number(to_primitive(value, Hint::Number)?),
    })
}

fn special_to_number(value: Value) -> f64 {
    match value {
        Value::TRUE => 1.0,
        Value::FALSE | Value::NULL => 0.0,
        _ => f64::NAN,
    }
}

/// A number or a BigInt.
#[derive(Clone, Copy)]
pub enum Numeric {
    /// A number.
    Number(f64),
    /// A BigInt.
    BigInt(Gc<BigIntCell>),
}

/// ToNumeric
pub fn to_numeric(value: Value) -> JsResult<Numeric> {
    let primitive = to_primitive(value, Hint::Number)?;
    match primitive.as_bigint() {
        Some(bigint) => Ok(Numeric::BigInt(bigint)),
        None => Ok(Numeric::Number(to_number(primitive)?)),
    }
}

/// ToIntegerOrInfinity
pub fn to_integer_or_infinity(value: Value) -> JsResult<f64> {
    if let Some(int) = value.as_int() {
        return Ok(int as f64);
    }
    let number = to_number(value)?;
    // The sum makes −0 positive.
    Ok(if number.is_nan() { 0.0 } else { number.trunc() + 0.0 })
}

/// ToInt32 of a double.
#[inline]
pub fn double_to_int32(number: f64) -> i32 {
    let int = number as i32;
    if int as f64 == number {
        return int;
    }
    if !number.is_finite() {
        return 0;
    }
    if number.abs() < 9.0e18 {
        return number as i64 as i32;
    }
    let bits = number.to_bits();
    // The lowest bit of the integer has this weight; beyond 2³¹ all 32 low bits are 0.
    let shift = ((bits >> 52) & 0x7FF) as i32 - 1075;
    if shift > 31 {
        return 0;
    }
    let magnitude = (((bits & 0xF_FFFF_FFFF_FFFF) | 0x10_0000_0000_0000) as u32).wrapping_shl(shift as u32);
    if number < 0.0 { (magnitude as i32).wrapping_neg() } else { magnitude as i32 }
}

/// ToInt32
#[inline]
pub fn to_int32(value: Value) -> JsResult<i32> {
    match value.as_int() {
        Some(int) => Ok(int),
        None => Ok(double_to_int32(to_number(value)?)),
    }
}

/// ToUint32
#[inline]
pub fn to_uint32(value: Value) -> JsResult<u32> {
    Ok(to_int32(value)? as u32)
}

/// ToLength
pub fn to_length(value: Value) -> JsResult<u64> {
    let length = to_integer_or_infinity(value)?;
    Ok(length.clamp(0.0, 9_007_199_254_740_991.0) as u64)
}

/// ToIndex; RangeError with this text if out of range.
pub fn to_index(value: Value, message: impl core::fmt::Display) -> JsResult<u64> {
    let index = to_integer_or_infinity(value)?;
    if (0.0..=9_007_199_254_740_991.0).contains(&index) {
        Ok(index as u64)
    } else {
        Err(throw_range_error(message.to_string()))
    }
}

/// A relative position (`slice`, `at`, …): negative counts from the end; clamped to `0..=length`. `undefined` gives `default`.
pub fn to_relative_index(value: Value, length: u64, default: u64) -> JsResult<u64> {
    if value.is_undefined() {
        return Ok(default);
    }
    let relative = to_integer_or_infinity(value)?;
    Ok(if relative < 0.0 { (length as f64 + relative).max(0.0) as u64 } else { relative.min(length as f64) as u64 })
}

/// ToString
#[inline]
pub fn to_string(value: Value) -> JsResult<JsString> {
    match value.as_string() {
        Some(string) => Ok(string),
        None => to_string_slow(value),
    }
}

fn to_string_slow(value: Value) -> JsResult<JsString> {
    if let Some(number) = value.as_number() {
        return Ok(number_to_string(number));
    }
    Ok(match value {
        Value::UNDEFINED => names::undefined(),
        Value::NULL => names::null(),
        Value::TRUE => names::true_(),
        Value::FALSE => names::false_(),
        _ if value.is_symbol() => return Err(throw_type_error("Cannot convert a Symbol value to a string")),
        _ => match value.as_bigint() {
            Some(bigint) => JsString::from_str(&bigint.value().to_string()),
            None => return to_string(to_primitive(value, Hint::String)?),
        },
    })
}

/// ToPropertyKey
#[inline]
pub fn to_property_key(value: Value) -> JsResult<PropertyKey> {
    if let Some(int) = value.as_int()
        && int >= 0
    {
        return Ok(PropertyKey::index(int as u32));
    }
    if let Some(string) = value.as_string() {
        return Ok(PropertyKey::from_string(string));
    }
    if let Some(symbol) = value.as_symbol() {
        return Ok(symbol.into());
    }
    let primitive = to_primitive(value, Hint::String)?;
    match primitive.as_symbol() {
        Some(symbol) => Ok(symbol.into()),
        None => Ok(PropertyKey::from_string(to_string(primitive)?)),
    }
}

/// ToObject
#[inline]
pub fn to_object(value: Value) -> JsResult<Object> {
    match value.as_object() {
        Some(object) => Ok(object),
        None => wrap(value),
    }
}

fn wrap(value: Value) -> JsResult<Object> {
    match primitive_prototype(value) {
        Some(prototype) => Ok(PrimitiveWrapper::wrap(value, prototype)),
        None => Err(throw_type_error("Cannot convert undefined or null to object")),
    }
}

/// The prototype where properties of a primitive are looked up; `None` for undefined and null.
pub fn primitive_prototype(value: Value) -> Option<Object> {
    Some(intrinsic(match value.tag() {
        abi::TAG_STRING => Intrinsic::StringPrototype,
        abi::TAG_SYMBOL => Intrinsic::SymbolPrototype,
        abi::TAG_BIGINT => Intrinsic::BigIntPrototype,
        abi::TAG_SPECIAL if value.is_bool() => Intrinsic::BooleanPrototype,
        abi::TAG_SPECIAL => return None,
        _ => Intrinsic::NumberPrototype,
    }))
}

/// GetV: `value[key]` on any value; TypeError for undefined and null.
pub fn get_value(value: Value, key: PropertyKey) -> JsResult {
    if let Some(object) = value.as_object() {
        return object.get(key);
    }
    if let Some(string) = value.as_string() {
        if key == keys::length() {
            return Ok(Value::from(string.len()));
        }
        if let Some(unit) = key.as_index().and_then(|index| string.unit(index)) {
            return Ok(JsString::from_unit(unit).into());
        }
    }
    match primitive_prototype(value) {
        Some(prototype) => prototype.get_with_receiver(key, value),
        None => Err(crate::object::element_get_error(value, key, "read")),
    }
}

/// GetMethod on any value.
pub fn get_method(value: Value, key: PropertyKey) -> JsResult<Option<Object>> {
    call::as_method(get_value(value, key)?)
}

/// RequireObjectCoercible: TypeError "String.prototype.x called on null or undefined".
pub fn require_coercible(value: Value, method: impl core::fmt::Display) -> JsResult<Value> {
    if value.is_nullish() {
        return Err(throw_type_error(format!("{method} called on null or undefined")));
    }
    Ok(value)
}

/// `typeof`
pub fn type_of(value: Value) -> JsString {
    match value.tag() {
        abi::TAG_STRING => names::string(),
        abi::TAG_SYMBOL => names::symbol(),
        abi::TAG_BIGINT => names::bigint(),
        abi::TAG_OBJECT if call::is_callable(value) => names::function(),
        abi::TAG_OBJECT => names::object(),
        abi::TAG_SPECIAL if value.is_bool() => names::boolean(),
        abi::TAG_SPECIAL if value.is_null() => names::object(),
        abi::TAG_SPECIAL | abi::TAG_INTERNAL => names::undefined(),
        _ => names::number(),
    }
}

/// `===`
#[inline]
pub fn strict_equals(a: Value, b: Value) -> bool {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return a == b;
    }
    a == b || equal_contents(a, b)
}

/// Equal strings or BigInts in different cells.
fn equal_contents(a: Value, b: Value) -> bool {
    match (a.as_string(), b.as_string()) {
        (Some(a), Some(b)) => a.equals(b),
        _ => match (a.as_bigint(), b.as_bigint()) {
            (Some(a), Some(b)) => a.value() == b.value(),
            _ => false,
        },
    }
}

/// SameValueZero: as `===`, but NaN equals NaN.
pub fn same_value_zero(a: Value, b: Value) -> bool {
    match (a.as_number(), b.as_number()) {
        (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
        _ => a == b || equal_contents(a, b),
    }
}

/// SameValue: `Object.is`
pub fn same_value(a: Value, b: Value) -> bool {
    match (a.as_number(), b.as_number()) {
        (Some(x), Some(y)) => x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(),
        _ => a == b || equal_contents(a, b),
    }
}

/// `==`
pub fn loose_equals(a: Value, b: Value) -> JsResult<bool> {
    if a.is_nullish() || b.is_nullish() {
        return Ok(a.is_nullish() && b.is_nullish());
    }
    if a.is_object() && b.is_object() {
        return Ok(a == b);
    }
    if a.is_object() {
        return loose_equals(to_primitive(a, Hint::Default)?, b);
    }
    if b.is_object() {
        return loose_equals(a, to_primitive(b, Hint::Default)?);
    }
    if a.is_bool() {
        return loose_equals(Value::double(special_to_number(a)), b);
    }
    if b.is_bool() {
        return loose_equals(a, Value::double(special_to_number(b)));
    }
    if a.is_string() && b.is_string() || a.is_symbol() || b.is_symbol() {
        return Ok(strict_equals(a, b));
    }
    match (a.as_bigint(), b.as_bigint()) {
        (Some(a), Some(b)) => Ok(a.value() == b.value()),
        (Some(bigint), None) => Ok(bigint_equals(bigint, b)),
        (None, Some(bigint)) => Ok(bigint_equals(bigint, a)),
        (None, None) => Ok(to_number(a)? == to_number(b)?),
    }
}

fn bigint_equals(bigint: Gc<BigIntCell>, other: Value) -> bool {
    match other.as_string() {
        Some(string) => string_to_bigint(string).is_some_and(|other| other == *bigint.value()),
        None => other
            .as_number()
            .is_some_and(|number| compare_bigint(bigint.value(), number) == Some(core::cmp::Ordering::Equal)),
    }
}

/// Order of a BigInt and a number; `None` for NaN.
pub fn compare_bigint(bigint: &BigInt, number: f64) -> Option<core::cmp::Ordering> {
    use core::cmp::Ordering;
    if number.is_nan() {
        return None;
    }
    if number.is_infinite() {
        return Some(if number > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let floor = number.floor();
    let order = bigint.cmp(&num_traits::FromPrimitive::from_f64(floor)?);
    Some(if order == Ordering::Equal && floor != number { Ordering::Less } else { order })
}

/// StringToBigInt; `None` if the text is no integer.
pub fn string_to_bigint(string: JsString) -> Option<BigInt> {
    let text = string.to_text();
    let text = text.trim_matches(|point: char| u16::try_from(point as u32).is_ok_and(crate::string::is_space));
    let bytes = text.as_bytes();
    let (digits, radix) = match bytes {
        [] => return Some(BigInt::zero()),
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'0', b'o' | b'O', digits @ ..] => (digits, 8),
        [b'0', b'b' | b'B', digits @ ..] => (digits, 2),
        _ => (bytes, 10),
    };
    let unsigned =
        if radix == 10 { digits.strip_prefix(b"-").or(digits.strip_prefix(b"+")).unwrap_or(digits) } else { digits };
    if unsigned.is_empty() || !unsigned.iter().all(u8::is_ascii_alphanumeric) {
        return None;
    }
    BigInt::parse_bytes(digits, radix)
}

/// ToBigInt
pub fn to_bigint(value: Value) -> JsResult<Gc<BigIntCell>> {
    let primitive = to_primitive(value, Hint::Number)?;
    if let Some(bigint) = primitive.as_bigint() {
        return Ok(bigint);
    }
    if let Some(bool) = primitive.as_bool() {
        return Ok(BigIntCell::new(BigInt::from(bool as u8)));
    }
    if let Some(string) = primitive.as_string() {
        return match string_to_bigint(string) {
            Some(bigint) => Ok(BigIntCell::new(bigint)),
            None => Err(crate::throw::throw_syntax_error(format!("Cannot convert {} to a BigInt", string.to_text()))),
        };
    }
    let text = if primitive.is_symbol() { crate::error::describe(primitive) } else { to_string(primitive)?.to_text() };
    Err(throw_type_error(format!("Cannot convert {text} to a BigInt")))
}

/// The nearest double of a BigInt.
pub fn bigint_to_number(bigint: &BigInt) -> f64 {
    bigint.to_f64().unwrap_or(f64::NAN)
}

/// IsArray: proxies for arrays count.
pub fn is_array(value: Value) -> JsResult<bool> {
    match value.as_object() {
        Some(object) if object.as_array().is_some() => Ok(true),
        Some(object) => crate::builtins::proxy::is_array(object),
        None => Ok(false),
    }
}

/// SpeciesConstructor
pub fn species_constructor(object: Object, default: Object) -> JsResult<Object> {
    let constructor = object.get(keys::constructor())?;
    if constructor.is_undefined() {
        return Ok(default);
    }
    let Some(constructor) = constructor.as_object() else {
        return Err(throw_type_error("The .constructor property is not an object"));
    };
    let species = constructor.get(crate::symbol::species().into())?;
    if species.is_nullish() {
        return Ok(default);
    }
    match species.as_object() {
        Some(object) if call::is_constructor(species) => Ok(object),
        _ => Err(throw_type_error("object.constructor[Symbol.species] is not a constructor")),
    }
}
