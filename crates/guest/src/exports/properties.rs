//! Property access.

use convex_wasm_abi::layout::set_mode;

use super::{cell, string};
use crate::cell::{Gc, kind};
use crate::convert::{get_value, primitive_prototype, to_property_key};
use crate::inline_cache::{self, InlineCache};
use crate::key::PropertyKey;
use crate::names;
use crate::object::{FunctionCell, Object, element_get_error, set_error};
use crate::string::JsString;
use crate::symbol::SymbolCell;
use crate::throw::{JsResult, Throw, throw_reference_error, throw_type_error, to_status, to_word};
use crate::value::Value;
use crate::{call, convert, private, realm};

#[unsafe(no_mangle)]
extern "C" fn rt_get(object: Value, key: u32, cache: u32) -> Value {
    let name = string(key);
    let key = PropertyKey::from_interned(name);
    if let Some(object) = object.as_object() {
        if object.kind.get() == kind::ARRAY
            && name == names::length()
            && let Some(array) = object.as_array()
        {
            return Value::from(array.len());
        }
        return to_word(inline_cache::get(object, key, object.into(), cell::<InlineCache>(cache)));
    }
    if name == names::length()
        && let Some(string) = object.as_string()
    {
        return Value::from(string.len());
    }
    to_word(match primitive_prototype(object) {
        Some(prototype) => inline_cache::get_of_primitive(prototype, key, object, cell::<InlineCache>(cache)),
        None => Err(element_get_error(object, key, "read")),
    })
}

#[unsafe(no_mangle)]
extern "C" fn rt_get_element(object: Value, key: Value) -> Value {
    to_word(get_element(object, key))
}

#[inline]
fn get_element(object: Value, key: Value) -> JsResult {
    if let Some(index) = key.as_int().filter(|&index| index >= 0) {
        if let Some(string) = object.as_string()
            && let Some(unit) = string.unit(index as u32)
        {
            return Ok(JsString::from_unit(unit).into());
        }
        if let Some(array) = object.as_object().and_then(Object::as_array) {
            let value = array.element(index as u32);
            if !value.is_empty() {
                return Ok(value);
            }
        }
    }
    if object.is_nullish() {
        return Err(nullish_base_error(object, key, "read"));
    }
    get_value(object, to_property_key(key)?)
}

#[unsafe(no_mangle)]
extern "C" fn rt_set(object: Value, key: u32, value: Value, cache: u32, mode: u32) -> i32 {
    let key = PropertyKey::from_interned(string(key));
    let strict = mode & set_mode::STRICT;
    let adds = mode & set_mode::ADDS != 0;
    to_status(match object.as_object() {
        Some(target) => inline_cache::set(target, key, value, cell::<InlineCache>(cache), adds)
            .and_then(|done| refuse(done, object, key, strict)),
        None => set_primitive(object, key, value, strict),
    })
}

#[unsafe(no_mangle)]
extern "C" fn rt_set_element(object: Value, key: Value, value: Value, strict: u32) -> i32 {
    to_status(set_element(object, key, value, strict))
}

fn set_element(object: Value, key: Value, value: Value, strict: u32) -> JsResult<()> {
    let Some(target) = object.as_object() else {
        if object.is_nullish() {
            return Err(nullish_base_error(object, key, "set"));
        }
        let key = to_property_key(key)?;
        return set_primitive(object, key, value, strict);
    };
    if let Some(index) = key.as_int().filter(|&index| index >= 0)
        && let Some(array) = target.as_array()
        && array.assign_plainly(index as u32, value)
    {
        return Ok(());
    }
    let key = to_property_key(key)?;
    let done = target.set_with_receiver(key, value, object)?;
    refuse(done, object, key, strict)
}

/// The TypeError of `null[key]`. No code of the program runs to name a key that is an object.
#[cold]
fn nullish_base_error(object: Value, key: Value, verb: &str) -> Throw {
    if !key.is_object()
        && let Ok(key) = to_property_key(key)
    {
        return element_get_error(object, key, verb);
    }
    let what = if object.is_null() { "null" } else { "undefined" };
    throw_type_error(format!("Cannot {verb} properties of {what}"))
}

/// TypeError in strict code if an assignment was refused.
#[inline]
pub(super) fn refuse(done: bool, target: Value, key: PropertyKey, strict: u32) -> JsResult<()> {
    if done || strict == 0 {
        return Ok(());
    }
    Err(set_error(target, key)?)
}

/// Assignment to a property of a primitive: only setters of its prototypes can make something of it.
#[cold]
fn set_primitive(target: Value, key: PropertyKey, value: Value, strict: u32) -> JsResult<()> {
    match primitive_prototype(target) {
        None => Err(element_get_error(target, key, "set")),
        Some(prototype) => {
            let done = prototype.set_with_receiver(key, value, target)?;
            refuse(done, target, key, strict)
        }
    }
}

