//! Iterators of maps and sets.

use core::cell::Cell;

use super::{Collection, Cursor, Flavor, this};
use crate::builtin::{CallContext, methods, native, to_string_tag};
use crate::builtins::array::iterator::IterationKind;
use crate::builtins::check::incompatible;
use crate::cell::{Gc, ObjectKind};
use crate::iterate::new_iterator_result;
use crate::object::{ArrayCell, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::JsResult;
use crate::value::Value;

/// An iterator over a map or set.
#[repr(C)]
struct CollectionIterator<F: 'static> {
    header: ObjectHeader,
    /// `None` when it is done.
    collection: Cell<Option<Gc<Collection<F>>>>,
    cursor: Cell<Cursor>,
    kind: IterationKind,
}

// SAFETY: only `create` makes cells of these kinds.
unsafe impl<F: Flavor> ObjectKind for CollectionIterator<F> {
    const KIND: u8 = F::ITERATOR_KIND;
}

impl<F: Flavor> CollectionIterator<F> {
    fn step(&self) -> Option<Value> {
        let collection = self.collection.get()?;
        match collection.step(&self.cursor) {
            Some((key, value)) => Some(self.kind.of_entry(|| key, value)),
            None => {
                self.collection.set(None);
                None
            }
        }
    }
}

/// Builds the iterators' prototype.
pub(super) fn install<F: Flavor>() {
    let prototype = intrinsic(F::ITERATOR_PROTOTYPE);
    prototype.force_prototype(Some(intrinsic(Intrinsic::IteratorPrototype)));
    methods(prototype, &[("next", 0, native(next::<F>))]);
    to_string_tag(prototype, &format!("{} Iterator", F::NAME));
}

/// `keys`, `values` and `entries`.
pub(super) fn create<F: Flavor>(cx: &CallContext, method: &str, kind: IterationKind) -> JsResult {
    let collection = this::<F>(cx, method)?;
    let header = ObjectHeader::new::<CollectionIterator<F>>(intrinsic(F::ITERATOR_PROTOTYPE));
    let cursor = Cell::new(Cursor::default());
    Ok(Gc::new(CollectionIterator { header, collection: Cell::new(Some(collection)), cursor, kind }).into())
}

fn next<F: Flavor>(cx: &CallContext) -> JsResult {
    let Some(iterator) = cx.this.as_kind::<CollectionIterator<F>>() else {
        return Err(incompatible(&format!("{} Iterator.prototype.next", F::NAME), cx.this));
    };
    let value = iterator.step();
    Ok(new_iterator_result(value.unwrap_or(Value::UNDEFINED), value.is_none()).into())
}

/// One step of an iterator over a collection if `next_code` is that of the built-in `next`: the value, or `None` at the end.
#[inline]
pub fn step_directly<F: Flavor>(iterator: Object, next_code: u32) -> Option<Option<Value>> {
    if next_code != native(next::<F>).index() {
        return None;
    }
    Some(iterator.as_kind::<CollectionIterator<F>>()?.step())
}

/// Appends all keys or values if `next_code` is that of the built-in `next` and the iterator is at the start of its
/// collection, and ends it. False, with nothing done, otherwise.
pub fn drain_directly<F: Flavor>(iterator: Object, next_code: u32, target: Gc<ArrayCell>) -> bool {
    if next_code != native(next::<F>).index() {
        return false;
    }
    let Some(iterator) = iterator.as_kind::<CollectionIterator<F>>() else { return false };
    let Some(collection) = iterator.collection.get().filter(|_| iterator.cursor.get() == Cursor::default()) else {
        return false;
    };
    if iterator.kind == IterationKind::Entries {
        return false;
    }
    iterator.collection.set(None);
    collection.with(|table| {
        target.reserve(table.len());
        table.iter().for_each(|(key, value)| target.push(iterator.kind.of_entry(|| key, value)));
    });
    true
}
