//! Units, code points and parts of strings.

use super::{position, this_string};
use crate::builtin::{CallContext, methods, native};
use crate::convert::{to_integer_or_infinity, to_relative_index};
use crate::object::Object;
use crate::string::{JsString, StringBuilder, Units};
use crate::throw::JsResult;
use crate::value::Value;

pub(super) fn install(prototype: Object) {
    methods(
        prototype,
        &[
            ("at", 1, native(at)),
            ("charAt", 1, native(char_at)),
            ("charCodeAt", 1, native(char_code_at)),
            ("codePointAt", 1, native(code_point_at)),
            ("slice", 2, native(slice)),
            ("substring", 2, native(substring)),
            ("substr", 2, native(substr)),
            ("isWellFormed", 0, native(is_well_formed)),
            ("toWellFormed", 0, native(to_well_formed)),
        ],
    );
}

/// The first argument as the index of a unit.
#[inline]
fn index(cx: &CallContext, string: JsString) -> JsResult<Option<u32>> {
    let index = match cx.arg(0).as_int() {
        Some(int) => int as f64,
        None => to_integer_or_infinity(cx.arg(0))?,
    };
    Ok((index >= 0.0 && index < string.len() as f64).then_some(index as u32))
}

fn at(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "at")?;
    let relative = to_integer_or_infinity(cx.arg(0))?;
    let index = if relative < 0.0 { string.len() as f64 + relative } else { relative };
    if index < 0.0 || index >= string.len() as f64 {
        return Ok(Value::UNDEFINED);
    }
    Ok(string.unit(index as u32).map_or(Value::UNDEFINED, |unit| JsString::from_unit(unit).into()))
}

fn char_at(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "charAt")?;
    let unit = index(cx, string)?.and_then(|index| string.unit(index));
    Ok(unit.map_or_else(JsString::empty, JsString::from_unit).into())
}

fn char_code_at(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "charCodeAt")?;
    let unit = index(cx, string)?.and_then(|index| string.unit(index));
    Ok(unit.map_or(Value::double(f64::NAN), |unit| Value::int(unit as i32)))
}

fn code_point_at(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "codePointAt")?;
    let point = index(cx, string)?.and_then(|index| string.units().code_point(index as usize));
    Ok(point.map_or(Value::UNDEFINED, |(point, _)| Value::int(point as i32)))
}

fn slice(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "slice")?;
    let length = string.len() as u64;
    let start = to_relative_index(cx.arg(0), length, 0)? as u32;
    let end = to_relative_index(cx.arg(1), length, length)? as u32;
    Ok(string.slice(start, end.max(start)).into())
}

fn substring(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "substring")?;
    let length = string.len();
    let start = position(cx.arg(0), length)?;
    let end = if cx.arg(1).is_undefined() { length } else { position(cx.arg(1), length)? };
    Ok(string.slice(start.min(end), start.max(end)).into())
}

fn substr(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "substr")?;
    let length = string.len();
    let start = to_relative_index(cx.arg(0), length as u64, 0)? as u32;
    let count = if cx.arg(1).is_undefined() { length } else { position(cx.arg(1), length)? };
    Ok(string.slice(start, start + count.min(length - start)).into())
}

fn is_lone(units: &[u16], index: usize) -> bool {
    match units[index] & 0xFC00 {
        0xD800 => units.get(index + 1).is_none_or(|next| next & 0xFC00 != 0xDC00),
        0xDC00 => index == 0 || units[index - 1] & 0xFC00 != 0xD800,
        _ => false,
    }
}

fn is_well_formed(cx: &CallContext) -> JsResult {
    Ok(match this_string(cx, "isWellFormed")?.units() {
        Units::Latin1(_) => true,
        Units::Utf16(units) => !(0..units.len()).any(|index| is_lone(units, index)),
    }
    .into())
}

fn to_well_formed(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "toWellFormed")?;
    let Units::Utf16(units) = string.units() else { return Ok(string.into()) };
    let mut builder = StringBuilder::with_capacity(units.len());
    for (index, &unit) in units.iter().enumerate() {
        builder.push_unit(if is_lone(units, index) { 0xFFFD } else { unit });
    }
    Ok(builder.finish()?.into())
}
