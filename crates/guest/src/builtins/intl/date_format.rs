//! `Intl.DateTimeFormat`, and `toLocaleString` and its like of dates.

use super::date_options::{DateOptions, Fields, Width};
use super::{
    IntlObject, Part, Service, bound, bound_method, class, create, described, joined, locale, parts_array, this,
};
use crate::builtin::{CallContext, methods, native, native_constructor};
use crate::builtins::date::calendar::{self, Fields as Calendar};
use crate::cell::Gc;
use crate::convert::to_number;
use crate::memory::time_ms;
use crate::object::Object;
use crate::throw::{JsResult, hand_over, throw_range_error};
use crate::value::Value;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

pub(super) fn install(intl: Object) {
    let prototype = class(intl, "DateTimeFormat", native_constructor(construct));
    bound_method(prototype, "format", native(|cx| Ok(bound(date_format(cx, "format")?.0, 1, native(format)))));
    methods(
        prototype,
        &[
            ("formatToParts", 1, native(format_to_parts)),
            ("resolvedOptions", 0, native(resolved_options)),
            ("formatRange", 2, native(|_| hand_over("Intl.DateTimeFormat.prototype.formatRange"))),
            ("formatRangeToParts", 2, native(|_| hand_over("Intl.DateTimeFormat.prototype.formatRangeToParts"))),
        ],
    );
}

fn date_format(cx: &CallContext, method: &str) -> JsResult<(Gc<IntlObject>, DateOptions)> {
    this(cx, &format!("DateTimeFormat.prototype.{method}"), |service| match service {
        Service::Date(options) => Some(options),
        _ => None,
    })
}

fn construct(cx: &CallContext) -> JsResult {
    let locale = locale(cx.arg(0))?;
    let options = DateOptions::read(cx.arg(1), "Intl.DateTimeFormat", Fields::All, Fields::Date)?;
    create(cx, locale, Service::Date(options))
}

/// The time that an argument means: now if it is undefined.
fn time(value: Value) -> JsResult<f64> {
    let time = if value.is_undefined() { time_ms().floor() } else { calendar::time_clip(to_number(value)?) };
    if time.is_nan() { Err(throw_range_error("Invalid time value")) } else { Ok(time) }
}

/// The bound function of `format`.
fn format(cx: &CallContext) -> JsResult {
    let Some(object) = cx.callee.home.get().as_kind::<IntlObject>() else { return Ok(Value::UNDEFINED) };
    let Service::Date(options) = object.service else { return Ok(Value::UNDEFINED) };
    Ok(shown(&parts_of(time(cx.arg(0))?, &options)))
}

fn format_to_parts(cx: &CallContext) -> JsResult {
    let (_, options) = date_format(cx, "formatToParts")?;
    Ok(parts_array(&parts_of(time(cx.arg(0))?, &options)))
}

/// `toLocaleString`, `toLocaleDateString` and `toLocaleTimeString` of a valid time.
pub fn to_locale_string(
    time: f64,
    (locales, options): (Value, Value),
    owner: &'static str,
    (required, defaults): (Fields, Fields),
) -> JsResult {
    locale(locales)?;
    let options = DateOptions::read(options, owner, required, defaults)?;
    if time.is_nan() {
        return Ok("Invalid Date".into());
    }
    Ok(shown(&parts_of(time, &options)))
}

/// The text. Only parts have the narrow space before AM and PM: V8 hides it from text, for compatibility.
fn shown(parts: &[Part]) -> Value {
    let parts: Vec<Part> = parts.iter().map(|(kind, text)| (*kind, text.replace('\u{202F}', " "))).collect();
    joined(&parts)
}

/// A number of one digit or two, or two in any case.
fn digits(value: f64, width: Width) -> String {
    if width == Some("2-digit") { format!("{:02}", value as u32 % 100) } else { format!("{value}") }
}

fn literal(text: &str) -> Part {
    ("literal", text.to_owned())
}

fn parts_of(time: f64, options: &DateOptions) -> Vec<Part> {
    let fields = calendar::fields(time);
    let mut parts = date_parts(&fields, options);
    let time = time_parts(&fields, options);
    if !parts.is_empty() && !time.is_empty() {
        let is_weekday_only = parts.len() == 1 && options.weekday.is_some();
        parts.push(literal(match options.month {
            _ if is_weekday_only => " ",
            Some("long") => " at ",
            _ => ", ",
        }));
    }
    parts.extend(time);
    parts
}

