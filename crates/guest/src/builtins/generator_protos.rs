//! Prototypes of generators, generator functions and async functions. What they do is in [`crate::generator`].

use convex_wasm_abi::unit::function_info as info;

use crate::builtin::{CallContext, NativeCode, methods, native, native_constructor, to_string_tag};
use crate::builtins::function::text::{Kind, from_text};
use crate::call::call;
use crate::convert::get_method;
use crate::frame::ResumeMode;
use crate::generator::{GeneratorObject, Step, async_generator_enqueue, generator_resume, step};
use crate::iterate::iterator_result;
use crate::names;
use crate::object::{Attributes, Content, Object, new_native_function};
use crate::promise::{PromiseObject, resolved};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::JsResult;
use crate::value::Value;

/// Builds them.
pub(crate) fn install() {
    let generator = intrinsic(Intrinsic::GeneratorPrototype);
    generator.force_prototype(Some(intrinsic(Intrinsic::IteratorPrototype)));
    methods(
        generator,
        &[
            ("next", 1, native(next)),
            ("return", 1, native(|cx| resume(cx, ResumeMode::Return))),
            ("throw", 1, native(|cx| resume(cx, ResumeMode::Throw))),
        ],
    );
    to_string_tag(generator, "Generator");

    let async_generator = intrinsic(Intrinsic::AsyncGeneratorPrototype);
    let async_iterator = intrinsic(Intrinsic::AsyncIteratorPrototype);
    async_generator.force_prototype(Some(async_iterator));
    methods(
        async_iterator,
        &[("@@asyncIterator", 0, native(|cx| Ok(cx.this))), ("@@asyncDispose", 0, native(async_dispose))],
    );
    methods(
        async_generator,
        &[
            ("next", 1, native(|cx| enqueue(cx, ResumeMode::Next))),
            ("return", 1, native(|cx| enqueue(cx, ResumeMode::Return))),
            ("throw", 1, native(|cx| enqueue(cx, ResumeMode::Throw))),
        ],
    );
    to_string_tag(async_generator, "AsyncGenerator");

    install_functions(
        "GeneratorFunction",
        Intrinsic::GeneratorFunctionPrototype,
        Some(Intrinsic::GeneratorPrototype),
        native_constructor(|cx| from_text(cx, Kind::Generator)),
    );
    install_functions(
        "AsyncGeneratorFunction",
        Intrinsic::AsyncGeneratorFunctionPrototype,
        Some(Intrinsic::AsyncGeneratorPrototype),
        native_constructor(|cx| from_text(cx, Kind::AsyncGenerator)),
    );
    install_functions(
        "AsyncFunction",
        Intrinsic::AsyncFunctionPrototype,
        None,
        native_constructor(|cx| from_text(cx, Kind::Async)),
    );
}

/// Builds the prototype of a kind of functions and their constructor, which is no global.
fn install_functions(name: &str, prototype: Intrinsic, instances: Option<Intrinsic>, code: NativeCode) {
    let prototype = intrinsic(prototype);
    prototype.force_prototype(Some(intrinsic(Intrinsic::FunctionPrototype)));
    let flags = info::CONSTRUCTOR | info::USES_NEW_TARGET;
    let constructor = new_native_function(name, 1, code, flags).object();
    constructor.force_prototype(function_constructor());
    constructor.define(names::prototype(), prototype.into(), Attributes::NONE);
    prototype.define(names::constructor(), constructor.into(), Attributes::CONFIGURABLE);
    if let Some(instances) = instances.map(intrinsic) {
        prototype.define(names::prototype(), instances.into(), Attributes::CONFIGURABLE);
        instances.define(names::constructor(), prototype.into(), Attributes::CONFIGURABLE);
    }
    to_string_tag(prototype, name);
}

/// `Function`, which the other constructors of functions inherit from.
fn function_constructor() -> Option<Object> {
    let constructor = intrinsic(Intrinsic::FunctionPrototype).ordinary_get_own(names::keys::constructor());
    match constructor.map(|property| property.content) {
        Some(Content::Data(constructor)) => constructor.as_object(),
        _ => None,
    }
}

fn next(cx: &CallContext) -> JsResult {
    resume(cx, ResumeMode::Next)
}

/// One step of a generator if `next_code` is that of the built-in `next`: the value, or `None` at the end.
pub fn step_directly(generator: Object, next_code: u32) -> Option<JsResult<Option<Value>>> {
    if next_code != native(next).index() {
        return None;
    }
    let stepped = step(generator.as_kind::<GeneratorObject>()?, ResumeMode::Next, Value::UNDEFINED);
    Some(stepped.and_then(|step| match step {
        Step::Yielded(value) => Ok(Some(value)),
        Step::Delegated(result) => iterator_result(result),
        Step::Returned(_) => Ok(None),
    }))
}

fn resume(cx: &CallContext, mode: ResumeMode) -> JsResult {
    generator_resume(cx.this, mode, cx.arg(0))
}

fn enqueue(cx: &CallContext, mode: ResumeMode) -> JsResult {
    Ok(async_generator_enqueue(cx.this, mode, cx.arg(0)))
}

/// `%AsyncIteratorPrototype%[Symbol.asyncDispose]`: calls `return` and waits for what it answers.
fn async_dispose(cx: &CallContext) -> JsResult {
    let promise = PromiseObject::pending();
    let returned = get_method(cx.this, names::keys::return_()).and_then(|method| match method {
        Some(method) => Ok(Some(resolved(call(method.into(), cx.this, &[])?)?)),
        None => Ok(None),
    });
    match returned {
        Ok(Some(returned)) => returned.then_native(promise.into(), |promise, outcome| {
            if let Some(promise) = promise.as_kind::<PromiseObject>() {
                match outcome {
                    Ok(_) => promise.fulfill(Value::UNDEFINED),
                    Err(reason) => promise.reject(reason),
                }
            }
            Ok(())
        }),
        Ok(None) => promise.fulfill(Value::UNDEFINED),
        Err(thrown) => promise.reject(thrown.take()),
    }
    Ok(promise.into())
}
