//! `DisposableStack` and `AsyncDisposableStack`: resources that are disposed of together, the last first.

use core::cell::Cell;

use super::check::{incompatible, require_function};
use crate::builtin::{
    CallContext, constructor, function, getters, method, methods, native, native_constructor, require_new,
    to_string_tag,
};
use crate::call::call;
use crate::cell::{Gc, ObjectKind, kind};
use crate::dispose::{Disposables, Hint};
use crate::object::{Attributes, Object, ObjectHeader};
use crate::promise::{PromiseObject, resolved};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_reference_error};
use crate::value::Value;

/// A stack of resources.
#[repr(C)]
struct Stack<const ASYNC: bool> {
    header: ObjectHeader,
    /// `None` once they are disposed of, or moved to another stack.
    resources: Cell<Option<Gc<Disposables>>>,
}

// SAFETY: only `Stack::create` makes cells of this kind.
unsafe impl ObjectKind for Stack<false> {
    const KIND: u8 = kind::DISPOSABLE_STACK;
}

// SAFETY: as above.
unsafe impl ObjectKind for Stack<true> {
    const KIND: u8 = kind::ASYNC_DISPOSABLE_STACK;
}

/// Builds both.
pub(crate) fn install() {
    let stack = install_shared::<false>(Intrinsic::DisposableStackPrototype);
    let dispose = method(stack, "dispose", 0, native(dispose));
    stack.define(crate::symbol::dispose(), dispose.into(), Attributes::HIDDEN);

    let stack = install_shared::<true>(Intrinsic::AsyncDisposableStackPrototype);
    let dispose = method(stack, "disposeAsync", 0, native(dispose_async));
    stack.define(crate::symbol::async_dispose(), dispose.into(), Attributes::HIDDEN);
}

/// The prototype, with everything but the way to dispose.
fn install_shared<const ASYNC: bool>(prototype: Intrinsic) -> Object
where
    Stack<ASYNC>: ObjectKind,
{
    let prototype = intrinsic(prototype);
    constructor(Stack::<ASYNC>::NAME, 0, native_constructor(construct::<ASYNC>), prototype);
    methods(
        prototype,
        &[
            ("use", 1, native(use_::<ASYNC>)),
            ("adopt", 2, native(adopt::<ASYNC>)),
            ("defer", 1, native(defer::<ASYNC>)),
            ("move", 0, native(move_::<ASYNC>)),
        ],
    );
    getters(prototype, &[("disposed", native(disposed::<ASYNC>))]);
    to_string_tag(prototype, Stack::<ASYNC>::NAME);
    prototype
}

impl<const ASYNC: bool> Stack<ASYNC>
where
    Stack<ASYNC>: ObjectKind,
{
    const NAME: &str = if ASYNC { "AsyncDisposableStack" } else { "DisposableStack" };
    const PROTOTYPE: Intrinsic =
        if ASYNC { Intrinsic::AsyncDisposableStackPrototype } else { Intrinsic::DisposableStackPrototype };
    const HINT: Hint = if ASYNC { Hint::Async } else { Hint::Sync };

    fn create(prototype: Object, resources: Gc<Disposables>) -> Value {
        let header = ObjectHeader::new::<Stack<ASYNC>>(prototype);
        Gc::new(Stack::<ASYNC> { header, resources: Cell::new(Some(resources)) }).into()
    }

    fn this(cx: &CallContext, method: &str) -> JsResult<Gc<Stack<ASYNC>>> {
        cx.this.as_kind().ok_or_else(|| incompatible(&format!("{}.prototype.{method}", Self::NAME), cx.this))
    }

    /// The resources; ReferenceError if they are disposed of.
    fn pending(cx: &CallContext, method: &str) -> JsResult<Gc<Disposables>> {
        let resources = Self::this(cx, method)?.resources.get();
        resources.ok_or_else(|| throw_reference_error(format!("Cannot add values to a disposed {}", Self::NAME)))
    }
}

fn construct<const ASYNC: bool>(cx: &CallContext) -> JsResult
where
    Stack<ASYNC>: ObjectKind,
{
    require_new(cx, Stack::<ASYNC>::NAME)?;
    Ok(Stack::<ASYNC>::create(cx.new_prototype(Stack::<ASYNC>::PROTOTYPE)?, Disposables::new()))
}

