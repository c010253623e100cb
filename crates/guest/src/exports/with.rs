//! Objects of `with` statements as environments (ECMA-262 9.1.1.2).

use super::properties::refuse;
use super::string;
use crate::convert::to_boolean;
use crate::key::PropertyKey;
use crate::object::Object;
use crate::symbol;
use crate::throw::{JsResult, throw_reference_error, to_status, to_word};
use crate::value::Value;

/// HasBinding
fn has(object: Object, key: PropertyKey) -> JsResult<bool> {
    if !object.has_property(key)? {
        return Ok(false);
    }
    match object.get(symbol::unscopables().into())?.as_object() {
        Some(unscopables) => Ok(!to_boolean(unscopables.get(key)?)),
        None => Ok(true),
    }
}

/// In strict code, which may be a function in the body, the name must still be there.
fn still_has(object: Object, key: u32, strict: u32) -> JsResult<bool> {
    let name = string(key);
    let found = object.has_property(PropertyKey::from_interned(name))?;
    if !found && strict != 0 {
        return Err(throw_reference_error(format!("{} is not defined", name.to_text())));
    }
    Ok(found)
}

#[unsafe(no_mangle)]
extern "C" fn rt_scope_has(object: Value, key: u32) -> Value {
    let Some(object) = object.as_object() else { return Value::FALSE };
    to_word(has(object, PropertyKey::from_interned(string(key))).map(Value::bool))
}

#[unsafe(no_mangle)]
extern "C" fn rt_scope_get(object: Value, key: u32, strict: u32) -> Value {
    let Some(object) = object.as_object() else { return Value::UNDEFINED };
    let get = || match still_has(object, key, strict)? {
        true => object.get(PropertyKey::from_interned(string(key))),
        false => Ok(Value::UNDEFINED),
    };
    to_word(get())
}

#[unsafe(no_mangle)]
extern "C" fn rt_scope_set(object: Value, key: u32, value: Value, strict: u32) -> i32 {
    let Some(target) = object.as_object() else { return 0 };
    let set = || {
        still_has(target, key, strict)?;
        let key = PropertyKey::from_interned(string(key));
        let done = target.set_with_receiver(key, value, object)?;
        refuse(done, object, key, strict)
    };
    to_status(set())
}
