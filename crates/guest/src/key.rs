//! Property keys.

use core::num::NonZeroU64;

use convex_wasm_abi::value as abi;

use crate::string::{JsString, intern_str};
use crate::symbol::Symbol;
use crate::value::Value;

/// An array index (below 2³² − 1), an interned string that is none, or a symbol. Equal keys are equal words: index keys are
/// tagged as ints (with an unsigned payload), the others as the values they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct PropertyKey(NonZeroU64);

impl PropertyKey {
    /// Key of an index; not `u32::MAX`, which is the string "4294967295".
    #[inline(always)]
    pub fn index(index: u32) -> PropertyKey {
        debug_assert!(index != u32::MAX);
        PropertyKey::from_word(abi::tagged(abi::TAG_INT, index))
    }

    #[inline(always)]
    pub(crate) fn from_word(word: u64) -> PropertyKey {
        debug_assert!(word != 0);
        // SAFETY: the word has one of the tags for ints, strings and symbols, none of which is 0.
        PropertyKey(unsafe { NonZeroU64::new_unchecked(word) })
    }

    /// Key of any integer below 2⁵³.
    pub fn integer(index: u64) -> PropertyKey {
        match u32::try_from(index) {
            Ok(index) if index != u32::MAX => PropertyKey::index(index),
            _ => PropertyKey::from_interned(intern_str(&index.to_string())),
        }
    }

    /// Key of a string.
    #[inline]
    pub fn from_string(string: JsString) -> PropertyKey {
        match string.as_index() {
            Some(index) => PropertyKey::index(index),
            None => PropertyKey::from_interned(string.intern()),
        }
    }

    /// Key of an interned string known to be no index.
    #[inline(always)]
    pub fn from_interned(string: JsString) -> PropertyKey {
        debug_assert!(string.is_interned());
        PropertyKey::from_word(Value::from(string).0)
    }

    /// Key of Rust text.
    pub fn from_text(text: &str) -> PropertyKey {
        PropertyKey::from_string(intern_str(text))
    }

    /// The index, if it is one.
    #[inline(always)]
    pub fn as_index(self) -> Option<u32> {
        (self.word() >> abi::TAG_SHIFT == abi::TAG_INT).then_some(self.word() as u32)
    }

    /// The string, if it is one that is no index.
    #[inline(always)]
    pub fn as_string(self) -> Option<JsString> {
        Value(self.word()).as_string()
    }

    /// The symbol, if it is one.
    #[inline(always)]
    pub fn as_symbol(self) -> Option<Symbol> {
        Value(self.word()).as_symbol()
    }

    /// Whether it is a symbol (private names are).
    #[inline(always)]
    pub fn is_symbol(self) -> bool {
        Value(self.word()).is_symbol()
    }

    /// The string or symbol this key is for JavaScript.
    pub fn to_value(self) -> Value {
        match self.as_index() {
            Some(index) => crate::string::number_to_string(index as f64).into(),
            None => Value(self.word()),
        }
    }

    /// The key for error texts: `x`, `0`, `Symbol(foo)`, `#x`.
    pub fn display(self) -> String {
        match self.as_symbol() {
            Some(symbol) => symbol.descriptive_string(),
            None => self.to_value().as_string().map(JsString::to_text).unwrap_or_default(),
        }
    }

    /// The word.
    #[inline(always)]
    pub fn word(self) -> u64 {
        self.0.get()
    }

    /// Hash for property tables.
    #[inline(always)]
    pub fn hash(self) -> u32 {
        // Addresses are multiples of 8: the product's high bits spread them.
        let hash = (self.word() as u32 ^ (self.word() >> 45) as u32).wrapping_mul(0x9E37_79B1);
        hash ^ hash >> 15
    }
}

impl From<Symbol> for PropertyKey {
    #[inline(always)]
    fn from(symbol: Symbol) -> PropertyKey {
        PropertyKey::from_word(Value::from(symbol).0)
    }
}

impl From<u32> for PropertyKey {
    #[inline(always)]
    fn from(index: u32) -> PropertyKey {
        PropertyKey::integer(index as u64)
    }
}

impl From<&str> for PropertyKey {
    fn from(text: &str) -> PropertyKey {
        PropertyKey::from_text(text)
    }
}

impl From<JsString> for PropertyKey {
    #[inline]
    fn from(string: JsString) -> PropertyKey {
        PropertyKey::from_string(string)
    }
}
