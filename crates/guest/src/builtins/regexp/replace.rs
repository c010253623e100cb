//! `RegExp.prototype[Symbol.replace]`.

use super::exec::{advance, exec, find, group_value, groups, last_index, set_last_index};
use super::flags::Flags;
use super::legacy::remember;
use super::pristine::pristine;
use super::program::{Span, took_part};
use super::{RegExpObject, this_object};
use crate::builtin::CallContext;
use crate::builtins::string::{Captures, substitute};
use crate::call;
use crate::cell::Gc;
use crate::convert::{to_integer_or_infinity, to_object, to_string};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::string::{JsString, StringBuilder, Units};
use crate::throw::JsResult;
use crate::value::Value;

/// What matches are replaced by.
enum Replacement {
    Function(Value),
    /// A text without references.
    Verbatim(JsString),
    Template(JsString),
}

fn replacement(value: Value) -> JsResult<Replacement> {
    if call::is_callable(value) {
        return Ok(Replacement::Function(value));
    }
    let template = to_string(value)?;
    let has_references = template.units().iter().any(|unit| unit == b'$' as u16);
    Ok(if has_references { Replacement::Template(template) } else { Replacement::Verbatim(template) })
}

/// Units `start..end` of a string.
fn part(string: JsString, start: u32, end: u32) -> Units {
    match string.units() {
        Units::Latin1(units) => Units::Latin1(&units[start as usize..end as usize]),
        Units::Utf16(units) => Units::Utf16(&units[start as usize..end as usize]),
    }
}

/// `RegExp.prototype[Symbol.replace]`
pub fn replace(cx: &CallContext) -> JsResult {
    let object = this_object(cx, "@@replace")?;
    let subject = to_string(cx.arg(0))?;
    let replacement = replacement(cx.arg(1))?;
    match pristine(cx.this) {
        Some(regexp) => replace_pristine(regexp, subject, &replacement),
        None => replace_generic(object, subject, &replacement),
    }
}

/// Without match arrays: all matches are found first, as the specification wants, then replaced.
fn replace_pristine(regexp: Gc<RegExpObject>, subject: JsString, replacement: &Replacement) -> JsResult {
    let flags = regexp.flags();
    if !flags.has(Flags::GLOBAL) {
        let Some(spans) = find(regexp, subject, <[Span]>::to_vec)? else { return Ok(subject.into()) };
        let mut out = StringBuilder::with_capacity(subject.len() as usize);
        out.push_units(part(subject, 0, spans[0][0]));
        append(&mut out, regexp, subject, &spans, replacement, &mut Vec::new())?;
        out.push_units(part(subject, spans[0][1], subject.len()));
        return Ok(out.finish()?.into());
    }
    set_last_index(regexp.object(), 0)?;
    let mut copied = 0;
    if let Replacement::Verbatim(text) = replacement {
        let text = text.units();
        if let Some(units) = regexp.program.get().single_units()
            && !regexp.flags().has(Flags::STICKY)
            && let (Units::Latin1(subject_units), Units::Latin1(&[by])) = (subject.units(), text)
        {
            let Some(first) = subject_units.iter().position(|&unit| units[unit as usize]) else {
                return Ok(subject.into());
            };
            let last = subject_units.iter().rposition(|&unit| units[unit as usize]).unwrap_or(first);
            remember(regexp.program.get(), subject, last as u32);
            let (before, rest) = subject_units.split_at(first);
            let mut out = StringBuilder::with_capacity(subject_units.len());
            out.push_latin1(before);
            out.extend_latin1(rest.iter().map(|&unit| if units[unit as usize] { by } else { unit }));
            return Ok(out.finish()?.into());
        }
        let mut out: Option<StringBuilder> = None;
        let mut last = 0;
        regexp.program.get().for_each_match(subject, |spans| {
            let out = out.get_or_insert_with(|| StringBuilder::with_capacity(subject.len() as usize));
            out.push_units(part(subject, copied, spans[0][0]));
            out.push_units(text);
            copied = spans[0][1];
            last = spans[0][0];
        });
        let Some(mut out) = out else { return Ok(subject.into()) };
        remember(regexp.program.get(), subject, last);
        out.push_units(part(subject, copied, subject.len()));
        return Ok(out.finish()?.into());
    }
    let mut all: Vec<Span> = Vec::new();
    let mut group_count = 1;
    regexp.program.get().for_each_match(subject, |spans| {
        all.extend_from_slice(spans);
        group_count = spans.len();
    });
    if all.is_empty() {
        return Ok(subject.into());
    }
    let mut out = StringBuilder::with_capacity(subject.len() as usize);
    let mut arguments = Vec::with_capacity(group_count + 3);
    remember(regexp.program.get(), subject, all[all.len() - group_count][0]);
    for spans in all.chunks_exact(group_count) {
        let [from, to] = spans[0];
        out.push_units(part(subject, copied, from));
        append(&mut out, regexp, subject, spans, replacement, &mut arguments)?;
        copied = to;
    }
    out.push_units(part(subject, copied, subject.len()));
    Ok(out.finish()?.into())
}

