//! QuoteJSONString.

use super::units::Unit;
use crate::string::{StringBuilder, Units};

/// Appends the units as a JSON string, with its quotes. Lone surrogates are escaped, so that the text is well-formed.
#[inline]
pub fn quote(out: &mut StringBuilder, units: Units) {
    out.push_latin1(b"\"");
    match units {
        Units::Latin1(text) => quote_latin1(out, text),
        Units::Utf16(text) => quote_utf16(out, text),
    }
    out.push_latin1(b"\"");
}

#[inline]
fn quote_latin1(out: &mut StringBuilder, text: &[u8]) {
    let mut start = 0;
    loop {
        let end = u8::find_special(text, start);
        out.push_latin1(&text[start..end]);
        let Some(&unit) = text.get(end) else { return };
        escape(out, unit as u16);
        start = end + 1;
    }
}

fn quote_utf16(out: &mut StringBuilder, text: &[u16]) {
    let mut start = 0;
    for (index, &unit) in text.iter().enumerate() {
        let is_lone = match unit & 0xFC00 {
            0xD800 => text.get(index + 1).is_none_or(|next| next & 0xFC00 != 0xDC00),
            0xDC00 => index == 0 || text[index - 1] & 0xFC00 != 0xD800,
            _ => false,
        };
        if is_lone || unit < 0x20 || unit == b'"' as u16 || unit == b'\\' as u16 {
            out.push_utf16(&text[start..index]);
            escape(out, unit);
            start = index + 1;
        }
    }
    out.push_utf16(&text[start..]);
}

#[cold]
fn escape(out: &mut StringBuilder, unit: u16) {
    match unit {
        0x08 => out.push_latin1(b"\\b"),
        0x09 => out.push_latin1(b"\\t"),
        0x0A => out.push_latin1(b"\\n"),
        0x0C => out.push_latin1(b"\\f"),
        0x0D => out.push_latin1(b"\\r"),
        0x22 => out.push_latin1(b"\\\""),
        0x5C => out.push_latin1(b"\\\\"),
        _ => out.push_str(&format!("\\u{unit:04x}")),
    }
}
