//! `Function`: constructor, prototype and bound functions.

pub mod text;

use core::cell::Cell;

use convex_wasm_abi::unit::function_info as info;

use crate::builtin::{
    CallContext, Method, NativeCode, constructor, function, methods, native, native_constructor, with_list,
};
use crate::call::{call, construct, is_callable, ordinary_instance_of};
use crate::cell::Gc;
use crate::error::describe;
use crate::function_source::source_text;
use crate::iterate::array_like;
use crate::names::keys;
use crate::object::{AccessorCell, ArrayCell, Attributes, FunctionCell, FunctionRecord, Object};
use crate::realm::{Intrinsic, intrinsic, set_intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;
use text::{Kind, from_text};

const METHODS: &[Method] = &[
    ("apply", 2, native(apply)),
    ("bind", 1, native(bind)),
    ("call", 1, native(call_method)),
    ("toString", 0, native(to_string)),
];

/// Builds `Function` and its prototype.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::FunctionPrototype);
    constructor("Function", 1, native_constructor(|cx| from_text(cx, Kind::Function)), prototype);
    methods(prototype, METHODS);
    let has_instance =
        function("[Symbol.hasInstance]", 1, native(|cx| Ok(ordinary_instance_of(cx.this, cx.arg(0))?.into())));
    set_intrinsic(Intrinsic::HasInstance, has_instance.object());
    prototype.define(crate::symbol::has_instance(), has_instance.into(), Attributes::NONE);
    install_poison(prototype);
}

/// Whether the value is a function of sloppy code that is no method or arrow function. V8 gives these `caller` and `arguments`
/// of their own, which are null here.
fn is_plainly_sloppy(value: Value) -> bool {
    let function = value.as_kind::<FunctionCell>().filter(|function| !function.is_native());
    function.is_some_and(|function| {
        let record = function.info.get();
        record.has(info::CONSTRUCTOR) && !record.has(info::STRICT)
    })
}

/// `caller` and `arguments`, which functions of strict code may not read.
fn install_poison(prototype: Object) {
    let thrower = function(
        "",
        0,
        native(|cx| {
            if is_plainly_sloppy(cx.this) {
                return Ok(Value::NULL);
            }
            Err(throw_type_error(
                "'caller', 'callee', and 'arguments' properties may not be accessed on strict mode functions or the \
             arguments objects for calls to them",
            ))
        }),
    );
    // An ordinary object refuses nothing.
    let _ = thrower.object().set_integrity(true);
    set_intrinsic(Intrinsic::ThrowTypeError, thrower.object());
    let attributes = Attributes::ACCESSOR.with(Attributes::CONFIGURABLE);
    for name in ["caller", "arguments"] {
        let pair = AccessorCell::new(thrower.into(), thrower.into());
        prototype.add_slot(name.into(), Value::internal(pair), attributes);
    }
}

fn require_callable(cx: &CallContext) -> JsResult<Value> {
    if is_callable(cx.this) {
        return Ok(cx.this);
    }
    Err(throw_type_error(format!("{} is not a function", describe(cx.this))))
}

fn call_method(cx: &CallContext) -> JsResult {
    call(require_callable(cx)?, cx.arg(0), cx.rest(1))
}

fn apply(cx: &CallContext) -> JsResult {
    let function = require_callable(cx)?;
    if cx.arg(1).is_nullish() {
        return call(function, cx.arg(0), &[]);
    }
    call(function, cx.arg(0), &array_like(cx.arg(1))?)
}

fn to_string(cx: &CallContext) -> JsResult {
    let function = cx.this.as_object().filter(|&object| bound_target(object).is_none()).and_then(Object::as_function);
    if let Some(function) = function {
        return Ok(source_text(function).into());
    }
    if is_callable(cx.this) {
        return Ok("function () { [native code] }".into());
    }
    Err(throw_type_error("Function.prototype.toString requires that 'this' be a Function"))
}

/// Code of bound functions. Their home is the array `[target, this, ...arguments]`.
const BOUND: NativeCode = native_constructor(call_bound);

/// The function that a bound function stands for.
pub fn bound_target(function: Object) -> Option<Value> {
    let function = function.as_function()?;
    (function.code.get() == BOUND.index()).then(|| bound_parts(function).first().map(Cell::get))?
}

/// `[target, this, ...arguments]` of a bound function.
fn bound_parts(function: Gc<FunctionCell>) -> &'static [Cell<Value>] {
    function.home.get().as_object().and_then(Object::as_array).map_or(&[], |parts| parts.dense())
}

fn bind(cx: &CallContext) -> JsResult {
    let Some(target) = cx.this.as_object().filter(|_| is_callable(cx.this)) else {
        return Err(throw_type_error("Bind must be called on a function"));
    };
    let flags = if crate::call::is_constructor(cx.this) { info::CONSTRUCTOR } else { info::METHOD };
    let length = bound_length(target, cx.rest(1).len())?;
    let name = target.get(keys::name_())?.as_string().unwrap_or_else(JsString::empty);
    let name = JsString::from_str("bound ").concat(name)?;
    let flags = flags | info::USES_NEW_TARGET;
    let record = FunctionRecord::native(name, length as u32, flags, BOUND.index());
    let bound = FunctionCell::with_shape(crate::realm_shapes::function_shape(), record, 0);
    let parts = ArrayCell::with_capacity(cx.arguments.len().max(1) as u32 + 1);
    [cx.this, cx.arg(0)].iter().chain(cx.rest(1)).for_each(|&part| parts.push(part));
    bound.home.set(parts.into());
    let object = bound.object();
    let prototype = target.get_prototype_of()?;
    if prototype != object.prototype() {
        object.force_prototype(prototype);
    }
    if f64::from(length as u32) != length {
        object.define(crate::names::length(), Value::number(length), Attributes::CONFIGURABLE);
    }
    Ok(bound.into())
}

/// `length` of a bound function: what is left of the target's.
fn bound_length(target: Object, taken: usize) -> JsResult<f64> {
    if !target.has_own_property(keys::length())? {
        return Ok(0.0);
    }
    let length = target.get(keys::length())?;
    if length.as_number().is_none() {
        return Ok(0.0);
    }
    Ok((crate::convert::to_integer_or_infinity(length)? - taken as f64).max(0.0))
}

fn call_bound(cx: &CallContext) -> JsResult {
    let [target, this, bound @ ..] = bound_parts(cx.callee) else { return Ok(Value::UNDEFINED) };
    let count = bound.len() + cx.arguments.len();
    let argument = |index: usize| match bound.get(index) {
        Some(bound) => bound.get(),
        None => cx.arguments[index - bound.len()],
    };
    with_list(count, argument, |arguments| {
        if !cx.is_construct() {
            return call(target.get(), this.get(), arguments);
        }
        let new_target = if cx.new_target == cx.callee.into() { target.get() } else { cx.new_target };
        Ok(construct(target.get(), arguments, new_target)?.into())
    })
}
