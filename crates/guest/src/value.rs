//! JavaScript values as NaN-boxed words (see [`convex_wasm_abi::value`]).

use convex_wasm_abi::value as abi;

use crate::bigint::BigIntCell;
use crate::cell::Gc;
use crate::object::Object;
use crate::string::JsString;
use crate::symbol::Symbol;

/// A JavaScript value, or one of the internal markers. Equality of words is identity, not `===`: a number may be
/// held as an int or a double, and equal strings may be different cells.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Value(pub u64);

impl Value {
    /// `undefined`
    pub const UNDEFINED: Value = Value(abi::UNDEFINED);
    /// `null`
    pub const NULL: Value = Value(abi::NULL);
    /// `true`
    pub const TRUE: Value = Value(abi::TRUE);
    /// `false`
    pub const FALSE: Value = Value(abi::FALSE);
    /// A hole, or "nothing"; never seen by user code.
    pub const EMPTY: Value = Value(abi::EMPTY);
    /// What a call that threw returns across the ABI. Inside the guest errors are [`crate::throw::Throw`].
    pub const EXCEPTION: Value = Value(abi::EXCEPTION);
    /// What a resume function returns at `await` and `yield`.
    pub const SUSPENDED: Value = Value(abi::SUSPENDED);

    /// An int.
    #[inline(always)]
    pub const fn int(value: i32) -> Value {
        Value(abi::int(value))
    }

    /// A number: an int if it is one (and not −0), else a double.
    #[inline]
    pub fn number(value: f64) -> Value {
        let int = value as i32;
        if int as f64 == value && (int != 0 || value.is_sign_positive()) {
            Value::int(int)
        } else {
            Value::double(value)
        }
    }

    /// A double as it is; NaNs are made canonical.
    #[inline]
    pub fn double(value: f64) -> Value {
        if value.is_nan() { Value(abi::NAN) } else { Value(value.to_bits()) }
    }

    /// A boolean.
    #[inline(always)]
    pub const fn bool(value: bool) -> Value {
        Value(abi::FALSE | value as u64)
    }

    /// A cell of the guest that is no JavaScript value.
    #[inline]
    pub fn internal<T>(cell: Gc<T>) -> Value {
        Value(abi::tagged(abi::TAG_INTERNAL, cell.address()))
    }

    /// The 16-bit tag; anything below [`abi::TAG_INT`] is a double.
    #[inline(always)]
    pub const fn tag(self) -> u64 {
        self.0 >> abi::TAG_SHIFT
    }

    /// The low 32 bits.
    #[inline(always)]
    pub const fn payload(self) -> u32 {
        self.0 as u32
    }

    /// Whether this is `undefined`.
    #[inline(always)]
    pub fn is_undefined(self) -> bool {
        self.0 == abi::UNDEFINED
    }

