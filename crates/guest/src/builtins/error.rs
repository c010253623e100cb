//! `Error` and its subclasses.

use crate::builtin::{
    CallContext, NativeCode, accessor, constructor, methods, native, native_constructor, set_ignoring_prototype,
};
use crate::call::is_callable;
use crate::convert::to_string;
use crate::error::{ErrorObject, error_to_string, lazy_stack, new_error, new_error_below};
use crate::iterate::collect;
use crate::key::PropertyKey;
use crate::names::{self, keys};
use crate::object::{Attributes, Content, FunctionCell, Object, PropertyDescriptor};
use crate::realm::{Intrinsic, intrinsic};
use crate::stack::Trace;
use crate::throw::{JsResult, hand_over, throw_type_error};
use crate::value::Value;

/// The subclasses that differ in nothing but their name.
const SUBCLASSES: &[(&str, Intrinsic, NativeCode)] = &[
    ("TypeError", Intrinsic::TypeErrorPrototype, native_constructor(|cx| construct(cx, Intrinsic::TypeErrorPrototype))),
    (
        "RangeError",
        Intrinsic::RangeErrorPrototype,
        native_constructor(|cx| construct(cx, Intrinsic::RangeErrorPrototype)),
    ),
    (
        "ReferenceError",
        Intrinsic::ReferenceErrorPrototype,
        native_constructor(|cx| construct(cx, Intrinsic::ReferenceErrorPrototype)),
    ),
    (
        "SyntaxError",
        Intrinsic::SyntaxErrorPrototype,
        native_constructor(|cx| construct(cx, Intrinsic::SyntaxErrorPrototype)),
    ),
    ("EvalError", Intrinsic::EvalErrorPrototype, native_constructor(|cx| construct(cx, Intrinsic::EvalErrorPrototype))),
    ("URIError", Intrinsic::UriErrorPrototype, native_constructor(|cx| construct(cx, Intrinsic::UriErrorPrototype))),
];

/// Builds them.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::ErrorPrototype);
    let error = constructor("Error", 1, native_constructor(|cx| construct(cx, Intrinsic::ErrorPrototype)), prototype);
    methods(
        error,
        &[
            ("captureStackTrace", 2, native(capture_stack_trace)),
            ("isError", 1, native(|cx| Ok(cx.arg(0).as_kind::<ErrorObject>().is_some().into()))),
        ],
    );
    error.define("stackTraceLimit", Value::int(10), Attributes::ALL);
    describe_prototype(prototype, "Error");
    methods(prototype, &[("toString", 0, native(to_string_method))]);
    accessor(prototype, "stack", native(get_stack), Some(native(set_stack)));

    for &(name, kind, code) in SUBCLASSES {
        install_subclass(name, 1, kind, code, error);
    }
    install_subclass(
        "AggregateError",
        2,
        Intrinsic::AggregateErrorPrototype,
        native_constructor(construct_aggregate),
        error,
    );
    install_subclass(
        "SuppressedError",
        3,
        Intrinsic::SuppressedErrorPrototype,
        native_constructor(construct_suppressed),
        error,
    );
}

fn describe_prototype(prototype: Object, name: &str) {
    prototype.define(names::name_(), name.into(), Attributes::HIDDEN);
    prototype.define(names::message(), names::empty().into(), Attributes::HIDDEN);
}

fn install_subclass(name: &str, length: u32, prototype: Intrinsic, code: NativeCode, error: Object) {
    let prototype = intrinsic(prototype);
    prototype.force_prototype(Some(intrinsic(Intrinsic::ErrorPrototype)));
    constructor(name, length, code, prototype).force_prototype(Some(error));
    describe_prototype(prototype, name);
}

fn construct(cx: &CallContext, prototype: Intrinsic) -> JsResult {
    Ok(create(cx, cx.new_prototype(prototype)?, cx.arg(0), cx.arg(1))?.into())
}

