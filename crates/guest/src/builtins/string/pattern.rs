//! Methods that take a string or a regular expression: split, replace, match, search.

use super::substitution::{Captures, substitute};
use super::this_string;
use crate::builtin::{CallContext, methods, native};
use crate::builtins::regexp;
use crate::call;
use crate::convert::{to_string, to_uint32};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{ArrayCell, Object};
use crate::string::{JsString, StringBuilder, Units};
use crate::symbol::{self, Symbol};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

pub(super) fn install(prototype: Object) {
    methods(
        prototype,
        &[
            ("split", 2, native(split)),
            ("replace", 2, native(replace)),
            ("replaceAll", 2, native(replace_all)),
            ("match", 1, native(match_method)),
            ("matchAll", 1, native(match_all)),
            ("search", 1, native(search)),
        ],
    );
}

/// The method an object brings along for the operation; primitives are taken as text.
fn protocol(value: Value, symbol: Symbol) -> JsResult<Option<Object>> {
    match value.as_object() {
        Some(object) => object.get_method(symbol.into()),
        None => Ok(None),
    }
}

/// Calls the method of a regular expression that is as the realm made it, without looking it up.
fn call_directly(cx: &CallContext, method: fn(&CallContext) -> JsResult, arguments: &[Value]) -> Option<JsResult> {
    let this = cx.arg(0);
    regexp::is_pristine(this)
        .then(|| method(&CallContext { callee: cx.callee, this, new_target: Value::UNDEFINED, arguments }))
}

/// TypeError for undefined and null, before anything else.
fn require_this(cx: &CallContext, method: &str) -> JsResult<()> {
    crate::convert::require_coercible(cx.this, format_args!("String.prototype.{method}")).map(|_| ())
}

fn split(cx: &CallContext) -> JsResult {
    require_this(cx, "split")?;
    if let Some(result) = call_directly(cx, regexp::split, &[cx.this, cx.arg(1)]) {
        return result;
    }
    let (separator, limit) = (cx.arg(0), cx.arg(1));
    if let Some(method) = protocol(separator, symbol::split())? {
        return call::call(method.into(), separator, &[cx.this, limit]);
    }
    let string = this_string(cx, "split")?;
    let limit = if limit.is_undefined() { u32::MAX } else { to_uint32(limit)? };
    let needle = to_string(separator)?;
    if limit == 0 {
        return Ok(ArrayCell::with_capacity(0).into());
    }
    if separator.is_undefined() {
        return Ok(ArrayCell::from_slice(&[string.into()]).into());
    }
    let parts = if needle.is_empty() { split_units(string, limit) } else { split_at(string, needle, limit) };
    Ok(parts.into())
}

fn split_units(string: JsString, limit: u32) -> crate::cell::Gc<ArrayCell> {
    let count = string.len().min(limit);
    let array = ArrayCell::with_capacity(count);
    for unit in string.units().iter().take(count as usize) {
        array.push(JsString::from_unit(unit).into());
    }
    array
}

/// As [`split_at`], for one unit: the parts are counted first.
fn split_at_unit(string: JsString, text: &[u8], separator: u8, limit: u32) -> crate::cell::Gc<ArrayCell> {
    let count = 1 + text.iter().filter(|&&unit| unit == separator).count() as u32;
    let mut start = 0;
    let parts = text.split(|&unit| unit == separator).map(|part| {
        let part_start = start;
        start += part.len() as u32 + 1;
        Value::from(string.slice(part_start, start - 1))
    });
    ArrayCell::from_iter(count.min(limit), parts)
}

fn split_at(string: JsString, needle: JsString, limit: u32) -> crate::cell::Gc<ArrayCell> {
    if let (Units::Latin1(text), Units::Latin1(&[separator])) = (string.units(), needle.units()) {
        return split_at_unit(string, text, separator, limit);
    }
    let array = ArrayCell::with_capacity(0);
    let mut start = 0;
    while let Some(found) = string.index_of(needle, start) {
        array.push(string.slice(start, found).into());
        if array.len() == limit {
            return array;
        }
        start = found + needle.len();
    }
    array.push(string.slice(start, string.len()).into());
    array
}

fn replace(cx: &CallContext) -> JsResult {
    require_this(cx, "replace")?;
    if let Some(result) = call_directly(cx, regexp::replace, &[cx.this, cx.arg(1)]) {
        return result;
    }
    let (pattern, replacement) = (cx.arg(0), cx.arg(1));
    if let Some(method) = protocol(pattern, symbol::replace())? {
        return call::call(method.into(), pattern, &[cx.this, replacement]);
    }
    let string = this_string(cx, "replace")?;
    replace_plain(string, to_string(pattern)?, replacement, false)
}

