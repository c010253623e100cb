//! Upper and lower case, with the special casing of Unicode.

use super::this_string;
use crate::builtin::{CallContext, methods, native};
use crate::object::Object;
use crate::string::{JsString, StringBuilder, Units};
use crate::throw::{JsResult, hand_over};

pub(super) fn install(prototype: Object) {
    methods(
        prototype,
        &[
            ("toLowerCase", 0, native(|cx| Ok(lower(this_string(cx, "toLowerCase")?)?.into()))),
            ("toUpperCase", 0, native(|cx| Ok(upper(this_string(cx, "toUpperCase")?)?.into()))),
            ("toLocaleLowerCase", 0, native(to_locale_lower_case)),
            ("toLocaleUpperCase", 0, native(to_locale_upper_case)),
        ],
    );
}

fn to_locale_lower_case(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "toLocaleLowerCase")?;
    require_common_casing(cx)?;
    Ok(lower(string)?.into())
}

fn to_locale_upper_case(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "toLocaleUpperCase")?;
    require_common_casing(cx)?;
    Ok(upper(string)?.into())
}

/// Hands over if a locale is given that is not known to case as Unicode's default does.
fn require_common_casing(cx: &CallContext) -> JsResult<()> {
    let locale = cx.arg(0);
    if !locale.is_undefined() && !super::collation::is_english(locale) {
        hand_over("locale-sensitive case conversion");
    }
    Ok(())
}

/// toLowercase of the Unicode Default Case Conversion algorithm.
pub fn lower(string: JsString) -> JsResult<JsString> {
    let Units::Latin1(units) = string.units() else { return convert(string, str::to_lowercase) };
    let lower = |unit: u8| match unit {
        b'A'..=b'Z' | 0xC0..=0xD6 | 0xD8..=0xDE => unit + 0x20,
        _ => unit,
    };
    let Some(first) = units.iter().position(|&unit| lower(unit) != unit) else { return Ok(string) };
    let mut changed = units.to_vec();
    changed[first..].iter_mut().for_each(|unit| *unit = lower(*unit));
    Ok(JsString::from_latin1(&changed))
}

/// toUppercase of the Unicode Default Case Conversion algorithm.
pub fn upper(string: JsString) -> JsResult<JsString> {
    let Units::Latin1(units) = string.units() else { return convert(string, str::to_uppercase) };
    if units.iter().any(|unit| matches!(unit, 0xB5 | 0xDF | 0xFF)) {
        return convert(string, str::to_uppercase);
    }
    let upper = |unit: u8| match unit {
        b'a'..=b'z' | 0xE0..=0xF6 | 0xF8..=0xFE => unit - 0x20,
        _ => unit,
    };
    let Some(first) = units.iter().position(|&unit| upper(unit) != unit) else { return Ok(string) };
    let mut changed = units.to_vec();
    changed[first..].iter_mut().for_each(|unit| *unit = upper(*unit));
    Ok(JsString::from_latin1(&changed))
}

/// Converts text between lone surrogates, which stay as they are.
fn convert(string: JsString, change: fn(&str) -> String) -> JsResult<JsString> {
    let mut builder = StringBuilder::with_capacity(string.len() as usize);
    let mut text = String::new();
    for point in char::decode_utf16(string.units().iter()) {
        match point {
            Ok(point) => text.push(point),
            Err(lone) => {
                builder.push_str(&change(&text));
                text.clear();
                builder.push_unit(lone.unpaired_surrogate());
            }
        }
    }
    builder.push_str(&change(&text));
    builder.finish()
}
