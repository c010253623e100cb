//! Text as time values: the ISO format of ECMA-262 §21.4.1.32, and what V8 makes of everything else.
//!
//! The fallback reads numbers, words and signs one after the other: a number before `:` belongs to the time, one
//! after a sign behind the time is the zone, all others are day, month and year in the order `M D Y` unless the first
//! cannot be a day. Unknown words before the first number and text in parentheses do not matter.

use super::calendar::{make_date, make_day, make_time, time_clip};
use crate::string::Units;

/// The time value; NaN if the text is none.
pub fn parse(units: Units) -> f64 {
    let text: Vec<u8> = units.iter().map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii).unwrap_or(b'?')).collect();
    let time = iso(&text).or_else(|| Legacy::default().parse(&text));
    time.map_or(f64::NAN, time_clip)
}

/// Reads a fixed number of digits.
fn digits(text: &mut &[u8], count: usize) -> Option<f64> {
    let (head, rest) = text.split_at_checked(count)?;
    *text = rest;
    head.iter().try_fold(0.0, |value, byte| byte.is_ascii_digit().then(|| value * 10.0 + f64::from(byte - b'0')))
}

/// Takes one of the bytes.
fn take(text: &mut &[u8], wanted: &[u8]) -> Option<u8> {
    let (&first, rest) = text.split_first()?;
    wanted.contains(&first).then(|| {
        *text = rest;
        first
    })
}

fn iso(mut text: &[u8]) -> Option<f64> {
    let text = &mut text;
    let year = match take(text, b"+-") {
        None => digits(text, 4)?,
        Some(b'-') => -digits(text, 6).filter(|&year| year != 0.0)?,
        Some(_) => digits(text, 6)?,
    };
    let mut month = 1.0;
    let mut day = 1.0;
    if take(text, b"-").is_some() {
        month = digits(text, 2)?;
        if take(text, b"-").is_some() {
            day = digits(text, 2)?;
        }
    }
    if !(1.0..=12.0).contains(&month) || !(1.0..=31.0).contains(&day) {
        return None;
    }
    let mut time = 0.0;
    let mut offset = 0.0;
    if take(text, b"Tt").is_some() {
        let hour = digits(text, 2)?;
        take(text, b":")?;
        let minute = digits(text, 2)?;
        let mut second = 0.0;
        let mut millisecond = 0.0;
        if take(text, b":").is_some() {
            second = digits(text, 2)?;
            if take(text, b".").is_some() {
                let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (fraction, rest) = text.split_at(count);
                *text = rest;
                millisecond = milliseconds(fraction)?;
            }
        }
        let midnight = hour == 24.0 && minute == 0.0 && second == 0.0 && millisecond == 0.0;
        if !(hour < 24.0 || midnight) || minute > 59.0 || second > 59.0 {
            return None;
        }
        time = make_time(hour, minute, second, millisecond);
        if take(text, b"Zz").is_none()
            && let Some(sign) = take(text, b"+-")
        {
            let hours = digits(text, 2)?;
            let _ = take(text, b":");
            let minutes = digits(text, 2)?;
            if hours > 23.0 || minutes > 59.0 {
                return None;
            }
            offset = (hours * 60.0 + minutes) * if sign == b'-' { -60_000.0 } else { 60_000.0 };
        }
    }
    text.is_empty().then(|| make_date(make_day(year, month - 1.0, day), time) - offset)
}

/// The first three digits of a fraction of a second.
fn milliseconds(fraction: &[u8]) -> Option<f64> {
    let digit = |index: usize| fraction.get(index).map_or(0.0, |byte| f64::from(byte - b'0'));
    (!fraction.is_empty()).then(|| digit(0) * 100.0 + digit(1) * 10.0 + digit(2))
}

/// What the fallback has read so far.
#[derive(Default)]
struct Legacy {
    days: Vec<f64>,
    month: Option<f64>,
    times: Vec<f64>,
    /// No more numbers belong to the time.
    time_complete: bool,
    /// Hours that `am` (0) or `pm` (12) add.
    half_day: Option<f64>,
    zone_sign: Option<f64>,
    zone_hour: Option<f64>,
    zone_minute: Option<f64>,
    has_number: bool,
}

#[derive(Clone, Copy)]
enum Word {
    Month(f64),
    HalfDay(f64),
    Zone(f64),
    Other,
}

const MONTHS: [&[u8; 3]; 12] =
    [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];

fn word(letters: &[u8]) -> Word {
    let lower: Vec<u8> = letters.iter().take(3).map(u8::to_ascii_lowercase).collect();
    if let Some(month) = MONTHS.iter().position(|month| *month == lower.as_slice()) {
        return Word::Month(month as f64 + 1.0);
    }
    if letters.len() > 3 {
        return Word::Other;
    }
    match lower.as_slice() {
        b"am" => Word::HalfDay(0.0),
        b"pm" => Word::HalfDay(12.0),
        b"z" | b"ut" | b"utc" | b"gmt" => Word::Zone(0.0),
        b"edt" => Word::Zone(-4.0),
        b"est" | b"cdt" => Word::Zone(-5.0),
        b"cst" | b"mdt" => Word::Zone(-6.0),
        b"mst" | b"pdt" => Word::Zone(-7.0),
        b"pst" => Word::Zone(-8.0),
        _ => Word::Other,
    }
}

