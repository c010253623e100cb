//! Strings and property names as `util.inspect` of Node writes them.

use crate::key::PropertyKey;
use crate::string::{JsString, Units};

/// A string in quotes: single ones, or others if that saves escapes.
pub fn quote(string: JsString) -> String {
    let units = string.units();
    let has = |wanted: u8| units.iter().any(|unit| unit == wanted as u16);
    let quote = match (has(b'\''), has(b'"'), has(b'`')) {
        (false, _, _) => '\'',
        (true, false, _) => '"',
        (true, true, false) if !string.to_text().contains("${") => '`',
        _ => '\'',
    };
    let mut out = String::with_capacity(units.len() + 2);
    out.push(quote);
    push_escaped(&mut out, units, quote);
    out.push(quote);
    out
}

fn push_escaped(out: &mut String, units: Units, quote: char) {
    for point in char::decode_utf16(units.iter()) {
        match point {
            Err(lone) => out.push_str(&format!("\\u{:x}", lone.unpaired_surrogate())),
            Ok('\n') => out.push_str("\\n"),
            Ok('\t') => out.push_str("\\t"),
            Ok('\r') => out.push_str("\\r"),
            Ok('\u{8}') => out.push_str("\\b"),
            Ok('\u{c}') => out.push_str("\\f"),
            Ok('\\') => out.push_str("\\\\"),
            Ok(point) if point == quote => {
                out.push('\\');
                out.push(point);
            }
            Ok(point @ ('\0'..='\u{1f}' | '\u{7f}'..='\u{9f}')) => out.push_str(&format!("\\x{:02X}", point as u32)),
            Ok(point) => out.push(point),
        }
    }
}

/// A property name: bare if it is a plain identifier, `[Symbol(x)]` for symbols.
pub fn property_name(key: PropertyKey) -> String {
    if let Some(symbol) = key.as_symbol() {
        return format!("[{}]", symbol.descriptive_string());
    }
    let name = key.display();
    if name == "__proto__" {
        return "['__proto__']".to_owned();
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts_plainly = name.bytes().next().is_some_and(|byte| is_plain(byte) && !byte.is_ascii_digit());
    if starts_plainly && name.bytes().all(is_plain) { name } else { quote(JsString::from_str(&name)) }
}
