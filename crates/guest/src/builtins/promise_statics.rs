//! `Promise.all` and its like, `withResolvers`, `try`.

use core::cell::Cell;

use convex_wasm_abi::bridge::stack_frame;

use super::error::new_aggregate_error;
use crate::builtin::{CallContext, Method, function, methods, native};
use crate::call::{call, is_callable};
use crate::cell::{Gc, Header};
use crate::convert::get_value;
use crate::error::display;
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
    ("all", 1, native(|cx| gather(cx, "all", Combinator::All, gather_elements))),
    ("allSettled", 1, native(|cx| gather(cx, "allSettled", Combinator::AllSettled, gather_elements))),
    ("any", 1, native(|cx| gather(cx, "any", Combinator::Any, gather_elements))),
    ("race", 1, native(|cx| gather(cx, "race", Combinator::Race, gather_elements))),
    ("allKeyed", 1, native(|cx| gather(cx, "allKeyed", Combinator::All, gather_properties))),
    ("allSettledKeyed", 1, native(|cx| gather(cx, "allSettledKeyed", Combinator::AllSettled, gather_properties))),
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
    /// The properties that the results belong to, if they come from an object's.
    keys: State<Option<Vec<PropertyKey>>>,
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
    /// Settles the promise. Functions of a foreign constructor are called each time, as it would notice.
    fn settle(&self, outcome: Result<Value, Value>) -> JsResult<()> {
        if self.settled.replace(true) && self.capability.is_direct() {
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
        let keys = self.keys.with(Option::take);
        self.settle(Ok(keys.map_or(self.values.into(), |keys| keyed(&keys, self.values))))
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

/// An object without prototype that has the values under the keys.
fn keyed(keys: &[PropertyKey], values: Gc<ArrayCell>) -> Value {
    let object = Object::ordinary(None);
    for (&key, value) in keys.iter().zip(values.dense()) {
        object.define(key, value.get(), Attributes::ALL);
    }
    object.into()
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

/// Makes one promise of many, which `read` finds in the argument and adds to the gathering.
fn gather(
    cx: &CallContext,
    name: &str,
    combinator: Combinator,
    read: fn(&CallContext, &Adder) -> JsResult<()>,
) -> JsResult {
    require_object(cx, name)?;
    let capability = Capability::new(cx.this)?;
    let gathering = Gc::new(Gathering {
        header: Header::internal::<Gathering>(),
        combinator,
        settled: Cell::new(false),
        remaining: Cell::new(1),
        capability,
        values: ArrayCell::with_capacity(0),
        keys: State::new(None),
    });
    let gathered = Adder::new(cx.this, gathering).and_then(|adder| read(cx, &adder));
    if let Err(thrown) = gathered.and_then(|()| gathering.count_down()) {
        gathering.settle(Err(thrown.take()))?;
    }
    Ok(capability.promise())
}

fn gather_elements(cx: &CallContext, adder: &Adder) -> JsResult<()> {
    iterate(cx.arg(0), |value| adder.add(value).map(|()| true))
}

fn gather_properties(cx: &CallContext, adder: &Adder) -> JsResult<()> {
    let Some(promises) = cx.arg(0).as_object() else {
        return Err(throw_type_error(format!("{} is not an object", display(cx.arg(0)))));
    };
    let keys = &adder.gathering.keys;
    keys.with(|keys| *keys = Some(Vec::new()));
    for key in promises.own_keys()? {
        if promises.get_own_property(key)?.is_some_and(|property| property.attributes.is_enumerable()) {
            let value = promises.get(key)?;
            keys.with(|keys| keys.iter_mut().for_each(|keys| keys.push(key)));
            adder.add(value)?;
        }
    }
    Ok(())
}

/// Adds what it is given to a gathering.
struct Adder {
    gathering: Gc<Gathering>,
    constructor: Value,
    resolve: Value,
    /// Both are what the realm made, so that nobody sees whether they are called.
    is_native: bool,
    then: Value,
}

impl Adder {
    fn new(constructor: Value, gathering: Gc<Gathering>) -> JsResult<Adder> {
        let resolve = get_value(constructor, keys::resolve())?;
        if !is_callable(resolve) {
            return Err(throw_type_error("Promise resolve or reject function is not callable"));
        }
        let [original_resolve, then] = ORIGINALS.with(|originals| *originals);
        let is_native = constructor == intrinsic(Intrinsic::PromiseConstructor).into() && resolve == original_resolve;
        Ok(Adder { gathering, constructor, resolve, is_native, then })
    }

    fn add(&self, value: Value) -> JsResult<()> {
        let gathering = self.gathering;
        let index = gathering.values.len();
        gathering.values.push(Value::UNDEFINED);
        let promise = match self.is_native {
            true => promise::resolved(value)?.into(),
            false => call(self.resolve, self.constructor, &[value])?,
        };
        let header = Header::internal::<Element>();
        let element = Gc::new(Element { header, gathering, index, settled: Cell::new(false) });
        gathering.remaining.set(gathering.remaining.get() + 1);
        let then = get_value(promise, keys::then())?;
        match promise.as_kind::<PromiseObject>() {
            // Nobody can see the promise that `then` would derive.
            Some(promise) if self.is_native && then == self.then => {
                promise.then_native(Value::internal(element), react);
                Ok(())
            }
            _ => {
                let (on_fulfilled, on_rejected) = handlers(element);
                call_then(then, promise, on_fulfilled, on_rejected)
            }
        }
    }
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