impl Legacy {
    fn parse(mut self, text: &[u8]) -> Option<f64> {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let run = |wanted: fn(&u8) -> bool| text[at..].iter().take_while(|byte| wanted(byte)).count();
            if byte.is_ascii_digit() {
                let length = run(u8::is_ascii_digit);
                at = self.number(text, at, length)?;
            } else if byte.is_ascii_alphabetic() {
                let length = run(u8::is_ascii_alphabetic);
                let next = text.get(at + length).copied();
                self.word(word(&text[at..at + length]), next)?;
                at += length;
                if self.month.is_some() && next == Some(b'-') {
                    at += 1;
                }
            } else if matches!(byte, b'+' | b'-') && (self.zone_hour.is_some() || !self.times.is_empty()) {
                at = self.offset(text, at)?;
            } else if matches!(byte, b'+' | b'-' | b')') && self.has_number {
                return None;
            } else if byte == b'(' {
                at = skip_parentheses(text, at);
            } else {
                at += 1;
            }
        }
        self.finish()
    }

    /// Whether a number without colon behind it is the next part of the time.
    fn expects_time(&self, value: f64) -> bool {
        !self.time_complete
            && match self.times.len() {
                1 | 2 => value <= 59.0,
                3 => value <= 999.0,
                _ => false,
            }
    }

    fn number(&mut self, text: &[u8], start: usize, length: usize) -> Option<usize> {
        self.has_number = true;
        let mut at = start + length;
        let significant: &[u8] = &text[start..at];
        let zeros = significant.iter().take_while(|&&byte| byte == b'0').count();
        let value = significant[zeros..].iter().take(9).fold(0.0, |value, byte| value * 10.0 + f64::from(byte - b'0'));
        let next = text.get(at).copied();
        if next == Some(b':') {
            at += 1;
            if text.get(at) == Some(&b':') || self.time_complete || self.times.len() >= 4 {
                return None;
            }
            self.times.push(value);
            if text.get(at) == Some(&b'.') {
                at += 1;
            }
        } else if next == Some(b'.') && self.expects_time(value) {
            self.times.push(value);
            let fraction = text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let milliseconds = milliseconds(&text[at + 1..at + 1 + fraction])?;
            at += 1 + fraction;
            self.times.resize(3, 0.0);
            self.times.push(milliseconds);
            self.time_complete = true;
        } else if self.zone_hour.is_some() && self.zone_minute.is_none() {
            self.zone_minute = Some(value);
        } else if self.expects_time(value) {
            self.times.push(value);
            self.time_complete = true;
            if !next.is_none_or(|next| matches!(next, b'+' | b'-' | b'Z' | b'z') || next.is_ascii_whitespace()) {
                return None;
            }
        } else {
            if self.days.len() == 3 {
                return None;
            }
            self.days.push(value);
            if next == Some(b'-') {
                at += 1;
            }
        }
        Some(at)
    }

    fn word(&mut self, word: Word, next: Option<u8>) -> Option<()> {
        match word {
            Word::HalfDay(hours) if !self.times.is_empty() => self.half_day = Some(hours),
            Word::Month(month) => self.month = Some(month),
            Word::Zone(hours) if self.has_number => {
                self.zone_sign = Some(if hours < 0.0 { -1.0 } else { 1.0 });
                self.zone_hour = Some(hours.abs());
                self.zone_minute = Some(0.0);
            }
            _ if self.has_number || next.is_some_and(|next| next.is_ascii_digit()) => return None,
            _ => {}
        }
        Some(())
    }

    fn offset(&mut self, text: &[u8], at: usize) -> Option<usize> {
        self.zone_sign = Some(if text[at] == b'-' { -1.0 } else { 1.0 });
        self.has_number = true;
        let start = at + 1;
        let length = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = text[start..start + length].iter().fold(0.0, |value, byte| value * 10.0 + f64::from(byte - b'0'));
        (self.zone_hour, self.zone_minute) = match length {
            _ if text.get(start + length) == Some(&b':') => (Some(value), None),
            1 | 2 => (Some(value), Some(0.0)),
            3 | 4 => (Some((value / 100.0).trunc()), Some(value % 100.0)),
            _ => return None,
        };
        Some(start + length)
    }

    fn finish(mut self) -> Option<f64> {
        if self.days.is_empty() {
            return None;
        }
        let named = self.days.len();
        self.days.resize(3, 1.0);
        let is_day = |value: f64| (1.0..=31.0).contains(&value);
        let [first, second, third] = self.days[..] else { return None };
        let (mut year, month, day) = match self.month {
            None if !is_day(first) => (first, second, third),
            None => (third, first, second),
            Some(month) if named == 1 && is_day(first) => (1.0, month, first),
            Some(month) if !is_day(first) => (first, month, second),
            Some(month) => (second, month, first),
        };
        if (0.0..=49.0).contains(&year) {
            year += 2000.0;
        } else if (50.0..=99.0).contains(&year) {
            year += 1900.0;
        }
        self.times.resize(4, 0.0);
        let [mut hour, minute, second, millisecond] = self.times[..] else { return None };
        if let Some(half_day) = self.half_day {
            if hour > 12.0 {
                return None;
            }
            hour = hour % 12.0 + half_day;
        }
        let midnight = hour == 24.0 && minute == 0.0 && second == 0.0 && millisecond == 0.0;
        let valid_time = (hour < 24.0 || midnight) && minute <= 59.0 && second <= 59.0 && millisecond <= 999.0;
        if !(1.0..=12.0).contains(&month) || !is_day(day) || !valid_time {
            return None;
        }
        let offset = match (self.zone_sign, self.zone_hour) {
            (Some(sign), Some(hours)) => sign * (hours * 60.0 + self.zone_minute.unwrap_or(0.0)) * 60_000.0,
            _ => 0.0,
        };
        Some(make_date(make_day(year, month - 1.0, day), make_time(hour, minute, second, millisecond)) - offset)
    }
}

/// Position behind the parenthesis that closes the one at `at`, or the end.
fn skip_parentheses(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}
