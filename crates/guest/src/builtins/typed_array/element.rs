//! Element types: what the eleven kinds of typed arrays hold.

use num_bigint::{BigInt, Sign};

use crate::bigint::BigIntCell;
use crate::convert::{double_to_int32, to_bigint, to_number};
use crate::throw::JsResult;
use crate::value::Value;

/// The element types, in the order of their kinds (see [`convex_wasm_abi::layout::typed_array::TYPES`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ElementType {
    /// `i8`
    Int8,
    /// `u8`
    Uint8,
    /// `u8`, converted by clamping
    Uint8Clamped,
    /// `i16`
    Int16,
    /// `u16`
    Uint16,
    /// `i32`
    Int32,
    /// `u32`
    Uint32,
    /// `f32`
    Float32,
    /// `f64`
    Float64,
    /// `i64`, as BigInt
    BigInt64,
    /// `u64`, as BigInt
    BigUint64,
}

use ElementType::*;

/// All of them.
pub const ALL: [ElementType; 11] =
    [Int8, Uint8, Uint8Clamped, Int16, Uint16, Int32, Uint32, Float32, Float64, BigInt64, BigUint64];

/// A value converted for some element type: all that user code can do in the conversion is done.
#[derive(Clone, Copy)]
pub enum Element {
    /// For the number types.
    Number(f64),
    /// For the BigInt types: the low 64 bits.
    BigInt(u64),
}

impl ElementType {
    /// Name of the constructor.
    pub fn class_name(self) -> &'static str {
        match self {
            Int8 => "Int8Array",
            Uint8 => "Uint8Array",
            Uint8Clamped => "Uint8ClampedArray",
            Int16 => "Int16Array",
            Uint16 => "Uint16Array",
            Int32 => "Int32Array",
            Uint32 => "Uint32Array",
            Float32 => "Float32Array",
            Float64 => "Float64Array",
            BigInt64 => "BigInt64Array",
            BigUint64 => "BigUint64Array",
        }
    }

    /// Size in bytes.
    #[inline(always)]
    pub fn size(self) -> u32 {
        match self {
            Int8 | Uint8 | Uint8Clamped => 1,
            Int16 | Uint16 => 2,
            Int32 | Uint32 | Float32 => 4,
            Float64 | BigInt64 | BigUint64 => 8,
        }
    }

    /// Whether elements are BigInts.
    pub fn is_bigint(self) -> bool {
        matches!(self, BigInt64 | BigUint64)
    }

    /// Converts a value; user code may run.
    #[inline]
    pub fn convert(self, value: Value) -> JsResult<Element> {
        if self.is_bigint() {
            Ok(Element::BigInt(low_bits(to_bigint(value)?.value())))
        } else {
            Ok(Element::Number(to_number(value)?))
        }
    }

    /// Reads the element at the start of little-endian `bytes`.
    #[inline]
    pub fn read(self, bytes: [u8; 8]) -> Value {
        let word = u64::from_le_bytes(bytes);
        match self {
            Int8 => Value::int(word as i8 as i32),
            Uint8 | Uint8Clamped => Value::int(word as u8 as i32),
            Int16 => Value::int(word as i16 as i32),
            Uint16 => Value::int(word as u16 as i32),
            Int32 => Value::int(word as i32),
            Uint32 => Value::from(word as u32),
            Float32 => Value::number(f32::from_bits(word as u32) as f64),
            Float64 => Value::number(f64::from_bits(word)),
            BigInt64 => BigIntCell::new(BigInt::from(word as i64)).into(),
            BigUint64 => BigIntCell::new(BigInt::from(word)).into(),
        }
    }

    /// The element as little-endian bytes, of which the first [`ElementType::size`] count.
    #[inline]
    pub fn bytes(self, element: Element) -> [u8; 8] {
        let number = match element {
            Element::Number(number) => number,
            Element::BigInt(bits) => return bits.to_le_bytes(),
        };
        let word = match self {
            Uint8Clamped => number.clamp(0.0, 255.0).round_ties_even() as u8 as u64,
            Float32 => u64::from((number as f32).to_bits()),
            Float64 => number.to_bits(),
            _ => double_to_int32(number) as u64,
        };
        word.to_le_bytes()
    }
}

/// The BigInt modulo 2⁶⁴.
fn low_bits(value: &BigInt) -> u64 {
    let magnitude = value.iter_u64_digits().next().unwrap_or(0);
    if value.sign() == Sign::Minus { magnitude.wrapping_neg() } else { magnitude }
}
