//! `Iterator.from`.

use super::flattenable;
use crate::builtin::{CallContext, methods, native};
use crate::builtins::check::incompatible;
use crate::call::call;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::get_method;
use crate::iterate::{IteratorRecord, new_iterator_result};
use crate::names::keys;
use crate::object::ObjectHeader;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::JsResult;
use crate::value::Value;

/// An iterator that does not inherit from `Iterator.prototype`, in one that does.
#[repr(C)]
struct WrappedIterator {
    header: ObjectHeader,
    record: Gc<IteratorRecord>,
}

// SAFETY: only `from` makes cells of this kind.
unsafe impl ObjectKind for WrappedIterator {
    const KIND: u8 = kind::WRAPPED_ITERATOR;
}

/// Builds %WrapForValidIteratorPrototype%.
pub(super) fn install() {
    let prototype = intrinsic(Intrinsic::WrappedIteratorPrototype);
    prototype.force_prototype(Some(intrinsic(Intrinsic::IteratorPrototype)));
    methods(prototype, &[("next", 0, native(next)), ("return", 0, native(return_))]);
}

/// `Iterator.from`
pub(super) fn from(cx: &CallContext) -> JsResult {
    let record = flattenable(cx.arg(0), true, "Iterator.from")?;
    let iterator = record.iterator.get();
    let wanted = intrinsic(Intrinsic::IteratorPrototype);
    let mut holder = iterator.as_object();
    while let Some(object) = holder {
        holder = object.get_prototype_of()?;
        if holder == Some(wanted) {
            return Ok(iterator);
        }
    }
    let header = ObjectHeader::new::<WrappedIterator>(intrinsic(Intrinsic::WrappedIteratorPrototype));
    Ok(Gc::new(WrappedIterator { header, record }).into())
}

fn this_record(cx: &CallContext, method: &str) -> JsResult<Gc<IteratorRecord>> {
    match cx.this.as_kind::<WrappedIterator>() {
        Some(wrapped) => Ok(wrapped.record),
        None => Err(incompatible(&format!("%WrapForValidIteratorPrototype%.{method}"), cx.this)),
    }
}

fn next(cx: &CallContext) -> JsResult {
    let record = this_record(cx, "next")?;
    call(record.next.get(), record.iterator.get(), &[])
}

fn return_(cx: &CallContext) -> JsResult {
    let iterator = this_record(cx, "return")?.iterator.get();
    match get_method(iterator, keys::return_())? {
        Some(method) => call(method.into(), iterator, &[]),
        None => Ok(new_iterator_result(Value::UNDEFINED, true).into()),
    }
}
