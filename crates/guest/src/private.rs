//! Private names: fields, methods and accessors of objects under symbols nobody else can reach.

use crate::cell::Gc;
use crate::inline_cache::InlineCache;
use crate::key::PropertyKey;
use crate::object::{AccessorCell, Attributes, Object};
use crate::shape::Entry;
use crate::symbol::Symbol;
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// Methods are fields that cannot be assigned.
const METHOD: Attributes = Attributes::NONE;
const FIELD: Attributes = Attributes::WRITABLE;

/// The object and its private property; TypeError if it has none.
#[inline]
fn find(value: Value, name: Symbol, verb: &str) -> JsResult<(Object, Entry)> {
    if let Some(object) = value.as_object()
        && let Some(entry) = object.shape().find(name.into())
    {
        return Ok((object, entry));
    }
    Err(missing(value, name, verb))
}

/// What V8 calls a class in errors.
fn or_point(class: &str) -> &str {
    if class.is_empty() { "." } else { class }
}

#[cold]
fn missing(value: Value, name: Symbol, verb: &str) -> Throw {
    let brand = name.brand();
    if let Some((class, true)) = &brand {
        return throw_type_error(format!("Receiver must be class {}", or_point(class)));
    }
    if value.is_nullish()
        && let Some((class, _)) = &brand
    {
        // V8 looks for the brand, a property with the name of the class.
        let (value, class) = (crate::error::safe_to_string(value), or_point(class));
        return throw_type_error(format!("Cannot read properties of {value} (reading '{class}')"));
    }
    if let Some((class, _)) = brand {
        return throw_type_error(format!("Receiver must be an instance of class {}", or_point(&class)));
    }
    let name = name.descriptive_string();
    if value.is_nullish() {
        let (verb, participle) = if verb == "write" { ("set", "setting") } else { ("read", "reading") };
        let value = crate::error::safe_to_string(value);
        return throw_type_error(format!("Cannot {verb} properties of {value} ({participle} '{name}')"));
    }
    let place = if verb == "write" { "to" } else { "from" };
    throw_type_error(format!("Cannot {verb} private member {name} {place} an object whose class did not declare it"))
}

/// `object.#name`
pub fn get(value: Value, name: Symbol, cache: Option<Gc<InlineCache>>) -> JsResult {
    let (object, entry) = find(value, name, "read")?;
    if !entry.attributes.is_accessor() {
        if let Some(cache) = cache {
            cache.remember_own(object, entry);
        }
        return Ok(object.slot(entry.slot));
    }
    let getter = object.accessor_slot(entry).get.get();
    if getter.is_undefined() {
        return Err(throw_type_error(format!("'{}' was defined without a getter", name.descriptive_string())));
    }
    crate::call::call(getter, value, &[])
}

/// `object.#name = value`
pub fn set(target: Value, name: Symbol, value: Value, cache: Option<Gc<InlineCache>>) -> JsResult<()> {
    let (object, entry) = find(target, name, "write")?;
    if entry.attributes.is_accessor() {
        let setter = object.accessor_slot(entry).set.get();
        if setter.is_undefined() {
            return Err(throw_type_error(format!("'{}' was defined without a setter", name.descriptive_string())));
        }
        return crate::call::call(setter, target, &[value]).map(|_| ());
    }
    if !entry.attributes.is_writable() {
        return Err(throw_type_error(format!("Private method '{}' is not writable", name.descriptive_string())));
    }
    if let Some(cache) = cache {
        cache.remember_own(object, entry);
    }
    object.set_slot(entry.slot, value);
    Ok(())
}

fn add(target: Value, name: Symbol, value: Value, attributes: Attributes) -> JsResult<()> {
    let Some(object) = target.as_object() else { return Ok(()) };
    if object.shape().find(name.into()).is_some() {
        let class = name.brand().map(|(class, _)| class).filter(|class| !class.is_empty());
        let class = class.unwrap_or_else(|| "anonymous".to_owned());
        return Err(throw_type_error(format!(
            "Cannot initialize private methods of class {class} twice on the same object"
        )));
    }
    object.add_slot(name.into(), value, attributes);
    Ok(())
}

/// Adds a private field; TypeError if it is there.
pub fn add_field(target: Value, name: Symbol, value: Value, cache: Option<Gc<InlineCache>>) -> JsResult<()> {
    if target.as_object().is_some_and(|object| object.shape().find(name.into()).is_some()) {
        let name = name.descriptive_string();
        return Err(throw_type_error(format!("Cannot initialize {name} twice on the same object")));
    }
    let Some(object) = target.as_object() else { return Ok(()) };
    let before = object.shape();
    object.add_slot(name.into(), value, FIELD);
    if let Some(cache) = cache {
        cache.remember_addition(before, object, true);
    }
    Ok(())
}

/// Adds a private method.
pub fn add_method(target: Value, name: Symbol, function: Value) -> JsResult<()> {
    add(target, name, function, METHOD)
}

/// Adds one half of a private accessor: the first half creates it, the second completes it.
pub fn add_accessor(target: Value, name: Symbol, function: Value, is_setter: bool) -> JsResult<()> {
    let Some(object) = target.as_object() else { return Ok(()) };
    if let Some(entry) = object.shape().find(name.into()).filter(|entry| entry.attributes.is_accessor()) {
        let accessor = object.accessor_slot(entry);
        let half = if is_setter { &accessor.set } else { &accessor.get };
        if half.get().is_undefined() {
            half.set(function);
            return Ok(());
        }
    }
    let pair = if is_setter {
        AccessorCell::new(Value::UNDEFINED, function)
    } else {
        AccessorCell::new(function, Value::UNDEFINED)
    };
    add(target, name, Value::internal(pair), Attributes::ACCESSOR)
}

/// `#name in object`
pub fn has(name: Symbol, value: Value) -> JsResult<bool> {
    match value.as_object() {
        Some(object) => Ok(object.shape().find(PropertyKey::from(name)).is_some()),
        None => {
            let name = match name.brand() {
                Some((class, false)) => or_point(&class).to_owned(),
                _ => name.descriptive_string(),
            };
            let value = crate::error::safe_to_string(value);
            Err(throw_type_error(format!("Cannot use 'in' operator to search for '{name}' in {value}")))
        }
    }
}