/// An error with a message (unless undefined) and the `cause` of the options. Constructors of subclasses are not part of its
/// stack.
fn create(cx: &CallContext, prototype: Object, message: Value, options: Value) -> JsResult<Object> {
    let message = if message.is_undefined() { message } else { to_string(message)?.into() };
    let error = new_error_below(prototype, message, cx.new_target.as_kind::<FunctionCell>()).object();
    if let Some(options) = options.as_object()
        && options.has_property(keys::cause())?
    {
        error.define(names::cause(), options.get(keys::cause())?, Attributes::HIDDEN);
    }
    Ok(error)
}

fn construct_aggregate(cx: &CallContext) -> JsResult {
    let error = create(cx, cx.new_prototype(Intrinsic::AggregateErrorPrototype)?, cx.arg(1), cx.arg(2))?;
    let errors = collect(cx.arg(0))?;
    error.define(names::errors(), errors.into(), Attributes::HIDDEN);
    Ok(error.into())
}

fn construct_suppressed(cx: &CallContext) -> JsResult {
    let prototype = cx.new_prototype(Intrinsic::SuppressedErrorPrototype)?;
    let error = create(cx, prototype, cx.arg(2), Value::UNDEFINED)?;
    error.define(names::error(), cx.arg(0), Attributes::HIDDEN);
    error.define(names::suppressed(), cx.arg(1), Attributes::HIDDEN);
    Ok(error.into())
}

/// The `AggregateError` of `Promise.any`.
pub fn new_aggregate_error(errors: Vec<Value>) -> Value {
    let message = "All promises were rejected".into();
    let error = new_error(intrinsic(Intrinsic::AggregateErrorPrototype), message).object();
    error.define(names::errors(), errors.into(), Attributes::HIDDEN);
    error.into()
}

fn to_string_method(cx: &CallContext) -> JsResult {
    match cx.this.as_object() {
        Some(object) => Ok(error_to_string(object)?.into()),
        None => Err(super::check::incompatible("Error.prototype.toString", cx.this)),
    }
}

/// Errors have a `stack` of their own as in V8, so this is read when that was deleted.
fn get_stack(cx: &CallContext) -> JsResult {
    match cx.this.as_object() {
        Some(object) => Ok(lazy_stack(object)),
        None => Err(super::check::incompatible("get Error.prototype.stack", cx.this)),
    }
}

/// Values that are no strings are taken too: programs that do not know of the setter assign them to what inherits from it.
fn set_stack(cx: &CallContext) -> JsResult {
    if cx.arguments.is_empty() {
        return Err(throw_type_error("undefined is not a stack"));
    }
    set_ignoring_prototype(cx, Intrinsic::ErrorPrototype, keys::stack())
}

/// The program may have asked for stacks of its own making, `Error.prepareStackTrace`, which only V8 can give.
pub fn require_plain_stacks() {
    let constructor = intrinsic(Intrinsic::ErrorPrototype).get(keys::constructor()).ok().and_then(Value::as_object);
    let prepare = constructor.and_then(|error| error.ordinary_get_own(PropertyKey::from("prepareStackTrace")));
    if matches!(prepare.map(|property| property.content), Some(Content::Data(prepare)) if is_callable(prepare)) {
        hand_over("Error.prepareStackTrace");
    }
}

/// `Error.captureStackTrace(object, function)`: gives it a `stack` that shows where this call is, or where the innermost
/// call of the function is. That of an error is written when it is read first.
fn capture_stack_trace(cx: &CallContext) -> JsResult {
    let Some(object) = cx.arg(0).as_object() else { return Err(throw_type_error("invalid_argument")) };
    require_plain_stacks();
    let trace = Trace::capture(cx.arg(1).as_kind::<FunctionCell>());
    if let Some(error) = object.as_kind::<ErrorObject>()
        && let Some(stack) = object.find(keys::stack()).filter(|stack| !stack.attributes.is_accessor())
    {
        error.set_trace(trace);
        object.set_slot(stack.slot, Value::EMPTY);
        return Ok(Value::UNDEFINED);
    }
    let stack = match trace {
        Some(trace) => Value::from((error_to_string(object)?.to_text() + &trace.to_text()).as_str()),
        None => Value::UNDEFINED,
    };
    object.define_or_throw(keys::stack(), &PropertyDescriptor::data(stack, Attributes::HIDDEN))?;
    Ok(Value::UNDEFINED)
}
