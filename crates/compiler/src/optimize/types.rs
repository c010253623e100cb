//! Types of registers: what kinds of values they can hold, and in which range their integers lie.
//!
//! One type for each register of a function, for all of its life (the registers are webs, so that is not much lost),
//! found by joining over all definitions until nothing changes.

use std::fmt;

use convex_wasm_abi::value;

/// Largest magnitude of integers that a double represents exactly together with both neighbours.
pub const EXACT: i64 = 1 << 53;

/// A set of JavaScript values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Type {
    kinds: u16,
    /// Range of the integers (not −0) in the set if it has the kind INTEGER; 0, 0 otherwise.
    low: i64,
    high: i64,
}

impl Type {
    const UNDEFINED_BIT: u16 = 1;
    const NULL_BIT: u16 = 2;
    const BOOLEAN_BIT: u16 = 4;
    const INTEGER_BIT: u16 = 8;
    /// Any number; needed for those that are no integer in `low..=high`.
    const DOUBLE_BIT: u16 = 16;
    const STRING_BIT: u16 = 32;
    const SYMBOL_BIT: u16 = 64;
    const BIGINT_BIT: u16 = 128;
    const OBJECT_BIT: u16 = 256;
    const INTERNAL_BIT: u16 = 512;
    const ALL_BITS: u16 = 1023;

    /// The empty set: never defined yet.
    pub const NEVER: Self = Self::of(0);
    /// Everything.
    pub const ANY: Self = Self { kinds: Self::ALL_BITS, low: -EXACT, high: EXACT };
    /// `undefined`
    pub const UNDEFINED: Self = Self::of(Self::UNDEFINED_BIT);
    /// Booleans.
    pub const BOOLEAN: Self = Self::of(Self::BOOLEAN_BIT);
    /// All numbers.
    pub const NUMBER: Self = Self { kinds: Self::INTEGER_BIT | Self::DOUBLE_BIT, low: -EXACT, high: EXACT };
    /// Numbers and BigInts.
    pub const NUMERIC: Self =
        Self { kinds: Self::INTEGER_BIT | Self::DOUBLE_BIT | Self::BIGINT_BIT, low: -EXACT, high: EXACT };
    /// Integers of 32 bits with sign.
    pub const INT32: Self = Self::integer(i32::MIN as i64, i32::MAX as i64);
    /// Strings.
    pub const STRING: Self = Self::of(Self::STRING_BIT);
    /// All but objects, symbols and internal values.
    pub const TEXT: Self = Self {
        kinds: Self::ALL_BITS & !(Self::OBJECT_BIT | Self::SYMBOL_BIT | Self::INTERNAL_BIT),
        low: -EXACT,
        high: EXACT,
    };
    /// Symbols.
    pub const SYMBOL: Self = Self::of(Self::SYMBOL_BIT);
    /// BigInts.
    pub const BIGINT: Self = Self::of(Self::BIGINT_BIT);
    /// Objects.
    pub const OBJECT: Self = Self::of(Self::OBJECT_BIT);
    /// EMPTY and iterator records.
    pub const INTERNAL: Self = Self::of(Self::INTERNAL_BIT);

    const fn of(kinds: u16) -> Self {
        Self { kinds, low: 0, high: 0 }
    }

    /// Integers in a range; all numbers if it does not lie within ±2⁵³.
    pub const fn integer(low: i64, high: i64) -> Self {
        if low < -EXACT || high > EXACT { Self::NUMBER } else { Self { kinds: Self::INTEGER_BIT, low, high } }
    }

    /// The type of a number constant.
    pub fn of_number(number: f64) -> Self {
        if number.fract() == 0.0 && number.abs() <= EXACT as f64 && !(number == 0.0 && number.is_sign_negative()) {
            Self::integer(number as i64, number as i64)
        } else {
            Self::of(Self::DOUBLE_BIT)
        }
    }

    /// The type of a special word (`undefined`, `null`, booleans, EMPTY).
    pub fn of_special(word: u64) -> Self {
        match word {
            value::UNDEFINED => Self::UNDEFINED,
            value::NULL => Self::of(Self::NULL_BIT),
            value::TRUE | value::FALSE => Self::BOOLEAN,
            _ => Self::INTERNAL,
        }
    }

    /// Least type that contains both.
    pub fn join(self, other: Self) -> Self {
        let kinds = self.kinds | other.kinds;
        match (self.has(Self::INTEGER_BIT), other.has(Self::INTEGER_BIT)) {
            (true, true) => Self { kinds, low: self.low.min(other.low), high: self.high.max(other.high) },
            (true, false) => Self { kinds, ..self },
            (false, true) => Self { kinds, ..other },
            (false, false) => Self::of(kinds),
        }
    }

