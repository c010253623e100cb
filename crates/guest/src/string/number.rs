//! Numbers as text and text as numbers.

use super::{JsString, StringBuilder, Units};
use crate::state::State;

/// Number::toString in base 10.
pub fn number_to_string(number: f64) -> JsString {
    let int = number as i32;
    if int as f64 == number {
        return int_to_string(int);
    }
    if let Some(digits) = short_decimal(number, &mut [0; 24]) {
        return JsString::from_latin1(digits);
    }
    match special_name(number) {
        Some(name) => super::intern_latin1(name),
        None => JsString::from_latin1(ryu_js::Buffer::new().format_finite(number).as_bytes()),
    }
}

/// The text of numbers with at most two decimals and 15 digits in all.
///
/// No two decimals of at most 15 digits are the same double. So if `number` is one of them, that is also the shortest
/// text that reads as `number`.
fn short_decimal(number: f64, buffer: &mut [u8; 24]) -> Option<&[u8]> {
    let hundredths = (number.abs() * 100.0).round_ties_even();
    if !(1.0..1e15).contains(&hundredths) || hundredths / 100.0 != number.abs() {
        return None;
    }
    let (whole, rest) = (hundredths as u64 / 100, (hundredths as u64 % 100) as usize);
    let mut position = buffer.len();
    let mut put = |digits: &[u8]| {
        position -= digits.len();
        buffer[position..position + digits.len()].copy_from_slice(digits);
    };
    match PAIRS[rest] {
        [b'0', b'0'] => {}
        [tenths, b'0'] => put(&[b'.', tenths]),
        [tenths, hundredths] => put(&[b'.', tenths, hundredths]),
    }
    // Eight digits at a time: divisions of 64 bits are slow.
    const EIGHT_DIGITS: u64 = 100_000_000;
    let (high, mut low) = ((whole / EIGHT_DIGITS) as u32, (whole % EIGHT_DIGITS) as u32);
    if high > 0 {
        for _ in 0..4 {
            put(&PAIRS[(low % 100) as usize]);
            low /= 100;
        }
        low = high;
    }
    put(int_digits(low as i32, &mut [0; 11]));
    if number < 0.0 {
        put(b"-");
    }
    Some(&buffer[position..])
}

/// Ints below this have their strings made once.
const SMALL_INTS: usize = 1000;
static SMALL: State<[Option<JsString>; SMALL_INTS]> = State::new([None; SMALL_INTS]);

fn int_to_string(int: i32) -> JsString {
    let create = || JsString::from_latin1(int_digits(int, &mut [0; 11]));
    if !(0..SMALL_INTS as i32).contains(&int) {
        return create();
    }
    if let Some(known) = SMALL.with(|small| small[int as usize]) {
        return known;
    }
    let string = create();
    SMALL.with(|small| small[int as usize] = Some(string));
    string
}

/// Makes the strings of small ints, so that they are in the image.
pub fn prepare_small_ints() {
    (0..SMALL_INTS as i32).for_each(|int| {
        int_to_string(int);
    });
}

/// Appends an int in base 10.
#[inline]
pub fn append_int(out: &mut StringBuilder, int: i32) {
    out.push_latin1(int_digits(int, &mut [0; 11]));
}

/// Appends Number::toString in base 10.
pub fn append_number(out: &mut StringBuilder, number: f64) {
    let int = number as i32;
    if int as f64 == number {
        return append_int(out, int);
    }
    if let Some(digits) = short_decimal(number, &mut [0; 24]) {
        return out.push_latin1(digits);
    }
    match special_name(number) {
        Some(name) => out.push_latin1(name),
        None => out.push_latin1(ryu_js::Buffer::new().format_finite(number).as_bytes()),
    }
}

/// What is not finite has a name.
fn special_name(number: f64) -> Option<&'static [u8]> {
    if number.is_nan() {
        Some(b"NaN")
    } else if number.is_infinite() {
        Some(if number > 0.0 { b"Infinity" } else { b"-Infinity" })
    } else {
        None
    }
}

/// The digits of 00 to 99.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

fn int_digits(int: i32, buffer: &mut [u8; 11]) -> &[u8] {
    let mut position = buffer.len();
    let mut rest = int.unsigned_abs();
    while rest >= 10 {
        position -= 2;
        buffer[position..position + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    if rest > 0 || position == buffer.len() {
        position -= 1;
        buffer[position] = b'0' + rest as u8;
    }
    if int < 0 {
        position -= 1;
        buffer[position] = b'-';
    }
    &buffer[position..]
}

/// The array index (below 2³² − 1) whose canonical decimal form these units are.
pub fn array_index(units: Units) -> Option<u32> {
    let length = units.len();
    let first = units.get(0)?;
    if length > 10 || (first == b'0' as u16 && length > 1) {
        return None;
    }
    let mut index: u64 = 0;
    for unit in units.iter() {
        if !(b'0' as u16..=b'9' as u16).contains(&unit) {
            return None;
        }
        index = index * 10 + u64::from(unit - b'0' as u16);
    }
    u32::try_from(index).ok().filter(|&index| index != u32::MAX)
}

/// Whether the unit is white space or a line terminator (what `trim` removes).
pub fn is_space(unit: u16) -> bool {
    matches!(unit, 9..=13 | 32 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF)
}

/// StringToNumber: the whole trimmed text must be a numeric literal; NaN otherwise, 0 if empty.
pub fn parse_number(units: Units) -> f64 {
    if let Units::Latin1(digits) = units
        && (1..=15).contains(&digits.len())
        && digits.iter().all(u8::is_ascii_digit)
    {
        return digits.iter().fold(0, |value: u64, digit| value * 10 + u64::from(digit - b'0')) as f64;
    }
    let start = units.iter().position(|unit| !is_space(unit)).unwrap_or(units.len());
    let end = (start..units.len())
        .rev()
        .find(|&at| units.get(at).is_some_and(|unit| !is_space(unit)))
        .map_or(start, |at| at + 1);
    let text: Option<Vec<u8>> =
        (start..end).filter_map(|at| units.get(at)).map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii)).collect();
    let Some(text) = text else { return f64::NAN };
    match text.as_slice() {
        [] => 0.0,
        [b'0', b'x' | b'X', digits @ ..] => parse_digits(digits, 16),
        [b'0', b'o' | b'O', digits @ ..] => parse_digits(digits, 8),
        [b'0', b'b' | b'B', digits @ ..] => parse_digits(digits, 2),
        b"Infinity" | b"+Infinity" => f64::INFINITY,
        b"-Infinity" => f64::NEG_INFINITY,
        decimal if decimal.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) => {
            core::str::from_utf8(decimal).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// Digits in a radix that is a power of two, without sign; NaN if there are none or others. The first 53 significant bits are exact,
/// the rest rounds to nearest even.
fn parse_digits(digits: &[u8], radix: u32) -> f64 {
    if digits.is_empty() {
        return f64::NAN;
    }
    let mut value: u128 = 0;
    let mut exponent = 0;
    let mut sticky = false;
    for &digit in digits {
        let Some(digit) = (digit as char).to_digit(radix) else { return f64::NAN };
        if value >> 120 == 0 {
            value = value * radix as u128 + digit as u128;
        } else {
            exponent += radix.trailing_zeros() as i32;
            sticky |= digit != 0;
        }
    }
    (value | sticky as u128) as f64 * 2f64.powi(exponent)
}
