//! Evaluation of modules, by the host in order and by `import()` on demand.

use std::collections::BTreeMap;

use crate::builtin::NativeFunction;
use crate::cell::Gc;
use crate::object::Object;
use crate::promise::{self, PromiseObject, PromiseState, queue};
use crate::realm::Intrinsic;
use crate::state::State;
use crate::throw::{JsResult, Throw, from_word, throw_error};
use crate::value::Value;

/// How far the evaluation of a module has come.
#[derive(Clone, Copy)]
enum Evaluation {
    /// Its body runs, or ran to its end.
    Done,
    /// It has a top-level `await`: the promise of its body.
    Awaiting(Gc<PromiseObject>),
    /// Its body threw this.
    Failed(Value),
}

/// By table index of the body.
static EVALUATIONS: State<Option<BTreeMap<u32, Evaluation>>> = State::new(None);
/// By address of the namespace: the bodies that `import()` of it evaluates, in order.
static IMPORTABLE: State<Option<BTreeMap<u32, Vec<u32>>>> = State::new(None);

/// Remembers what `import()` of a namespace evaluates.
pub fn register(namespace: u32, bodies: Vec<u32>) {
    IMPORTABLE.with(|importable| importable.get_or_insert_default().insert(namespace, bodies));
}

/// Evaluates a module that is not evaluated yet, with all microtasks.
pub fn evaluate_to_end(code: u32) -> JsResult<()> {
    let promise = evaluate(code)?;
    queue::drain()?;
    match promise.map(|promise| (promise.state(), promise.result())) {
        None | Some((PromiseState::Fulfilled, _)) => Ok(()),
        Some((PromiseState::Rejected, reason)) => Err(Throw::value(reason)),
        Some((PromiseState::Pending, _)) => {
            Err(throw_error(Intrinsic::ErrorPrototype, "Top-level await promise never resolved"))
        }
    }
}

/// Runs a module's body unless that was done before. Answers the promise of a body with top-level `await`.
fn evaluate(code: u32) -> JsResult<Option<Gc<PromiseObject>>> {
    let note = |evaluation| EVALUATIONS.with(|known| known.get_or_insert_default().insert(code, evaluation));
    match note(Evaluation::Done) {
        None => {}
        Some(Evaluation::Done) => return Ok(None),
        Some(Evaluation::Awaiting(promise)) => {
            note(Evaluation::Awaiting(promise));
            return Ok(Some(promise));
        }
        Some(Evaluation::Failed(reason)) => {
            note(Evaluation::Failed(reason));
            return Err(Throw::value(reason));
        }
    }
    // SAFETY: the host passes the table index of a module's body, which has the type of all callees.
    let body = unsafe { core::mem::transmute::<usize, NativeFunction>(code as usize) };
    let undefined = Value::UNDEFINED;
    match from_word(body(0, 0, undefined, undefined, undefined, undefined)) {
        Ok(completion) => {
            let promise = completion.as_kind::<PromiseObject>();
            if let Some(promise) = promise {
                promise.mark_handled();
                note(Evaluation::Awaiting(promise));
            }
            Ok(promise)
        }
        Err(thrown) => {
            let reason = thrown.take();
            note(Evaluation::Failed(reason));
            Err(Throw::value(reason))
        }
    }
}

/// `import()` of a namespace: a promise of it, when its module is evaluated.
pub fn import(namespace: u32) -> Gc<PromiseObject> {
    let promise = PromiseObject::pending();
    let state = Value::from(vec![promise.into(), Value::from(namespace), Value::from(0_u32)]);
    match promise::resolved(Value::UNDEFINED) {
        Ok(start) => start.then_native(state, go_on),
        Err(thrown) => promise.reject(thrown.take()),
    }
    promise
}

/// Evaluates what an `import()` needs until a module has to be waited for. The state: the promise, the address of the
/// namespace, and how many modules were evaluated.
fn go_on(state: Value, outcome: Result<Value, Value>) -> JsResult<()> {
    let Some(state) = state.as_object().and_then(Object::as_array) else { return Ok(()) };
    let Some(promise) = state.element(0).as_kind::<PromiseObject>() else { return Ok(()) };
    let (namespace, next) = (unsigned(state.element(1)), unsigned(state.element(2)));
    if let Err(reason) = outcome {
        promise.reject(reason);
        return Ok(());
    }
    let bodies = IMPORTABLE.with(|known| known.as_ref().and_then(|known| known.get(&namespace).cloned()));
    for (index, code) in bodies.unwrap_or_default().into_iter().enumerate().skip(next as usize) {
        match evaluate(code) {
            Ok(None) => {}
            Ok(Some(body)) => {
                let state = vec![promise.into(), Value::from(namespace), Value::from(index as u32 + 1)];
                body.then_native(state.into(), go_on);
                return Ok(());
            }
            Err(thrown) => {
                promise.reject(thrown.take());
                return Ok(());
            }
        }
    }
    // SAFETY: the host put the namespace's word at this address (an import slot points there).
    promise.fulfill(unsafe { core::ptr::read(namespace as usize as *const Value) });
    Ok(())
}

fn unsigned(value: Value) -> u32 {
    crate::convert::to_number(value).map_or(0, |number| number as u32)
}
