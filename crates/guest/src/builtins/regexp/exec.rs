//! Executing regular expressions (ECMA-262 §22.2.7).

use super::flags::Flags;
use super::legacy::remember;
use super::pristine::pristine;
use super::program::{Program, Span, took_part};
use super::{LAST_INDEX, RegExpObject, incompatible, this_object};
use crate::builtin::CallContext;
use crate::call;
use crate::cell::{Gc, kind};
use crate::convert::{to_boolean, to_length, to_string};
use crate::names::keys;
use crate::object::{ArrayCell, Attributes, Object};
use crate::realm_shapes::array_shape;
use crate::shape::Shape;
use crate::state::State;
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// IsRegExp
pub fn is_regexp(value: Value) -> JsResult<bool> {
    let Some(object) = value.as_object() else { return Ok(false) };
    let matcher = object.get(crate::symbol::match_().into())?;
    if !matcher.is_undefined() {
        return Ok(to_boolean(matcher));
    }
    Ok(object.kind.get() == kind::REGEXP)
}

/// `lastIndex` as a length.
pub fn last_index(object: Object) -> JsResult<u64> {
    match object.as_kind::<RegExpObject>() {
        // A regular expression always has this property, in this slot.
        Some(_) => match object.slot(LAST_INDEX).as_int() {
            Some(int) => Ok(int.max(0) as u64),
            None => to_length(object.slot(LAST_INDEX)),
        },
        None => to_length(object.get(keys::last_index())?),
    }
}

/// Assigns `lastIndex`; TypeError if it is read-only.
pub fn set_last_index(object: Object, index: u64) -> JsResult<()> {
    let value = Value::number(index as f64);
    if pristine(object.into()).is_some() {
        object.set_slot(LAST_INDEX, value);
        return Ok(());
    }
    object.set(keys::last_index(), value)
}

/// AdvanceStringIndex
pub fn advance(subject: JsString, index: u64, is_unicode: bool) -> u64 {
    if !is_unicode || index >= subject.len() as u64 {
        return index + 1;
    }
    index + subject.units().code_point(index as usize).map_or(1, |(_, units)| units as u64)
}

/// Matches at `lastIndex` (0 unless global or sticky) and updates it. `body` gets the groups and calls no JavaScript.
pub fn find<R>(regexp: Gc<RegExpObject>, subject: JsString, body: impl FnOnce(&[Span]) -> R) -> JsResult<Option<R>> {
    let object = regexp.object();
    let flags = regexp.flags();
    let start = last_index(object)?;
    let sticky = flags.has(Flags::STICKY);
    let keeps_index = sticky || flags.has(Flags::GLOBAL);
    let start = if keeps_index { start } else { 0 };
    let found = if start <= subject.len() as u64 {
        let program = regexp.program.get();
        let with_end = |spans: &[Span]| {
            remember(program, subject, spans[0][0]);
            (spans[0][1], body(spans))
        };
        program.search(subject, start as u32, sticky, with_end)
    } else {
        None
    };
    if keeps_index {
        set_last_index(object, found.as_ref().map_or(0, |found| u64::from(found.0)))?;
    }
    Ok(found.map(|found| found.1))
}

/// RegExpBuiltinExec: an array or null.
pub fn builtin_exec(regexp: Gc<RegExpObject>, subject: JsString) -> JsResult {
    let program = regexp.program.get();
    let found = find(regexp, subject, |spans| match_array(program, subject, spans))?;
    Ok(found.map_or(Value::NULL, Value::from))
}

static RESULT_SHAPES: State<Option<(Shape, Shape)>> = State::new(None);

/// Shapes of match arrays: without and with `indices`.
fn result_shapes() -> (Shape, Shape) {
    if let Some(shapes) = RESULT_SHAPES.with(|shapes| *shapes) {
        return shapes;
    }
    let add = |shape: Shape, key| shape.add(key, Attributes::ALL);
    let plain = add(add(add(array_shape(), keys::index()), keys::input()), keys::groups());
    let shapes = (plain, add(plain, keys::indices()));
    RESULT_SHAPES.with(|known| *known = Some(shapes));
    shapes
}

