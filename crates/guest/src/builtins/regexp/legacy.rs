//! What `RegExp` itself tells about the last match: `RegExp.$1`, `RegExp.lastMatch`, … as V8 has them.

use super::exec::group_value;
use super::program::{Program, Span};
use crate::builtin::{CallContext, accessor, native};
use crate::convert::to_string;
use crate::object::Object;
use crate::state::State;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// A match, by where it begins: its groups are found again when somebody asks.
#[derive(Clone, Copy)]
struct LastMatch {
    program: &'static Program,
    subject: JsString,
    start: u32,
    /// What was assigned to `RegExp.input` since.
    input: Option<JsString>,
}

static LAST: State<Option<LastMatch>> = State::new(None);

/// Remembers a match.
#[inline]
pub fn remember(program: &'static Program, subject: JsString, start: u32) {
    LAST.with(|last| *last = Some(LastMatch { program, subject, start, input: None }));
}

/// Calls `body` with the text and the groups of the last match: the empty string if there was none.
fn with_last(body: impl FnOnce(JsString, &[Span]) -> Value) -> JsResult {
    let found = LAST
        .with(|last| *last)
        .and_then(|last| last.program.search(last.subject, last.start, true, |spans| body(last.subject, spans)));
    Ok(found.filter(|value| !value.is_undefined()).unwrap_or_else(|| JsString::empty().into()))
}

fn group<const NUMBER: usize>(_: &CallContext) -> JsResult {
    with_last(|subject, spans| spans.get(NUMBER).map_or(Value::UNDEFINED, |&span| group_value(subject, span)))
}

fn last_paren(_: &CallContext) -> JsResult {
    with_last(|subject, spans| match spans {
        [_, .., last] => group_value(subject, *last),
        _ => Value::UNDEFINED,
    })
}

fn left_context(_: &CallContext) -> JsResult {
    with_last(|subject, spans| subject.slice(0, spans[0][0]).into())
}

fn right_context(_: &CallContext) -> JsResult {
    with_last(|subject, spans| subject.slice(spans[0][1], subject.len()).into())
}

fn input(_: &CallContext) -> JsResult {
    let input = LAST.with(|last| last.map(|last| last.input.unwrap_or(last.subject)));
    Ok(input.unwrap_or_else(JsString::empty).into())
}

fn set_input(cx: &CallContext) -> JsResult {
    let input = to_string(cx.arg(0))?;
    LAST.with(|last| {
        if let Some(last) = last {
            last.input = Some(input);
        }
    });
    Ok(Value::UNDEFINED)
}

/// Defines the accessors. Only `input` can be assigned; other assignments do nothing.
pub(super) fn install(regexp: Object) {
    let ignored = || Some(native(|_| Ok(Value::UNDEFINED)));
    for (names, getter) in [
        (["input", "$_"], native(input)),
        (["lastMatch", "$&"], native(group::<0>)),
        (["lastParen", "$+"], native(last_paren)),
        (["leftContext", "$`"], native(left_context)),
        (["rightContext", "$'"], native(right_context)),
    ] {
        for name in names {
            let setter = if names[0] == "input" { Some(native(set_input)) } else { ignored() };
            accessor(regexp, name, getter, setter);
        }
    }
    for (name, getter) in [
        ("$1", native(group::<1>)),
        ("$2", native(group::<2>)),
        ("$3", native(group::<3>)),
        ("$4", native(group::<4>)),
        ("$5", native(group::<5>)),
        ("$6", native(group::<6>)),
        ("$7", native(group::<7>)),
        ("$8", native(group::<8>)),
        ("$9", native(group::<9>)),
    ] {
        accessor(regexp, name, getter, ignored());
    }
}
