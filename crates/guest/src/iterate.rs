//! Iteration: iterator records for compiled code, and loops for built-ins.

use core::cell::Cell;

use crate::call;
use crate::cell::{Gc, Header};
use crate::convert::{get_method, get_value, to_boolean};
use crate::error::describe;
use crate::memory::ARRAY_ITERATION_CHANGED;
use crate::names::keys;
use crate::object::{ArrayCell, Attributes, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// How a record finds its next value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// By calling `next`.
    Protocol,
    /// An array nobody has tampered with: by index.
    Array,
    /// Nothing more will come, and nothing is to be closed.
    Closed,
}

/// An iterator record.
#[repr(C)]
pub struct IteratorRecord {
    header: Header,
    mode: Cell<Mode>,
    index: Cell<u32>,
    /// The iterator, or the array itself.
    pub iterator: Cell<Value>,
    /// Its `next` method.
    pub next: Cell<Value>,
}

impl IteratorRecord {
    fn new(mode: Mode, iterator: Value, next: Value) -> Gc<IteratorRecord> {
        Gc::new(IteratorRecord {
            header: Header::internal::<IteratorRecord>(),
            mode: Cell::new(mode),
            index: Cell::new(0),
            iterator: Cell::new(iterator),
            next: Cell::new(next),
        })
    }

    /// GetIterator(value, sync) for built-ins.
    pub fn open(value: Value) -> JsResult<Gc<IteratorRecord>> {
        if iterates_plainly(value) {
            return Ok(IteratorRecord::new(Mode::Array, value, Value::UNDEFINED));
        }
        IteratorRecord::open_protocol(value)
    }

    /// GetIterator(value, sync) for syntax, whose error names what is iterated if compiled code knows.
    pub fn open_for_code(value: Value, name: Option<JsString>) -> JsResult<Gc<IteratorRecord>> {
        if iterates_plainly(value) {
            return Ok(IteratorRecord::new(Mode::Array, value, Value::UNDEFINED));
        }
        if !value.is_nullish() {
            let method = get_value(value, crate::symbol::iterator().into())?;
            if call::is_callable(method) {
                return IteratorRecord::from_method(value, method);
            }
        }
        Err(match name {
            Some(name) => throw_type_error(format!("{} is not iterable", name.to_text())),
            None => not_iterable(value),
        })
    }

    /// As [`IteratorRecord::open`], but `iterator` and `next` of the record are the protocol's, whatever the value is.
    pub fn open_protocol(value: Value) -> JsResult<Gc<IteratorRecord>> {
        if value.is_nullish() {
            return Err(not_iterable(value));
        }
        let method = get_value(value, crate::symbol::iterator().into())?;
        if !call::is_callable(method) {
            return Err(not_iterable(value));
        }
        IteratorRecord::from_method(value, method)
    }

    /// GetIteratorFromMethod.
    pub fn from_method(value: Value, method: Value) -> JsResult<Gc<IteratorRecord>> {
        let iterator = call::call(method, value, &[])?;
        if !iterator.is_object() {
            return Err(throw_type_error("Result of the Symbol.iterator method is not an object"));
        }
        IteratorRecord::from_iterator(iterator)
    }

    /// GetIteratorDirect: the record of an iterator.
    pub fn from_iterator(iterator: Value) -> JsResult<Gc<IteratorRecord>> {
        let next = get_value(iterator, keys::next())?;
        Ok(IteratorRecord::new(Mode::Protocol, iterator, next))
    }

    /// The record of an iterator whose `next` was not looked up: it can only be closed.
    pub fn unread(iterator: Value) -> Gc<IteratorRecord> {
        IteratorRecord::new(Mode::Protocol, iterator, Value::UNDEFINED)
    }

    /// Whether nothing more will come, and nothing is to be closed.
    pub fn is_closed(&self) -> bool {
        self.mode.get() == Mode::Closed
    }

    /// IteratorStep: whether there is a next value, which is not looked at. Afterwards as [`Self::step`].
    pub fn step_valueless(&self) -> JsResult<bool> {
        if self.mode.get() != Mode::Protocol {
            return Ok(self.step()?.is_some());
        }
        let stepped = call::call(self.next.get(), self.iterator.get(), &[]).and_then(has_value);
        if !matches!(stepped, Ok(true)) {
            self.mode.set(Mode::Closed);
        }
        stepped
    }

    /// IteratorStepValue: the next value, or `None` when done. Afterwards, or after an error, the record is closed.
    #[inline]
    pub fn step(&self) -> JsResult<Option<Value>> {
        match self.mode.get() {
            Mode::Array => self.step_array(),
            Mode::Closed => Ok(None),
            Mode::Protocol => {
                let stepped = self.step_protocol();
                if !matches!(stepped, Ok(Some(_))) {
                    self.mode.set(Mode::Closed);
                }
                stepped
            }
        }
    }

    fn step_array(&self) -> JsResult<Option<Value>> {
        let array = self.iterator.get().as_kind::<ArrayCell>();
        let index = self.index.get();
        let Some(array) = array.filter(|array| index < array.len()) else {
            self.mode.set(Mode::Closed);
            return Ok(None);
        };
        self.index.set(index + 1);
        let value = array.element(index);
        if value.is_empty() {
            return array.object().get(index.into()).map(Some);
        }
        Ok(Some(value))
    }

    /// Appends all that is left to an array under construction.
    pub fn drain_into(&self, target: Gc<ArrayCell>) -> JsResult<()> {
        if self.mode.get() == Mode::Protocol
            && crate::builtins::iterator::drain_directly(self.iterator.get(), self.next.get(), target)
        {
            self.mode.set(Mode::Closed);
            return Ok(());
        }
        while let Some(value) = self.step()? {
            target.push(value);
        }
        Ok(())
    }

