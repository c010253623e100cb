//! Evaluation of modules, for the host and for `import()`: the algorithms of "Cyclic Module Records" (ECMA-262, 16.2.1.5).
//! A module that waits for others, because of a top-level `await`, lets its siblings run in the meantime.

use std::collections::BTreeMap;

use crate::builtin::NativeFunction;
use crate::cell::Gc;
use crate::object::Object;
use crate::promise::{self, PromiseObject, PromiseState, queue};
use crate::realm::Intrinsic;
use crate::state::State;
use crate::throw::{JsResult, Throw, from_word, throw_error};
use crate::value::Value;

#[derive(Clone, Copy, PartialEq)]
enum Status {
    Linked,
    /// It is on the stack of a depth-first walk.
    Evaluating,
    /// It or a module it needs has a top-level `await` that is not over.
    EvaluatingAsync,
    Evaluated,
}

/// Position of a module among those that wait, in the order in which they began to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AsyncOrder {
    Unset,
    Number(u32),
    Done,
}

struct Module {
    /// Table index of the body.
    code: u32,
    has_top_level_await: bool,
    /// The modules it imports, in order.
    requested: Vec<usize>,
    status: Status,
    /// What its evaluation threw.
    error: Option<Value>,
    /// Number in the depth-first walk, and the lowest number reachable from here of a module on the stack.
    index: u32,
    ancestor: u32,
    cycle_root: usize,
    async_order: AsyncOrder,
    pending_dependencies: u32,
    async_parents: Vec<usize>,
    /// Settled when the evaluation that began with this module is over.
    promise: Option<Gc<PromiseObject>>,
}

#[derive(Default)]
struct Modules {
    modules: Vec<Module>,
    /// By table index of the body.
    by_code: BTreeMap<u32, usize>,
    /// Modules that began to wait so far.
    waiting: u32,
    /// By address of the namespace: the modules that `import()` names.
    importable: BTreeMap<u32, usize>,
}

static MODULES: State<Option<Modules>> = State::new(None);

fn modules<R>(body: impl FnOnce(&mut Modules) -> R) -> R {
    MODULES.with(|modules| body(modules.get_or_insert_default()))
}

fn with<R>(module: usize, body: impl FnOnce(&mut Module) -> R) -> R {
    modules(|all| body(&mut all.modules[module]))
}

/// Makes a linked module known.
pub fn add(code: u32, has_top_level_await: bool) {
    modules(|all| {
        let module = all.modules.len();
        all.by_code.insert(code, module);
        all.modules.push(Module {
            code,
            has_top_level_await,
            requested: Vec::new(),
            status: Status::Linked,
            error: None,
            index: 0,
            ancestor: 0,
            cycle_root: module,
            async_order: AsyncOrder::Unset,
            pending_dependencies: 0,
            async_parents: Vec::new(),
            promise: None,
        });
    });
}

/// Remembers which modules one imports, in order, all by the table indices of their bodies.
pub fn request(code: u32, requested: impl Iterator<Item = u32>) {
    modules(|all| {
        let requested = requested.filter_map(|code| all.by_code.get(&code).copied()).collect();
        if let Some(&module) = all.by_code.get(&code) {
            all.modules[module].requested = requested;
        }
    });
}

/// Remembers which module `import()` of a namespace evaluates.
pub fn make_importable(namespace: u32, code: u32) {
    modules(|all| {
        if let Some(&module) = all.by_code.get(&code) {
            all.importable.insert(namespace, module);
        }
    });
}

/// Evaluates a module with those it needs, and all microtasks.
pub fn evaluate_to_end(code: u32) -> JsResult<()> {
    let Some(module) = modules(|all| all.by_code.get(&code).copied()) else { return Ok(()) };
    let promise = evaluate(module);
    promise.mark_handled();
    queue::drain()?;
    match promise.state() {
        PromiseState::Fulfilled => Ok(()),
        PromiseState::Rejected => Err(Throw::value(promise.result())),
        PromiseState::Pending => Err(throw_error(Intrinsic::ErrorPrototype, "Top-level await promise never resolved")),
    }
}

