//! Async iteration, and async iterators made of sync ones.

use core::cell::Cell;

use crate::builtin::{CallContext, methods, native};
use crate::call;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{get_method, get_value, to_boolean};
use crate::error::{describe, describe_with_type};
use crate::iterate::{IteratorRecord, new_iterator_result};
use crate::names::keys;
use crate::object::{Object, ObjectHeader};
use crate::promise::{self, PromiseObject};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// %AsyncFromSyncIterator%
#[repr(C)]
struct AsyncFromSync {
    header: ObjectHeader,
    record: Cell<Gc<IteratorRecord>>,
}

// SAFETY: only `open` makes cells of this kind.
unsafe impl ObjectKind for AsyncFromSync {
    const KIND: u8 = kind::ASYNC_FROM_SYNC_ITERATOR;
}

/// GetIterator(value, async). Errors use the name that compiled code gives the value.
pub fn open(value: Value, name: Option<JsString>) -> JsResult<Gc<IteratorRecord>> {
    let not_iterable = || {
        let name = name.map_or_else(|| describe_with_type(value), JsString::to_text);
        throw_type_error(format!("{name} is not async iterable"))
    };
    let method = get_value(value, crate::symbol::async_iterator().into())?;
    if !method.is_nullish() {
        if !call::is_callable(method) {
            return Err(not_iterable());
        }
        let iterator = call::call(method, value, &[])?;
        if !iterator.is_object() {
            return Err(throw_type_error("Result of the Symbol.asyncIterator method is not an object"));
        }
        return IteratorRecord::from_iterator(iterator);
    }
    let method = get_value(value, crate::symbol::iterator().into())?;
    if !call::is_callable(method) {
        return Err(not_iterable());
    }
    from_sync(IteratorRecord::from_method(value, method)?)
}

/// CreateAsyncFromSyncIterator
pub fn from_sync(record: Gc<IteratorRecord>) -> JsResult<Gc<IteratorRecord>> {
    let header = ObjectHeader::new::<AsyncFromSync>(intrinsic(Intrinsic::AsyncFromSyncIteratorPrototype));
    let iterator = Gc::new(AsyncFromSync { header, record: Cell::new(record) });
    IteratorRecord::from_iterator(iterator.into())
}

/// Calls `next`: what to await.
pub fn next(record: Gc<IteratorRecord>) -> JsResult {
    let result = call::call(record.next.get(), record.iterator.get(), &[]);
    if result.is_err() {
        record.mark_closed();
    }
    result
}

/// The value in an awaited result, or EMPTY when done.
pub fn result(record: Gc<IteratorRecord>, awaited: Value) -> JsResult {
    match crate::iterate::iterator_result(awaited) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => {
            record.mark_closed();
            Ok(Value::EMPTY)
        }
        Err(thrown) => {
            record.mark_closed();
            Err(thrown)
        }
    }
}

/// Calls `return` if there is one: what to await, or EMPTY.
pub fn close(record: Gc<IteratorRecord>) -> JsResult {
    if record.mark_closed() {
        return Ok(Value::EMPTY);
    }
    let iterator = record.iterator.get();
    match get_method(iterator, keys::return_())? {
        Some(method) => call::call(method.into(), iterator, &[]),
        None => Ok(Value::EMPTY),
    }
}

/// Builds %AsyncFromSyncIteratorPrototype%.
pub fn install() {
    let prototype = intrinsic(Intrinsic::AsyncFromSyncIteratorPrototype);
    prototype.force_prototype(Some(intrinsic(Intrinsic::AsyncIteratorPrototype)));
    methods(
        prototype,
        &[
            ("next", 1, native(|cx| answer(cx, step_next))),
            ("return", 1, native(|cx| answer(cx, step_return))),
            ("throw", 1, native(|cx| answer(cx, step_throw))),
        ],
    );
}

/// A sync iterator's result, or `None` for a value that is final by itself (the first argument).
type Step = fn(Gc<IteratorRecord>, &CallContext) -> JsResult<Option<Object>>;

fn answer(cx: &CallContext, step: Step) -> JsResult {
    let promise = PromiseObject::pending();
    if let Some(iterator) = cx.this.as_kind::<AsyncFromSync>()
        && let Err(thrown) = continue_with(iterator.record.get(), cx, step, promise)
    {
        promise.reject(thrown.take());
    }
    Ok(promise.into())
}

/// AsyncFromSyncIteratorContinuation.
fn continue_with(record: Gc<IteratorRecord>, cx: &CallContext, step: Step, promise: Gc<PromiseObject>) -> JsResult<()> {
    let Some(result) = step(record, cx)? else {
        promise.fulfill(new_iterator_result(cx.arg(0), true).into());
        return Ok(());
    };
    let done = to_boolean(result.get(keys::done())?);
    let value = result.get(keys::value())?;
    let wrapper = match promise::resolved(value) {
        Ok(wrapper) => wrapper,
        Err(thrown) => {
            if !done {
                record.close_silently();
            }
            return Err(thrown);
        }
    };
    let data = Value::from(vec![promise.into(), Value::bool(done), Value::internal(record)]);
    wrapper.then_native(data, settle);
    Ok(())
}

fn settle(data: Value, outcome: Result<Value, Value>) -> JsResult<()> {
    let Some(data) = data.as_object().and_then(Object::as_array) else { return Ok(()) };
    let Some(promise) = data.element(0).as_kind::<PromiseObject>() else { return Ok(()) };
    let done = data.element(1) == Value::TRUE;
    match outcome {
        Ok(value) => promise.fulfill(new_iterator_result(value, done).into()),
        Err(reason) => {
            // SAFETY: `continue_with` put the record there.
            if let Some(record) = unsafe { data.element(2).as_internal::<IteratorRecord>() }
                && !done
            {
                record.close_silently();
            }
            promise.reject(reason);
        }
    }
    Ok(())
}

fn object_result(result: Value) -> JsResult<Option<Object>> {
    match result.as_object() {
        Some(object) => Ok(Some(object)),
        None => Err(throw_type_error(format!("Iterator result {} is not an object", describe(result)))),
    }
}

fn step_next(record: Gc<IteratorRecord>, cx: &CallContext) -> JsResult<Option<Object>> {
    object_result(call::call(record.next.get(), record.iterator.get(), cx.arguments)?)
}

fn step_return(record: Gc<IteratorRecord>, cx: &CallContext) -> JsResult<Option<Object>> {
    let iterator = record.iterator.get();
    match get_method(iterator, keys::return_())? {
        Some(method) => object_result(call::call(method.into(), iterator, cx.arguments)?),
        None => Ok(None),
    }
}

fn step_throw(record: Gc<IteratorRecord>, cx: &CallContext) -> JsResult<Option<Object>> {
    let iterator = record.iterator.get();
    match get_method(iterator, keys::throw())? {
        Some(method) => object_result(call::call(method.into(), iterator, cx.arguments)?),
        None => {
            record.close()?;
            Err(throw_type_error("The iterator does not provide a 'throw' method"))
        }
    }
}
