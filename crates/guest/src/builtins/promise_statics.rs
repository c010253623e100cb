//! `Promise.all` and its like, `withResolvers`, `try`.

use core::cell::Cell;

use convex_wasm_abi::bridge::stack_frame;

use super::error::new_aggregate_error;
use crate::builtin::{CallContext, Method, function, methods, native};
use crate::call::{call, is_callable};
use crate::cell::{Gc, Header};
use crate::convert::get_value;
use crate::iterate::iterate;
use crate::key::PropertyKey;
use crate::names::{self, keys};
use crate::object::{ArrayCell, Attributes, Object};
use crate::promise::capability::Capability;
use crate::promise::{self, NativeReaction, PromiseObject};
use crate::realm::{Intrinsic, intrinsic};
use crate::stack::StackFrame;
use crate::state::State;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

const STATICS: &[Method] = &[
    ("all", 1, native(|cx| gather(cx, "all", Combinator::All))),
    ("allSettled", 1, native(|cx| gather(cx, "allSettled", Combinator::AllSettled))),
    ("any", 1, native(|cx| gather(cx, "any", Combinator::Any))),
    ("race", 1, native(|cx| gather(cx, "race", Combinator::Race))),
    ("withResolvers", 0, native(with_resolvers)),
    ("try", 1, native(try_)),
];

/// `Promise.resolve` and `Promise.prototype.then` as the realm made them.
static ORIGINALS: State<[Value; 2]> = State::new([Value::UNDEFINED; 2]);

/// Builds them.
pub(crate) fn install() {
    let constructor = intrinsic(Intrinsic::PromiseConstructor);
    methods(constructor, STATICS);
    let original = |holder: Object, key: PropertyKey| holder.get(key).unwrap_or(Value::UNDEFINED);
    let resolve = original(constructor, keys::resolve());
    let then = original(intrinsic(Intrinsic::PromisePrototype), keys::then());
    ORIGINALS.with(|originals| *originals = [resolve, then]);
}

/// `Promise.prototype.then` as the realm made it.
pub(crate) fn original_then() -> Value {
    ORIGINALS.with(|originals| originals[1])
}

/// The four ways to make one promise of many.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Combinator {
    All,
    AllSettled,
    Any,
    Race,
}

/// A combinator under way.
#[repr(C)]
struct Gathering {
    header: Header,
    combinator: Combinator,
    settled: Cell<bool>,
    /// Elements not settled, plus one while the iterable is being read.
    remaining: Cell<u32>,
    capability: Gc<Capability>,
    /// Results, or the errors of `any`.
    values: Gc<ArrayCell>,
}

/// One of its elements.
#[repr(C)]
struct Element {
    header: Header,
    gathering: Gc<Gathering>,
    index: u32,
    settled: Cell<bool>,
}

impl Gathering {
    /// Settles the promise, unless that happened before.
    fn settle(&self, outcome: Result<Value, Value>) -> JsResult<()> {
        if self.settled.replace(true) {
            return Ok(());
        }
        match outcome {
            Ok(value) => self.capability.resolve(value),
            Err(reason) => self.capability.reject(reason),
        }
    }

    /// One less to wait for; after the last the promise is settled.
    fn count_down(&self) -> JsResult<()> {
        self.remaining.set(self.remaining.get() - 1);
        if self.remaining.get() > 0 || self.combinator == Combinator::Race {
            return Ok(());
        }
        if self.combinator == Combinator::Any {
            let errors = self.values.dense().iter().map(|error| error.get()).collect();
            return self.settle(Err(new_aggregate_error(errors)));
        }
        self.settle(Ok(self.values.into()))
    }
}

impl Element {
    /// The element's promise settled.
    fn settle(&self, outcome: Result<Value, Value>) -> JsResult<()> {
        if self.settled.replace(true) {
            return Ok(());
        }
        let gathering = self.gathering;
        let value = match (gathering.combinator, outcome) {
            (Combinator::All, Ok(value)) | (Combinator::Any, Err(value)) => value,
            (Combinator::AllSettled, outcome) => settled_record(outcome),
            _ => return gathering.settle(outcome),
        };
        gathering.values.set_element(self.index, value);
        gathering.count_down()
    }
}

/// What `allSettled` answers for an element.
fn settled_record(outcome: Result<Value, Value>) -> Value {
    let object = Object::new();
    let (status, key, value) = match outcome {
        Ok(value) => (names::fulfilled(), keys::value(), value),
        Err(reason) => (names::rejected(), keys::reason(), reason),
    };
    object.add_slot(keys::status(), status.into(), Attributes::ALL);
    object.add_slot(key, value, Attributes::ALL);
    object.into()
}

fn gather(cx: &CallContext, name: &str, combinator: Combinator) -> JsResult {
    require_object(cx, name)?;
    let capability = Capability::new(cx.this)?;
    let gathering = Gc::new(Gathering {
        header: Header::internal::<Gathering>(),
        combinator,
        settled: Cell::new(false),
        remaining: Cell::new(1),
        capability,
        values: ArrayCell::with_capacity(0),
    });
    if let Err(thrown) = gather_elements(cx, gathering) {
        gathering.settle(Err(thrown.take()))?;
    }
    Ok(capability.promise())
}

