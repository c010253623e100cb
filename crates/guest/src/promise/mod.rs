//! Promises: state, reactions, resolution. The microtask queue is in [`queue`], capabilities in [`capability`], the
//! constructor and prototype in [`constructor`].

pub mod capability;
pub mod constructor;
pub mod queue;

use core::cell::Cell;

use crate::call;
use crate::cell::{Gc, Header, ObjectKind, kind};
use crate::convert::get_value;
use crate::memory::PROTO_EPOCH;
use crate::names::{self, keys};
use crate::object::{Content, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;
use capability::Capability;
use queue::Job;

/// Where a promise stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PromiseState {
    /// Not settled.
    Pending,
    /// Has a value.
    Fulfilled,
    /// Has a reason.
    Rejected,
}

/// A promise.
#[repr(C)]
pub struct PromiseObject {
    header: ObjectHeader,
    state: Cell<PromiseState>,
    /// Somebody listens, so a rejection is not unhandled.
    handled: Cell<bool>,
    /// Value or reason; UNDEFINED while pending.
    result: Cell<Value>,
    first: Cell<Option<Gc<Reaction>>>,
    last: Cell<Option<Gc<Reaction>>>,
}

// SAFETY: only this file makes cells of this kind.
unsafe impl ObjectKind for PromiseObject {
    const KIND: u8 = kind::PROMISE;
}

/// What happens when a promise settles.
#[repr(C)]
pub struct Reaction {
    header: Header,
    next: Cell<Option<Gc<Reaction>>>,
    action: Action,
}

/// A built-in that is told how a promise settled: its data, and the value or reason.
pub type NativeReaction = fn(Value, Result<Value, Value>) -> JsResult<()>;

/// The kinds of reactions.
#[derive(Clone, Copy)]
pub enum Action {
    /// An `await`: goes on with the frame.
    Resume(Gc<crate::frame::FrameCell>),
    /// `then`: handlers (UNDEFINED: pass through) and what is derived, if anything is.
    Then {
        /// Called with the value.
        on_fulfilled: Value,
        /// Called with the reason.
        on_rejected: Value,
        /// Settled with what the handler yields.
        derived: Option<Gc<Capability>>,
    },
    /// A built-in.
    Native(NativeReaction, Value),
}

static PROMISE_SHAPE: State<Option<crate::shape::Shape>> = State::new(None);

fn promise_shape() -> crate::shape::Shape {
    PROMISE_SHAPE.with(|shape| {
        *shape.get_or_insert_with(|| {
            crate::shape::root_shape(kind::PROMISE, Some(intrinsic(Intrinsic::PromisePrototype)), 0)
        })
    })
}

impl PromiseObject {
    fn with_header(header: ObjectHeader) -> Gc<PromiseObject> {
        Gc::new(PromiseObject {
            header,
            state: Cell::new(PromiseState::Pending),
            handled: Cell::new(false),
            result: Cell::new(Value::UNDEFINED),
            first: Cell::new(None),
            last: Cell::new(None),
        })
    }

    /// A pending promise.
    pub fn pending() -> Gc<PromiseObject> {
        PromiseObject::with_header(ObjectHeader::with_shape::<PromiseObject>(promise_shape()))
    }

    /// A pending promise with another prototype.
    pub fn with_prototype(prototype: Object) -> Gc<PromiseObject> {
        PromiseObject::with_header(ObjectHeader::new::<PromiseObject>(prototype))
    }

    /// Where it stands.
    pub fn state(&self) -> PromiseState {
        self.state.get()
    }

    /// Value or reason; UNDEFINED while pending.
    pub fn result(&self) -> Value {
        self.result.get()
    }

    /// What happens when it settles, if it has not and exactly one thing will.
    pub fn sole_reaction(&self) -> Option<Action> {
        let reaction = self.first.get()?;
        reaction.next.get().is_none().then_some(reaction.action)
    }

    /// From now on a rejection counts as handled.
    pub fn mark_handled(&self) {
        self.handled.set(true);
    }

    /// Whether somebody listens.
    pub fn is_handled(&self) -> bool {
        self.handled.get()
    }
}

impl Gc<PromiseObject> {
    /// FulfillPromise. The promise is pending.
    pub fn fulfill(self, value: Value) {
        self.settle(PromiseState::Fulfilled, value);
    }

    /// RejectPromise. The promise is pending.
    pub fn reject(self, reason: Value) {
        if !self.handled.get() {
            queue::track_rejection(self);
        }
        self.settle(PromiseState::Rejected, reason);
    }

    fn settle(self, state: PromiseState, result: Value) {
        debug_assert!(self.state.get() == PromiseState::Pending);
        self.state.set(state);
        self.result.set(result);
        let mut reaction = self.first.take();
        self.last.set(None);
        while let Some(current) = reaction {
            enqueue_reaction(current.action, state, result);
            reaction = current.next.get();
        }
    }

