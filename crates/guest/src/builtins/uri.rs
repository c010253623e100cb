//! `encodeURIComponent` and its relatives (ECMA-262 §19.2.6), `escape` and `unescape`.

use crate::builtin::{CallContext, methods, native};
use crate::convert::to_string;
use crate::realm::{Intrinsic, global};
use crate::string::{JsString, StringBuilder, Units};
use crate::throw::{JsResult, Throw, throw_error};

const UNRESERVED: &str = "-_.!~*'()";
const RESERVED: &str = ";/?:@&=+$,";
const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Defines the functions.
pub(crate) fn install() {
    methods(
        global(),
        &[
            ("decodeURI", 1, native(|cx| decode(cx, &format!("{RESERVED}#")))),
            ("decodeURIComponent", 1, native(|cx| decode(cx, ""))),
            ("encodeURI", 1, native(|cx| encode(cx, &format!("{RESERVED}{UNRESERVED}#")))),
            ("encodeURIComponent", 1, native(|cx| encode(cx, UNRESERVED))),
            ("escape", 1, native(escape)),
            ("unescape", 1, native(unescape)),
        ],
    );
}

#[cold]
fn malformed() -> Throw {
    throw_error(Intrinsic::UriErrorPrototype, "URI malformed")
}

/// Encode: percent-escapes everything but letters, digits and `unescaped`.
fn encode(cx: &CallContext, unescaped: &str) -> JsResult {
    let string = to_string(cx.arg(0))?;
    let is_plain = |unit: u16| {
        u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || unescaped.as_bytes().contains(&byte))
    };
    if string.units().iter().all(is_plain) {
        return Ok(string.into());
    }
    let mut out = Vec::with_capacity(string.len() as usize * 2);
    for point in char::decode_utf16(string.units().iter()) {
        let Ok(point) = point else { return Err(malformed()) };
        if u16::try_from(point as u32).is_ok_and(is_plain) {
            out.push(point as u8);
            continue;
        }
        for byte in point.encode_utf8(&mut [0; 4]).bytes() {
            out.extend_from_slice(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
    Ok(JsString::from_latin1(&out).into())
}

/// The byte written as two hexadecimal digits at `index`.
fn hex(units: Units, index: usize, digits: usize) -> Option<u32> {
    (index..index + digits).try_fold(0, |value, index| {
        let digit = char::from_u32(units.get(index)? as u32)?.to_digit(16)?;
        Some(value * 16 + digit)
    })
}

/// Decode: escapes of the characters in `preserved` stay as they are.
fn decode(cx: &CallContext, preserved: &str) -> JsResult {
    let string = to_string(cx.arg(0))?;
    let units = string.units();
    let mut out = StringBuilder::with_capacity(units.len());
    let mut at = 0;
    while let Some(unit) = units.get(at) {
        if unit != b'%' as u16 {
            out.push_unit(unit);
            at += 1;
            continue;
        }
        let start = at;
        let first = escaped_byte(units, at)?;
        at += 3;
        let count = match first {
            0..=0x7F => 0,
            0xC2..=0xDF => 1,
            0xE0..=0xEF => 2,
            0xF0..=0xF4 => 3,
            _ => return Err(malformed()),
        };
        let mut bytes = [first, 0, 0, 0];
        for byte in &mut bytes[1..=count] {
            *byte = escaped_byte(units, at)?;
            at += 3;
        }
        let Ok(text) = core::str::from_utf8(&bytes[..=count]) else { return Err(malformed()) };
        if count == 0 && preserved.as_bytes().contains(&first) {
            out.push_string(string.slice(start as u32, at as u32));
        } else {
            out.push_str(text);
        }
    }
    Ok(out.finish()?.into())
}

fn escaped_byte(units: Units, index: usize) -> JsResult<u8> {
    if units.get(index) != Some(b'%' as u16) {
        return Err(malformed());
    }
    hex(units, index + 1, 2).map(|byte| byte as u8).ok_or_else(malformed)
}

fn escape(cx: &CallContext) -> JsResult {
    let string = to_string(cx.arg(0))?;
    let mut out = String::new();
    for unit in string.units().iter() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"@*_+-./".contains(&byte) => out.push(byte as char),
            Ok(byte) => out.push_str(&format!("%{byte:02X}")),
            Err(_) => out.push_str(&format!("%u{unit:04X}")),
        }
    }
    Ok(out.as_str().into())
}

fn unescape(cx: &CallContext) -> JsResult {
    let string = to_string(cx.arg(0))?;
    let units = string.units();
    let mut out = StringBuilder::with_capacity(units.len());
    let mut at = 0;
    while let Some(unit) = units.get(at) {
        let escaped = match (unit, units.get(at + 1)) {
            (0x25, Some(0x75)) => hex(units, at + 2, 4).map(|value| (value, 6)),
            (0x25, _) => hex(units, at + 1, 2).map(|value| (value, 3)),
            _ => None,
        };
        let (value, length) = escaped.unwrap_or((unit as u32, 1));
        out.push_unit(value as u16);
        at += length;
    }
    Ok(out.finish()?.into())
}