/// `Evaluate`
fn evaluate(module: usize) -> Gc<PromiseObject> {
    let root = with(module, |module| module.cycle_root);
    if let Some(promise) = with(root, |root| root.promise) {
        return promise;
    }
    let promise = PromiseObject::pending();
    with(root, |root| root.promise = Some(promise));
    let mut stack = Vec::new();
    match evaluate_inner(root, &mut stack, &mut 0) {
        Ok(()) if matches!(with(root, |root| root.async_order), AsyncOrder::Number(_)) => {}
        Ok(()) => promise.fulfill(Value::UNDEFINED),
        Err(thrown) => {
            let reason = thrown.take();
            for module in stack {
                with(module, |module| (module.status, module.error) = (Status::Evaluated, Some(reason)));
            }
            promise.reject(reason);
        }
    }
    promise
}

/// `InnerModuleEvaluation`
fn evaluate_inner(module: usize, stack: &mut Vec<usize>, next: &mut u32) -> JsResult<()> {
    match with(module, |module| (module.status, module.error)) {
        (Status::Linked, _) => {}
        (_, Some(reason)) => return Err(Throw::value(reason)),
        _ => return Ok(()),
    }
    let number = *next;
    *next += 1;
    with(module, |module| (module.status, module.index, module.ancestor) = (Status::Evaluating, number, number));
    stack.push(module);
    let requested = with(module, |module| module.requested.clone());
    for needed in requested {
        evaluate_inner(needed, stack, next)?;
        let needed = match with(needed, |needed| (needed.status, needed.ancestor, needed.cycle_root)) {
            (Status::Evaluating, ancestor, _) => {
                with(module, |module| module.ancestor = module.ancestor.min(ancestor));
                needed
            }
            (.., root) => root,
        };
        let (error, order) = with(needed, |needed| (needed.error, needed.async_order));
        if let Some(reason) = error {
            return Err(Throw::value(reason));
        }
        if let AsyncOrder::Number(_) = order {
            with(module, |module| module.pending_dependencies += 1);
            with(needed, |needed| needed.async_parents.push(module));
        }
    }
    let (waits, suspends) = with(module, |module| (module.pending_dependencies > 0, module.has_top_level_await));
    if waits || suspends {
        modules(|all| {
            all.modules[module].async_order = AsyncOrder::Number(all.waiting);
            all.waiting += 1;
        });
        if !waits {
            execute_async(module);
        }
    } else {
        execute(module)?;
    }
    if with(module, |module| module.ancestor == module.index) {
        while let Some(member) = stack.pop() {
            with(member, |member| {
                let is_over = !matches!(member.async_order, AsyncOrder::Number(_));
                member.status = if is_over { Status::Evaluated } else { Status::EvaluatingAsync };
                member.cycle_root = module;
            });
            if member == module {
                break;
            }
        }
    }
    Ok(())
}

/// Runs a module's body. Answers the promise of a body with top-level `await`.
fn execute(module: usize) -> JsResult<Option<Gc<PromiseObject>>> {
    let code = with(module, |module| module.code);
    // SAFETY: the host passes the table index of a module's body, which has the type of all callees.
    let body = unsafe { core::mem::transmute::<usize, NativeFunction>(code as usize) };
    let undefined = Value::UNDEFINED;
    from_word(body(0, 0, undefined, undefined, undefined, undefined)).map(|value| value.as_kind::<PromiseObject>())
}

/// `ExecuteAsyncModule`
fn execute_async(module: usize) {
    match execute(module) {
        Ok(Some(promise)) => promise.then_native(Value::from(module as u32), |module, outcome| {
            match outcome {
                Ok(_) => fulfilled(unsigned(module) as usize),
                Err(reason) => rejected(unsigned(module) as usize, reason),
            }
            Ok(())
        }),
        Ok(None) => fulfilled(module),
        Err(thrown) => rejected(module, thrown.take()),
    }
}

