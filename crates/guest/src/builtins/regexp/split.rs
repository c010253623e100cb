//! `RegExp.prototype[Symbol.split]`.

use super::exec::{advance, exec, group_value, last_index, set_last_index};
use super::legacy::remember;
use super::pristine::pristine;
use super::{RegExpObject, this_object};
use crate::builtin::CallContext;
use crate::call;
use crate::cell::Gc;
use crate::convert::{species_constructor, to_string, to_uint32};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{ArrayCell, Object};
use crate::realm::global;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// `RegExp.prototype[Symbol.split]`
pub fn split(cx: &CallContext) -> JsResult {
    let object = this_object(cx, "@@split")?;
    let subject = to_string(cx.arg(0))?;
    let limit = |value: Value| if value.is_undefined() { Ok(u32::MAX) } else { to_uint32(value) };
    let default = global().get("RegExp".into())?;
    if let Some(regexp) = pristine(cx.this)
        && object.get(keys::constructor())? == default
    {
        return split_pristine(regexp, subject, limit(cx.arg(1))?);
    }
    let constructor = match default.as_object() {
        Some(default) => Value::from(species_constructor(object, default)?),
        None => default,
    };
    let flags = to_string(object.get(keys::flags())?)?;
    let is_unicode = flags.units().iter().any(|unit| matches!(unit, 0x75 | 0x76));
    let is_sticky = flags.units().iter().any(|unit| unit == b'y' as u16);
    let flags = if is_sticky { flags } else { flags.concat(JsString::from_str("y"))? };
    let splitter = call::construct(constructor, &[object.into(), flags.into()], constructor)?;
    split_generic(splitter, subject, limit(cx.arg(1))?, is_unicode)
}

fn split_pristine(regexp: Gc<RegExpObject>, subject: JsString, limit: u32) -> JsResult {
    let parts = ArrayCell::with_capacity(0);
    if limit == 0 {
        return Ok(parts.into());
    }
    let program = regexp.program.get();
    if subject.is_empty() {
        if program.search(subject, 0, false, |_| ()).is_none() {
            parts.push(subject.into());
        }
        return Ok(parts.into());
    }
    let (mut copied, mut from) = (0, 0);
    let mut spans = Vec::new();
    while from < subject.len() && program.search(subject, from, false, |found| found.clone_into(&mut spans)).is_some() {
        let [start, end] = spans[0];
        remember(program, subject, start);
        if start >= subject.len() {
            break;
        }
        if end == copied {
            from = advance(subject, start as u64, regexp.flags().is_unicode()) as u32;
            continue;
        }
        parts.push(subject.slice(copied, start).into());
        for &span in &spans[1..] {
            if parts.len() == limit {
                return Ok(parts.into());
            }
            parts.push(group_value(subject, span));
        }
        if parts.len() >= limit {
            return Ok(parts.into());
        }
        copied = end;
        from = end;
    }
    parts.push(subject.slice(copied, subject.len()).into());
    Ok(parts.into())
}

/// As the specification has it, with a sticky copy of the regular expression.
fn split_generic(splitter: Object, subject: JsString, limit: u32, is_unicode: bool) -> JsResult {
    let parts = ArrayCell::with_capacity(0);
    if limit == 0 {
        return Ok(parts.into());
    }
    if subject.is_empty() {
        if exec(splitter, subject)?.is_none() {
            parts.push(subject.into());
        }
        return Ok(parts.into());
    }
    let length = subject.len();
    let (mut copied, mut from) = (0, 0);
    while from < length {
        set_last_index(splitter, from as u64)?;
        let result = exec(splitter, subject)?;
        let end = match result {
            Some(_) => last_index(splitter)?.min(length as u64) as u32,
            None => copied,
        };
        let Some(result) = result.filter(|_| end != copied) else {
            from = advance(subject, from as u64, is_unicode) as u32;
            continue;
        };
        parts.push(subject.slice(copied, from).into());
        if parts.len() == limit {
            return Ok(parts.into());
        }
        copied = end;
        for index in 1..result.length()?.max(1) {
            parts.push(result.get(PropertyKey::integer(index))?);
            if parts.len() == limit {
                return Ok(parts.into());
            }
        }
        from = copied;
    }
    parts.push(subject.slice(copied, length).into());
    Ok(parts.into())
}
