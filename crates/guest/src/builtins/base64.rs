//! `atob` and `btoa`.

use crate::builtin::{CallContext, methods, native};
use crate::builtins::dom_exception::throw_dom_exception;
use crate::convert::to_string;
use crate::realm::global;
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Defines the functions.
pub(crate) fn install() {
    methods(global(), &[("atob", 1, native(atob)), ("btoa", 1, native(btoa))]);
}

fn require_argument(cx: &CallContext) -> JsResult<JsString> {
    match cx.arguments.first() {
        Some(&value) => to_string(value),
        None => Err(throw_type_error("The \"data\" argument must be specified")),
    }
}

fn btoa(cx: &CallContext) -> JsResult {
    let Some(bytes) = latin1(require_argument(cx)?) else {
        return Err(throw_dom_exception("InvalidCharacterError", "Invalid character"));
    };
    Ok(JsString::from_latin1(&encode(&bytes)).into())
}

/// The units as bytes, if all fit.
fn latin1(string: JsString) -> Option<Vec<u8>> {
    string.units().iter().map(|unit| u8::try_from(unit).ok()).collect()
}

/// Base64 with padding.
pub fn encode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, &byte| group << 8 | byte as u32) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let index = (group >> (18 - 6 * position) & 63) as usize;
            out.push(if position <= chunk.len() { ALPHABET[index] } else { b'=' });
        }
    }
    out
}

/// Forgiving-base64 decode of the Infra standard; the reason if it is none.
fn decode(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut text: Vec<u8> = text.iter().copied().filter(|byte| !matches!(byte, 9 | 10 | 12 | 13 | 32)).collect();
    if text.len() % 4 == 0 {
        for _ in 0..2 {
            if text.last() == Some(&b'=') {
                text.pop();
            }
        }
    }
    let digits: Option<Vec<u32>> =
        text.iter().map(|byte| ALPHABET.iter().position(|digit| digit == byte).map(|digit| digit as u32)).collect();
    let digits = digits.ok_or("Invalid character")?;
    if digits.len() % 4 == 1 {
        return Err("The string to be decoded is not correctly encoded.");
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in digits.chunks(4) {
        let group = chunk.iter().fold(0, |group, digit| group << 6 | digit) << (6 * (4 - chunk.len()));
        out.extend_from_slice(&group.to_be_bytes()[1..chunk.len()]);
    }
    Ok(out)
}

fn atob(cx: &CallContext) -> JsResult {
    // Beyond Latin-1 nothing is in the alphabet.
    let text = latin1(require_argument(cx)?).unwrap_or_else(|| b"?".to_vec());
    match decode(&text) {
        Ok(bytes) => Ok(JsString::from_latin1(&bytes).into()),
        Err(reason) => Err(throw_dom_exception("InvalidCharacterError", reason)),
    }
}