fn gather_elements(cx: &CallContext, gathering: Gc<Gathering>) -> JsResult<()> {
    let resolve = get_value(cx.this, keys::resolve())?;
    if !is_callable(resolve) {
        return Err(throw_type_error("Promise resolve or reject function is not callable"));
    }
    let [original_resolve, original_then] = ORIGINALS.with(|originals| *originals);
    let is_native = cx.this == intrinsic(Intrinsic::PromiseConstructor).into() && resolve == original_resolve;
    let mut index = 0;
    iterate(cx.arg(0), |value| {
        gathering.values.push(Value::UNDEFINED);
        let promise = if is_native { promise::resolved(value)?.into() } else { call(resolve, cx.this, &[value])? };
        let header = Header::internal::<Element>();
        let element = Gc::new(Element { header, gathering, index, settled: Cell::new(false) });
        index += 1;
        gathering.remaining.set(gathering.remaining.get() + 1);
        let then = get_value(promise, keys::then())?;
        match promise.as_kind::<PromiseObject>() {
            // Nobody can see the promise that `then` would derive.
            Some(promise) if is_native && then == original_then => {
                promise.then_native(Value::internal(element), react);
            }
            _ => {
                let (on_fulfilled, on_rejected) = handlers(element);
                call_then(then, promise, on_fulfilled, on_rejected)?;
            }
        }
        Ok(true)
    })?;
    gathering.count_down()
}

/// What a reaction of a combinator means to a stack trace: a frame, unless it is a race, and the promise that is settled;
/// `None` if the reaction is none of ours.
pub(crate) fn waiting_combinator(reaction: NativeReaction, data: Value) -> Option<(Option<StackFrame>, Value)> {
    if !core::ptr::fn_addr_eq(reaction, react as NativeReaction) {
        return None;
    }
    let element = element(data)?;
    let kind = match element.gathering.combinator {
        Combinator::All => Some(stack_frame::PROMISE_ALL),
        Combinator::AllSettled => Some(stack_frame::PROMISE_ALL_SETTLED),
        Combinator::Any => Some(stack_frame::PROMISE_ANY),
        Combinator::Race => None,
    };
    let frame = kind.map(|kind| [kind << stack_frame::UNIT_BITS, element.index]);
    Some((frame, element.gathering.capability.promise()))
}

fn call_then(then: Value, promise: Value, on_fulfilled: Value, on_rejected: Value) -> JsResult<()> {
    if !is_callable(then) {
        return Err(throw_type_error("then is not a function"));
    }
    call(then, promise, &[on_fulfilled, on_rejected])?;
    Ok(())
}

fn react(data: Value, outcome: Result<Value, Value>) -> JsResult<()> {
    match element(data) {
        Some(element) => element.settle(outcome),
        None => Ok(()),
    }
}

fn element(data: Value) -> Option<Gc<Element>> {
    // SAFETY: the internal cells that this file gives to reactions and handlers are elements.
    unsafe { data.as_internal::<Element>() }
}

/// The functions to give to a foreign `then`.
fn handlers(element: Gc<Element>) -> (Value, Value) {
    let (resolve, reject) = element.gathering.capability.functions();
    let handler = |code| {
        let handler = function("", 1, code);
        handler.home.set(Value::internal(element));
        Value::from(handler)
    };
    let on_fulfilled = || handler(native(|cx| react(cx.callee.home.get(), Ok(cx.arg(0))).map(|()| Value::UNDEFINED)));
    let on_rejected = || handler(native(|cx| react(cx.callee.home.get(), Err(cx.arg(0))).map(|()| Value::UNDEFINED)));
    match element.gathering.combinator {
        Combinator::All => (on_fulfilled(), reject),
        Combinator::AllSettled => (on_fulfilled(), on_rejected()),
        Combinator::Any => (resolve, on_rejected()),
        Combinator::Race => (resolve, reject),
    }
}

/// TypeError unless `this` is an object.
fn require_object(cx: &CallContext, name: &str) -> JsResult<()> {
    if cx.this.is_object() {
        return Ok(());
    }
    Err(throw_type_error(format!("Promise.{name} called on non-object")))
}

fn with_resolvers(cx: &CallContext) -> JsResult {
    require_object(cx, "withResolvers")?;
    let capability = Capability::new(cx.this)?;
    let (resolve, reject) = capability.functions();
    let object = Object::new();
    object.add_slot(keys::promise(), capability.promise(), Attributes::ALL);
    object.add_slot(keys::resolve(), resolve, Attributes::ALL);
    object.add_slot(keys::reject(), reject, Attributes::ALL);
    Ok(object.into())
}

fn try_(cx: &CallContext) -> JsResult {
    require_object(cx, "try")?;
    let capability = Capability::new(cx.this)?;
    match call(cx.arg(0), Value::UNDEFINED, cx.rest(1)) {
        Ok(value) => capability.resolve(value)?,
        Err(thrown) => capability.reject(thrown.take())?,
    }
    Ok(capability.promise())
}
