//! `Promise` and `Promise.prototype`; the combinators are in `builtins/promise_statics.rs`.

use super::capability::Capability;
use super::{PromiseObject, resolve_with};
use crate::builtin::{
    CallContext, accessor, constructor, function, methods, native, native_constructor, to_string_tag,
};
use crate::call;
use crate::convert::species_constructor;
use crate::error::describe;
use crate::names::keys;
use crate::object::Object;
use crate::realm::{Intrinsic, intrinsic, set_intrinsic};
use crate::state::State;
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// Builds them.
pub(super) fn install() {
    let prototype = intrinsic(Intrinsic::PromisePrototype);
    let promise = constructor("Promise", 1, native_constructor(construct), prototype);
    set_intrinsic(Intrinsic::PromiseConstructor, promise);
    methods(promise, &[("resolve", 1, native(resolve)), ("reject", 1, native(reject))]);
    accessor(promise, "@@species", native(|cx| Ok(cx.this)), None);
    methods(prototype, &[("then", 2, native(then)), ("catch", 1, native(catch)), ("finally", 1, native(finally))]);
    to_string_tag(prototype, "Promise");
    promise.mark_as_prototype();
    SPECIES.with(|species| *species = species_getter(promise));
}

/// The getter of `Promise[Symbol.species]` as the realm made it.
static SPECIES: State<Option<Value>> = State::new(None);

/// Whether `Promise[Symbol.species]` is what the realm made.
pub(super) fn has_own_species() -> bool {
    species_getter(intrinsic(Intrinsic::PromiseConstructor)) == SPECIES.with(|species| *species)
}

fn species_getter(constructor: Object) -> Option<Value> {
    let entry = constructor.find(crate::symbol::species().into())?;
    entry.attributes.is_accessor().then(|| constructor.accessor_slot(entry).get.get())
}

fn construct(cx: &CallContext) -> JsResult {
    if !cx.is_construct() {
        return Err(throw_type_error("Promise constructor cannot be invoked without 'new'"));
    }
    let executor = cx.arg(0);
    if !call::is_callable(executor) {
        return Err(throw_type_error(format!("Promise resolver {} is not a function", describe(executor))));
    }
    let prototype = cx.new_prototype(Intrinsic::PromisePrototype)?;
    let promise = PromiseObject::with_prototype(prototype);
    let (resolve, reject) = promise.resolving_functions();
    if let Err(thrown) = call::call(executor, Value::UNDEFINED, &[resolve.into(), reject.into()]) {
        call::call(reject.into(), Value::UNDEFINED, &[thrown.take()])?;
    }
    Ok(promise.into())
}

fn this_object(cx: &CallContext, method: &str) -> JsResult<Object> {
    cx.this.as_object().ok_or_else(|| throw_type_error(format!("{method} called on non-object")))
}

fn resolve(cx: &CallContext) -> JsResult {
    let constructor = this_object(cx, "PromiseResolve")?;
    resolve_with(constructor.into(), cx.arg(0))
}

fn reject(cx: &CallContext) -> JsResult {
    let constructor = this_object(cx, "PromiseReject")?;
    let capability = Capability::new(constructor.into())?;
    capability.reject(cx.arg(0))?;
    Ok(capability.promise())
}

fn then(cx: &CallContext) -> JsResult {
    let Some(promise) = cx.this.as_kind::<PromiseObject>() else {
        let receiver = describe(cx.this);
        return Err(throw_type_error(format!(
            "Method Promise.prototype.then called on incompatible receiver {receiver}"
        )));
    };
    let constructor = if super::is_untouched(promise) {
        intrinsic(Intrinsic::PromiseConstructor)
    } else {
        species_constructor(promise.object(), intrinsic(Intrinsic::PromiseConstructor))?
    };
    let capability = Capability::new(constructor.into())?;
    let handler = |value: Value| if call::is_callable(value) { value } else { Value::UNDEFINED };
    promise.then(handler(cx.arg(0)), handler(cx.arg(1)), Some(capability));
    Ok(capability.promise())
}

fn catch(cx: &CallContext) -> JsResult {
    call::invoke(cx.this, keys::then(), &[Value::UNDEFINED, cx.arg(0)])
}

fn finally(cx: &CallContext) -> JsResult {
    let promise = this_object(cx, "Promise.prototype.finally")?;
    let constructor = species_constructor(promise, intrinsic(Intrinsic::PromiseConstructor))?;
    let on_finally = cx.arg(0);
    if !call::is_callable(on_finally) {
        return promise.invoke(keys::then(), &[on_finally, on_finally]);
    }
    // Both share what they need: the constructor and the callback.
    let home = Value::from(vec![constructor.into(), on_finally]);
    let then_finally = function("", 1, native(|cx| run_finally(cx, false)));
    let catch_finally = function("", 1, native(|cx| run_finally(cx, true)));
    then_finally.home.set(home);
    catch_finally.home.set(home);
    promise.invoke(keys::then(), &[then_finally.into(), catch_finally.into()])
}

/// Calls the callback, waits for what it answers, then passes on the value or throws the reason.
fn run_finally(cx: &CallContext, rejected: bool) -> JsResult {
    let Some(home) = cx.callee.home.get().as_object().and_then(Object::as_array) else { return Ok(Value::UNDEFINED) };
    let result = call::call(home.element(1), Value::UNDEFINED, &[])?;
    let promise = resolve_with(home.element(0), result)?;
    let pass = function(
        "",
        0,
        if rejected {
            native(|cx| Err(Throw::value(cx.callee.home.get())))
        } else {
            native(|cx| Ok(cx.callee.home.get()))
        },
    );
    pass.home.set(cx.arg(0));
    call::invoke(promise, keys::then(), &[pass.into()])
}
