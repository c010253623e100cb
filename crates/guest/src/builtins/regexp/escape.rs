//! `RegExp.escape` (ECMA-262 §22.2.5.1): a text as a pattern that matches it, wherever it is put.

use crate::builtin::CallContext;
use crate::string::{StringBuilder, is_space};
use crate::throw::{JsResult, throw_type_error};

/// Characters of the syntax, which a backslash escapes.
const SYNTAX: &[u8] = b"^$\\.*+?()[]{}|/";
/// Others that may mean something beside a pattern's own characters.
const PUNCTUATORS: &[u8] = b",-=<>#&!%:;@~'`\"";

pub(super) fn escape(cx: &CallContext) -> JsResult {
    let Some(string) = cx.arg(0).as_string() else { return Err(throw_type_error("argument must be a string")) };
    let units = string.units();
    let mut out = StringBuilder::with_capacity(units.len());
    let mut at = 0;
    while let Some((point, width)) = units.code_point(at) {
        let ascii = if point < 0x80 { point as u8 } else { 0 };
        match point {
            0x09 => out.push_latin1(b"\\t"),
            0x0A => out.push_latin1(b"\\n"),
            0x0B => out.push_latin1(b"\\v"),
            0x0C => out.push_latin1(b"\\f"),
            0x0D => out.push_latin1(b"\\r"),
            // What comes before the pattern might take a letter or digit for its own.
            _ if at == 0 && ascii.is_ascii_alphanumeric() => out.push_str(&format!("\\x{point:02x}")),
            _ if ascii != 0 && SYNTAX.contains(&ascii) => out.push_latin1(&[b'\\', ascii]),
            _ if point < 0x100 && (PUNCTUATORS.contains(&ascii) || is_space(point as u16)) => {
                out.push_str(&format!("\\x{point:02x}"));
            }
            _ if point < 0x1_0000 && (is_space(point as u16) || (0xD800..0xE000).contains(&point)) => {
                out.push_str(&format!("\\u{point:04x}"));
            }
            _ => out.push_code_point(point),
        }
        at += width;
    }
    Ok(out.finish()?.into())
}
