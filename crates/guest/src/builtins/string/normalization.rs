//! Unicode normalization forms.

use unicode_normalization::UnicodeNormalization;

use crate::string::{JsString, StringBuilder};
use crate::throw::JsResult;

/// The string in the form NFC, NFD, NFKC or NFKD. Lone surrogates stay as they are.
pub fn normalize(string: JsString, form: &str) -> JsResult {
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
