//! `localeCompare` and `normalize`: English collation of Latin-1 text; other text and locales are handed over.

use core::cmp::Ordering;
use std::borrow::Cow;

use super::collation_table::{Table, Weights, build};
use super::this_string;
use crate::builtin::{CallContext, methods, native};
use crate::convert::{to_boolean, to_string};
use crate::key::PropertyKey;
use crate::object::Object;
use crate::state::State;
use crate::string::{JsString, Units};
use crate::throw::{JsResult, hand_over, throw_range_error};
use crate::value::Value;

static TABLE: State<Option<Table>> = State::new(None);
/// Accents of letters that are compared as two: behind all others.
const LIGATURE: u8 = 0x40;

pub(super) fn install(prototype: Object) {
    methods(prototype, &[("localeCompare", 1, native(locale_compare)), ("normalize", 0, native(normalize))]);
}

/// Whether a locale argument asks for English.
pub fn is_english(locale: Value) -> bool {
    let first = match locale.as_object().and_then(Object::as_array) {
        Some(array) => array.element(0),
        None => locale,
    };
    first.as_string().is_some_and(|tag| tag.is("en") || tag.slice(0, tag.len().min(3)).is("en-"))
}

/// Which differences count.
#[derive(Clone, Copy)]
struct Options {
    accents: bool,
    case: bool,
    numeric: bool,
}

fn options(value: Value) -> JsResult<Options> {
    let mut options = Options { accents: true, case: true, numeric: false };
    let Some(object) = value.as_object() else { return Ok(options) };
    let get = |name: &str| object.get(PropertyKey::from_text(name));
    options.numeric = to_boolean(get("numeric")?);
    let sensitivity = get("sensitivity")?;
    if !sensitivity.is_undefined() {
        match to_string(sensitivity)?.to_text().as_str() {
            "base" => (options.accents, options.case) = (false, false),
            "accent" => options.case = false,
            "variant" => {}
            _ => hand_over("localeCompare with this sensitivity"),
        }
    }
    for name in ["usage", "ignorePunctuation", "caseFirst", "collation", "localeMatcher"] {
        if !get(name)?.is_undefined() {
            hand_over("localeCompare with options");
        }
    }
    Ok(options)
}

/// The units as Latin-1, if all fit.
fn latin1(string: JsString) -> Option<Cow<'static, [u8]>> {
    match string.units() {
        Units::Latin1(units) => Some(Cow::Borrowed(units)),
        Units::Utf16(units) => {
            units.iter().map(|&unit| u8::try_from(unit).ok()).collect::<Option<Vec<u8>>>().map(Cow::Owned)
        }
    }
}

fn locale_compare(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "localeCompare")?;
    let other = to_string(cx.arg(0))?;
    if !cx.arg(1).is_undefined() && !is_english(cx.arg(1)) {
        hand_over("localeCompare in this locale");
    }
    compare_in_english(string, other, cx.arg(2))
}

/// Compares two texts, with the options of `localeCompare`: -1, 0 or 1.
pub fn compare_in_english(string: JsString, other: JsString, options: Value) -> JsResult {
    let options = self::options(options)?;
    let order = match (latin1(string), latin1(other)) {
        _ if string.equals(other) => Some(Ordering::Equal),
        (Some(a), Some(b)) => compare(&a, &b, options),
        _ => None,
    };
    match order {
        Some(order) => Ok(Value::int(order as i32)),
        None => hand_over("localeCompare of text beyond Latin-1"),
    }
}

/// Compares texts in which each character has weights of its own, without collecting them. `None`: some do not.
fn compare_simply(table: &Table, a: &[u8], b: &[u8], options: Options) -> Option<Ordering> {
    let mut below = Ordering::Equal;
    for (&a, &b) in a.iter().zip(b) {
        if a == b && a.is_ascii_graphic() {
            continue;
        }
        let single = |unit: u8| table[unit as usize].filter(|weights| weights.primary != 0);
        let (a, b) = (single(a)?, single(b)?);
        if a.primary != b.primary {
            return Some(a.primary.cmp(&b.primary));
        }
        let accents = if options.accents { a.secondary.cmp(&b.secondary) } else { Ordering::Equal };
        let case = if options.case { a.tertiary.cmp(&b.tertiary) } else { Ordering::Equal };
        // A difference in accents counts more than one in case, wherever it is: only equal ranks may be settled here.
        if accents != Ordering::Equal {
            return None;
        }
        below = below.then(case);
    }
    let rest = if a.len() > b.len() { &a[b.len()..] } else { &b[a.len()..] };
    if !rest.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    Some(a.len().cmp(&b.len()).then(below))
}

fn compare(a: &[u8], b: &[u8], options: Options) -> Option<Ordering> {
    TABLE.with(|table| {
        let table = table.get_or_insert_with(build);
        if !options.numeric
            && let Some(order) = compare_simply(table, a, b, options)
        {
            return Some(order);
        }
        let (a, b) = (weights(table, a, options.numeric)?, weights(table, b, options.numeric)?);
        let by = |level: fn(&Weights) -> u16| a.iter().map(level).cmp(b.iter().map(level));
        let mut order = by(|weights| weights.primary);
        if options.accents {
            order = order.then_with(|| by(|weights| weights.secondary as u16));
        }
        if options.case {
            order = order.then_with(|| by(|weights| weights.tertiary as u16));
        }
        Some(order)
    })
}

/// Weights of all characters that count; `None` if one is unknown.
fn weights(table: &Table, text: &[u8], numeric: bool) -> Option<Vec<Weights>> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&unit) = text.get(at) {
        at += 1;
        match unit {
            b'0'..=b'9' if numeric => {
                let run = text[at - 1..].iter().take_while(|unit| unit.is_ascii_digit()).count();
                push_number(table, &text[at - 1..at - 1 + run], &mut out)?;
                at += run - 1;
            }
            0xDF => push_pair(table, [b's', b's'], 0, &mut out)?,
            0xE6 => push_pair(table, [b'a', b'e'], 0, &mut out)?,
            0xC6 => push_pair(table, [b'a', b'e'], 1, &mut out)?,
            _ => {
                let weights = table[unit as usize]?;
                if weights.primary != 0 {
                    out.push(weights);
                }
            }
        }
    }
    Some(out)
}

fn push_pair(table: &Table, pair: [u8; 2], tertiary: u8, out: &mut Vec<Weights>) -> Option<()> {
    for unit in pair {
        out.push(Weights { secondary: LIGATURE, tertiary, ..table[unit as usize]? });
    }
    Some(())
}

/// A number counts as a digit, then by its length, then by its digits.
fn push_number(table: &Table, digits: &[u8], out: &mut Vec<Weights>) -> Option<()> {
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let significant = &digits[zeros..];
    let zero = table[b'0' as usize]?;
    out.push(zero);
    out.push(Weights { primary: significant.len() as u16, secondary: 0, tertiary: 0 });
    for &digit in significant {
        out.push(table[digit as usize]?);
    }
    Some(())
}

fn normalize(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "normalize")?;
    let form = if cx.arg(0).is_undefined() { JsString::from_str("NFC") } else { to_string(cx.arg(0))? };
    let Some(form) = ["NFC", "NFD", "NFKC", "NFKD"].into_iter().find(|known| form.is(known)) else {
        return Err(throw_range_error("The normalization form should be one of NFC, NFD, NFKC, NFKD."));
    };
    match string.units() {
        Units::Latin1(units) if form == "NFC" || units.is_ascii() => Ok(string.into()),
        _ => super::normalization::normalize(string, form),
    }
}
