//! `map`, `filter`, `take`, `drop` and `flatMap`.

use core::cell::Cell;

use super::helpers::{self, Task};
use super::{flattenable, require_callback, this_object};
use crate::builtin::{CallContext, Method, native};
use crate::call::call;
use crate::cell::{Gc, Header};
use crate::convert::{to_boolean, to_integer_or_infinity, to_number};
use crate::error::display;
use crate::iterate::IteratorRecord;
use crate::throw::{JsResult, throw_range_error};
use crate::value::Value;

pub(super) const METHODS: &[Method] = &[
    ("map", 1, native(|cx| with_function(cx, "map", Kind::Map))),
    ("filter", 1, native(|cx| with_function(cx, "filter", Kind::Filter))),
    ("flatMap", 1, native(|cx| with_function(cx, "flatMap", Kind::FlatMap))),
    ("take", 1, native(|cx| with_limit(cx, "take", Kind::Take))),
    ("drop", 1, native(|cx| with_limit(cx, "drop", Kind::Drop))),
];

/// The methods.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Map,
    Filter,
    FlatMap,
    Take,
    Drop,
}

/// What one of these methods does with the values of an iterator.
#[repr(C)]
pub(super) struct Transform {
    header: Header,
    kind: Kind,
    record: Gc<IteratorRecord>,
    /// UNDEFINED for `take` and `drop`.
    function: Value,
    /// Calls of the function so far; for `take` and `drop`: values still to be taken or dropped.
    count: Cell<f64>,
    /// `flatMap`: the iterator it is in.
    inner: Cell<Option<Gc<IteratorRecord>>>,
}

fn create(iterator: Value, kind: Kind, function: Value, count: f64) -> JsResult {
    let record = IteratorRecord::from_iterator(iterator)?;
    let header = Header::internal::<Transform>();
    let (count, inner) = (Cell::new(count), Cell::new(None));
    Ok(helpers::create(Task::Transform(Gc::new(Transform { header, kind, record, function, count, inner }))))
}

fn with_function(cx: &CallContext, name: &str, kind: Kind) -> JsResult {
    let iterator = this_object(cx, name)?;
    create(iterator, kind, require_callback(cx, name)?, 0.0)
}

fn with_limit(cx: &CallContext, name: &str, kind: Kind) -> JsResult {
    let iterator = this_object(cx, name)?;
    let limit = to_number(cx.arg(0))?;
    let whole = to_integer_or_infinity(Value::double(limit))?;
    if limit.is_nan() || whole < 0.0 {
        return Err(throw_range_error(format!("{} must be positive", display(cx.arg(0)))));
    }
    create(iterator, kind, Value::UNDEFINED, whole)
}

impl Transform {
    /// Calls the function with a value; an error closes the iterator.
    fn apply(&self, value: Value) -> JsResult {
        let count = self.count.get();
        self.count.set(count + 1.0);
        call(self.function, Value::UNDEFINED, &[value, Value::number(count)])
            .inspect_err(|_| self.record.close_silently())
    }

    /// The next value, or `None` at the end.
    pub(super) fn step(&self) -> JsResult<Option<Value>> {
        match self.kind {
            Kind::Map => match self.record.step()? {
                Some(value) => self.apply(value).map(Some),
                None => Ok(None),
            },
            Kind::Filter => self.step_filter(),
            Kind::FlatMap => self.step_flat(),
            Kind::Take => self.step_take(),
            Kind::Drop => self.step_drop(),
        }
    }

    fn step_filter(&self) -> JsResult<Option<Value>> {
        while let Some(value) = self.record.step()? {
            if to_boolean(self.apply(value)?) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn step_take(&self) -> JsResult<Option<Value>> {
        let remaining = self.count.get();
        if remaining == 0.0 {
            self.record.close()?;
            return Ok(None);
        }
        self.count.set(remaining - 1.0);
        self.record.step()
    }

    fn step_drop(&self) -> JsResult<Option<Value>> {
        while self.count.get() > 0.0 {
            self.count.set(self.count.get() - 1.0);
            if self.record.step()?.is_none() {
                return Ok(None);
            }
        }
        self.record.step()
    }

    fn step_flat(&self) -> JsResult<Option<Value>> {
        loop {
            if let Some(inner) = self.inner.get() {
                match inner.step().inspect_err(|_| self.record.close_silently())? {
                    Some(value) => return Ok(Some(value)),
                    None => self.inner.set(None),
                }
            }
            let Some(value) = self.record.step()? else { return Ok(None) };
            let mapped = self.apply(value)?;
            let inner = flattenable(mapped, false, "Iterator.prototype.flatMap")
                .inspect_err(|_| self.record.close_silently())?;
            self.inner.set(Some(inner));
        }
    }

    pub(super) fn close(&self) -> JsResult<()> {
        if let Some(inner) = self.inner.take() {
            inner.close().inspect_err(|_| self.record.close_silently())?;
        }
        self.record.close()
    }
}