/// Appends what replaces one match. `arguments` is memory for those of a function.
#[inline]
fn append(
    out: &mut StringBuilder,
    regexp: Gc<RegExpObject>,
    subject: JsString,
    spans: &[Span],
    replacement: &Replacement,
    arguments: &mut Vec<Value>,
) -> JsResult<()> {
    match replacement {
        Replacement::Verbatim(text) => out.push_string(*text),
        Replacement::Function(function) => {
            let program = regexp.program.get();
            arguments.clear();
            arguments.extend(spans.iter().map(|&span| group_value(subject, span)));
            arguments.push(Value::from(spans[0][0]));
            arguments.push(subject.into());
            let named = groups(program, |index| group_value(subject, spans[index]));
            if !named.is_undefined() {
                arguments.push(named);
            }
            out.push_string(to_string(call::call(*function, Value::UNDEFINED, arguments)?)?);
        }
        Replacement::Template(template) => {
            let text = |&span: &Span| took_part(span).then(|| subject.slice(span[0], span[1]));
            let named = groups(regexp.program.get(), |index| group_value(subject, spans[index])).as_object();
            let groups: Vec<Option<JsString>> = spans[1..].iter().map(text).collect();
            substitute(
                out,
                *template,
                &Captures { subject, matched: (spans[0][0], spans[0][1]), claimed: None, groups: &groups, named },
            )?;
        }
    }
    Ok(())
}

fn has_unit(string: JsString, unit: u8) -> bool {
    string.units().iter().any(|other| other == unit as u16)
}

/// As the specification has it, through `exec` and properties.
fn replace_generic(object: crate::object::Object, subject: JsString, replacement: &Replacement) -> JsResult {
    let flags = to_string(object.get(keys::flags())?)?;
    let is_global = has_unit(flags, b'g');
    let is_unicode = has_unit(flags, b'u') || has_unit(flags, b'v');
    if is_global {
        set_last_index(object, 0)?;
    }
    let mut results = vec![];
    while let Some(result) = exec(object, subject)? {
        results.push(result);
        if !is_global {
            break;
        }
        if to_string(result.get(PropertyKey::index(0))?)?.is_empty() {
            set_last_index(object, advance(subject, last_index(object)?, is_unicode))?;
        }
    }
    let mut out = StringBuilder::with_capacity(subject.len() as usize);
    let mut copied = 0;
    for result in results {
        let count = result.length()?.max(1) - 1;
        let matched = to_string(result.get(PropertyKey::index(0))?)?;
        let position = to_integer_or_infinity(result.get(keys::index())?)?.clamp(0.0, subject.len() as f64) as u32;
        let mut captures = vec![];
        for index in 1..=count {
            let capture = result.get(PropertyKey::integer(index))?;
            captures.push(if capture.is_undefined() { None } else { Some(to_string(capture)?) });
        }
        let named = result.get(keys::groups())?;
        let mut text = StringBuilder::new();
        match replacement {
            Replacement::Verbatim(verbatim) => {
                if !named.is_undefined() {
                    to_object(named)?;
                }
                text.push_string(*verbatim);
            }
            Replacement::Function(function) => {
                let mut arguments = vec![matched.into()];
                arguments.extend(captures.iter().map(|capture| capture.map_or(Value::UNDEFINED, Value::from)));
                arguments.extend([Value::from(position), subject.into()]);
                if !named.is_undefined() {
                    arguments.push(named);
                }
                text.push_string(to_string(call::call(*function, Value::UNDEFINED, &arguments)?)?);
            }
            Replacement::Template(template) => {
                let named = if named.is_undefined() { None } else { Some(to_object(named)?) };
                let end = position.saturating_add(matched.len()).min(subject.len());
                let captures =
                    Captures { subject, matched: (position, end), claimed: Some(matched), groups: &captures, named };
                substitute(&mut text, *template, &captures)?;
            }
        }
        if position >= copied {
            out.push_units(part(subject, copied, position));
            out.push_string(text.finish()?);
            copied = position.saturating_add(matched.len()).min(subject.len());
        }
    }
    out.push_units(part(subject, copied, subject.len()));
    Ok(out.finish()?.into())
}