/// The object where `super.x` of a function begins.
fn super_base(function: u32) -> JsResult<Option<Object>> {
    let function = cell::<FunctionCell>(function);
    match function.home.get().as_object() {
        Some(home) => home.get_prototype_of(),
        None => Ok(None),
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_get_super(function: u32, key: Value, this: Value) -> Value {
    let get = || {
        let key = to_property_key(key)?;
        match super_base(function)? {
            Some(base) => base.get_with_receiver(key, this),
            None => Err(element_get_error(Value::NULL, key, "read")),
        }
    };
    to_word(get())
}

#[unsafe(no_mangle)]
extern "C" fn rt_set_super(function: u32, key: Value, this: Value, value: Value, strict: u32) -> i32 {
    let set = || {
        let key = to_property_key(key)?;
        match super_base(function)? {
            Some(base) => {
                let done = base.set_with_receiver(key, value, this)?;
                refuse(done, this, key, strict)
            }
            None => Err(element_get_error(Value::NULL, key, "set")),
        }
    };
    to_status(set())
}

#[unsafe(no_mangle)]
extern "C" fn rt_delete(object: Value, key: Value, strict: u32) -> Value {
    to_word(delete(object, key, strict).map(Value::bool))
}

fn delete(object: Value, key: Value, strict: u32) -> JsResult<bool> {
    if object.is_nullish() {
        return Err(throw_type_error("Cannot convert undefined or null to object"));
    }
    let target = convert::to_object(object)?;
    let key = to_property_key(key)?;
    if strict == 0 {
        return target.delete(key);
    }
    target.delete_or_throw(key).map(|()| true)
}

#[unsafe(no_mangle)]
extern "C" fn rt_in(key: Value, object: Value) -> Value {
    let test = || match object.as_object() {
        Some(object) => object.has_property(to_property_key(key)?),
        None => {
            // No code of the program runs to name a key that is an object.
            let key = if key.is_object() { crate::error::describe(key) } else { to_property_key(key)?.display() };
            let described = crate::error::safe_to_string(object);
            Err(throw_type_error(format!("Cannot use 'in' operator to search for '{key}' in {described}")))
        }
    };
    to_word(test().map(Value::bool))
}

#[unsafe(no_mangle)]
extern "C" fn rt_instance_of(value: Value, class: Value) -> Value {
    to_word(call::instance_of(value, class).map(Value::bool))
}

#[unsafe(no_mangle)]
extern "C" fn rt_get_global(key: u32, cache: u32) -> Value {
    let name = string(key);
    to_word(
        inline_cache::get_global(PropertyKey::from_interned(name), cell(cache))
            .and_then(|found| found.ok_or_else(|| throw_reference_error(format!("{} is not defined", name.to_text())))),
    )
}

#[unsafe(no_mangle)]
extern "C" fn rt_get_global_or_undefined(key: u32, cache: u32) -> Value {
    let found = inline_cache::get_global(PropertyKey::from_interned(string(key)), cell(cache));
    to_word(found.map(|found| found.unwrap_or(Value::UNDEFINED)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_set_global(key: u32, value: Value, strict: u32) -> i32 {
    let name = string(key);
    let key = PropertyKey::from_interned(name);
    let set = || {
        let global = realm::global();
        if strict != 0 && !global.has_property(key)? {
            return Err(throw_reference_error(format!("{} is not defined", name.to_text())));
        }
        let done = global.set_with_receiver(key, value, global.into())?;
        refuse(done, global.into(), key, strict)
    };
    to_status(set())
}

/// The cache of a site, if it has one.
pub(super) fn site(cache: u32) -> Option<Gc<InlineCache>> {
    (cache != 0).then(|| cell(cache))
}

#[unsafe(no_mangle)]
extern "C" fn rt_get_private(object: Value, name: Value, cache: u32) -> Value {
    to_word(private::get(object, cell(name.payload()), site(cache)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_set_private(object: Value, name: Value, value: Value, cache: u32) -> i32 {
    to_status(private::set(object, cell(name.payload()), value, site(cache)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_add_private(object: Value, name: Value, value: Value, cache: u32) -> i32 {
    to_status(private::add_field(object, cell(name.payload()), value, site(cache)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_add_private_method(object: Value, name: Value, function: Value, kind: u32) -> i32 {
    let name = cell(name.payload());
    to_status(match kind {
        0 => private::add_method(object, name, function),
        _ => private::add_accessor(object, name, function, kind == 2),
    })
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_private_name(first: Value) -> Value {
    SymbolCell::for_evaluation(cell(first.payload())).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_has_private(name: Value, object: Value) -> Value {
    to_word(private::has(cell(name.payload()), object).map(Value::bool))
}

#[unsafe(no_mangle)]
extern "C" fn rt_has_element_count(array: Value, cache: u32) -> i32 {
    let known = array.as_object().is_some_and(|array| inline_cache::has_element_count(array, cell(cache)));
    i32::from(known)
}