fn replace_all(cx: &CallContext) -> JsResult {
    require_this(cx, "replaceAll")?;
    let (pattern, replacement) = (cx.arg(0), cx.arg(1));
    if let Some(object) = pattern.as_object() {
        if regexp::is_regexp(pattern)? {
            require_global(object, "replaceAll")?;
        }
        if let Some(method) = object.get_method(symbol::replace().into())? {
            return call::call(method.into(), pattern, &[cx.this, replacement]);
        }
    }
    let string = this_string(cx, "replaceAll")?;
    replace_plain(string, to_string(pattern)?, replacement, true)
}

/// Replaces the first occurrence of a string, or all.
fn replace_plain(string: JsString, needle: JsString, replacement: Value, all: bool) -> JsResult {
    let is_function = call::is_callable(replacement);
    let template = if is_function { JsString::empty() } else { to_string(replacement)? };
    let is_verbatim = !is_function && !contains_dollar(template);
    let Some(first) = string.index_of(needle, 0) else { return Ok(string.into()) };
    if is_verbatim && !all {
        let tail = string.slice(first + needle.len(), string.len());
        return Ok(string.slice(0, first).concat(template)?.concat(tail)?.into());
    }
    let mut out = StringBuilder::with_capacity(string.len() as usize);
    let mut copied = 0;
    let mut next = Some(first);
    while let Some(start) = next {
        let end = start + needle.len();
        out.push_units(part(string, copied, start));
        if is_verbatim {
            out.push_string(template);
        } else if is_function {
            let arguments = [needle.into(), Value::from(start), string.into()];
            out.push_string(to_string(call::call(replacement, Value::UNDEFINED, &arguments)?)?);
        } else {
            substitute(
                &mut out,
                template,
                &Captures { subject: string, matched: (start, end), claimed: None, groups: &[], named: None },
            )?;
        }
        copied = end;
        let from = end.max(start + 1);
        next = if all && from <= string.len() { string.index_of(needle, from) } else { None };
    }
    out.push_units(part(string, copied, string.len()));
    Ok(out.finish()?.into())
}

/// Units `start..end` of a string.
fn part(string: JsString, start: u32, end: u32) -> Units {
    match string.units() {
        Units::Latin1(units) => Units::Latin1(&units[start as usize..end as usize]),
        Units::Utf16(units) => Units::Utf16(&units[start as usize..end as usize]),
    }
}

fn contains_dollar(template: JsString) -> bool {
    template.units().iter().any(|unit| unit == b'$' as u16)
}

/// TypeError unless the regular expression has the flag `g`.
fn require_global(object: Object, method: &str) -> JsResult<()> {
    let flags = object.get(keys::flags())?;
    if flags.is_nullish() || !to_string(flags)?.units().iter().any(|unit| unit == b'g' as u16) {
        return Err(throw_type_error(format!("String.prototype.{method} called with a non-global RegExp argument")));
    }
    Ok(())
}

/// Compiles a pattern given as text and calls its method.
fn with_new_regexp(cx: &CallContext, method: &str, flags: &str, symbol: Symbol) -> JsResult {
    let string = this_string(cx, method)?;
    let pattern = if cx.arg(0).is_undefined() { JsString::empty() } else { to_string(cx.arg(0))? };
    let regexp = regexp::create(pattern, JsString::from_str(flags))?;
    call::invoke(regexp, PropertyKey::from(symbol), &[string.into()])
}

fn match_method(cx: &CallContext) -> JsResult {
    require_this(cx, "match")?;
    if let Some(result) = call_directly(cx, regexp::match_method, &[cx.this]) {
        return result;
    }
    if let Some(method) = protocol(cx.arg(0), symbol::match_())? {
        return call::call(method.into(), cx.arg(0), &[cx.this]);
    }
    with_new_regexp(cx, "match", "", symbol::match_())
}

fn match_all(cx: &CallContext) -> JsResult {
    require_this(cx, "matchAll")?;
    if let Some(object) = cx.arg(0).as_object() {
        if regexp::is_regexp(cx.arg(0))? {
            require_global(object, "matchAll")?;
        }
        if let Some(method) = object.get_method(symbol::match_all().into())? {
            return call::call(method.into(), cx.arg(0), &[cx.this]);
        }
    }
    with_new_regexp(cx, "matchAll", "g", symbol::match_all())
}

fn search(cx: &CallContext) -> JsResult {
    require_this(cx, "search")?;
    if let Some(result) = call_directly(cx, regexp::search, &[cx.this]) {
        return result;
    }
    if let Some(method) = protocol(cx.arg(0), symbol::search())? {
        return call::call(method.into(), cx.arg(0), &[cx.this]);
    }
    with_new_regexp(cx, "search", "", symbol::search())
}
