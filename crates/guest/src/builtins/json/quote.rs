//! QuoteJSONString.

use super::special;
use crate::string::{StringBuilder, Units};

/// Room for what stands around the text, and for what [`special::copy`] writes too much.
const SLACK: usize = 20;

/// Appends the units as a JSON string, with its quotes. Lone surrogates are escaped, so that the text is well-formed.
#[inline]
pub fn quote(out: &mut StringBuilder, units: Units) {
    if let Units::Latin1(text) = units
        && let Some(bytes) = out.latin1_buffer(text.len() + SLACK)
    {
        return quote_bytes(bytes, b"", text, b"");
    }
    out.push_latin1(b"\"");
    match units {
        Units::Latin1(text) => quote_latin1(out, text),
        Units::Utf16(text) => quote_utf16(out, text),
    }
    out.push_latin1(b"\"");
}

/// Appends a key and the colon behind it, and a comma before it unless it is the first.
#[inline]
pub fn quote_key(out: &mut StringBuilder, is_first: bool, key: Units) {
    if let Units::Latin1(text) = key
        && let Some(bytes) = out.latin1_buffer(text.len() + SLACK)
    {
        return quote_bytes(bytes, if is_first { b"" } else { b"," }, text, b":");
    }
    if !is_first {
        out.push_byte(b',');
    }
    quote(out, key);
    out.push_byte(b':');
}

/// The usual case: Latin-1 to Latin-1. `before` and `after` have at most one byte each; the buffer has room for the text and
/// [`SLACK`].
#[inline(always)]
fn quote_bytes(out: &mut Vec<u8>, before: &[u8], text: &[u8], after: &[u8]) {
    out.extend_from_slice(before);
    let start = out.len();
    // SAFETY: there is room for the quote, the text and 15 bytes more.
    let plain = unsafe {
        let target = out.as_mut_ptr().add(start);
        target.write(b'"');
        special::copy(text, target.add(1))
    };
    // SAFETY: so many bytes were written.
    unsafe { out.set_len(start + 1 + plain) };
    if plain < text.len() {
        escape_rest(out, &text[plain..]);
    }
    out.push(b'"');
    out.extend_from_slice(after);
}

/// Appends what is left of a string from the first unit on that is to be escaped.
fn escape_rest(out: &mut Vec<u8>, mut text: &[u8]) {
    while let Some((&unit, rest)) = text.split_first() {
        escape_byte(out, unit);
        out.reserve(rest.len() + SLACK);
        let start = out.len();
        // SAFETY: there is room for the text and 15 bytes more.
        let plain = unsafe { special::copy(rest, out.as_mut_ptr().add(start)) };
        // SAFETY: so many bytes were written.
        unsafe { out.set_len(start + plain) };
        text = &rest[plain..];
    }
    out.reserve(SLACK);
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
