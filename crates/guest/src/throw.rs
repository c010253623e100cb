//! Throwing.

use crate::memory::PENDING_EXCEPTION;
use crate::realm::{Intrinsic, intrinsic};
use crate::value::Value;

/// "It threw": the thrown value is pending in a fixed cell. Whoever handles it calls [`Throw::take`].
#[derive(Debug)]
#[must_use]
pub struct Throw(());

/// Result of whatever may throw.
pub type JsResult<T = Value> = Result<T, Throw>;

impl Throw {
    /// Makes `value` the pending exception.
    pub fn value(value: Value) -> Throw {
        PENDING_EXCEPTION.set(value);
        Throw(())
    }

    /// The exception that is already pending, after a callee answered EXCEPTION.
    pub fn pending() -> Throw {
        Throw(())
    }

    /// Catches: the thrown value.
    pub fn take(self) -> Value {
        let value = PENDING_EXCEPTION.get();
        PENDING_EXCEPTION.set(Value::EMPTY);
        value
    }
}

/// The word a compiled caller expects.
#[inline(always)]
pub fn to_word(result: JsResult) -> Value {
    match result {
        Ok(value) => value,
        Err(Throw(())) => Value::EXCEPTION,
    }
}

/// The result of a compiled callee.
#[inline(always)]
pub fn from_word(word: Value) -> JsResult {
    if word == Value::EXCEPTION { Err(Throw(())) } else { Ok(word) }
}

/// The status a compiled caller expects: 1 if it threw.
#[inline(always)]
pub fn to_status(result: JsResult<()>) -> i32 {
    result.is_err() as i32
}

/// Throws a new error with that prototype.
#[cold]
pub fn throw_error(prototype: Intrinsic, message: &str) -> Throw {
    Throw::value(crate::error::new_error(intrinsic(prototype), Value::from(message)).into())
}

/// Throws a TypeError.
#[cold]
pub fn throw_type_error(message: impl AsRef<str>) -> Throw {
    throw_error(Intrinsic::TypeErrorPrototype, message.as_ref())
}

/// Throws a RangeError.
#[cold]
pub fn throw_range_error(message: impl AsRef<str>) -> Throw {
    throw_error(Intrinsic::RangeErrorPrototype, message.as_ref())
}

/// Throws a ReferenceError.
#[cold]
pub fn throw_reference_error(message: impl AsRef<str>) -> Throw {
    throw_error(Intrinsic::ReferenceErrorPrototype, message.as_ref())
}

/// Throws a SyntaxError.
#[cold]
pub fn throw_syntax_error(message: impl AsRef<str>) -> Throw {
    throw_error(Intrinsic::SyntaxErrorPrototype, message.as_ref())
}

/// Ends the execution: it needs a built-in or feature that the guest does not have. The runner repeats it on V8.
#[cold]
pub fn hand_over(reason: &str) -> ! {
    crate::bridge::leave_text(reason.as_bytes());
    crate::memory::TERMINATION.set(convex_wasm_abi::memory::termination::HAND_OVER);
    crate::heap::trap()
}
