//! `Proxy`.

use crate::object::Object;
use crate::object::exotic::Exotic;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// Builds them.
pub(crate) fn install() {}

/// Internal methods of proxies.
pub struct ProxyExotic;

impl Exotic for ProxyExotic {}

/// Whether the object is a proxy with [[Call]].
pub fn is_callable(_object: Object) -> bool {
    false
}

/// Whether the object is a proxy with [[Construct]].
pub fn is_constructor(_object: Object) -> bool {
    false
}

/// [[Call]] of a proxy.
pub fn call(_object: Object, _this: Value, _arguments: &[Value]) -> JsResult {
    Err(throw_type_error("not a function"))
}

/// [[Construct]] of a proxy.
pub fn construct(_object: Object, _arguments: &[Value], _new_target: Value) -> JsResult<Object> {
    Err(throw_type_error("not a constructor"))
}

/// IsArray of a proxy; false for other objects. TypeError if it was revoked.
pub fn is_array(_object: Object) -> JsResult<bool> {
    Ok(false)
}
