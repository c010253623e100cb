//! Text as numbers: `parseInt` and `parseFloat` (ECMA-262 §19.2.4, §19.2.5).

use crate::string::{Units, is_space};

fn skip_space(units: Units) -> usize {
    units.iter().position(|unit| !is_space(unit)).unwrap_or(units.len())
}

fn ascii_at(units: Units, index: usize) -> u8 {
    units.get(index).and_then(|unit| u8::try_from(unit).ok()).filter(u8::is_ascii).unwrap_or(0)
}

/// The longest prefix that is a decimal literal, after white space; NaN if there is none.
pub fn parse_float(units: Units) -> f64 {
    let start = skip_space(units);
    let mut end = start;
    let negative = ascii_at(units, end) == b'-';
    if matches!(ascii_at(units, end), b'+' | b'-') {
        end += 1;
    }
    if b"Infinity".iter().enumerate().all(|(index, &byte)| ascii_at(units, end + index) == byte) {
        return if negative { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let digits = |from: usize| (from..).take_while(|&index| ascii_at(units, index).is_ascii_digit()).count();
    let whole = digits(end);
    end += whole;
    if ascii_at(units, end) == b'.' {
        let decimals = digits(end + 1);
        if whole + decimals == 0 {
            return f64::NAN;
        }
        end += 1 + decimals;
    } else if whole == 0 {
        return f64::NAN;
    }
    if ascii_at(units, end) | 0x20 == b'e' {
        let sign = usize::from(matches!(ascii_at(units, end + 1), b'+' | b'-'));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let text: String = (start..end).map(|index| ascii_at(units, index) as char).collect();
    text.parse().unwrap_or(f64::NAN)
}

/// Leading digits in `radix` (0: 10, or 16 after `0x`), after white space and a sign; NaN if there are none.
pub fn parse_int(units: Units, mut radix: i32) -> f64 {
    let mut position = skip_space(units);
    let negative = ascii_at(units, position) == b'-';
    if matches!(ascii_at(units, position), b'+' | b'-') {
        position += 1;
    }
    if radix != 0 && !(2..=36).contains(&radix) {
        return f64::NAN;
    }
    if (radix == 0 || radix == 16) && ascii_at(units, position) == b'0' && ascii_at(units, position + 1) | 0x20 == b'x' {
        position += 2;
        radix = 16;
    }
    let radix = if radix == 0 { 10 } else { radix as u32 };
    let digits: Vec<u8> = (position..units.len())
        .map_while(|index| (ascii_at(units, index) as char).to_digit(radix))
        .map(|digit| digit as u8)
        .collect();
    if digits.is_empty() {
        return f64::NAN;
    }
    let value = digits_value(&digits, radix);
    if negative { -value } else { value }
}

/// Value of digits: exact up to 2⁵³, correctly rounded beyond.
fn digits_value(digits: &[u8], radix: u32) -> f64 {
    let small = digits.iter().try_fold(0u64, |value, &digit| {
        value.checked_mul(radix as u64)?.checked_add(digit as u64).filter(|&value| value <= 1 << 53)
    });
    if let Some(value) = small {
        return value as f64;
    }
    if radix == 10 {
        let text: String = digits.iter().map(|&digit| (b'0' + digit) as char).collect();
        return text.parse().unwrap_or(f64::INFINITY);
    }
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
