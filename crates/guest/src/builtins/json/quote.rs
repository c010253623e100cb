//! QuoteJSONString.

use super::special;
use crate::string::{StringBuilder, Units};

/// Room for the quotes, and for what [`special::copy`] writes too much.
const SLACK: usize = 18;

/// Appends the units as a JSON string, with its quotes. Lone surrogates are escaped, so that the text is well-formed.
#[inline]
pub fn quote(out: &mut StringBuilder, units: Units) {
    if let Units::Latin1(text) = units
        && let Some(bytes) = out.latin1_buffer(text.len() + SLACK)
    {
        return quote_bytes(bytes, text);
    }
    out.push_latin1(b"\"");
    match units {
        Units::Latin1(text) => quote_latin1(out, text),
        Units::Utf16(text) => quote_utf16(out, text),
    }
    out.push_latin1(b"\"");
}

/// The usual case: Latin-1 to Latin-1. The buffer has room for the text and [`SLACK`].
#[target_feature(enable = "simd128")]
fn quote_bytes(out: &mut Vec<u8>, mut text: &[u8]) {
    out.push(b'"');
    loop {
        let start = out.len();
        // SAFETY: there is room for the text and 16 bytes more.
        let plain = unsafe { special::copy(text, out.as_mut_ptr().add(start)) };
        // SAFETY: `copy` wrote as many bytes there.
        unsafe { out.set_len(start + plain) };
        let Some(&unit) = text.get(plain) else { break };
        escape_byte(out, unit);
        text = &text[plain + 1..];
        out.reserve(text.len() + SLACK);
    }
    out.push(b'"');
}

fn quote_latin1(out: &mut StringBuilder, mut text: &[u8]) {
    loop {
        let plain = special::find(text);
        out.push_latin1(&text[..plain]);
        let Some(&unit) = text.get(plain) else { return };
        escape(out, unit as u16);
        text = &text[plain + 1..];
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

/// The letter behind the backslash, for units that have one.
fn short_escape(unit: u16) -> Option<u8> {
    Some(match unit {
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        0x22 => b'"',
        0x5C => b'\\',
        _ => return None,
    })
}

fn escape_byte(out: &mut Vec<u8>, unit: u8) {
    match short_escape(unit.into()) {
        Some(letter) => out.extend_from_slice(&[b'\\', letter]),
        None => out.extend_from_slice(format!("\\u{unit:04x}").as_bytes()),
    }
}

#[cold]
fn escape(out: &mut StringBuilder, unit: u16) {
    match short_escape(unit) {
        Some(letter) => out.push_latin1(&[b'\\', letter]),
        None => out.push_str(&format!("\\u{unit:04x}")),
    }
}