/// A group's text, or undefined.
#[inline]
pub fn group_value(subject: JsString, span: Span) -> Value {
    if took_part(span) { subject.slice(span[0], span[1]).into() } else { Value::UNDEFINED }
}

/// The array that `exec` answers.
pub fn match_array(program: &Program, subject: JsString, spans: &[Span]) -> Gc<ArrayCell> {
    let (plain, with_indices) = result_shapes();
    let has_indices = program.flags.has(Flags::INDICES);
    let array = ArrayCell::with_shape(if has_indices { with_indices } else { plain }, spans.len() as u32);
    for &span in spans {
        array.push(group_value(subject, span));
    }
    let object = array.object();
    object.reserve_slot(3);
    object.set_slot(0, Value::from(spans[0][0]));
    object.set_slot(1, subject.into());
    object.set_slot(2, groups(program, |index| group_value(subject, spans[index])));
    if has_indices {
        object.set_slot(3, indices_array(program, spans).into());
    }
    array
}

/// The object of named groups, undefined if there are none. Of groups that share a name the one that took part counts.
pub fn groups(program: &Program, value: impl Fn(usize) -> Value) -> Value {
    if program.group_names.is_empty() {
        return Value::UNDEFINED;
    }
    let groups = Object::ordinary(None);
    for (index, name) in program.group_names.iter().enumerate() {
        let Some(name) = name else { continue };
        let key = (*name).into();
        let value = value(index);
        match groups.find(key) {
            None => groups.add_slot(key, value, Attributes::ALL),
            Some(entry) if !value.is_undefined() => groups.set_slot(entry.slot, value),
            Some(_) => {}
        }
    }
    groups.into()
}

fn indices_array(program: &Program, spans: &[Span]) -> Gc<ArrayCell> {
    let pair = |span: Span| -> Value {
        if !took_part(span) {
            return Value::UNDEFINED;
        }
        ArrayCell::from_slice(&span.map(Value::from)).into()
    };
    let values: Vec<Value> = spans.iter().map(|&span| pair(span)).collect();
    let array = ArrayCell::from_slice(&values);
    array.object().add_slot(keys::groups(), groups(program, |index| values[index]), Attributes::ALL);
    array
}

/// RegExpExec: through the object's own `exec`.
pub fn exec(object: Object, subject: JsString) -> JsResult<Option<Object>> {
    if let Some(regexp) = pristine(object.into()) {
        return Ok(builtin_exec(regexp, subject)?.as_object());
    }
    let method = object.get(keys::exec())?;
    if call::is_callable(method) {
        let result = call::call(method, object.into(), &[subject.into()])?;
        return match result.as_object() {
            None if !result.is_null() => {
                Err(throw_type_error("object null is not a function or its return value is not iterable"))
            }
            found => Ok(found),
        };
    }
    match object.as_kind::<RegExpObject>() {
        Some(regexp) => Ok(builtin_exec(regexp, subject)?.as_object()),
        None => Err(throw_type_error("RegExp.prototype.exec called on incompatible receiver")),
    }
}

pub(super) fn exec_method(cx: &CallContext) -> JsResult {
    let Some(regexp) = cx.this.as_kind::<RegExpObject>() else { return Err(incompatible(cx, "exec")) };
    builtin_exec(regexp, to_string(cx.arg(0))?)
}

pub(super) fn test(cx: &CallContext) -> JsResult {
    let object = this_object(cx, "test")?;
    let subject = to_string(cx.arg(0))?;
    if let Some(regexp) = pristine(cx.this) {
        return Ok(find(regexp, subject, |_| ())?.is_some().into());
    }
    Ok(exec(object, subject)?.is_some().into())
}
