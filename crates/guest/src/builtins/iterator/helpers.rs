//! `map`, `filter`, `take`, `drop` and `flatMap`: iterator helper objects.

use core::cell::Cell;

use super::{flattenable, require_callback, tag, this_object};
use crate::builtin::{CallContext, Method, methods, native};
use crate::builtins::check::incompatible;
use crate::call::call;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{to_boolean, to_integer_or_infinity, to_number};
use crate::error::display;
use crate::iterate::{IteratorRecord, new_iterator_result};
use crate::object::{Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

const METHODS: &[Method] = &[
    ("map", 1, native(|cx| with_function(cx, "map", Task::Map))),
    ("filter", 1, native(|cx| with_function(cx, "filter", Task::Filter))),
    ("flatMap", 1, native(|cx| with_function(cx, "flatMap", Task::FlatMap))),
    ("take", 1, native(|cx| with_limit(cx, "take", Task::Take))),
    ("drop", 1, native(|cx| with_limit(cx, "drop", Task::Drop))),
];

/// What a helper does with the values it gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    Map,
    Filter,
    FlatMap,
    Take,
    Drop,
}

/// Where a helper stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Done,
}

/// An iterator helper.
#[repr(C)]
struct IteratorHelper {
    header: ObjectHeader,
    task: Task,
    phase: Cell<Phase>,
    record: Gc<IteratorRecord>,
    /// UNDEFINED for `take` and `drop`.
    function: Value,
    /// Calls of the function so far; for `take` and `drop`: values still to be taken or dropped.
    count: Cell<f64>,
    /// `flatMap`: the iterator it is in.
    inner: Cell<Option<Gc<IteratorRecord>>>,
}

// SAFETY: only `create` makes cells of this kind.
unsafe impl ObjectKind for IteratorHelper {
    const KIND: u8 = kind::ITERATOR_HELPER;
}

/// Builds the methods and %IteratorHelperPrototype%.
pub(super) fn install(iterator_prototype: Object) {
    methods(iterator_prototype, METHODS);
    let prototype = intrinsic(Intrinsic::IteratorHelperPrototype);
    prototype.force_prototype(Some(iterator_prototype));
    methods(prototype, &[("next", 0, native(next)), ("return", 0, native(return_))]);
    tag(prototype, "Iterator Helper");
}

fn create(iterator: Value, task: Task, function: Value, count: f64) -> JsResult {
    let record = IteratorRecord::from_iterator(iterator)?;
    let header = ObjectHeader::new::<IteratorHelper>(intrinsic(Intrinsic::IteratorHelperPrototype));
    let (phase, inner) = (Cell::new(Phase::Waiting), Cell::new(None));
    Ok(Gc::new(IteratorHelper { header, task, phase, record, function, count: Cell::new(count), inner }).into())
}

fn with_function(cx: &CallContext, name: &str, task: Task) -> JsResult {
    let iterator = this_object(cx, name)?;
    create(iterator, task, require_callback(cx, name)?, 0.0)
}

fn with_limit(cx: &CallContext, name: &str, task: Task) -> JsResult {
    let iterator = this_object(cx, name)?;
    let limit = to_number(cx.arg(0))?;
    let whole = to_integer_or_infinity(Value::double(limit))?;
    if limit.is_nan() || whole < 0.0 {
        return Err(throw_range_error(format!("{} must be positive", display(cx.arg(0)))));
    }
    create(iterator, task, Value::UNDEFINED, whole)
}

impl IteratorHelper {
    /// Calls the function with a value; an error closes the iterator.
    fn apply(&self, value: Value) -> JsResult {
        let count = self.count.get();
        self.count.set(count + 1.0);
        call(self.function, Value::UNDEFINED, &[value, Value::number(count)])
            .inspect_err(|_| self.record.close_silently())
    }

    /// The next value, or `None` at the end.
    fn step(&self) -> JsResult<Option<Value>> {
        match self.task {
            Task::Map => match self.record.step()? {
                Some(value) => self.apply(value).map(Some),
                None => Ok(None),
            },
            Task::Filter => self.step_filter(),
            Task::FlatMap => self.step_flat(),
            Task::Take => self.step_take(),
            Task::Drop => self.step_drop(),
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
}

fn this_helper(cx: &CallContext, method: &str) -> JsResult<Gc<IteratorHelper>> {
    let helper = cx.this.as_kind::<IteratorHelper>();
    let helper = helper.ok_or_else(|| incompatible(&format!("Iterator Helper.prototype.{method}"), cx.this))?;
    if helper.phase.get() == Phase::Running {
        return Err(throw_type_error("Generator is already running"));
    }
    Ok(helper)
}

fn next(cx: &CallContext) -> JsResult {
    let helper = this_helper(cx, "next")?;
    if helper.phase.get() == Phase::Done {
        return Ok(new_iterator_result(Value::UNDEFINED, true).into());
    }
    helper.phase.set(Phase::Running);
    let stepped = helper.step();
    helper.phase.set(if matches!(stepped, Ok(Some(_))) { Phase::Waiting } else { Phase::Done });
    let value = stepped?;
    Ok(new_iterator_result(value.unwrap_or(Value::UNDEFINED), value.is_none()).into())
}

fn return_(cx: &CallContext) -> JsResult {
    let helper = this_helper(cx, "return")?;
    if helper.phase.replace(Phase::Done) != Phase::Done {
        if let Some(inner) = helper.inner.take() {
            inner.close().inspect_err(|_| helper.record.close_silently())?;
        }
        helper.record.close()?;
    }
    Ok(new_iterator_result(Value::UNDEFINED, true).into())
}