fn disposed<const ASYNC: bool>(cx: &CallContext) -> JsResult
where
    Stack<ASYNC>: ObjectKind,
{
    Ok(Stack::<ASYNC>::this(cx, "disposed")?.resources.get().is_none().into())
}

fn use_<const ASYNC: bool>(cx: &CallContext) -> JsResult
where
    Stack<ASYNC>: ObjectKind,
{
    Stack::<ASYNC>::pending(cx, "use")?.add(cx.arg(0), ASYNC)?;
    Ok(cx.arg(0))
}

fn defer<const ASYNC: bool>(cx: &CallContext) -> JsResult
where
    Stack<ASYNC>: ObjectKind,
{
    let resources = Stack::<ASYNC>::pending(cx, "defer")?;
    resources.push(Value::UNDEFINED, require_function(cx.arg(0))?, Stack::<ASYNC>::HINT);
    Ok(Value::UNDEFINED)
}

fn adopt<const ASYNC: bool>(cx: &CallContext) -> JsResult
where
    Stack<ASYNC>: ObjectKind,
{
    let resources = Stack::<ASYNC>::pending(cx, "adopt")?;
    let closure = function("", 0, native(call_adopted));
    closure.home.set(vec![require_function(cx.arg(1))?, cx.arg(0)].into());
    resources.push(Value::UNDEFINED, closure.into(), Stack::<ASYNC>::HINT);
    Ok(cx.arg(0))
}

/// Disposes of an adopted value; home is the array of function and value.
fn call_adopted(cx: &CallContext) -> JsResult {
    let parts = cx.callee.home.get().as_object().and_then(Object::as_array);
    match parts.map_or(&[][..], |parts| parts.dense()) {
        [dispose, value] => call(dispose.get(), Value::UNDEFINED, &[value.get()]),
        _ => Ok(Value::UNDEFINED),
    }
}

fn move_<const ASYNC: bool>(cx: &CallContext) -> JsResult
where
    Stack<ASYNC>: ObjectKind,
{
    let resources = Stack::<ASYNC>::pending(cx, "move")?;
    Stack::<ASYNC>::this(cx, "move")?.resources.set(None);
    Ok(Stack::<ASYNC>::create(intrinsic(Stack::<ASYNC>::PROTOTYPE), resources))
}

fn dispose(cx: &CallContext) -> JsResult {
    let Some(resources) = Stack::<false>::this(cx, "dispose")?.resources.take() else { return Ok(Value::UNDEFINED) };
    while !resources.advance().is_empty() {}
    resources.finish()?;
    Ok(Value::UNDEFINED)
}

fn dispose_async(cx: &CallContext) -> JsResult {
    let promise = PromiseObject::pending();
    match Stack::<true>::this(cx, "disposeAsync").map(|stack| stack.resources.take()) {
        Ok(Some(resources)) => go_on(resources, promise),
        Ok(None) => promise.fulfill(Value::UNDEFINED),
        Err(thrown) => promise.reject(thrown.take()),
    }
    Ok(promise.into())
}

/// Disposes of resources up to the next `await`, and from there on when that is over; settles the promise at last.
fn go_on(resources: Gc<Disposables>, promise: Gc<PromiseObject>) {
    loop {
        let awaited = resources.advance();
        if awaited.is_empty() {
            return match resources.finish() {
                Ok(()) => promise.fulfill(Value::UNDEFINED),
                Err(thrown) => promise.reject(thrown.take()),
            };
        }
        match resolved(awaited) {
            Ok(awaited) => {
                let state = vec![Value::internal(resources), promise.into()];
                return awaited.then_native(state.into(), awaited_settled);
            }
            Err(thrown) => resources.fail(thrown.take()),
        }
    }
}

/// What [`go_on`] waited for has settled; its data is the array of resources and promise.
fn awaited_settled(data: Value, outcome: Result<Value, Value>) -> JsResult<()> {
    let state = data.as_object().and_then(Object::as_array);
    if let Some([resources, promise]) = state.map(|state| state.dense())
        // SAFETY: `go_on` put the resources there.
        && let Some(resources) = unsafe { resources.get().as_internal::<Disposables>() }
        && let Some(promise) = promise.get().as_kind::<PromiseObject>()
    {
        if let Err(reason) = outcome {
            resources.fail(reason);
        }
        go_on(resources, promise);
    }
    Ok(())
}
