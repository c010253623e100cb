//! Resources to be disposed of at the end of a block, by `using` and `await using` (ECMA-262, DisposeCapability records).

use core::cell::Cell;

use crate::call;
use crate::cell::{Gc, Header};
use crate::convert::get_method;
use crate::error::{describe, suppressed};
use crate::object::{ArrayCell, Object};
use crate::promise;
use crate::symbol;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// How a resource is disposed of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// By calling a method.
    Sync,
    /// By awaiting what a method answers.
    Async,
    /// By calling a method of the synchronous protocol, then awaiting nothing.
    AsyncFromSync,
}

impl Hint {
    fn from_number(number: i32) -> Hint {
        match number {
            0 => Hint::Sync,
            1 => Hint::Async,
            _ => Hint::AsyncFromSync,
        }
    }
}

/// A stack of resources and the error that disposing of them has met so far.
#[repr(C)]
pub struct Disposables {
    header: Header,
    /// Value, method (undefined: only an `await` is due) and hint of each resource, one behind the other.
    resources: Cell<Gc<ArrayCell>>,
    /// EMPTY if there is none.
    error: Cell<Value>,
    needs_await: Cell<bool>,
    has_awaited: Cell<bool>,
}

impl Disposables {
    /// A stack without resources.
    pub fn new() -> Gc<Disposables> {
        Gc::new(Disposables {
            header: Header::internal::<Disposables>(),
            resources: Cell::new(ArrayCell::with_capacity(0)),
            error: Cell::new(Value::EMPTY),
            needs_await: Cell::new(false),
            has_awaited: Cell::new(false),
        })
    }

    /// AddDisposableResource: a value that has a method for it, or undefined or null.
    pub fn add(&self, value: Value, is_async: bool) -> JsResult<()> {
        if value.is_nullish() {
            if is_async {
                self.push(Value::UNDEFINED, Value::UNDEFINED, Hint::Async);
            }
            return Ok(());
        }
        if !value.is_object() {
            return Err(throw_type_error(format!("{} is not an object", describe(value))));
        }
        let (method, hint) = dispose_method(value, is_async)?;
        self.push(value, method.into(), hint);
        Ok(())
    }

    /// Adds a method to be called with `value` as its `this`.
    pub fn push(&self, value: Value, method: Value, hint: Hint) {
        let resources = self.resources.get();
        resources.push(value);
        resources.push(method);
        resources.push(Value::int(hint as i32));
    }

    fn pop(&self) -> Option<(Value, Value, Hint)> {
        let resources = self.resources.get();
        if resources.is_empty() {
            return None;
        }
        let hint = Hint::from_number(resources.pop().as_int().unwrap_or_default());
        let method = resources.pop();
        Some((resources.pop(), method, hint))
    }

    /// Notes an error; one noted before is then suppressed by it.
    pub fn fail(&self, error: Value) {
        let before = self.error.replace(error);
        if before != Value::EMPTY {
            self.error.set(suppressed(error, before));
        }
    }

    /// DisposeResources up to its next `await`: what to await, or EMPTY when everything is disposed of.
    pub fn advance(&self) -> Value {
        while let Some((value, method, hint)) = self.pop() {
            if method.is_undefined() {
                self.needs_await.set(true);
                continue;
            }
            if hint == Hint::Sync && self.needs_await.get() && !self.has_awaited.get() {
                self.push(value, method, hint);
                self.needs_await.set(false);
                return Value::UNDEFINED;
            }
            match (call::call(method, value, &[]), hint) {
                (Ok(_), Hint::Sync) => {}
                (Err(thrown), Hint::Sync | Hint::Async) => self.fail(thrown.take()),
                (Ok(result), Hint::Async) => return self.await_with(result),
                (Ok(_), Hint::AsyncFromSync) => return self.await_with(Value::UNDEFINED),
                (Err(thrown), Hint::AsyncFromSync) => {
                    return self.await_with(promise::rejected(thrown.take()).into());
                }
            }
        }
        if self.needs_await.get() && !self.has_awaited.get() {
            return self.await_with(Value::UNDEFINED);
        }
        Value::EMPTY
    }

    fn await_with(&self, value: Value) -> Value {
        self.has_awaited.set(true);
        value
    }

    /// The end: throws the error if there was one.
    pub fn finish(&self) -> JsResult<()> {
        match self.error.replace(Value::EMPTY) {
            Value::EMPTY => Ok(()),
            error => Err(crate::throw::Throw::value(error)),
        }
    }
}

/// GetDisposeMethod, which must find one.
pub fn dispose_method(value: Value, is_async: bool) -> JsResult<(Object, Hint)> {
    if is_async && let Some(method) = get_method(value, symbol::async_dispose().into())? {
        return Ok((method, Hint::Async));
    }
    match get_method(value, symbol::dispose().into())? {
        Some(method) if is_async => Ok((method, Hint::AsyncFromSync)),
        Some(method) => Ok((method, Hint::Sync)),
        None => {
            let name = if is_async { "Symbol.asyncDispose" } else { "Symbol.dispose" };
            Err(throw_type_error(format!("{name} is not a function")))
        }
    }
}