fn date_parts(fields: &Calendar, options: &DateOptions) -> Vec<Part> {
    let DateOptions { weekday, year, month, day, .. } = *options;
    let of_name = |name: &str, width: Width| if width == Some("long") { name.to_owned() } else { name[..3].to_owned() };
    let weekday = weekday.map(|_| ("weekday", of_name(WEEKDAYS[fields.weekday as usize % 7], weekday)));
    // Years before Christ are counted down to 1.
    let counted = if fields.year <= 0.0 { 1.0 - fields.year } else { fields.year };
    let year = year.map(|_| ("year", digits(counted, year)));
    let day = day.map(|_| ("day", digits(fields.day, day)));
    let is_text = matches!(month, Some("short" | "long"));
    let month = month.map(|_| {
        let name = MONTHS[fields.month as usize % 12];
        ("month", if is_text { of_name(name, month) } else { digits(fields.month + 1.0, month) })
    });
    let mut parts = vec![];
    let mut push = |separator: &str, part: Option<Part>| {
        if let Some(part) = part {
            if !parts.is_empty() {
                parts.push(literal(separator));
            }
            parts.push(part);
        }
    };
    match (&month, &day) {
        (None, Some(_)) if year.is_none() => {
            push("", day);
            push(" ", weekday);
        }
        (None, _) if year.is_none() => push("", weekday),
        (None, None) if weekday.is_none() => push("", year),
        (Some(_), None) if weekday.is_none() => {
            push("", month);
            push(if is_text { " " } else { "/" }, year);
        }
        (Some(_), Some(_)) => {
            push("", weekday);
            push(", ", month);
            push(if is_text { " " } else { "/" }, day);
            push(if is_text { ", " } else { "/" }, year);
        }
        _ => hand_over("this combination of fields in Intl.DateTimeFormat"),
    }
    parts
}

fn time_parts(fields: &Calendar, options: &DateOptions) -> Vec<Part> {
    let DateOptions { hour, minute, second, fraction, zone, is_24_hours, .. } = *options;
    if hour.is_some() && minute.is_none() && second.is_some() || fraction > 0 && second.is_none() {
        hand_over("this combination of fields in Intl.DateTimeFormat");
    }
    let mut parts = vec![];
    if hour.is_some() {
        let twelve = if fields.hour % 12.0 == 0.0 { 12.0 } else { fields.hour % 12.0 };
        parts.push(match is_24_hours {
            true => ("hour", format!("{:02}", fields.hour)),
            false => ("hour", digits(twelve, hour)),
        });
    }
    for (name, value, width, in_company) in [
        ("minute", fields.minute, minute, hour.is_some() || second.is_some()),
        ("second", fields.second, second, minute.is_some()),
    ] {
        if width.is_none() {
            continue;
        }
        if !parts.is_empty() {
            parts.push(literal(":"));
        }
        parts.push((name, if in_company { format!("{value:02}") } else { format!("{value}") }));
    }
    if fraction > 0 {
        parts.push(literal("."));
        parts.push(("fractionalSecond", format!("{:03}", fields.millisecond)[..fraction as usize].to_owned()));
    }
    if hour.is_some() && !is_24_hours {
        parts.push(literal("\u{202F}"));
        parts.push(("dayPeriod", if fields.hour < 12.0 { "AM" } else { "PM" }.into()));
    }
    if let Some(zone) = zone {
        if !parts.is_empty() {
            parts.push(literal(" "));
        }
        parts.push(("timeZoneName", if zone == "long" { "Coordinated Universal Time" } else { "UTC" }.into()));
    }
    parts
}

fn resolved_options(cx: &CallContext) -> JsResult {
    let (object, options) = date_format(cx, "resolvedOptions")?;
    let has_styles = options.styles != [None; 2];
    let text = |width: Width| width.map_or(Value::UNDEFINED, Value::from);
    let field = |width: Width| if has_styles { Value::UNDEFINED } else { text(width) };
    // Minutes and seconds in company have two digits, whatever was asked for.
    let in_company = |width: Width, company: bool| if company { width.and(Some("2-digit")) } else { width };
    let has_hour = options.hour.is_some();
    let hour = if options.is_24_hours { options.hour.and(Some("2-digit")) } else { options.hour };
    let cycle = if options.is_24_hours { "h23" } else { "h12" };
    Ok(described(&[
        ("locale", object.locale.into()),
        ("calendar", "gregory".into()),
        ("numberingSystem", "latn".into()),
        ("timeZone", "UTC".into()),
        ("hourCycle", if has_hour { cycle.into() } else { Value::UNDEFINED }),
        ("hour12", if has_hour { Value::bool(!options.is_24_hours) } else { Value::UNDEFINED }),
        ("weekday", field(options.weekday)),
        ("year", field(options.year)),
        ("month", field(options.month)),
        ("day", field(options.day)),
        ("hour", field(hour)),
        ("minute", field(in_company(options.minute, has_hour || options.second.is_some()))),
        ("second", field(in_company(options.second, options.minute.is_some()))),
        ("fractionalSecondDigits", if options.fraction > 0 { options.fraction.into() } else { Value::UNDEFINED }),
        ("timeZoneName", field(options.zone)),
        ("dateStyle", text(options.styles[0])),
        ("timeStyle", text(options.styles[1])),
    ]))
}
