//! Reading dates: parts and text.

use super::calendar::{Fields, fields};
use super::{format, this_date};
use crate::builtin::{CallContext, methods, native};
use crate::builtins::intl::date_format;
use crate::builtins::intl::date_options::Fields as Shown;
use crate::convert::{Hint, to_object, to_primitive};
use crate::object::{Attributes, Object};
use crate::throw::{JsResult, throw_range_error};
use crate::value::Value;

macro_rules! parts {
    ($($local:literal $utc:literal |$fields:ident| $part:expr;)*) => {
        fn install_parts(prototype: Object) {
            $({
                let get = native(|cx| part(cx, |$fields| $part));
                methods(prototype, &[($local, 0, get), ($utc, 0, get)]);
            })*
        }
    };
}

parts! {
    "getDate" "getUTCDate" |fields| fields.day;
    "getDay" "getUTCDay" |fields| fields.weekday;
    "getFullYear" "getUTCFullYear" |fields| fields.year;
    "getHours" "getUTCHours" |fields| fields.hour;
    "getMilliseconds" "getUTCMilliseconds" |fields| fields.millisecond;
    "getMinutes" "getUTCMinutes" |fields| fields.minute;
    "getMonth" "getUTCMonth" |fields| fields.month;
    "getSeconds" "getUTCSeconds" |fields| fields.second;
}

pub(super) fn install(prototype: Object) {
    methods(
        prototype,
        &[
            ("toString", 0, native(|cx| text(cx, format::full))),
            ("toDateString", 0, native(|cx| text(cx, format::date_string))),
            ("toTimeString", 0, native(|cx| text(cx, format::time_string))),
            ("toISOString", 0, native(to_iso_string)),
            ("toUTCString", 0, native(|cx| text(cx, format::utc))),
        ],
    );
    install_parts(prototype);
    methods(
        prototype,
        &[
            ("getTime", 0, native(get_time)),
            ("getTimezoneOffset", 0, native(|cx| part(cx, |_| 0.0))),
            ("getYear", 0, native(|cx| part(cx, |fields| fields.year - 1900.0))),
            ("valueOf", 0, native(get_time)),
            ("toJSON", 1, native(to_json)),
            ("toLocaleString", 0, native(to_locale_string)),
            ("toLocaleDateString", 0, native(to_locale_date_string)),
            ("toLocaleTimeString", 0, native(to_locale_time_string)),
        ],
    );
    if let Some(property) = prototype.ordinary_get_own("toUTCString".into())
        && let crate::object::Content::Data(method) = property.content
    {
        prototype.define("toGMTString", method, Attributes::HIDDEN);
    }
}

#[inline]
fn part(cx: &CallContext, of: fn(&Fields) -> f64) -> JsResult {
    let time = this_date(cx)?.time();
    Ok(if time.is_nan() { f64::NAN } else { of(&fields(time)) }.into())
}

fn get_time(cx: &CallContext) -> JsResult {
    Ok(this_date(cx)?.time().into())
}

fn text(cx: &CallContext, format: fn(f64) -> String) -> JsResult {
    let time = this_date(cx)?.time();
    Ok(if time.is_nan() { "Invalid Date".into() } else { format(time).as_str().into() })
}

fn to_locale_string(cx: &CallContext) -> JsResult {
    in_locale(cx, "Date.prototype.toLocaleString", (Shown::All, Shown::All))
}

fn to_locale_date_string(cx: &CallContext) -> JsResult {
    in_locale(cx, "Date.prototype.toLocaleDateString", (Shown::Date, Shown::Date))
}

fn to_locale_time_string(cx: &CallContext) -> JsResult {
    in_locale(cx, "Date.prototype.toLocaleTimeString", (Shown::Time, Shown::Time))
}

fn in_locale(cx: &CallContext, owner: &'static str, fields: (Shown, Shown)) -> JsResult {
    let time = this_date(cx)?.time();
    date_format::to_locale_string(time, (cx.arg(0), cx.arg(1)), owner, fields)
}

fn to_iso_string(cx: &CallContext) -> JsResult {
    match this_date(cx)?.iso() {
        Some(text) => Ok(text.as_str().into()),
        None => Err(throw_range_error("Invalid time value")),
    }
}

fn to_json(cx: &CallContext) -> JsResult {
    let object = to_object(cx.this)?;
    let primitive = to_primitive(object.into(), Hint::Number)?;
    if primitive.as_number().is_some_and(|number| !number.is_finite()) {
        return Ok(Value::NULL);
    }
    object.invoke("toISOString".into(), &[])
}
