//! The microtask queue and unhandled rejections.

use std::collections::VecDeque;

use super::capability::Capability;
use super::{Action, PromiseObject};
use crate::builtins::promise_statics::original_then;
use crate::call;
use crate::cell::Gc;
use crate::collector;
use crate::state::State;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A microtask.
#[derive(Clone, Copy)]
pub enum Job {
    /// A reaction to a settled promise.
    React {
        /// What to do.
        action: Action,
        /// How the promise settled.
        rejected: bool,
        /// Value or reason.
        result: Value,
    },
    /// NewPromiseResolveThenableJob.
    Thenable {
        /// The promise that adopts the thenable.
        promise: Gc<PromiseObject>,
        /// The thenable.
        thenable: Value,
        /// Its `then`.
        then: Value,
    },
    /// `queueMicrotask(function)`.
    Call(Value),
}

static QUEUE: State<VecDeque<Job>> = State::new(VecDeque::new());
/// What the microtask under way settles or resumes: a promise, an async generator, or UNDEFINED. For stack traces.
static CURRENT: State<Value> = State::new(Value::UNDEFINED);
static REJECTIONS: State<Vec<Gc<PromiseObject>>> = State::new(Vec::new());

/// What [`drain`] answered last was a rejection that nobody handled.
static UNHANDLED: State<bool> = State::new(false);

/// Whether what failed is a rejection that nobody handled, rather than something thrown.
pub fn take_unhandled() -> bool {
    UNHANDLED.with(core::mem::take)
}

/// Appends a microtask.
#[inline]
pub fn enqueue(job: Job) {
    QUEUE.with(|queue| queue.push_back(job));
}

/// See [`CURRENT`].
pub fn current() -> Value {
    CURRENT.with(|current| *current)
}

/// See [`CURRENT`].
#[inline(always)]
pub fn set_current(settles: Value) {
    CURRENT.with(|current| *current = settles);
}

/// Remembers a rejection nobody listens to yet.
pub(super) fn track_rejection(promise: Gc<PromiseObject>) {
    REJECTIONS.with(|rejections| rejections.push(promise));
}

/// Runs microtasks until there are none; then answers a rejection that nobody handles, as the exception it is.
pub fn drain() -> JsResult<()> {
    while let Some(job) = QUEUE.with(VecDeque::pop_front) {
        collector::collect_if_near();
        run(job)?;
    }
    set_current(Value::UNDEFINED);
    let rejections = REJECTIONS.with(core::mem::take);
    match rejections.into_iter().find(|promise| !promise.is_handled()) {
        Some(promise) => {
            UNHANDLED.with(|unhandled| *unhandled = true);
            Err(crate::throw::Throw::value(promise.result()))
        }
        None => Ok(()),
    }
}

fn run(job: Job) -> JsResult<()> {
    match job {
        Job::React { action, rejected, result } => run_reaction(action, rejected, result),
        Job::Thenable { promise, thenable, then } => {
            set_current(Value::UNDEFINED);
            adopt(promise, thenable, then)
        }
        Job::Call(function) => {
            set_current(Value::UNDEFINED);
            call::call(function, Value::UNDEFINED, &[]).map(|_| ())
        }
    }
}

/// NewPromiseResolveThenableJob: settles the promise as the thenable.
fn adopt(promise: Gc<PromiseObject>, thenable: Value, then: Value) -> JsResult<()> {
    // Nobody can see the functions and the promise that calling `then` of a native promise would make.
    if let Some(adopted) = thenable.as_kind::<PromiseObject>()
        && then == original_then()
        && super::is_untouched(adopted)
    {
        adopted.then(Value::UNDEFINED, Value::UNDEFINED, Some(Capability::of(promise)));
        return Ok(());
    }
    let (resolve, reject) = promise.resolving_functions();
    if let Err(thrown) = call::call(then, thenable, &[resolve.into(), reject.into()]) {
        call::call(reject.into(), Value::UNDEFINED, &[thrown.take()])?;
    }
    Ok(())
}

fn run_reaction(action: Action, rejected: bool, result: Value) -> JsResult<()> {
    match action {
        Action::Resume(frame) => {
            crate::frame::resume(frame, rejected, result);
            Ok(())
        }
        Action::Native(reaction, data) => {
            set_current(Value::UNDEFINED);
            reaction(data, if rejected { Err(result) } else { Ok(result) })
        }
        Action::Then { on_fulfilled, on_rejected, derived } => {
            set_current(derived.map_or(Value::UNDEFINED, |derived| derived.promise()));
            let handler = if rejected { on_rejected } else { on_fulfilled };
            let outcome = if handler.is_undefined() {
                if rejected { Err(result) } else { Ok(result) }
            } else {
                call::call(handler, Value::UNDEFINED, &[result]).map_err(|thrown| thrown.take())
            };
            match (derived, outcome) {
                (None, _) => Ok(()),
                (Some(derived), Ok(value)) => derived.resolve(value),
                (Some(derived), Err(reason)) => derived.reject(reason),
            }
        }
    }
}

/// `queueMicrotask`.
pub fn queue_microtask(function: Value) -> JsResult {
    if !call::is_callable(function) {
        return Err(throw_type_error("The \"callback\" argument must be of type function."));
    }
    enqueue(Job::Call(function));
    Ok(Value::UNDEFINED)
}
