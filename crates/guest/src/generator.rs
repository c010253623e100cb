//! Generator objects, sync and async.

use core::cell::Cell;
use std::collections::VecDeque;

use convex_wasm_abi::unit::function_info as info;

use crate::builtins::check::incompatible;
use crate::cell::{Gc, ObjectKind, kind};
use crate::frame::{FrameCell, ResumeMode};
use crate::iterate::new_iterator_result;
use crate::memory::YIELD_VALUE;
use crate::names::keys;
use crate::object::{Object, ObjectHeader};
use crate::promise::{self, PromiseObject};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// Where a generator stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Yielded,
    Running,
    /// Async: a `return` on a finished generator awaits its value.
    AwaitingReturn,
    Done,
}

/// A generator object.
#[repr(C)]
pub struct GeneratorObject {
    header: ObjectHeader,
    phase: Cell<Phase>,
    frame: Cell<Gc<FrameCell>>,
}

// SAFETY: only `new_generator` makes cells of this kind.
unsafe impl ObjectKind for GeneratorObject {
    const KIND: u8 = kind::GENERATOR;
}

/// A request to an async generator.
struct Request {
    mode: ResumeMode,
    value: Value,
    promise: Gc<PromiseObject>,
}

/// An async generator object.
#[repr(C)]
pub struct AsyncGeneratorObject {
    header: ObjectHeader,
    phase: Cell<Phase>,
    frame: Cell<Gc<FrameCell>>,
    queue: State<VecDeque<Request>>,
}

// SAFETY: only `new_generator` makes cells of this kind.
unsafe impl ObjectKind for AsyncGeneratorObject {
    const KIND: u8 = kind::ASYNC_GENERATOR;
}

/// The generator object of a frame at its start, sync or async by the function's flags; owns the frame.
pub fn new_generator(frame: Gc<FrameCell>) -> JsResult<Object> {
    let function = frame.function.get();
    let is_async = function.info.get().has(info::ASYNC);
    let prototype = function.object().get(keys::prototype())?.as_object();
    let default = if is_async { Intrinsic::AsyncGeneratorPrototype } else { Intrinsic::GeneratorPrototype };
    let prototype = prototype.unwrap_or_else(|| intrinsic(default));
    let object = if is_async {
        Gc::new(AsyncGeneratorObject {
            header: ObjectHeader::new::<AsyncGeneratorObject>(prototype),
            phase: Cell::new(Phase::Start),
            frame: Cell::new(frame),
            queue: State::new(VecDeque::new()),
        })
        .object()
    } else {
        Gc::new(GeneratorObject {
            header: ObjectHeader::new::<GeneratorObject>(prototype),
            phase: Cell::new(Phase::Start),
            frame: Cell::new(frame),
        })
        .object()
    };
    frame.owner.set(object.into());
    Ok(object)
}

/// What a step of a sync generator gives.
pub enum Step {
    /// A value it yields.
    Yielded(Value),
    /// The iterator result of what it delegates to, passed on as it is.
    Delegated(Value),
    /// The value it returns.
    Returned(Value),
}

/// Set by a `yield*` that is about to suspend its generator: YIELD_VALUE is an iterator result.
static IS_DELEGATING: State<bool> = State::new(false);

/// Yields the iterator result of what a sync generator delegates to.
pub fn yield_delegated(result: Value) {
    YIELD_VALUE.set(result);
    IS_DELEGATING.with(|is_delegating| *is_delegating = true);
}

/// One step of a sync generator.
pub fn step(generator: Gc<GeneratorObject>, mode: ResumeMode, value: Value) -> JsResult<Step> {
    match (generator.phase.get(), mode) {
        (Phase::Running, _) => return Err(throw_type_error("Generator is already running")),
        (Phase::Done, ResumeMode::Next) => return Ok(Step::Returned(Value::UNDEFINED)),
        (Phase::Done | Phase::Start, ResumeMode::Return) => {
            generator.phase.set(Phase::Done);
            return Ok(Step::Returned(value));
        }
        (Phase::Done | Phase::Start, ResumeMode::Throw) => {
            generator.phase.set(Phase::Done);
            return Err(Throw::value(value));
        }
        _ => {}
    }
    generator.phase.set(Phase::Running);
    match generator.frame.get().run(mode, value) {
        Ok(Value::SUSPENDED) => {
            generator.phase.set(Phase::Yielded);
            let yielded = YIELD_VALUE.get();
            Ok(match IS_DELEGATING.with(core::mem::take) {
                true => Step::Delegated(yielded),
                false => Step::Yielded(yielded),
            })
        }
        Ok(value) => {
            generator.phase.set(Phase::Done);
            Ok(Step::Returned(value))
        }
        Err(thrown) => {
            generator.phase.set(Phase::Done);
            Err(thrown)
        }
    }
}

