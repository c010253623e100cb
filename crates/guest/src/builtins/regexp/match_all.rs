//! `RegExp.prototype[Symbol.match]`, `[Symbol.matchAll]` and `[Symbol.search]`.

use super::exec::{advance, exec, group_value, last_index, set_last_index};
use super::flags::Flags;
use super::iterator::new_iterator;
use super::legacy::remember;
use super::pristine::pristine;
use super::program::Span;
use super::this_object;
use crate::builtin::CallContext;
use crate::call;
use crate::convert::{same_value, species_constructor, to_string};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{ArrayCell, Object};
use crate::realm::global;
use crate::state::State;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

fn has_unit(string: JsString, unit: u8) -> bool {
    string.units().iter().any(|other| other == unit as u16)
}

/// `RegExp.prototype[Symbol.match]`
pub fn match_method(cx: &CallContext) -> JsResult {
    let object = this_object(cx, "@@match")?;
    let subject = to_string(cx.arg(0))?;
    if let Some(regexp) = pristine(cx.this) {
        if !regexp.flags().has(Flags::GLOBAL) {
            return super::exec::builtin_exec(regexp, subject);
        }
        return pristine_matches(regexp, subject);
    }
    let flags = to_string(object.get(keys::flags())?)?;
    if !has_unit(flags, b'g') {
        return Ok(exec(object, subject)?.map_or(Value::NULL, Value::from));
    }
    let is_unicode = has_unit(flags, b'u') || has_unit(flags, b'v');
    set_last_index(object, 0)?;
    let matches = ArrayCell::with_capacity(0);
    while let Some(result) = exec(object, subject)? {
        let text = to_string(result.get(PropertyKey::index(0))?)?;
        matches.push(text.into());
        if text.is_empty() {
            set_last_index(object, advance(subject, last_index(object)?, is_unicode))?;
        }
    }
    Ok(if matches.is_empty() { Value::NULL } else { matches.into() })
}

/// Memory for the matches of one call, so that their array has the right size at once.
static WHOLE_MATCHES: State<Vec<Span>> = State::new(Vec::new());

/// All matches of a global regular expression, without match arrays.
fn pristine_matches(regexp: crate::cell::Gc<super::RegExpObject>, subject: JsString) -> JsResult {
    set_last_index(regexp.object(), 0)?;
    WHOLE_MATCHES.with(|whole| {
        whole.clear();
        regexp.program.get().for_each_match(subject, |spans| whole.push(spans[0]));
        if whole.is_empty() {
            return Ok(Value::NULL);
        }
        whole.last().iter().for_each(|last| remember(regexp.program.get(), subject, last[0]));
        let matches = ArrayCell::with_capacity(whole.len() as u32);
        whole.iter().for_each(|&span| matches.push(group_value(subject, span)));
        Ok(matches.into())
    })
}

/// `RegExp.prototype[Symbol.matchAll]`
pub(super) fn match_all(cx: &CallContext) -> JsResult {
    let object = this_object(cx, "@@matchAll")?;
    let subject = to_string(cx.arg(0))?;
    let default = global().get("RegExp".into())?;
    let constructor = match default.as_object() {
        Some(default) => Value::from(species_constructor(object, default)?),
        None => default,
    };
    let flags = to_string(object.get(keys::flags())?)?;
    let matcher: Object = call::construct(constructor, &[object.into(), flags.into()], constructor)?;
    set_last_index(matcher, last_index(object)?)?;
    let is_unicode = has_unit(flags, b'u') || has_unit(flags, b'v');
    Ok(new_iterator(matcher, subject, has_unit(flags, b'g'), is_unicode))
}

/// `RegExp.prototype[Symbol.search]`
pub fn search(cx: &CallContext) -> JsResult {
    let object = this_object(cx, "@@search")?;
    let subject = to_string(cx.arg(0))?;
    let previous = object.get(keys::last_index())?;
    if !same_value(previous, Value::int(0)) {
        object.set(keys::last_index(), Value::int(0))?;
    }
    let result = exec(object, subject)?;
    if !same_value(object.get(keys::last_index())?, previous) {
        object.set(keys::last_index(), previous)?;
    }
    match result {
        Some(result) => result.get(keys::index()),
        None => Ok(Value::int(-1)),
    }
}
