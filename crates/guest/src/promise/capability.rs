//! Promise capabilities and resolving functions.

use core::cell::Cell;

use super::PromiseObject;
use crate::builtin::{CallContext, function, native};
use crate::call;
use crate::cell::{Gc, Header};
use crate::object::Object;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A promise and the means to settle it. Those of %Promise% need no functions.
#[repr(C)]
pub struct Capability {
    header: Header,
    promise: Cell<Value>,
    /// UNDEFINED both for a native promise that is settled directly.
    resolve: Cell<Value>,
    reject: Cell<Value>,
}

impl Capability {
    fn with(promise: Value, resolve: Value, reject: Value) -> Gc<Capability> {
        Gc::new(Capability {
            header: Header::internal::<Capability>(),
            promise: Cell::new(promise),
            resolve: Cell::new(resolve),
            reject: Cell::new(reject),
        })
    }

    /// Of a native promise, which only this capability settles, and once.
    pub fn native() -> Gc<Capability> {
        Capability::of(PromiseObject::pending())
    }

    /// Of a native promise that is resolved from now on only through this capability, once.
    pub fn of(promise: Gc<PromiseObject>) -> Gc<Capability> {
        Capability::with(promise.into(), Value::UNDEFINED, Value::UNDEFINED)
    }

    /// NewPromiseCapability(constructor).
    #[allow(clippy::new_ret_no_self)]
    pub fn new(constructor: Value) -> JsResult<Gc<Capability>> {
        if constructor == Value::from(intrinsic(Intrinsic::PromiseConstructor)) {
            return Ok(Capability::native());
        }
        if !call::is_constructor(constructor) {
            let name = crate::error::describe(constructor);
            return Err(throw_type_error(format!("{name} is not a constructor")));
        }
        let capability = Capability::with(Value::UNDEFINED, Value::UNDEFINED, Value::UNDEFINED);
        let executor = function("", 2, native(executor));
        executor.home.set(Value::internal(capability));
        let promise = call::construct(constructor, &[executor.into()], constructor)?;
        if !call::is_callable(capability.resolve.get()) || !call::is_callable(capability.reject.get()) {
            return Err(throw_type_error("Promise resolve or reject function is not callable"));
        }
        capability.promise.set(promise.into());
        Ok(capability)
    }

    /// The promise.
    pub fn promise(&self) -> Value {
        self.promise.get()
    }

    /// Resolves the promise.
    pub fn resolve(&self, value: Value) -> JsResult<()> {
        match self.native_promise() {
            Some(promise) => promise.resolve(value),
            None => drop(call::call(self.resolve.get(), Value::UNDEFINED, &[value])?),
        }
        Ok(())
    }

    /// Rejects the promise.
    pub fn reject(&self, reason: Value) -> JsResult<()> {
        match self.native_promise() {
            Some(promise) => promise.reject(reason),
            None => drop(call::call(self.reject.get(), Value::UNDEFINED, &[reason])?),
        }
        Ok(())
    }

    /// The functions `resolve` and `reject`, to be given to user code. From then on the promise is settled through them only.
    pub fn functions(&self) -> (Value, Value) {
        if let Some(promise) = self.native_promise() {
            let (resolve, reject) = resolving_functions(promise);
            self.resolve.set(resolve.into());
            self.reject.set(reject.into());
        }
        (self.resolve.get(), self.reject.get())
    }

    /// Whether the promise is a native one that is settled directly, which must happen once only.
    pub fn is_direct(&self) -> bool {
        self.native_promise().is_some()
    }

    fn native_promise(&self) -> Option<Gc<PromiseObject>> {
        if !self.resolve.get().is_undefined() {
            return None;
        }
        self.promise.get().as_kind::<PromiseObject>()
    }
}

/// Executor of `Capability::new`: keeps the two functions.
fn executor(cx: &CallContext) -> JsResult {
    // SAFETY: `Capability::new` put the capability there.
    let Some(capability) = (unsafe { cx.callee.home.get().as_internal::<Capability>() }) else {
        return Ok(Value::UNDEFINED);
    };
    if !capability.resolve.get().is_undefined() || !capability.reject.get().is_undefined() {
        return Err(throw_type_error("Promise executor has already been invoked with non-undefined arguments"));
    }
    capability.resolve.set(cx.arg(0));
    capability.reject.set(cx.arg(1));
    Ok(Value::UNDEFINED)
}

/// What two resolving functions share.
#[repr(C)]
struct Resolving {
    header: Header,
    /// `None` once one of them was called.
    promise: Cell<Option<Gc<PromiseObject>>>,
}

/// CreateResolvingFunctions: `(resolve, reject)`.
pub(super) fn resolving_functions(promise: Gc<PromiseObject>) -> (Object, Object) {
    let shared = Value::internal(Gc::new(Resolving {
        header: Header::internal::<Resolving>(),
        promise: Cell::new(Some(promise)),
    }));
    let resolve = function("", 1, native(|cx| settle(cx, |promise, value| promise.resolve(value))));
    let reject = function("", 1, native(|cx| settle(cx, |promise, value| promise.reject(value))));
    resolve.home.set(shared);
    reject.home.set(shared);
    (resolve.object(), reject.object())
}

fn settle(cx: &CallContext, how: fn(Gc<PromiseObject>, Value)) -> JsResult {
    // SAFETY: `resolving_functions` put it there.
    let shared = unsafe { cx.callee.home.get().as_internal::<Resolving>() };
    if let Some(promise) = shared.and_then(|shared| shared.promise.take()) {
        how(promise, cx.arg(0));
    }
    Ok(Value::UNDEFINED)
}
