//! What built-ins demand of `this` and their arguments, with V8's words for what they get instead.

use crate::call::is_callable;
use crate::error::{describe_with_type, display};
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// TypeError unless the value is callable: `number 5 is not a function`.
pub fn require_function(value: Value) -> JsResult<Value> {
    if is_callable(value) {
        return Ok(value);
    }
    Err(throw_type_error(format!("{} is not a function", describe_with_type(value))))
}

/// As [`require_function`], for the built-ins where V8 leaves the type out: `5 is not a function`.
pub fn require_callback(value: Value) -> JsResult<Value> {
    if is_callable(value) {
        return Ok(value);
    }
    Err(throw_type_error(format!("{} is not a function", display(value))))
}

/// The TypeError of a method called on the wrong kind of object.
#[cold]
pub fn incompatible(method: &str, receiver: Value) -> Throw {
    throw_type_error(format!("Method {method} called on incompatible receiver {}", display(receiver)))
}
