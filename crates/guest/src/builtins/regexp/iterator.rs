//! The iterator of `matchAll`.

use core::cell::Cell;

use super::exec::{advance, exec, last_index, set_last_index};
use crate::builtin::{CallContext, methods, native, to_string_tag};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::to_string;
use crate::iterate::new_iterator_result;
use crate::key::PropertyKey;
use crate::object::{Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A RegExp string iterator.
#[repr(C)]
struct RegExpStringIterator {
    header: ObjectHeader,
    matcher: Object,
    subject: JsString,
    is_global: bool,
    is_unicode: bool,
    is_done: Cell<bool>,
}

// SAFETY: only `new_iterator` makes cells of this kind.
unsafe impl ObjectKind for RegExpStringIterator {
    const KIND: u8 = kind::REGEXP_STRING_ITERATOR;
}

pub(super) fn install() {
    let prototype = intrinsic(Intrinsic::RegExpStringIteratorPrototype);
    prototype.force_prototype(Some(intrinsic(Intrinsic::IteratorPrototype)));
    methods(prototype, &[("next", 0, native(next))]);
    to_string_tag(prototype, "RegExp String Iterator");
}

/// CreateRegExpStringIterator
pub fn new_iterator(matcher: Object, subject: JsString, is_global: bool, is_unicode: bool) -> Value {
    let header = ObjectHeader::new::<RegExpStringIterator>(intrinsic(Intrinsic::RegExpStringIteratorPrototype));
    let is_done = Cell::new(false);
    Gc::new(RegExpStringIterator { header, matcher, subject, is_global, is_unicode, is_done }).into()
}

fn next(cx: &CallContext) -> JsResult {
    let Some(iterator) = cx.this.as_kind::<RegExpStringIterator>() else {
        return Err(throw_type_error(format!(
            "Method %RegExpStringIterator%.prototype.next called on incompatible receiver {}",
            crate::error::describe(cx.this)
        )));
    };
    if iterator.is_done.get() {
        return Ok(new_iterator_result(Value::UNDEFINED, true).into());
    }
    let Some(result) = exec(iterator.matcher, iterator.subject)? else {
        iterator.is_done.set(true);
        return Ok(new_iterator_result(Value::UNDEFINED, true).into());
    };
    if !iterator.is_global {
        iterator.is_done.set(true);
    } else if to_string(result.get(PropertyKey::index(0))?)?.is_empty() {
        let index = advance(iterator.subject, last_index(iterator.matcher)?, iterator.is_unicode);
        set_last_index(iterator.matcher, index)?;
    }
    Ok(new_iterator_result(result.into(), false).into())
}
