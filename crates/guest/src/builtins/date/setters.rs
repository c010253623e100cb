//! Changing dates.

use super::calendar::{DAY, Fields, fields, full_year, make_date, make_day, make_time, time_clip};
use super::this_date;
use crate::builtin::{CallContext, methods, native};
use crate::convert::to_number;
use crate::object::Object;
use crate::throw::JsResult;

pub(super) fn install(prototype: Object) {
    methods(prototype, &[("setTime", 1, native(set_time)), ("setYear", 1, native(set_year))]);
    let table = [
        ("setDate", "setUTCDate", 1, native(|cx| set(cx, |f, values| f.day = values[0]))),
        ("setMonth", "setUTCMonth", 2, native(|cx| set(cx, |f, values| assign([&mut f.month, &mut f.day], values)))),
        ("setFullYear", "setUTCFullYear", 3, native(set_full_year)),
        (
            "setHours",
            "setUTCHours",
            4,
            native(|cx| {
                set(cx, |f, values| {
                    assign([&mut f.hour, &mut f.minute, &mut f.second, &mut f.millisecond], values);
                })
            }),
        ),
        (
            "setMinutes",
            "setUTCMinutes",
            3,
            native(|cx| set(cx, |f, values| assign([&mut f.minute, &mut f.second, &mut f.millisecond], values))),
        ),
        (
            "setSeconds",
            "setUTCSeconds",
            2,
            native(|cx| set(cx, |f, values| assign([&mut f.second, &mut f.millisecond], values))),
        ),
        ("setMilliseconds", "setUTCMilliseconds", 1, native(|cx| set(cx, |f, values| f.millisecond = values[0]))),
    ];
    for (local, utc, length, code) in table {
        methods(prototype, &[(local, length, code), (utc, length, code)]);
    }
}

fn assign<const N: usize>(fields: [&mut f64; N], values: &[f64]) {
    for (field, &value) in fields.into_iter().zip(values) {
        *field = value;
    }
}

/// The arguments as numbers; at least one (NaN if none was passed).
fn numbers(cx: &CallContext) -> JsResult<Vec<f64>> {
    let mut values = vec![to_number(cx.arg(0))?];
    for &argument in cx.rest(1).iter().take(3) {
        values.push(to_number(argument)?);
    }
    Ok(values)
}

fn time_of(f: &Fields) -> f64 {
    let day = make_day(f.year, f.month, f.day);
    time_clip(make_date(day, make_time(f.hour, f.minute, f.second, f.millisecond)))
}

/// Replaces some fields by the arguments. An invalid date stays invalid.
fn set(cx: &CallContext, change: fn(&mut Fields, &[f64])) -> JsResult {
    let date = this_date(cx)?;
    let time = date.time();
    let values = numbers(cx)?;
    if time.is_nan() {
        return Ok(f64::NAN.into());
    }
    let mut changed = fields(time);
    change(&mut changed, &values);
    date.time.set(time_of(&changed));
    Ok(date.time().into())
}

/// Unlike the others this makes an invalid date valid.
fn set_full_year(cx: &CallContext) -> JsResult {
    let date = this_date(cx)?;
    let time = date.time();
    let values = numbers(cx)?;
    let mut changed = fields(if time.is_nan() { 0.0 } else { time });
    assign([&mut changed.year, &mut changed.month, &mut changed.day], &values);
    date.time.set(time_of(&changed));
    Ok(date.time().into())
}

fn set_time(cx: &CallContext) -> JsResult {
    let date = this_date(cx)?;
    date.time.set(time_clip(to_number(cx.arg(0))?));
    Ok(date.time().into())
}

fn set_year(cx: &CallContext) -> JsResult {
    let date = this_date(cx)?;
    let year = to_number(cx.arg(0))?;
    let time = if date.time().is_nan() { 0.0 } else { date.time() };
    let f = fields(time);
    let day = make_day(full_year(year), f.month, f.day);
    date.time.set(time_clip(make_date(day, time.rem_euclid(DAY))));
    Ok(date.time().into())
}
