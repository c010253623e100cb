//! String iterators: by code point.

use core::cell::Cell;

use super::this_string;
use crate::builtin::{CallContext, methods, native, to_string_tag};
use crate::cell::{Gc, ObjectKind, kind};
use crate::iterate::new_iterator_result;
use crate::object::{ArrayCell, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::{JsString, Units};
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

/// Appends all characters of a string iterator whose `next` is the built-in one; false, with nothing done, if it is not.
pub fn drain_directly(iterator: Object, next_code: u32, target: Gc<ArrayCell>) -> bool {
    let Some(iterator) = iterator.as_kind::<StringIterator>().filter(|_| next_code == native(next).index()) else {
        return false;
    };
    if let Units::Latin1(text) = iterator.string.units() {
        let rest = text.get(iterator.next.replace(text.len() as u32) as usize..).unwrap_or_default();
        target.reserve(rest.len() as u32);
        rest.iter().for_each(|&unit| target.push(JsString::from_unit(u16::from(unit)).into()));
    } else {
        while let Some(character) = iterator.step() {
            target.push(character);
        }
    }
    true
}
