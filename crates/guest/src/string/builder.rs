//! Building strings piece by piece.

use super::{JsString, MAX_LENGTH, Units, copy_bytes};
use crate::state::State;
use crate::throw::{JsResult, throw_range_error};

/// A buffer that builders of short strings hand to each other, so that they leave no garbage.
static SPARE: State<Vec<u8>> = State::new(Vec::new());
/// Strings up to this length are copied behind their cell; the buffer of a longer one becomes its data.
const COPIED: usize = 1024;

/// A growing string: Latin-1 until a piece needs more.
pub struct StringBuilder {
    latin1: Vec<u8>,
    utf16: Vec<u16>,
    wide: bool,
}

impl Default for StringBuilder {
    fn default() -> Self {
        StringBuilder::new()
    }
}

impl StringBuilder {
    /// An empty one.
    pub fn new() -> StringBuilder {
        StringBuilder { latin1: SPARE.with(core::mem::take), utf16: Vec::new(), wide: false }
    }

    /// An empty one with room for `units`.
    pub fn with_capacity(units: usize) -> StringBuilder {
        if units > COPIED {
            return StringBuilder { latin1: Vec::with_capacity(units), utf16: Vec::new(), wide: false };
        }
        let mut builder = StringBuilder::new();
        builder.latin1.reserve(units);
        builder
    }

    /// Units so far.
    pub fn len(&self) -> usize {
        if self.wide { self.utf16.len() } else { self.latin1.len() }
    }

    /// Whether nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[cold]
    fn widen(&mut self) {
        self.utf16 = self.latin1.iter().map(|&unit| unit as u16).collect();
        self.latin1 = Vec::new();
        self.wide = true;
    }

    /// Appends a unit.
    #[inline]
    pub fn push_unit(&mut self, unit: u16) {
        if !self.wide {
            if unit < 0x100 {
                self.latin1.push(unit as u8);
                return;
            }
            self.widen();
        }
        self.utf16.push(unit);
    }

    /// Appends a code point; surrogates stand for themselves.
    pub fn push_code_point(&mut self, point: u32) {
        if point < 0x1_0000 {
            self.push_unit(point as u16);
        } else {
            self.push_unit(0xD800 + ((point - 0x1_0000) >> 10) as u16);
            self.push_unit(0xDC00 + (point & 0x3FF) as u16);
        }
    }

    /// Appends a Latin-1 unit.
    #[inline]
    pub fn push_byte(&mut self, unit: u8) {
        if self.wide {
            self.utf16.push(unit.into());
        } else {
            self.latin1.push(unit);
        }
    }

    /// What is there so far, with room for `more` bytes, as long as it is Latin-1.
    #[inline]
    pub fn latin1_buffer(&mut self, more: usize) -> Option<&mut Vec<u8>> {
        if self.wide {
            return None;
        }
        self.latin1.reserve(more);
        Some(&mut self.latin1)
    }

    /// Appends Latin-1 bytes.
    #[inline]
    pub fn push_latin1(&mut self, units: &[u8]) {
        if self.wide {
            self.utf16.extend(units.iter().map(|&unit| unit as u16));
        } else {
            self.latin1.reserve(units.len());
            let length = self.latin1.len();
            // SAFETY: there is room for the units behind the first `length`, and they are elsewhere.
            unsafe {
                copy_bytes(units.as_ptr(), self.latin1.as_mut_ptr().add(length), units.len());
                self.latin1.set_len(length + units.len());
            }
        }
    }

    /// Appends Latin-1 units one by one.
    #[inline]
    pub fn extend_latin1(&mut self, units: impl Iterator<Item = u8>) {
        if self.wide {
            self.utf16.extend(units.map(u16::from));
        } else {
            self.latin1.extend(units);
        }
    }

    /// Appends UTF-16 units.
    pub fn push_utf16(&mut self, units: &[u16]) {
        if !self.wide {
            self.widen();
        }
        self.utf16.extend_from_slice(units);
    }

    /// Appends Rust text.
    pub fn push_str(&mut self, text: &str) {
        if text.is_ascii() {
            self.push_latin1(text.as_bytes());
        } else {
            text.chars().for_each(|point| self.push_code_point(point as u32));
        }
    }

    /// Appends a string.
    #[inline]
    pub fn push_string(&mut self, string: JsString) {
        self.push_units(string.units());
    }

    /// Appends units of a string.
    #[inline]
    pub fn push_units(&mut self, units: Units) {
        match units {
            Units::Latin1(units) => self.push_latin1(units),
            Units::Utf16(units) => self.push_utf16(units),
        }
    }

    /// Takes back what was appended after the first `length` units.
    pub fn truncate(&mut self, length: usize) {
        self.latin1.truncate(length);
        self.utf16.truncate(length);
    }

    /// The string. RangeError if it is too long.
    pub fn finish(mut self) -> JsResult<JsString> {
        if self.len() > MAX_LENGTH as usize {
            return Err(throw_range_error("Invalid string length"));
        }
        if self.wide {
            return Ok(JsString::from_utf16(&self.utf16));
        }
        if self.latin1.len() > COPIED {
            return Ok(JsString::from_buffer(self.latin1));
        }
        let string = JsString::from_latin1(&self.latin1);
        self.latin1.clear();
        SPARE.with(|spare| *spare = self.latin1);
        Ok(string)
    }
}