    /// All that is left of an array without holes, as a new array; the record is closed then.
    pub fn take_packed_rest(&self) -> Option<Gc<ArrayCell>> {
        if self.mode.get() != Mode::Array {
            return None;
        }
        let array = self.iterator.get().as_kind::<ArrayCell>().filter(|array| !array.is_sparse())?;
        let elements = array.dense();
        let rest = ArrayCell::with_capacity(0);
        if !rest.append_packed(elements.get(self.index.get() as usize..).unwrap_or(&[])) {
            return None;
        }
        self.mode.set(Mode::Closed);
        Some(rest)
    }

    fn step_protocol(&self) -> JsResult<Option<Value>> {
        if let Some(stepped) = crate::builtins::iterator::step_directly(self.iterator.get(), self.next.get()) {
            return stepped;
        }
        let result = call::call(self.next.get(), self.iterator.get(), &[])?;
        iterator_result(result)
    }

    /// Nothing more will come; answers whether that was so already.
    pub fn mark_closed(&self) -> bool {
        self.mode.replace(Mode::Closed) == Mode::Closed
    }

    /// IteratorClose after a normal completion. Nothing happens if the record is closed already.
    pub fn close(&self) -> JsResult<()> {
        if self.mode.replace(Mode::Closed) != Mode::Protocol {
            return Ok(());
        }
        let iterator = self.iterator.get();
        let Some(method) = get_method(iterator, keys::return_())? else { return Ok(()) };
        if call::call(method.into(), iterator, &[])?.is_object() {
            return Ok(());
        }
        Err(throw_type_error("The iterator's return method did not return an object"))
    }

    /// IteratorClose while something is being thrown: errors of closing are swallowed.
    pub fn close_silently(&self) {
        let pending = crate::memory::PENDING_EXCEPTION.get();
        if let Err(thrown) = self.close() {
            thrown.take();
        }
        crate::memory::PENDING_EXCEPTION.set(pending);
    }
}

/// Whether a `for…of` over the value sees just the elements of an array, by index.
#[inline]
pub fn iterates_plainly(value: Value) -> bool {
    if ARRAY_ITERATION_CHANGED.get() != 0 {
        return false;
    }
    let Some(array) = value.as_object().filter(|object| object.as_array().is_some()) else { return false };
    let shape = array.shape();
    shape == crate::realm_shapes::array_shape()
        || shape.prototype() == Some(intrinsic(Intrinsic::ArrayPrototype))
            && shape.find(crate::symbol::iterator().into()).is_none()
}

/// The TypeError of built-ins for what cannot be iterated: `number 5 is not iterable (cannot read property …)`.
#[cold]
pub fn not_iterable(value: Value) -> Throw {
    let what = crate::error::describe_with_type(value);
    throw_type_error(format!("{what} is not iterable (cannot read property Symbol(Symbol.iterator))"))
}

/// Whether storing an element of an array could meet an index property of `Array.prototype` or `Object.prototype`.
#[inline]
pub fn array_prototypes_have_elements() -> bool {
    ARRAY_ITERATION_CHANGED.get() != 0
}

/// The value of an iterator result, or `None` if done; TypeError if it is no object.
pub fn iterator_result(result: Value) -> JsResult<Option<Value>> {
    let object = result_object(result)?;
    if to_boolean(object.get(keys::done())?) {
        return Ok(None);
    }
    object.get(keys::value()).map(Some)
}

/// Whether an iterator result is not the end; TypeError if it is no object.
fn has_value(result: Value) -> JsResult<bool> {
    Ok(!to_boolean(result_object(result)?.get(keys::done())?))
}

fn result_object(result: Value) -> JsResult<Object> {
    let no_object = || throw_type_error(format!("Iterator result {} is not an object", describe(result)));
    result.as_object().ok_or_else(no_object)
}

/// `{ value, done }`
pub fn new_iterator_result(value: Value, done: bool) -> Object {
    let object = Object::new();
    object.add_slot(keys::value(), value, Attributes::ALL);
    object.add_slot(keys::done(), done.into(), Attributes::ALL);
    object
}

/// Calls `body` with each value of an iterable until it answers `false` or fails; then closes the iterator as the
/// specification wants.
pub fn iterate(iterable: Value, body: impl FnMut(Value) -> JsResult<bool>) -> JsResult<()> {
    drive(IteratorRecord::open(iterable)?, body)
}

/// As [`iterate`], over an open iterator.
pub fn drive(record: Gc<IteratorRecord>, mut body: impl FnMut(Value) -> JsResult<bool>) -> JsResult<()> {
    while let Some(value) = record.step()? {
        match body(value) {
            Ok(true) => {}
            Ok(false) => return record.close(),
            Err(thrown) => {
                record.close_silently();
                return Err(thrown);
            }
        }
    }
    Ok(())
}

/// All values of an iterable.
pub fn collect(iterable: Value) -> JsResult<Vec<Value>> {
    let mut values = vec![];
    iterate(iterable, |value| {
        values.push(value);
        Ok(true)
    })?;
    Ok(values)
}

/// CreateListFromArrayLike.
pub fn array_like(value: Value) -> JsResult<Vec<Value>> {
    let Some(object) = value.as_object() else {
        return Err(throw_type_error("CreateListFromArrayLike called on non-object"));
    };
    if let Some(array) = crate::builtins::array::elements::as_packed_array(object) {
        return Ok(array.dense().iter().map(Cell::get).collect());
    }
    let length = object.length()?;
    if length > u64::from(u32::MAX) {
        return Err(crate::throw::throw_range_error("Invalid array length"));
    }
    (0..length as u32).map(|index| object.get(index.into())).collect()
}
