//! Upper and lower case, with the special casing of Unicode.

use super::this_string;
use crate::builtin::{CallContext, methods, native};
use crate::object::Object;
use crate::string::{JsString, StringBuilder, Units, simd};
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

/// Lower case of each Latin-1 character.
const LOWER: [u8; 256] = table([(b'A', b'Z'), (0xC0, 0xD6), (0xD8, 0xDE)], 0x20);
/// Upper case of each Latin-1 character, where it is one too.
const UPPER: [u8; 256] = table([(b'a', b'z'), (0xE0, 0xF6), (0xF8, 0xFE)], 0xE0);

/// A table that adds `distance` to the characters of the ranges.
const fn table(ranges: [(u8, u8); 3], distance: u8) -> [u8; 256] {
    let mut table = [0; 256];
    let mut unit = 0;
    while unit < 256 {
        table[unit] = unit as u8;
        unit += 1;
    }
    let mut range = 0;
    while range < ranges.len() {
        let (first, last) = ranges[range];
        let mut unit = first;
        while unit <= last {
            table[unit as usize] = unit.wrapping_add(distance);
            unit += 1;
        }
        range += 1;
    }
    table
}

/// toLowercase of the Unicode Default Case Conversion algorithm.
pub fn lower(string: JsString) -> JsResult<JsString> {
    match string.units() {
        Units::Latin1(units) => map(string, units, &LOWER, b'A'),
        Units::Utf16(_) => convert(string, str::to_lowercase),
    }
}

/// toUppercase of the Unicode Default Case Conversion algorithm.
pub fn upper(string: JsString) -> JsResult<JsString> {
    match string.units() {
        Units::Latin1(units) if !units.iter().any(|unit| matches!(unit, 0xB5 | 0xDF | 0xFF)) => {
            map(string, units, &UPPER, b'a')
        }
        _ => convert(string, str::to_uppercase),
    }
}

/// The string with each unit looked up; itself if that changes nothing. ASCII letters from `first` on are what changes.
fn map(string: JsString, units: &[u8], table: &[u8; 256], first: u8) -> JsResult<JsString> {
    let change = |&unit: &u8| table[unit as usize];
    if let [unit] = units {
        return Ok(JsString::from_unit(change(unit) as u16));
    }
    if let Some(changed) = simd::change_ascii_case(units, first) {
        return Ok(JsString::from_buffer(changed));
    }
    if units.iter().all(|unit| change(unit) == *unit) {
        return Ok(string);
    }
    let mut builder = StringBuilder::with_capacity(units.len());
    builder.extend_latin1(units.iter().map(change));
    builder.finish()
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
