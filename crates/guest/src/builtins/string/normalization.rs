//! Unicode normalization forms.

use unicode_normalization::UnicodeNormalization;

use crate::string::{JsString, StringBuilder, Units};
use crate::throw::JsResult;

/// The string in the form NFC, NFD, NFKC or NFKD. Lone surrogates stay as they are.
pub fn normalize(string: JsString, form: &str) -> JsResult {
    let mut builder = StringBuilder::with_capacity(string.len() as usize);
    if let Units::Latin1(text) = string.units() {
        // Nothing in Latin-1 combines with what is in front of it.
        for &unit in text {
            if unit.is_ascii() {
                builder.push_byte(unit);
            } else {
                push_normalized(&mut builder, core::iter::once(char::from(unit)), form);
            }
        }
        return Ok(builder.finish()?.into());
    }
    let mut text = String::new();
    for point in char::decode_utf16(string.units().iter()) {
        match point {
            Ok(point) => text.push(point),
            Err(lone) => {
                flush(&mut builder, &mut text, form);
                builder.push_unit(lone.unpaired_surrogate());
            }
        }
    }
    flush(&mut builder, &mut text, form);
    Ok(builder.finish()?.into())
}

fn flush(builder: &mut StringBuilder, text: &mut String, form: &str) {
    push_normalized(builder, text.chars(), form);
    text.clear();
}

fn push_normalized(builder: &mut StringBuilder, text: impl Iterator<Item = char>, form: &str) {
    let mut push = |point: char| builder.push_code_point(point as u32);
    match form {
        "NFC" => text.nfc().for_each(&mut push),
        "NFD" => text.nfd().for_each(&mut push),
        "NFKC" => text.nfkc().for_each(&mut push),
        _ => text.nfkd().for_each(&mut push),
    }
}
