//! Text as numbers: `parseInt` and `parseFloat` (ECMA-262 §19.2.4, §19.2.5).

use std::borrow::Cow;

use crate::string::{Units, is_space};

/// The text behind its white space as bytes; what is not ASCII becomes 0xFF.
fn trimmed(units: Units) -> Cow<'static, [u8]> {
    let start = units.iter().position(|unit| !is_space(unit)).unwrap_or(units.len());
    match units {
        Units::Latin1(units) => Cow::Borrowed(&units[start..]),
        Units::Utf16(units) => {
            Cow::Owned(units[start..].iter().map(|&unit| if unit < 0x80 { unit as u8 } else { 0xFF }).collect())
        }
    }
}

/// Takes a sign off the text; whether it is negative.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The longest prefix that is a decimal literal, after white space; NaN if there is none.
pub fn parse_float(units: Units) -> f64 {
    let text = trimmed(units);
    let (negative, text) = sign(&text);
    let magnitude = if text.starts_with(b"Infinity") { f64::INFINITY } else { unsigned_prefix(text) };
    if negative { -magnitude } else { magnitude }
}

fn unsigned_prefix(text: &[u8]) -> f64 {
    let whole = count_digits(text);
    let mut end = whole;
    if text.get(end) == Some(&b'.') {
        let decimals = count_digits(&text[end + 1..]);
        if whole + decimals == 0 {
            return f64::NAN;
        }
        end += 1 + decimals;
    } else if whole == 0 {
        return f64::NAN;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = count_digits(text.get(end + 1 + sign..).unwrap_or(&[]));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    core::str::from_utf8(&text[..end]).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

/// Leading digits in `radix` (0: 10, or 16 after `0x`), after white space and a sign; NaN if there are none.
pub fn parse_int(units: Units, radix: i32) -> f64 {
    if radix != 0 && !(2..=36).contains(&radix) {
        return f64::NAN;
    }
    let text = trimmed(units);
    let (negative, text) = sign(&text);
    let (radix, text) = match (radix, text) {
        (0 | 16, [b'0', b'x' | b'X', rest @ ..]) => (16, rest),
        (0, _) => (10, text),
        _ => (radix as u32, text),
    };
    let mut value: u64 = 0;
    let mut count = 0;
    while let Some(digit) = text.get(count).and_then(|&byte| (byte as char).to_digit(radix)) {
        value = value.saturating_mul(u64::from(radix)).saturating_add(u64::from(digit));
        count += 1;
    }
    if count == 0 {
        return f64::NAN;
    }
    let value = if value <= 1 << 53 { value as f64 } else { digits_value(&text[..count], radix) };
    if negative { -value } else { value }
}

/// Value of digits beyond 2⁵³: correctly rounded in base 10 and in powers of two.
fn digits_value(text: &[u8], radix: u32) -> f64 {
    if radix == 10 {
        return core::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::INFINITY);
    }
    let digits: Vec<u8> =
        text.iter().filter_map(|&byte| (byte as char).to_digit(radix)).map(|digit| digit as u8).collect();
    let digits = digits.as_slice();
    if radix.is_power_of_two() {
        return power_of_two_value(digits, radix);
    }
    approximate_value(digits, radix)
}

/// Value of many digits in another radix, with V8's rounding errors: it adds them in groups that fit 32 bits.
fn approximate_value(digits: &[u8], radix: u32) -> f64 {
    const MAX_MULTIPLIER: u32 = u32::MAX / 36;
    let mut group_length = 0;
    let mut multiplier = 1;
    while multiplier * radix <= MAX_MULTIPLIER {
        multiplier *= radix;
        group_length += 1;
    }
    digits.chunks(group_length).fold(0.0, |value, group| {
        let part = group.iter().fold(0, |part, &digit| part * radix + digit as u32);
        value * f64::from(radix.pow(group.len() as u32)) + f64::from(part)
    })
}

fn power_of_two_value(digits: &[u8], radix: u32) -> f64 {
    let mut value: u128 = 0;
    let mut exponent: i32 = 0;
    let mut sticky = false;
    for &digit in digits {
        if value >> 120 == 0 {
            value = value * radix as u128 + digit as u128;
        } else {
            exponent = exponent.saturating_add(radix.trailing_zeros() as i32);
            sticky |= digit != 0;
        }
    }
    (value | sticky as u128) as f64 * 2f64.powi(exponent)
}
