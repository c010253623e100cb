//! Wrapper objects of primitives.

use core::cell::Cell;

use super::exotic::Exotic;
use super::ordinary::is_compatible;
use super::{Attributes, Object, ObjectHeader, Property, PropertyDescriptor};
use crate::cell::{Gc, ObjectKind, kind};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::string::JsString;
use crate::throw::JsResult;
use crate::value::Value;

/// `Object(1)`, `Object(true)`, `Object(Symbol())`, `Object(1n)`; with another kind `Object("text")`.
#[repr(C)]
pub struct PrimitiveWrapper {
    header: ObjectHeader,
    value: Cell<Value>,
}

// SAFETY: cells of kind PRIMITIVE_WRAPPER are only made by `wrap`. Those of kind STRING_WRAPPER have the same layout.
unsafe impl ObjectKind for PrimitiveWrapper {
    const KIND: u8 = kind::PRIMITIVE_WRAPPER;
}

impl PrimitiveWrapper {
    /// The wrapper of a primitive, with that prototype.
    pub fn wrap(value: Value, prototype: Object) -> Object {
        let kind = if value.is_string() { kind::STRING_WRAPPER } else { kind::PRIMITIVE_WRAPPER };
        let mut header = ObjectHeader::new::<PrimitiveWrapper>(prototype);
        header.kind = Cell::new(kind);
        header.shape = Cell::new(crate::shape::root_shape(kind, Some(prototype), 0));
        Gc::new(PrimitiveWrapper { header, value: Cell::new(value) }).object()
    }

    /// The primitive inside a wrapper of any kind.
    pub fn unwrap(object: Object) -> Option<Value> {
        let is_wrapper = matches!(object.kind.get(), kind::PRIMITIVE_WRAPPER | kind::STRING_WRAPPER);
        // SAFETY: both kinds are `PrimitiveWrapper` cells.
        is_wrapper.then(|| unsafe { Gc::<PrimitiveWrapper>::from_address(object.address()) }.value.get())
    }

    /// The string inside a string wrapper.
    pub fn string(object: Object) -> Option<JsString> {
        PrimitiveWrapper::unwrap(object)?.as_string()
    }
}

/// Internal methods of string wrappers: units are properties.
pub struct StringWrapperExotic;

impl StringWrapperExotic {
    fn own(&self, object: Object, key: PropertyKey) -> Option<Property> {
        let string = PrimitiveWrapper::string(object)?;
        if key == keys::length() {
            return Some(Property::data(Value::from(string.len()), Attributes::NONE));
        }
        let unit = string.unit(key.as_index()?)?;
        Some(Property::data(JsString::from_unit(unit).into(), Attributes::ENUMERABLE))
    }
}

impl Exotic for StringWrapperExotic {
    fn get_own_property(&self, object: Object, key: PropertyKey) -> JsResult<Option<Property>> {
        Ok(self.own(object, key).or_else(|| object.ordinary_get_own(key)))
    }

    fn define_own_property(&self, object: Object, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        match self.own(object, key) {
            Some(current) => Ok(is_compatible(descriptor, &current)),
            None => Ok(object.ordinary_define_own(key, descriptor)),
        }
    }

    fn own_keys(&self, object: Object) -> JsResult<Vec<PropertyKey>> {
        let length = PrimitiveWrapper::string(object).map_or(0, JsString::len);
        let mut keys: Vec<_> = (0..length).map(PropertyKey::index).collect();
        let rest = object.ordinary_own_keys();
        let names = rest.iter().position(|key| key.as_index().is_none()).unwrap_or(rest.len());
        keys.extend_from_slice(&rest[..names]);
        keys.push(keys::length());
        keys.extend_from_slice(&rest[names..]);
        Ok(keys)
    }
}
