//! Array iterators: what `keys`, `values` and `entries` of arrays and typed arrays answer.

use core::cell::Cell;

use super::elements::get_at;
use crate::builtin::{CallContext, methods, native, to_string_tag};
use crate::builtins::check::incompatible;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::to_object;
use crate::iterate::new_iterator_result;
use crate::object::{ArrayCell, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::JsResult;
use crate::value::Value;

/// What an iterator over a collection yields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum IterationKind {
    /// Keys or indices.
    Keys,
    /// Values.
    Values,
    /// Pairs of both.
    Entries,
}

impl IterationKind {
    /// What to yield for an entry.
    pub fn of_entry(self, key: impl FnOnce() -> Value, value: Value) -> Value {
        match self {
            IterationKind::Keys => key(),
            IterationKind::Values => value,
            IterationKind::Entries => ArrayCell::from_slice(&[key(), value]).into(),
        }
    }
}

/// An array iterator.
#[repr(C)]
struct ArrayIterator {
    header: ObjectHeader,
    /// `None` when it is done.
    target: Cell<Option<Object>>,
    index: Cell<u64>,
    kind: IterationKind,
}

// SAFETY: only `create` makes cells of this kind.
unsafe impl ObjectKind for ArrayIterator {
    const KIND: u8 = kind::ARRAY_ITERATOR;
}

/// CreateArrayIterator.
pub fn create(target: Object, kind: IterationKind) -> Value {
    let header = ObjectHeader::new::<ArrayIterator>(intrinsic(Intrinsic::ArrayIteratorPrototype));
    Gc::new(ArrayIterator { header, target: Cell::new(Some(target)), index: Cell::new(0), kind }).into()
}

/// Builds %ArrayIteratorPrototype%.
pub(super) fn install() {
    let prototype = intrinsic(Intrinsic::ArrayIteratorPrototype);
    prototype.force_prototype(Some(intrinsic(Intrinsic::IteratorPrototype)));
    methods(prototype, &[("next", 0, native(next))]);
    to_string_tag(prototype, "Array Iterator");
}

fn next(cx: &CallContext) -> JsResult {
    let Some(iterator) = cx.this.as_kind::<ArrayIterator>() else {
        return Err(incompatible("Array Iterator.prototype.next", cx.this));
    };
    let value = iterator.step()?;
    Ok(new_iterator_result(value.unwrap_or(Value::UNDEFINED), value.is_none()).into())
}

/// One step of an array iterator if `next_code` is that of the built-in `next`: the value, or `None` at the end.
pub fn step_directly(iterator: Object, next_code: u32) -> Option<JsResult<Option<Value>>> {
    if next_code != native(next).index() {
        return None;
    }
    Some(iterator.as_kind::<ArrayIterator>()?.step())
}

impl ArrayIterator {
    fn step(&self) -> JsResult<Option<Value>> {
        let Some(target) = self.target.get() else { return Ok(None) };
        let index = self.index.get();
        if index >= length_of(target)? {
            self.target.set(None);
            return Ok(None);
        }
        self.index.set(index + 1);
        let value = if self.kind == IterationKind::Keys { Value::UNDEFINED } else { get_at(target, index)? };
        Ok(Some(self.kind.of_entry(|| Value::number(index as f64), value)))
    }
}

/// Number of elements now; TypeError for a typed array whose buffer is gone or too short.
fn length_of(target: Object) -> JsResult<u64> {
    match crate::builtins::typed_array::view(target) {
        Some(view) => Ok(u64::from(view.valid_length("%ArrayIteratorPrototype%.next")?)),
        None => target.length(),
    }
}

/// `Array.prototype.values`
pub(super) fn values(cx: &CallContext) -> JsResult {
    Ok(create(to_object(cx.this)?, IterationKind::Values))
}

/// `Array.prototype.keys`
pub(super) fn keys(cx: &CallContext) -> JsResult {
    Ok(create(to_object(cx.this)?, IterationKind::Keys))
}

/// `Array.prototype.entries`
pub(super) fn entries(cx: &CallContext) -> JsResult {
    Ok(create(to_object(cx.this)?, IterationKind::Entries))
}
