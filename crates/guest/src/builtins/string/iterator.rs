//! String iterators: by code point.

use core::cell::Cell;

use super::this_string;
use crate::builtin::{CallContext, NativeCode, methods, native, to_string_tag};
use crate::cell::{Gc, ObjectKind, kind};
use crate::iterate::new_iterator_result;
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{ArrayCell, FunctionCell, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A string iterator.
#[repr(C)]
struct StringIterator {
    header: ObjectHeader,
    string: JsString,
    /// Position of the next code point.
    next: Cell<u32>,
}

// SAFETY: only `iterator` makes cells of this kind.
unsafe impl ObjectKind for StringIterator {
    const KIND: u8 = kind::STRING_ITERATOR;
}

pub(super) fn install(prototype: Object) {
    methods(prototype, &[("@@iterator", 0, native(iterator))]);
    let iterator_prototype = intrinsic(Intrinsic::StringIteratorPrototype);
    iterator_prototype.force_prototype(Some(intrinsic(Intrinsic::IteratorPrototype)));
    methods(iterator_prototype, &[("next", 0, native(next))]);
    to_string_tag(iterator_prototype, "String Iterator");
}

fn iterator(cx: &CallContext) -> JsResult {
    let string = this_string(cx, "[Symbol.iterator]")?;
    let header = ObjectHeader::new::<StringIterator>(intrinsic(Intrinsic::StringIteratorPrototype));
    Ok(Gc::new(StringIterator { header, string, next: Cell::new(0) }).into())
}

impl StringIterator {
    /// The next character; `None` at the end.
    fn step(&self) -> Option<Value> {
        let start = self.next.get();
        let (_, units) = self.string.units().code_point(start as usize)?;
        let end = start + units as u32;
        self.next.set(end);
        Some(self.string.slice(start, end).into())
    }
}

fn next(cx: &CallContext) -> JsResult {
    let Some(iterator) = cx.this.as_kind::<StringIterator>() else {
        return Err(throw_type_error(format!(
            "Method String Iterator.prototype.next called on incompatible receiver {}",
            crate::error::describe(cx.this)
        )));
    };
    let value = iterator.step();
    Ok(new_iterator_result(value.unwrap_or(Value::UNDEFINED), value.is_none()).into())
}

/// One step of a string iterator if `next_code` is that of the built-in `next`: the character, or `None` at the end.
pub fn step_directly(iterator: Object, next_code: u32) -> Option<Option<Value>> {
    if next_code != native(next).index() {
        return None;
    }
    Some(iterator.as_kind::<StringIterator>()?.step())
}

/// Appends the characters of a string to an array under construction, if nobody changed how strings are iterated. False, with
/// nothing done, if somebody did.
pub fn spread_directly(string: JsString, target: Gc<ArrayCell>) -> bool {
    let is_own = |holder: Object, key: PropertyKey, code: NativeCode| {
        let entry = holder.find(key).filter(|entry| !entry.attributes.is_accessor());
        let method = entry.and_then(|entry| holder.data_slot(entry).as_kind::<FunctionCell>());
        method.is_some_and(|method| method.code.get() == code.index())
    };
    let iterates_plainly =
        is_own(intrinsic(Intrinsic::StringPrototype), crate::symbol::iterator().into(), native(iterator))
            && is_own(intrinsic(Intrinsic::StringIteratorPrototype), keys::next(), native(next));
    if iterates_plainly {
        append_characters(string, 0, target);
    }
    iterates_plainly
}

/// Appends all characters of a string iterator whose `next` is the built-in one; false, with nothing done, if it is not.
pub fn drain_directly(iterator: Object, next_code: u32, target: Gc<ArrayCell>) -> bool {
    let Some(iterator) = iterator.as_kind::<StringIterator>().filter(|_| next_code == native(next).index()) else {
        return false;
    };
    append_characters(iterator.string, iterator.next.replace(iterator.string.len()), target);
    true
}

/// Appends the characters from a position on.
fn append_characters(string: JsString, start: u32, target: Gc<ArrayCell>) {
    let (units, mut at) = (string.units(), start as usize);
    target.reserve(string.len() - start);
    while let Some((_, length)) = units.code_point(at) {
        let character = match units.get(at) {
            Some(unit) if length == 1 => JsString::from_unit(unit),
            _ => string.slice(at as u32, (at + length) as u32),
        };
        target.push(character.into());
        at += length;
    }
}