    /// Widens the range of `self`, which has grown from `before`, to one of a few steps, so that joining ends.
    pub fn widen(self, before: Self) -> Self {
        if !self.has(Self::INTEGER_BIT) {
            return self;
        }
        let low = if before.has(Self::INTEGER_BIT) && self.low < before.low {
            [0, i64::from(i32::MIN), -EXACT].into_iter().find(|&step| step <= self.low).unwrap_or(-EXACT)
        } else {
            self.low
        };
        let high = if before.has(Self::INTEGER_BIT) && self.high > before.high {
            [i64::from(i32::MAX), i64::from(u32::MAX), EXACT]
                .into_iter()
                .find(|&step| step >= self.high)
                .unwrap_or(EXACT)
        } else {
            self.high
        };
        Self { low, high, ..self }
    }

    const fn has(self, kinds: u16) -> bool {
        self.kinds & kinds != 0
    }

    const fn within(self, kinds: u16) -> bool {
        self.kinds & !kinds == 0
    }

    /// The range, if all values are integers.
    pub fn range(self) -> Option<(i64, i64)> {
        (self.kinds == Self::INTEGER_BIT).then_some((self.low, self.high))
    }

    /// Whether all values are integers of 32 bits with sign.
    pub fn is_int32(self) -> bool {
        self.range().is_some_and(|(low, high)| low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX))
    }

    /// Whether all values are integers within ±2⁵³ (and none is −0).
    pub fn is_integer(self) -> bool {
        self.range().is_some()
    }

    /// Whether all values are numbers.
    pub fn is_number(self) -> bool {
        self.kinds != 0 && self.within(Self::INTEGER_BIT | Self::DOUBLE_BIT)
    }

    /// Whether all values are booleans.
    pub fn is_boolean(self) -> bool {
        self.kinds == Self::BOOLEAN_BIT
    }

    /// Whether all values are strings.
    pub fn is_string(self) -> bool {
        self.kinds == Self::STRING_BIT
    }

    /// Whether all values are objects.
    pub fn is_object(self) -> bool {
        self.kinds == Self::OBJECT_BIT
    }

    /// Whether all values are undefined or null.
    pub fn is_nullish(self) -> bool {
        self.kinds != 0 && self.within(Self::UNDEFINED_BIT | Self::NULL_BIT)
    }

    /// Whether some value may be a number.
    pub fn may_be_number(self) -> bool {
        self.has(Self::INTEGER_BIT | Self::DOUBLE_BIT)
    }

    /// Whether some value may be a string.
    pub fn may_be_string(self) -> bool {
        self.has(Self::STRING_BIT)
    }

    /// Whether some value may be an object.
    pub fn may_be_object(self) -> bool {
        self.has(Self::OBJECT_BIT)
    }

    /// Whether some value may be EMPTY or an iterator record.
    pub fn may_be_internal(self) -> bool {
        self.has(Self::INTERNAL_BIT)
    }

    /// Whether conversion to a number needs neither a call of user code nor can it throw.
    pub fn is_plain_primitive(self) -> bool {
        self.kinds != 0
            && self
                .within(Self::ALL_BITS & !(Self::OBJECT_BIT | Self::SYMBOL_BIT | Self::BIGINT_BIT | Self::INTERNAL_BIT))
    }

    /// Whether two values of these types are strictly equal exactly if their words are: neither numbers, strings nor
    /// BigInts, which may be equal with different words, on one of the sides.
    pub fn compares_by_word(self, other: Self) -> bool {
        let by_content = Self::INTEGER_BIT | Self::DOUBLE_BIT | Self::STRING_BIT | Self::BIGINT_BIT;
        !self.has(by_content) || !other.has(by_content)
    }

    /// The type without undefined and null.
    pub fn without_internal(self) -> Self {
        Self { kinds: self.kinds & !Self::INTERNAL_BIT, ..self }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 10] =
            ["undefined", "null", "boolean", "integer", "double", "string", "symbol", "bigint", "object", "internal"];
        if self.kinds == Self::ALL_BITS {
            return formatter.write_str("any");
        }
        let mut separator = "";
        for (bit, name) in NAMES.iter().enumerate() {
            if self.has(1 << bit) {
                write!(formatter, "{separator}{name}")?;
                if *name == "integer" {
                    write!(formatter, "[{}, {}]", self.low, self.high)?;
                }
                separator = "|";
            }
        }
        Ok(())
    }
}
