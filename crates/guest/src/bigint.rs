//! BigInt cells.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::cell::{Gc, Header, kind};
use crate::throw::{JsResult, throw_range_error};

/// A BigInt cell.
#[repr(C)]
pub struct BigIntCell {
    header: Header,
    value: BigInt,
}

impl BigIntCell {
    /// A cell with this value.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(value: BigInt) -> Gc<BigIntCell> {
        Gc::new(BigIntCell { header: Header::new(kind::BIGINT, 0, 0, 0), value })
    }

    /// The value.
    pub fn value(&self) -> &BigInt {
        &self.value
    }
}

/// Largest BigInt, in bits; as in V8.
const MAX_BITS: u64 = 1 << 30;

/// Binary operators on BigInts.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Exp,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// A binary operator. RangeError if it has no answer or too large a one.
pub fn binary(op: BinaryOp, a: Gc<BigIntCell>, b: Gc<BigIntCell>) -> JsResult<Gc<BigIntCell>> {
    let (a, b) = (a.value(), b.value());
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul if a.bits() + b.bits() > MAX_BITS => return Err(too_big()),
        BinaryOp::Mul => a * b,
        BinaryOp::Div | BinaryOp::Rem if b.is_zero() => return Err(throw_range_error("Division by zero")),
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        BinaryOp::Exp => power(a, b)?,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => shift(a, b, false)?,
        BinaryOp::Shr => shift(a, b, true)?,
    };
    Ok(BigIntCell::new(result))
}

fn too_big() -> crate::throw::Throw {
    throw_range_error("Maximum BigInt size exceeded")
}

fn power(base: &BigInt, exponent: &BigInt) -> JsResult<BigInt> {
    if exponent.is_negative() {
        return Err(throw_range_error("Exponent must be non-negative"));
    }
    if base.magnitude().bits() <= 1 {
        // 0, 1 and −1 to any power.
        let is_one = exponent.is_zero() || base.is_negative() && exponent.is_even();
        return Ok(if is_one { BigInt::from(1) } else { base.clone() });
    }
    match exponent.to_u32() {
        Some(exponent) if base.bits() * u64::from(exponent) <= MAX_BITS => Ok(base.pow(exponent)),
        _ => Err(too_big()),
    }
}

/// Shift left, or right if `right`; negative counts shift the other way. Right shifts round down.
fn shift(value: &BigInt, count: &BigInt, right: bool) -> JsResult<BigInt> {
    let to_right = right != count.is_negative();
    match count.magnitude().to_u64() {
        Some(count) if to_right => Ok(value >> count),
        Some(count) if value.bits() + count <= MAX_BITS || value.is_zero() => {
            Ok(value << if value.is_zero() { 0 } else { count })
        }
        None if to_right => Ok(if value.sign() == Sign::Minus { BigInt::from(-1) } else { BigInt::zero() }),
        _ => Err(too_big()),
    }
}
