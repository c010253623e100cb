//! `Array.fromAsync`: an async function, written as a machine that each awaited promise moves on.

use core::cell::Cell;

use super::elements::{create_at, get_at, set_length};
use super::from::create;
use crate::async_iterate::{self, from_sync};
use crate::builtin::CallContext;
use crate::builtins::check::require_callback;
use crate::call::call;
use crate::cell::{Gc, Header};
use crate::convert::{get_method, to_object};
use crate::iterate::IteratorRecord;
use crate::object::Object;
use crate::promise::{self, PromiseObject};
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// Where the elements come from.
#[derive(Clone, Copy)]
enum Source {
    Iterator(Gc<IteratorRecord>),
    /// An array-like object and its length.
    ArrayLike(Object, u64),
}

/// What is awaited.
#[derive(Clone, Copy)]
enum Awaited {
    /// The result of an iterator's `next`.
    Result,
    /// An element of an array-like object.
    Element,
    /// What the mapping function answered.
    Mapped,
    /// The result of an iterator's `return`, after this error.
    Closed(Value),
}

/// An array under way.
#[repr(C)]
struct Machine {
    header: Header,
    promise: Gc<PromiseObject>,
    target: Object,
    source: Source,
    /// The mapping function, or UNDEFINED.
    mapper: Value,
    this_argument: Value,
    index: Cell<u64>,
    awaited: Cell<Awaited>,
}

/// `Array.fromAsync`
pub(super) fn from_async(cx: &CallContext) -> JsResult {
    let promise = PromiseObject::pending();
    if let Err(thrown) = start(cx, promise) {
        promise.reject(thrown.take());
    }
    Ok(promise.into())
}

fn start(cx: &CallContext, promise: Gc<PromiseObject>) -> JsResult<()> {
    let items = cx.arg(0);
    let mapper = if cx.arg(1).is_undefined() { Value::UNDEFINED } else { require_callback(cx.arg(1))? };
    let (source, length) = match iterator(items)? {
        Some(record) => (Source::Iterator(record), None),
        None => {
            let object = to_object(items)?;
            let length = object.length()?;
            (Source::ArrayLike(object, length), Some(length))
        }
    };
    let machine = Gc::new(Machine {
        header: Header::internal::<Machine>(),
        promise,
        target: create(cx.this, length)?,
        source,
        mapper,
        this_argument: cx.arg(2),
        index: Cell::new(0),
        awaited: Cell::new(Awaited::Result),
    });
    machine.request()
}

/// The iterator of the items, `None` if they have none.
fn iterator(items: Value) -> JsResult<Option<Gc<IteratorRecord>>> {
    if let Some(method) = get_method(items, crate::symbol::async_iterator().into())? {
        let iterator = call(method.into(), items, &[])?;
        if !iterator.is_object() {
            return Err(throw_type_error("Result of the Symbol.asyncIterator method is not an object"));
        }
        return IteratorRecord::from_iterator(iterator).map(Some);
    }
    match get_method(items, crate::symbol::iterator().into())? {
        Some(method) => from_sync(IteratorRecord::from_method(items, method.into())?).map(Some),
        None => Ok(None),
    }
}

impl Gc<Machine> {
    /// Asks for the next element.
    fn request(self) -> JsResult<()> {
        match self.source {
            Source::Iterator(record) => self.wait(Awaited::Result, async_iterate::next(record)?),
            Source::ArrayLike(_, length) if self.index.get() >= length => self.finish(),
            Source::ArrayLike(object, _) => self.wait(Awaited::Element, get_at(object, self.index.get())?),
        }
    }

    fn wait(self, awaited: Awaited, value: Value) -> JsResult<()> {
        let promise = promise::resolved(value)?;
        self.awaited.set(awaited);
        promise.then_native(Value::internal(self), resume);
        Ok(())
    }

    /// Goes on after what was awaited.
    fn advance(self, outcome: Result<Value, Value>) -> JsResult<()> {
        match (self.awaited.get(), outcome) {
            (Awaited::Closed(error), _) => {
                self.promise.reject(error);
                Ok(())
            }
            (Awaited::Mapped, Err(error)) => self.close(error),
            (_, Err(error)) => Err(Throw::value(error)),
            (Awaited::Result, Ok(result)) => {
                let Source::Iterator(record) = self.source else { return Ok(()) };
                let value = async_iterate::result(record, result)?;
                if value.is_empty() { self.finish() } else { self.closing_on_error(Gc::map, value) }
            }
            (Awaited::Element, Ok(value)) => self.map(value),
            (Awaited::Mapped, Ok(value)) => self.closing_on_error(Gc::append, value),
        }
    }

    /// Does a step whose errors close the iterator.
    fn closing_on_error(self, step: fn(Gc<Machine>, Value) -> JsResult<()>, value: Value) -> JsResult<()> {
        step(self, value).or_else(|thrown| self.close(thrown.take()))
    }

    fn map(self, value: Value) -> JsResult<()> {
        if self.mapper.is_undefined() {
            return self.append(value);
        }
        let mapped = call(self.mapper, self.this_argument, &[value, Value::number(self.index.get() as f64)])?;
        self.wait(Awaited::Mapped, mapped)
    }

    fn append(self, value: Value) -> JsResult<()> {
        create_at(self.target, self.index.get(), value)?;
        self.index.set(self.index.get() + 1);
        // What goes wrong from here on is the iterator's own fault: it is not closed.
        self.request().or_else(|thrown| {
            self.promise.reject(thrown.take());
            Ok(())
        })
    }

    fn finish(self) -> JsResult<()> {
        set_length(self.target, self.index.get())?;
        self.promise.resolve(self.target.into());
        Ok(())
    }

    /// AsyncIteratorClose after an error, which is what the promise is rejected with.
    fn close(self, error: Value) -> JsResult<()> {
        if let Source::Iterator(record) = self.source {
            match async_iterate::close(record)
                .and_then(|value| if value.is_empty() { Ok(()) } else { self.wait(Awaited::Closed(error), value) })
            {
                Ok(()) if matches!(self.awaited.get(), Awaited::Closed(_)) => return Ok(()),
                Ok(()) => {}
                Err(thrown) => drop(thrown.take()),
            }
        }
        self.promise.reject(error);
        Ok(())
    }
}

fn resume(data: Value, outcome: Result<Value, Value>) -> JsResult<()> {
    // SAFETY: the internal cells that this file gives to reactions are machines.
    let Some(machine) = (unsafe { data.as_internal::<Machine>() }) else { return Ok(()) };
    if let Err(thrown) = machine.advance(outcome) {
        machine.promise.reject(thrown.take());
    }
    Ok(())
}
