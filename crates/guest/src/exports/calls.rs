//! Calls.

use super::{cell, name};
use crate::call::{call_function, construct, is_callable, is_constructor};
use crate::convert::type_of;
use crate::error::describe;
use crate::memory::argument;
use crate::message::display;
use crate::object::{FunctionCell, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, Throw, throw_type_error, to_word};
use crate::value::Value;

/// The arguments of a call, `count` in all, handed to `body` as a slice.
fn with_arguments<R>(count: u32, first: [Value; 3], body: impl FnOnce(&[Value]) -> R) -> R {
    if count <= 3 {
        return body(&first[..count as usize]);
    }
    let mut arguments = Vec::with_capacity(count as usize);
    arguments.extend_from_slice(&first);
    arguments.extend((3..count).map(argument));
    body(&arguments)
}

/// How messages call the callee: as the source does, if compiled code says so.
#[cold]
fn not_a(what: &str, callee: Value, name_address: u32) -> Throw {
    let described = name(name_address).map_or_else(|| describe(callee), JsString::to_text);
    throw_type_error(format!("{described} is not a {what}"))
}

/// What V8 says of a call that it makes by `Function.prototype.apply`.
#[cold]
fn applied(callee: Value) -> Throw {
    let kind = match &*type_of(callee).to_text() {
        _ if callee.is_null() => "null".to_owned(),
        "object" => "an object".to_owned(),
        other => format!("a {other}"),
    };
    let what = display(callee);
    throw_type_error(format!("Function.prototype.apply was called on {what}, which is {kind} and not a function"))
}

fn call_any(callee: Value, this: Value, arguments: &[Value], name: u32) -> JsResult {
    if let Some(function) = callee.as_object().and_then(Object::as_function) {
        return call_function(function, this, arguments);
    }
    if !is_callable(callee) {
        return Err(not_a("function", callee, name));
    }
    crate::call::call(callee, this, arguments)
}

fn construct_any(callee: Value, arguments: &[Value], new_target: Value, name: u32) -> JsResult {
    if !is_constructor(callee) {
        return Err(not_a("constructor", callee, name));
    }
    construct(callee, arguments, new_target).map(Value::from)
}

/// The values of an array that compiled code built for a call.
fn spread(array: Value) -> Vec<Value> {
    let array = array.as_object().and_then(Object::as_array);
    array.map(|array| array.dense().iter().map(|value| plain(value.get())).collect()).unwrap_or_default()
}

fn plain(value: Value) -> Value {
    if value.is_empty() { Value::UNDEFINED } else { value }
}

#[unsafe(no_mangle)]
extern "C" fn rt_call(callee: Value, count: u32, this: Value, a0: Value, a1: Value, a2: Value, name: u32) -> Value {
    to_word(with_arguments(count, [a0, a1, a2], |arguments| call_any(callee, this, arguments, name)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_call_array(callee: Value, this: Value, array: Value, name: u32) -> Value {
    if name == 0 && !is_callable(callee) {
        return to_word(Err(applied(callee)));
    }
    to_word(call_any(callee, this, &spread(array), name))
}

#[unsafe(no_mangle)]
extern "C" fn rt_construct(
    callee: Value,
    count: u32,
    a0: Value,
    a1: Value,
    a2: Value,
    new_target: Value,
    name: u32,
) -> Value {
    to_word(with_arguments(count, [a0, a1, a2], |arguments| construct_any(callee, arguments, new_target, name)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_construct_array(callee: Value, array: Value, new_target: Value, name: u32) -> Value {
    to_word(construct_any(callee, &spread(array), new_target, name))
}

fn super_call(function: u32, arguments: &[Value], new_target: Value) -> JsResult {
    let class = cell::<FunctionCell>(function).object();
    let parent = class.get_prototype_of()?.map_or(Value::NULL, Value::from);
    if !is_constructor(parent) {
        let is_null = parent == Value::from(intrinsic(Intrinsic::FunctionPrototype));
        let described = if is_null { "null".to_owned() } else { describe(parent) };
        let name = class.function_name();
        let name = if name.is_empty() { "anonymous class" } else { &name };
        return Err(throw_type_error(format!("Super constructor {described} of {name} is not a constructor")));
    }
    construct(parent, arguments, new_target).map(Value::from)
}

#[unsafe(no_mangle)]
extern "C" fn rt_super_call(function: u32, count: u32, a0: Value, a1: Value, a2: Value, new_target: Value) -> Value {
    to_word(with_arguments(count, [a0, a1, a2], |arguments| super_call(function, arguments, new_target)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_super_call_array(function: u32, array: Value, new_target: Value) -> Value {
    to_word(super_call(function, &spread(array), new_target))
}