    /// Whether this is `null`.
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.0 == abi::NULL
    }

    /// Whether this is `undefined` or `null`.
    #[inline(always)]
    pub fn is_nullish(self) -> bool {
        self.0 | 1 == abi::NULL
    }

    /// Whether this is the EMPTY marker.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == abi::EMPTY
    }

    /// Whether this is a boolean.
    #[inline(always)]
    pub fn is_bool(self) -> bool {
        self.0 | 1 == abi::TRUE
    }

    /// Whether this is an int word (a double may hold an integer too: see [`Value::as_number`]).
    #[inline(always)]
    pub fn is_int(self) -> bool {
        self.tag() == abi::TAG_INT
    }

    /// Whether this is a double word.
    #[inline(always)]
    pub fn is_double(self) -> bool {
        self.0 < abi::FIRST_TAGGED
    }

    /// Whether this is a number, in either representation.
    #[inline(always)]
    pub fn is_number(self) -> bool {
        self.tag() <= abi::TAG_INT
    }

    /// Whether this is a string.
    #[inline(always)]
    pub fn is_string(self) -> bool {
        self.tag() == abi::TAG_STRING
    }

    /// Whether this is a symbol.
    #[inline(always)]
    pub fn is_symbol(self) -> bool {
        self.tag() == abi::TAG_SYMBOL
    }

    /// Whether this is a BigInt.
    #[inline(always)]
    pub fn is_bigint(self) -> bool {
        self.tag() == abi::TAG_BIGINT
    }

    /// Whether this is an object (functions included).
    #[inline(always)]
    pub fn is_object(self) -> bool {
        self.tag() == abi::TAG_OBJECT
    }

    /// Whether the payload is the address of a cell.
    #[inline(always)]
    pub fn is_reference(self) -> bool {
        self.tag() >= abi::TAG_STRING
    }

    /// Whether this is an internal cell.
    #[inline(always)]
    pub fn is_internal(self) -> bool {
        self.tag() == abi::TAG_INTERNAL
    }

    /// The int, if the word is one.
    #[inline(always)]
    pub fn as_int(self) -> Option<i32> {
        self.is_int().then_some(self.0 as i32)
    }

    /// The number, in either representation.
    #[inline(always)]
    pub fn as_number(self) -> Option<f64> {
        if self.is_double() {
            Some(f64::from_bits(self.0))
        } else if self.is_int() {
            Some(self.0 as i32 as f64)
        } else {
            None
        }
    }

    /// The boolean.
    #[inline(always)]
    pub fn as_bool(self) -> Option<bool> {
        self.is_bool().then_some(self.0 & 1 == 1)
    }

    /// The string.
    #[inline(always)]
    pub fn as_string(self) -> Option<JsString> {
        // SAFETY: a word tagged STRING holds the address of a string cell.
        self.is_string().then(|| unsafe { JsString::from_address(self.payload()) })
    }

    /// The symbol.
    #[inline(always)]
    pub fn as_symbol(self) -> Option<Symbol> {
        // SAFETY: a word tagged SYMBOL holds the address of a symbol cell.
        self.is_symbol().then(|| unsafe { Gc::from_address(self.payload()) })
    }

    /// The BigInt.
    #[inline(always)]
    pub fn as_bigint(self) -> Option<Gc<BigIntCell>> {
        // SAFETY: a word tagged BIGINT holds the address of a BigInt cell.
        self.is_bigint().then(|| unsafe { Gc::from_address(self.payload()) })
    }

    /// The object.
    #[inline(always)]
    pub fn as_object(self) -> Option<Object> {
        // SAFETY: a word tagged OBJECT holds the address of an object cell.
        self.is_object().then(|| unsafe { Object::from_address(self.payload()) })
    }

    /// The object, if it is of the guest's kind `T` (`as_kind::<DateObject>()`).
    #[inline]
    pub fn as_kind<T: crate::cell::ObjectKind>(self) -> Option<Gc<T>> {
        self.as_object()?.as_kind::<T>()
    }

    /// The internal cell.
    ///
    /// # Safety
    /// The caller knows that internal cells in this place are of type `T`.
    #[inline(always)]
    pub unsafe fn as_internal<T>(self) -> Option<Gc<T>> {
        // SAFETY: passed on to the caller.
        self.is_internal().then(|| unsafe { Gc::from_address(self.payload()) })
    }
}

impl core::fmt::Debug for Value {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Value({:#x})", self.0)
    }
}

macro_rules! from {
    ($($type:ty, |$value:ident| $body:expr;)*) => {
        $(impl From<$type> for Value {
            #[inline(always)]
            fn from($value: $type) -> Value { $body }
        })*
    };
}

from! {
    bool, |value| Value::bool(value);
    i32, |value| Value::int(value);
    u32, |value| if value <= i32::MAX as u32 { Value::int(value as i32) } else { Value::double(value as f64) };
    usize, |value| Value::from(value as u32);
    f64, |value| Value::number(value);
    JsString, |value| Value(abi::tagged(abi::TAG_STRING, value.address()));
    Symbol, |value| Value(abi::tagged(abi::TAG_SYMBOL, value.address()));
    Gc<BigIntCell>, |value| Value(abi::tagged(abi::TAG_BIGINT, value.address()));
    Object, |value| Value(abi::tagged(abi::TAG_OBJECT, value.address()));
    &str, |value| Value::from(JsString::from_str(value));
}

impl<T: crate::cell::ObjectKind> From<Gc<T>> for Value {
    #[inline(always)]
    fn from(value: Gc<T>) -> Value {
        Value(abi::tagged(abi::TAG_OBJECT, value.address()))
    }
}
