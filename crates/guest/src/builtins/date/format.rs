//! Dates as text.

use super::calendar::{Fields, fields};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

fn month(fields: &Fields) -> &'static str {
    MONTHS[fields.month as usize % 12]
}

fn weekday(fields: &Fields) -> &'static str {
    WEEKDAYS[fields.weekday as usize % 7]
}

/// Year of the legacy formats: at least four digits.
fn year(year: f64) -> String {
    if year < 0.0 { format!("-{:04}", -year) } else { format!("{year:04}") }
}

fn clock(fields: &Fields) -> String {
    format!("{:02}:{:02}:{:02}", fields.hour, fields.minute, fields.second)
}

/// `toISOString` of a valid time.
pub fn iso(time: f64) -> String {
    let f = fields(time);
    let mut out = String::with_capacity(27);
    match f.year {
        year if (0.0..=9999.0).contains(&year) => push_digits(&mut out, year, 1000),
        year => {
            out.push(if year < 0.0 { '-' } else { '+' });
            push_digits(&mut out, year.abs(), 100_000);
        }
    }
    for (separator, value) in [('-', f.month + 1.0), ('-', f.day), ('T', f.hour), (':', f.minute), (':', f.second)] {
        out.push(separator);
        push_digits(&mut out, value, 10);
    }
    out.push('.');
    push_digits(&mut out, f.millisecond, 100);
    out.push('Z');
    out
}

/// Appends the digits of a number, the first with the weight `unit`.
fn push_digits(out: &mut String, value: f64, mut unit: u32) {
    let value = value as u32;
    while unit > 0 {
        out.push((b'0' + (value / unit % 10) as u8) as char);
        unit /= 10;
    }
}

/// `toDateString`: `Tue Nov 05 2024`.
pub fn date_string(time: f64) -> String {
    let f = fields(time);
    format!("{} {} {:02} {}", weekday(&f), month(&f), f.day, year(f.year))
}

/// `toTimeString`.
pub fn time_string(time: f64) -> String {
    format!("{} GMT+0000 (Coordinated Universal Time)", clock(&fields(time)))
}

/// `toString`.
pub fn full(time: f64) -> String {
    format!("{} {}", date_string(time), time_string(time))
}

/// `toUTCString`: `Tue, 05 Nov 2024 08:09:10 GMT`.
pub fn utc(time: f64) -> String {
    let f = fields(time);
    format!("{}, {:02} {} {} {} GMT", weekday(&f), f.day, month(&f), year(f.year), clock(&f))
}
