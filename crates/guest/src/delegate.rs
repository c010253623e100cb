//! `yield*`: the state of a delegation.

use core::cell::Cell;

use crate::async_iterate;
use crate::call;
use crate::cell::{Gc, Header};
use crate::convert::{get_method, to_boolean};
use crate::error::describe;
use crate::frame::ResumeMode;
use crate::generator;
use crate::iterate::IteratorRecord;
use crate::memory::YIELD_VALUE;
use crate::names::keys;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// What an async delegation waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaiting {
    /// An iterator result.
    Result,
    /// The value of a `return` that the iterator has no method for.
    ReturnValue,
    /// The iterator's closing, after a `throw` it has no method for.
    Closing,
}

/// A delegation.
#[repr(C)]
pub struct Delegate {
    header: Header,
    record: Gc<IteratorRecord>,
    is_async: bool,
    awaiting: Cell<Awaiting>,
    /// The last completed step ended by RETURN.
    pub returned: Cell<bool>,
}

impl Delegate {
    /// Opens the iterable.
    pub fn open(iterable: Value, is_async: bool) -> JsResult<Gc<Delegate>> {
        let record =
            if is_async { async_iterate::open(iterable, None)? } else { IteratorRecord::open_protocol(iterable)? };
        Ok(Gc::new(Delegate {
            header: Header::internal::<Delegate>(),
            record,
            is_async,
            awaiting: Cell::new(Awaiting::Result),
            returned: Cell::new(false),
        }))
    }

    /// One step. Sync: EMPTY (the value to yield is in YIELD_VALUE) or the completion value. Async: what to await.
    pub fn step(&self, mode: ResumeMode, received: Value) -> JsResult {
        let iterator = self.record.iterator.get();
        self.awaiting.set(Awaiting::Result);
        let result = match mode {
            ResumeMode::Next => call::call(self.record.next.get(), iterator, &[received])?,
            ResumeMode::Throw => match get_method(iterator, keys::throw())? {
                Some(method) => call::call(method.into(), iterator, &[received])?,
                None => return self.close_for_throw(),
            },
            ResumeMode::Return => match get_method(iterator, keys::return_())? {
                Some(method) => call::call(method.into(), iterator, &[received])?,
                None => {
                    self.returned.set(true);
                    self.awaiting.set(Awaiting::ReturnValue);
                    return Ok(received);
                }
            },
        };
        if self.is_async { Ok(result) } else { self.inner_result(mode, result) }
    }

    /// Async: what an awaited value means: as for sync steps.
    pub fn result(&self, mode: ResumeMode, awaited: Value) -> JsResult {
        match self.awaiting.get() {
            Awaiting::Result => self.inner_result(mode, awaited),
            Awaiting::ReturnValue => Ok(awaited),
            Awaiting::Closing => Err(no_throw_method()),
        }
    }

    fn inner_result(&self, mode: ResumeMode, result: Value) -> JsResult {
        let Some(object) = result.as_object() else {
            return Err(throw_type_error(format!("Iterator result {} is not an object", describe(result))));
        };
        if to_boolean(object.get(keys::done())?) {
            self.returned.set(mode == ResumeMode::Return);
            return object.get(keys::value());
        }
        match self.is_async {
            true => YIELD_VALUE.set(object.get(keys::value())?),
            false => generator::yield_delegated(result),
        }
        Ok(Value::EMPTY)
    }

    fn close_for_throw(&self) -> JsResult {
        if !self.is_async {
            self.record.close()?;
            return Err(no_throw_method());
        }
        self.awaiting.set(Awaiting::Closing);
        let iterator = self.record.iterator.get();
        match get_method(iterator, keys::return_())? {
            Some(method) => call::call(method.into(), iterator, &[]),
            None => Err(no_throw_method()),
        }
    }
}

fn no_throw_method() -> crate::throw::Throw {
    throw_type_error("The iterator does not provide a 'throw' method")
}