/// Name of the method that resumes in that mode.
fn method_name(mode: ResumeMode) -> &'static str {
    match mode {
        ResumeMode::Next => "next",
        ResumeMode::Throw => "throw",
        ResumeMode::Return => "return",
    }
}

/// `next`, `throw` and `return` of generators: an iterator result. TypeError if `this` is no generator.
pub fn generator_resume(this: Value, mode: ResumeMode, value: Value) -> JsResult {
    let Some(generator) = this.as_kind::<GeneratorObject>() else {
        return Err(incompatible(&format!("[Generator].prototype.{}", method_name(mode)), this));
    };
    Ok(match step(generator, mode, value)? {
        Step::Yielded(value) => new_iterator_result(value, false).into(),
        Step::Delegated(result) => result,
        Step::Returned(value) => new_iterator_result(value, true).into(),
    })
}

/// `next`, `throw` and `return` of async generators: a promise of an iterator result.
pub fn async_generator_enqueue(this: Value, mode: ResumeMode, value: Value) -> Value {
    let promise = PromiseObject::pending();
    let Some(generator) = this.as_kind::<AsyncGeneratorObject>() else {
        let thrown = incompatible(&format!("[AsyncGenerator].prototype.{}", method_name(mode)), this);
        promise.reject(thrown.take());
        return promise.into();
    };
    generator.queue.with(|queue| queue.push_back(Request { mode, value, promise }));
    if !matches!(generator.phase.get(), Phase::Running | Phase::AwaitingReturn) {
        drain(generator);
    }
    promise.into()
}

impl AsyncGeneratorObject {
    /// The promise of the oldest request.
    pub fn first_promise(&self) -> Option<Gc<PromiseObject>> {
        self.queue.with(|queue| queue.front().map(|request| request.promise))
    }

    /// Settles the oldest request.
    fn complete(&self, outcome: Result<(Value, bool), Value>) {
        let Some(request) = self.queue.with(VecDeque::pop_front) else { return };
        match outcome {
            Ok((value, done)) => request.promise.fulfill(new_iterator_result(value, done).into()),
            Err(reason) => request.promise.reject(reason),
        }
    }
}

/// Serves requests until the generator suspends in an `await` or none is left.
fn drain(generator: Gc<AsyncGeneratorObject>) {
    while let Some((mode, value)) = generator.queue.with(|queue| queue.front().map(|first| (first.mode, first.value))) {
        let is_over = matches!(generator.phase.get(), Phase::Start | Phase::Done);
        match mode {
            ResumeMode::Return if is_over => return await_return(generator, value),
            ResumeMode::Throw if is_over => {
                generator.phase.set(Phase::Done);
                generator.complete(Err(value));
            }
            ResumeMode::Next if generator.phase.get() == Phase::Done => {
                generator.complete(Ok((Value::UNDEFINED, true)));
            }
            _ => {
                run(generator, mode, value);
                if generator.phase.get() == Phase::Running {
                    return;
                }
            }
        }
    }
}

/// Runs the frame to its next suspension; settles the oldest request if it completed.
fn run(generator: Gc<AsyncGeneratorObject>, mode: ResumeMode, value: Value) {
    generator.phase.set(Phase::Running);
    let outcome = match generator.frame.get().run(mode, value) {
        Ok(Value::SUSPENDED) => return,
        Ok(value) => Ok((value, true)),
        Err(thrown) => Err(thrown.take()),
    };
    generator.phase.set(Phase::Done);
    generator.complete(outcome);
}

/// `return(value)` on a generator that is over: awaits the value.
fn await_return(generator: Gc<AsyncGeneratorObject>, value: Value) {
    generator.phase.set(Phase::AwaitingReturn);
    match promise::resolved(value) {
        Ok(promise) => promise.then_native(generator.into(), |data, outcome| {
            if let Some(generator) = data.as_kind::<AsyncGeneratorObject>() {
                generator.phase.set(Phase::Done);
                generator.complete(outcome.map(|value| (value, true)));
                drain(generator);
            }
            Ok(())
        }),
        Err(thrown) => {
            generator.phase.set(Phase::Done);
            generator.complete(Err(thrown.take()));
            drain(generator);
        }
    }
}

/// `yield value` in a frame that is about to suspend.
pub fn async_yield(frame: Gc<FrameCell>, value: Value) {
    if let Some(generator) = frame.owner.get().as_kind::<AsyncGeneratorObject>() {
        generator.phase.set(Phase::Yielded);
        generator.complete(Ok((value, false)));
    }
}

/// Goes on with an async generator's frame that awaited something.
pub fn resume_async_generator(frame: Gc<FrameCell>, mode: ResumeMode, value: Value) {
    if let Some(generator) = frame.owner.get().as_kind::<AsyncGeneratorObject>() {
        run(generator, mode, value);
        if generator.phase.get() != Phase::Running {
            drain(generator);
        }
    }
}
