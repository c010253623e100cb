//! `Date` (ECMA-262 §21.4). The time zone is UTC and the clock is the execution's.

pub mod calendar;
mod format;
mod getters;
mod parse;
mod setters;

use core::cell::Cell;

use calendar::{full_year, make_date, make_day, make_time, time_clip};

use crate::builtin::{CallContext, constructor, methods, native, native_constructor};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{Hint, to_number, to_primitive, to_string};
use crate::memory::time_ms;
use crate::object::{Attributes, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A date.
#[repr(C)]
pub struct DateObject {
    header: ObjectHeader,
    /// Milliseconds since 1970 in UTC; NaN if invalid.
    time: Cell<f64>,
}

// SAFETY: only `DateObject::new` makes cells of this kind.
unsafe impl ObjectKind for DateObject {
    const KIND: u8 = kind::DATE;
}

impl DateObject {
    /// A date with that prototype and time value.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(prototype: Object, time: f64) -> Gc<DateObject> {
        Gc::new(DateObject { header: ObjectHeader::new::<DateObject>(prototype), time: Cell::new(time) })
    }

    /// The time value.
    pub fn time(&self) -> f64 {
        self.time.get()
    }

    /// `toISOString`; `None` if invalid.
    pub fn iso(&self) -> Option<String> {
        let time = self.time.get();
        (!time.is_nan()).then(|| format::iso(time))
    }
}

/// Defines `Date`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::DatePrototype);
    let date = constructor("Date", 7, native_constructor(construct), prototype);
    methods(
        date,
        &[("now", 0, native(|_| Ok(time_ms().floor().into()))), ("parse", 1, native(parse)), ("UTC", 7, native(utc))],
    );
    getters::install(prototype);
    setters::install(prototype);
    let to_primitive = crate::builtin::method(prototype, "@@toPrimitive", 1, native(to_primitive_method));
    prototype.define(crate::symbol::to_primitive(), to_primitive.into(), Attributes::CONFIGURABLE);
}

/// `this` as a date; TypeError if it is none.
fn this_date(cx: &CallContext) -> JsResult<Gc<DateObject>> {
    cx.this.as_kind::<DateObject>().ok_or_else(|| throw_type_error("this is not a Date object."))
}

fn construct(cx: &CallContext) -> JsResult {
    if !cx.is_construct() {
        return Ok(format::full(time_ms().floor()).as_str().into());
    }
    let time = match cx.arguments {
        [] => time_ms().floor(),
        [only] => match only.as_kind::<DateObject>() {
            Some(date) => date.time(),
            None => {
                let primitive = to_primitive(*only, Hint::Default)?;
                match primitive.as_string() {
                    Some(string) => parse::parse(string.units()),
                    None => time_clip(to_number(primitive)?),
                }
            }
        },
        _ => components(cx)?,
    };
    Ok(DateObject::new(cx.new_prototype(Intrinsic::DatePrototype)?, time).into())
}

/// Time value of year, month, day, … as arguments.
fn components(cx: &CallContext) -> JsResult<f64> {
    let mut parts = [f64::NAN, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    for (part, &argument) in parts.iter_mut().zip(cx.arguments) {
        *part = to_number(argument)?;
    }
    let [year, month, day, hour, minute, second, millisecond] = parts;
    let day = make_day(full_year(year), month, day);
    Ok(time_clip(make_date(day, make_time(hour, minute, second, millisecond))))
}

fn utc(cx: &CallContext) -> JsResult {
    Ok(components(cx)?.into())
}

fn parse(cx: &CallContext) -> JsResult {
    Ok(parse::parse(to_string(cx.arg(0))?.units()).into())
}

fn to_primitive_method(cx: &CallContext) -> JsResult {
    let Some(object) = cx.this.as_object() else {
        return Err(throw_type_error("Date.prototype[Symbol.toPrimitive] called on non-object"));
    };
    let hint = cx.arg(0).as_string();
    let order = match hint {
        Some(hint) if hint.is("string") || hint.is("default") => ["toString", "valueOf"],
        Some(hint) if hint.is("number") => ["valueOf", "toString"],
        _ => {
            let shown = crate::error::describe(cx.arg(0));
            return Err(throw_type_error(format!("Invalid hint: {}", shown.trim_matches('"'))));
        }
    };
    for name in order {
        let method = object.get(name.into())?;
        if crate::call::is_callable(method) {
            let result: Value = crate::call::call(method, cx.this, &[])?;
            if !result.is_object() {
                return Ok(result);
            }
        }
    }
    Err(throw_type_error("Cannot convert object to primitive value"))
}
