//! Property descriptors as JavaScript objects.

use crate::call::is_callable;
use crate::convert::to_boolean;
use crate::error::display;
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{Content, Object, Property, PropertyDescriptor};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// ToPropertyDescriptor.
pub fn to_property_descriptor(value: Value) -> JsResult<PropertyDescriptor> {
    let Some(object) = value.as_object() else {
        return Err(throw_type_error(format!("Property description must be an object: {}", display(value))));
    };
    let field = |key: PropertyKey| -> JsResult<Option<Value>> {
        if object.has_property(key)? { Ok(Some(object.get(key)?)) } else { Ok(None) }
    };
    let flag = |key: PropertyKey| -> JsResult<Option<bool>> { Ok(field(key)?.map(to_boolean)) };
    let function = |key: PropertyKey, what: &str| -> JsResult<Option<Value>> {
        match field(key)? {
            Some(value) if !value.is_undefined() && !is_callable(value) => {
                Err(throw_type_error(format!("{what} must be a function: {}", display(value))))
            }
            found => Ok(found),
        }
    };
    let enumerable = flag(keys::enumerable())?;
    let configurable = flag(keys::configurable())?;
    let stored = field(keys::value())?;
    let writable = flag(keys::writable())?;
    let get = function(keys::get(), "Getter")?;
    let set = function(keys::set(), "Setter")?;
    let descriptor = PropertyDescriptor { value: stored, get, set, writable, enumerable, configurable };
    if descriptor.is_accessor() && descriptor.is_data() {
        return Err(throw_type_error(format!(
            "Invalid property descriptor. Cannot both specify accessors and a value or writable attribute, {}",
            display(value)
        )));
    }
    Ok(descriptor)
}

/// FromPropertyDescriptor of an own property.
pub fn from_property(property: Option<Property>) -> Value {
    match property {
        Some(property) => from_property_descriptor(&property.into()),
        None => Value::UNDEFINED,
    }
}

/// FromPropertyDescriptor: an object with the fields that are mentioned.
pub fn from_property_descriptor(descriptor: &PropertyDescriptor) -> Value {
    let object = Object::new();
    let fields = [
        (keys::value(), descriptor.value),
        (keys::writable(), descriptor.writable.map(Value::bool)),
        (keys::get(), descriptor.get),
        (keys::set(), descriptor.set),
        (keys::enumerable(), descriptor.enumerable.map(Value::bool)),
        (keys::configurable(), descriptor.configurable.map(Value::bool)),
    ];
    for (key, field) in fields {
        if let Some(value) = field {
            object.define(key, value, crate::object::Attributes::ALL);
        }
    }
    object.into()
}

/// The data value of a property, if it is no accessor.
pub fn data_value(property: &Property) -> Option<Value> {
    match property.content {
        Content::Data(value) => Some(value),
        Content::Accessor { .. } => None,
    }
}