    /// What the resolving function of the promise does: adopts thenables, else fulfils. The promise is pending and was not
    /// resolved before.
    pub fn resolve(self, resolution: Value) {
        let Some(object) = resolution.as_object() else { return self.fulfill(resolution) };
        if resolution == Value::from(self) {
            let thrown = throw_type_error("Chaining cycle detected for promise #<Promise>");
            return self.reject(thrown.take());
        }
        match object.get(keys::then()) {
            Err(thrown) => self.reject(thrown.take()),
            Ok(then) if call::is_callable(then) => {
                queue::enqueue(Job::Thenable { promise: self, thenable: resolution, then });
            }
            Ok(_) => self.fulfill(resolution),
        }
    }

    /// PerformPromiseThen.
    pub fn react(self, action: Action) {
        let state = self.state.get();
        if state == PromiseState::Pending {
            let reaction = Gc::new(Reaction { header: Header::internal::<Reaction>(), next: Cell::new(None), action });
            match self.last.replace(Some(reaction)) {
                Some(last) => last.next.set(Some(reaction)),
                None => self.first.set(Some(reaction)),
            }
        } else {
            enqueue_reaction(action, state, self.result.get());
        }
        self.handled.set(true);
    }

    /// Calls `reaction(data, outcome)` in a microtask after the promise has settled.
    pub fn then_native(self, data: Value, reaction: NativeReaction) {
        self.react(Action::Native(reaction, data));
    }

    /// `promise.then(on_fulfilled, on_rejected)` with nothing derived; UNDEFINED handlers pass through.
    pub fn then(self, on_fulfilled: Value, on_rejected: Value, derived: Option<Gc<Capability>>) {
        self.react(Action::Then { on_fulfilled, on_rejected, derived });
    }

    /// The two resolving functions, which work once between them: `(resolve, reject)`.
    pub fn resolving_functions(self) -> (Object, Object) {
        capability::resolving_functions(self)
    }
}

fn enqueue_reaction(action: Action, state: PromiseState, result: Value) {
    queue::enqueue(Job::React { action, rejected: state == PromiseState::Rejected, result });
}

/// A promise resolved with `value`: PromiseResolve(%Promise%, value).
pub fn resolved(value: Value) -> JsResult<Gc<PromiseObject>> {
    if let Some(promise) = value.as_kind::<PromiseObject>()
        && is_native(promise)?
    {
        return Ok(promise);
    }
    let promise = PromiseObject::pending();
    promise.resolve(value);
    Ok(promise)
}

/// A promise rejected with `reason`.
pub fn rejected(reason: Value) -> Gc<PromiseObject> {
    let promise = PromiseObject::pending();
    promise.reject(reason);
    promise
}

/// PromiseResolve(constructor, value): `value` itself if it is a promise of that constructor.
pub fn resolve_with(constructor: Value, value: Value) -> JsResult {
    if constructor == Value::from(intrinsic(Intrinsic::PromiseConstructor)) {
        return Ok(resolved(value)?.into());
    }
    if value.as_kind::<PromiseObject>().is_some() && get_value(value, keys::constructor())? == constructor {
        return Ok(value);
    }
    let capability = Capability::new(constructor)?;
    capability.resolve(value)?;
    Ok(capability.promise())
}

/// Whether `promise.constructor` is %Promise%.
#[inline]
fn is_native(promise: Gc<PromiseObject>) -> JsResult<bool> {
    if is_untouched(promise) {
        return Ok(true);
    }
    let native = Value::from(intrinsic(Intrinsic::PromiseConstructor));
    Ok(promise.object().get(keys::constructor())? == native)
}

/// Whether `promise.constructor` and its species are surely %Promise%: without asking if nothing can have changed since they
/// last were.
#[inline]
fn is_untouched(promise: Gc<PromiseObject>) -> bool {
    static CHECKED_EPOCH: State<u32> = State::new(u32::MAX);
    if promise.object().shape() != promise_shape() {
        return false;
    }
    if CHECKED_EPOCH.with(|epoch| *epoch) == PROTO_EPOCH.get() {
        return true;
    }
    let native = Value::from(intrinsic(Intrinsic::PromiseConstructor));
    // Writing or redefining a property of the prototype or the constructor, which is marked as a prototype too, advances the
    // epoch, so what holds now holds as long.
    let data = intrinsic(Intrinsic::PromisePrototype).ordinary_get_own(names::keys::constructor());
    let is_native = matches!(data.map(|property| property.content), Some(Content::Data(value)) if value == native)
        && constructor::has_own_species();
    if is_native {
        CHECKED_EPOCH.with(|epoch| *epoch = PROTO_EPOCH.get());
    }
    is_native
}

/// `await value` in a frame: resumes it in a microtask.
pub fn await_in_frame(frame: Gc<crate::frame::FrameCell>, value: Value) -> JsResult<()> {
    if !value.is_object() {
        queue::enqueue(Job::React { action: Action::Resume(frame), rejected: false, result: value });
        return Ok(());
    }
    resolved(value)?.react(Action::Resume(frame));
    Ok(())
}

/// Builds `Promise`, its prototype, and what belongs to it.
pub fn install() {
    constructor::install();
}
