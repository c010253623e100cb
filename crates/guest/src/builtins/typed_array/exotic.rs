//! Internal methods of typed arrays: every numeric key is an element, or nothing.

use super::{TypedArrayObject, view};
use crate::cell::Gc;
use crate::key::PropertyKey;
use crate::object::exotic::Exotic;
use crate::object::{Attributes, Object, Property, PropertyDescriptor, is_compatible};
use crate::string::{number_to_string, parse_number};
use crate::throw::JsResult;
use crate::value::Value;

/// Internal methods of typed arrays.
pub struct TypedArrayExotic;

/// What a property key means to a typed array.
enum Meaning {
    /// The element at this index, which exists.
    Element(Gc<TypedArrayObject>, u32),
    /// A number that is no index of an element: such a property never exists.
    Nothing,
    /// An ordinary property.
    Ordinary,
}

fn meaning(object: Object, key: PropertyKey) -> Meaning {
    let Some(view) = view(object) else { return Meaning::Ordinary };
    if let Some(index) = key.as_index() {
        return if index < view.length() { Meaning::Element(view, index) } else { Meaning::Nothing };
    }
    // CanonicalNumericIndexString of what is no array index: "-0", "1.5", "Infinity", "-1", "4294967295".
    let Some(string) = key.as_string() else { return Meaning::Ordinary };
    let starts_numeric = string.unit(0).and_then(|unit| u8::try_from(unit).ok());
    if !starts_numeric.is_some_and(|unit| unit.is_ascii_digit() || matches!(unit, b'-' | b'I' | b'N')) {
        return Meaning::Ordinary;
    }
    if string.is("-0") || number_to_string(parse_number(string.units())).equals(string) {
        Meaning::Nothing
    } else {
        Meaning::Ordinary
    }
}

/// An element as a property.
fn element(view: Gc<TypedArrayObject>, index: u32) -> Property {
    let attributes = if view.buffer().is_immutable() { Attributes::ENUMERABLE } else { Attributes::ALL };
    Property::data(view.get(index), attributes)
}

impl Exotic for TypedArrayExotic {
    fn get_own_property(&self, object: Object, key: PropertyKey) -> JsResult<Option<Property>> {
        Ok(match meaning(object, key) {
            Meaning::Element(view, index) => Some(element(view, index)),
            Meaning::Nothing => None,
            Meaning::Ordinary => object.ordinary_get_own(key),
        })
    }

    fn define_own_property(&self, object: Object, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        match meaning(object, key) {
            Meaning::Ordinary => Ok(object.ordinary_define_own(key, descriptor)),
            Meaning::Nothing => Ok(false),
            Meaning::Element(view, index) if view.buffer().is_immutable() => {
                Ok(is_compatible(descriptor, &element(view, index)))
            }
            Meaning::Element(view, index) => {
                let refused =
                    [descriptor.configurable, descriptor.enumerable, descriptor.writable].contains(&Some(false));
                if refused || descriptor.is_accessor() {
                    return Ok(false);
                }
                if let Some(value) = descriptor.value {
                    view.set(index, value)?;
                }
                Ok(true)
            }
        }
    }

    fn has_property(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        match meaning(object, key) {
            Meaning::Element(..) => Ok(true),
            Meaning::Nothing => Ok(false),
            Meaning::Ordinary => object.default_has(key),
        }
    }

    fn get(&self, object: Object, key: PropertyKey, receiver: Value) -> JsResult {
        match meaning(object, key) {
            Meaning::Element(view, index) => Ok(view.get(index)),
            Meaning::Nothing => Ok(Value::UNDEFINED),
            Meaning::Ordinary => object.default_get(key, receiver),
        }
    }

    fn set(&self, object: Object, key: PropertyKey, value: Value, receiver: Value) -> JsResult<bool> {
        let is_receiver = receiver == object.into();
        match meaning(object, key) {
            Meaning::Element(view, _) if view.buffer().is_immutable() => Ok(false),
            Meaning::Element(view, index) if is_receiver => view.set(index, value).map(|()| true),
            // The value is converted all the same.
            Meaning::Nothing if is_receiver => {
                if let Some(view) = view(object) {
                    view.element_type().convert(value)?;
                }
                Ok(true)
            }
            Meaning::Nothing => Ok(true),
            _ => object.default_set(key, value, receiver),
        }
    }

    fn delete(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        match meaning(object, key) {
            Meaning::Element(..) => Ok(false),
            Meaning::Nothing => Ok(true),
            Meaning::Ordinary => object.default_delete(key),
        }
    }

    fn own_keys(&self, object: Object) -> JsResult<Vec<PropertyKey>> {
        let length = view(object).map_or(0, |view| view.length());
        let mut keys: Vec<_> = (0..length).map(PropertyKey::index).collect();
        keys.extend(object.ordinary_own_keys());
        Ok(keys)
    }
}