/// `AsyncModuleExecutionFulfilled`
fn fulfilled(module: usize) {
    if with(module, |module| module.status) == Status::Evaluated {
        return;
    }
    finish(module);
    let mut ready = Vec::new();
    gather_available(module, &mut ready);
    ready.sort_by_key(|&module| with(module, |module| module.async_order));
    for module in ready {
        let (status, suspends) = with(module, |module| (module.status, module.has_top_level_await));
        if status == Status::Evaluated {
            continue;
        }
        if suspends {
            execute_async(module);
            continue;
        }
        match execute(module) {
            Ok(_) => finish(module),
            Err(thrown) => rejected(module, thrown.take()),
        }
    }
}

fn finish(module: usize) {
    let promise = with(module, |module| {
        (module.async_order, module.status) = (AsyncOrder::Done, Status::Evaluated);
        module.promise
    });
    if let Some(promise) = promise {
        promise.fulfill(Value::UNDEFINED);
    }
}

/// `GatherAvailableAncestors`
fn gather_available(module: usize, ready: &mut Vec<usize>) {
    for parent in with(module, |module| module.async_parents.clone()) {
        let root = with(parent, |parent| parent.cycle_root);
        if ready.contains(&parent) || with(root, |root| root.error.is_some()) {
            continue;
        }
        let (pending, suspends) = with(parent, |parent| {
            parent.pending_dependencies -= 1;
            (parent.pending_dependencies, parent.has_top_level_await)
        });
        if pending == 0 {
            ready.push(parent);
            if !suspends {
                gather_available(parent, ready);
            }
        }
    }
}

/// `AsyncModuleExecutionRejected`
fn rejected(module: usize, reason: Value) {
    if with(module, |module| module.status) == Status::Evaluated {
        return;
    }
    let (parents, promise) = with(module, |module| {
        (module.async_order, module.status, module.error) = (AsyncOrder::Done, Status::Evaluated, Some(reason));
        (module.async_parents.clone(), module.promise)
    });
    if let Some(promise) = promise {
        promise.reject(reason);
    }
    for parent in parents {
        rejected(parent, reason);
    }
}

/// `import()` of a namespace: a promise of it, when its module is evaluated.
pub fn import(namespace: u32) -> Gc<PromiseObject> {
    let promise = PromiseObject::pending();
    let state = Value::from(vec![promise.into(), Value::from(namespace)]);
    match promise::resolved(Value::UNDEFINED) {
        Ok(start) => start.then_native(state, begin_import),
        Err(thrown) => promise.reject(thrown.take()),
    }
    promise
}

/// What an `import()` has to remember: its promise and the address of the namespace.
fn import_state(state: Value) -> Option<(Gc<PromiseObject>, u32)> {
    let state = state.as_object().and_then(Object::as_array)?;
    Some((state.element(0).as_kind::<PromiseObject>()?, unsigned(state.element(1))))
}

fn begin_import(state: Value, _: Result<Value, Value>) -> JsResult<()> {
    let Some((_, namespace)) = import_state(state) else { return Ok(()) };
    match modules(|all| all.importable.get(&namespace).copied()) {
        Some(module) => evaluate(module).then_native(state, end_import),
        None => end_import(state, Ok(Value::UNDEFINED))?,
    }
    Ok(())
}

fn end_import(state: Value, outcome: Result<Value, Value>) -> JsResult<()> {
    let Some((promise, namespace)) = import_state(state) else { return Ok(()) };
    match outcome {
        // SAFETY: the host put the namespace's word at this address (an import slot points there).
        Ok(_) => promise.fulfill(unsafe { core::ptr::read(namespace as usize as *const Value) }),
        Err(reason) => promise.reject(reason),
    }
    Ok(())
}

fn unsigned(value: Value) -> u32 {
    crate::convert::to_number(value).map_or(0, |number| number as u32)
}
