//! Iterator helper objects: what `map`, `chunks`, `Iterator.zip` and their like answer. What they do with the iterators they
//! are made of is in files of their own.

use core::cell::Cell;

use super::chunking::Chunking;
use super::concat::Concatenation;
use super::tag;
use super::transform::Transform;
use super::zip::Zip;
use crate::builtin::{CallContext, methods, native};
use crate::builtins::check::incompatible;
use crate::cell::{Gc, ObjectKind, kind};
use crate::iterate::new_iterator_result;
use crate::object::{Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// What a helper does.
#[derive(Clone, Copy)]
pub(super) enum Task {
    /// `map`, `filter`, `flatMap`, `take`, `drop`
    Transform(Gc<Transform>),
    /// `chunks`, `windows`
    Chunking(Gc<Chunking>),
    /// `Iterator.concat`
    Concat(Gc<Concatenation>),
    /// `Iterator.zip`, `Iterator.zipKeyed`
    Zip(Gc<Zip>),
}

impl Task {
    /// The next value, or `None` at the end.
    fn step(self) -> JsResult<Option<Value>> {
        match self {
            Task::Transform(transform) => transform.step(),
            Task::Chunking(chunking) => chunking.step(),
            Task::Concat(concatenation) => concatenation.step(),
            Task::Zip(zip) => zip.step(),
        }
    }

    /// Closes the iterators below.
    fn close(self) -> JsResult<()> {
        match self {
            Task::Transform(transform) => transform.close(),
            Task::Chunking(chunking) => chunking.close(),
            Task::Concat(concatenation) => concatenation.close(),
            Task::Zip(zip) => zip.close(),
        }
    }
}

/// Where a helper stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Fresh,
    Waiting,
    Running,
    Done,
}

/// An iterator helper.
#[repr(C)]
struct IteratorHelper {
    header: ObjectHeader,
    phase: Cell<Phase>,
    task: Task,
}

// SAFETY: only `create` makes cells of this kind.
unsafe impl ObjectKind for IteratorHelper {
    const KIND: u8 = kind::ITERATOR_HELPER;
}

/// Builds %IteratorHelperPrototype%.
pub(super) fn install(iterator_prototype: Object) {
    let prototype = intrinsic(Intrinsic::IteratorHelperPrototype);
    prototype.force_prototype(Some(iterator_prototype));
    methods(prototype, &[("next", 0, native(next)), ("return", 0, native(return_))]);
    tag(prototype, "Iterator Helper");
}

/// A helper that has done nothing yet.
pub(super) fn create(task: Task) -> Value {
    let header = ObjectHeader::new::<IteratorHelper>(intrinsic(Intrinsic::IteratorHelperPrototype));
    Gc::new(IteratorHelper { header, phase: Cell::new(Phase::Fresh), task }).into()
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
    let stepped = helper.task.step();
    helper.phase.set(if matches!(stepped, Ok(Some(_))) { Phase::Waiting } else { Phase::Done });
    let value = stepped?;
    Ok(new_iterator_result(value.unwrap_or(Value::UNDEFINED), value.is_none()).into())
}

fn return_(cx: &CallContext) -> JsResult {
    let helper = this_helper(cx, "return")?;
    let phase = helper.phase.replace(Phase::Done);
    if phase != Phase::Done {
        // One that has begun runs while it closes, but for those of V8, which are done before.
        if phase == Phase::Waiting && !matches!(helper.task, Task::Transform(_)) {
            helper.phase.set(Phase::Running);
        }
        let closed = helper.task.close();
        helper.phase.set(Phase::Done);
        closed?;
    }
    Ok(new_iterator_result(Value::UNDEFINED, true).into())
}
