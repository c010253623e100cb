//! What the parser asks of the two kinds of text.

use super::special;
use crate::string::{JsString, Units, intern_latin1, intern_utf16};

/// A unit of text.
pub trait Unit: Copy + 'static {
    /// The unit if it is ASCII, else 0xFF.
    fn ascii(self) -> u8;

    /// Position of the first quote, backslash or control character at or after `from`; the length if there is none.
    fn find_special(text: &[Self], from: usize) -> usize;

    /// Whether the text begins with `key` and a quote, and `key` stands for itself.
    fn is_quoted(text: &[Self], key: &[u8]) -> bool;

    /// The interned string of these units.
    fn intern(units: &[Self]) -> JsString;

    /// The string `text[start..end]`, where `text` are the units of `source`.
    fn slice(source: JsString, text: &[Self], start: usize, end: usize) -> JsString;

    /// The units as units of a string. The text is that of a string, so they live as long as anything.
    fn units(units: &[Self]) -> Units;
}

fn is_special(unit: u16) -> bool {
    unit < 0x20 || unit == b'"' as u16 || unit == b'\\' as u16
}

impl Unit for u8 {
    #[inline(always)]
    fn ascii(self) -> u8 {
        if self.is_ascii() { self } else { 0xFF }
    }

    #[inline(always)]
    fn find_special(text: &[u8], from: usize) -> usize {
        from + special::find(text.get(from..).unwrap_or(&[]))
    }

    #[inline(always)]
    fn is_quoted(text: &[u8], key: &[u8]) -> bool {
        special::is_quoted(text, key)
    }

    #[inline]
    fn intern(units: &[u8]) -> JsString {
        intern_latin1(units)
    }

    #[inline]
    fn slice(source: JsString, text: &[u8], start: usize, end: usize) -> JsString {
        match text.get(start..end) {
            Some(&[] | &[_]) | None => source.slice(start as u32, end as u32),
            Some(_) => source.share(start as u32, end as u32),
        }
    }

    fn units(units: &[u8]) -> Units {
        // SAFETY: see the trait: units of strings are never freed or changed.
        Units::Latin1(unsafe { core::slice::from_raw_parts(units.as_ptr(), units.len()) })
    }
}

impl Unit for u16 {
    #[inline(always)]
    fn ascii(self) -> u8 {
        if self < 0x80 { self as u8 } else { 0xFF }
    }

    #[inline(always)]
    fn find_special(text: &[u16], from: usize) -> usize {
        from + special::find_wide(text.get(from..).unwrap_or(&[]))
    }

    fn is_quoted(text: &[u16], key: &[u8]) -> bool {
        let mut text = text.iter().copied();
        key.iter().all(|&unit| text.next() == Some(unit as u16) && !is_special(unit as u16))
            && text.next() == Some(b'"' as u16)
    }

    fn intern(units: &[u16]) -> JsString {
        intern_utf16(units)
    }

    fn slice(_source: JsString, text: &[u16], start: usize, end: usize) -> JsString {
        // Copied, so that text which fits Latin-1 is held that way from now on.
        JsString::from_utf16(&text[start..end])
    }

    fn units(units: &[u16]) -> Units {
        // SAFETY: see the trait: units of strings are never freed or changed.
        Units::Utf16(unsafe { core::slice::from_raw_parts(units.as_ptr(), units.len()) })
    }
}
