//! Unicode normalization forms.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, decompose_compatible};

use crate::string::{JsString, StringBuilder, Units};
use crate::throw::JsResult;

/// The string in the form NFC, NFD, NFKC or NFKD. Lone surrogates stay as they are.
pub fn normalize(string: JsString, form: &str) -> JsResult {
    if let Units::Latin1(text) = string.units() {
        return Ok(JsString::from_utf16(&normalize_latin1(text, form)).into());
    }
    let mut builder = StringBuilder::with_capacity(string.len() as usize);
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
    let mut push = |point: char| builder.push_code_point(point as u32);
    match form {
        "NFC" => text.nfc().for_each(&mut push),
        "NFD" => text.nfd().for_each(&mut push),
        "NFKC" => text.nfkc().for_each(&mut push),
        _ => text.nfkd().for_each(&mut push),
    }
    text.clear();
}

/// Latin-1 is composed, and none of it combines with what is in front of it, so each character is normalized by itself. What
/// its compatible characters stand for does not compose either.
fn normalize_latin1(text: &[u8], form: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len() * 2);
    for &unit in text {
        let point = char::from(unit);
        let push = |point: char| units.extend_from_slice(point.encode_utf16(&mut [0; 2]));
        match form {
            "NFD" => decompose_canonical(point, push),
            "NFKD" => decompose_compatible(point, push),
            "NFKC" if !is_composed(point) => decompose_compatible(point, push),
            _ => units.push(u16::from(unit)),
        }
    }
    units
}

fn is_composed(point: char) -> bool {
    let mut parts = 0;
    decompose_canonical(point, |_| parts += 1);
    parts > 1
}
