//! String iterators: by code point.

use core::cell::Cell;

use super::this_string;
use crate::builtin::{CallContext, methods, native, to_string_tag};
use crate::cell::{Gc, ObjectKind, kind};
use crate::iterate::new_iterator_result;
use crate::object::{Object, ObjectHeader};
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

fn next(cx: &CallContext) -> JsResult {
    let Some(iterator) = cx.this.as_kind::<StringIterator>() else {
        return Err(throw_type_error(format!(
            "Method String Iterator.prototype.next called on incompatible receiver {}",
            crate::error::describe(cx.this)
        )));
    };
    let start = iterator.next.get();
    let Some((_, units)) = iterator.string.units().code_point(start as usize) else {
        return Ok(new_iterator_result(Value::UNDEFINED, true).into());
    };
    let end = start + units as u32;
    iterator.next.set(end);
    Ok(new_iterator_result(iterator.string.slice(start, end).into(), false).into())
}
