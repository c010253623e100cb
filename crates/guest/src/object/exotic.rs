//! Objects whose internal methods differ from the ordinary ones.

use super::{Object, Property, PropertyDescriptor};
use crate::cell::kind;
use crate::key::PropertyKey;
use crate::throw::JsResult;
use crate::value::Value;

/// The internal methods of an exotic kind. What is not overridden is ordinary; the defaults of `get`, `set`, `has` follow
/// from `get_own_property` and `define_own_property`.
pub trait Exotic: Sync {
    /// [[GetOwnProperty]]
    fn get_own_property(&self, object: Object, key: PropertyKey) -> JsResult<Option<Property>> {
        Ok(object.ordinary_get_own(key))
    }

    /// [[DefineOwnProperty]]
    fn define_own_property(&self, object: Object, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        Ok(object.ordinary_define_own(key, descriptor))
    }

    /// [[HasProperty]]
    fn has_property(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        object.default_has(key)
    }

    /// [[Get]]
    fn get(&self, object: Object, key: PropertyKey, receiver: Value) -> JsResult {
        object.default_get(key, receiver)
    }

    /// [[Set]]: false if it was refused.
    fn set(&self, object: Object, key: PropertyKey, value: Value, receiver: Value) -> JsResult<bool> {
        object.default_set(key, value, receiver)
    }

    /// [[Delete]]: false if it was refused.
    fn delete(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        object.default_delete(key)
    }

    /// [[OwnPropertyKeys]]
    fn own_keys(&self, object: Object) -> JsResult<Vec<PropertyKey>> {
        Ok(object.ordinary_own_keys())
    }

    /// [[GetPrototypeOf]]
    fn get_prototype_of(&self, object: Object) -> JsResult<Option<Object>> {
        Ok(object.prototype())
    }

    /// [[SetPrototypeOf]]: false if it was refused.
    fn set_prototype_of(&self, object: Object, prototype: Option<Object>) -> JsResult<bool> {
        Ok(object.ordinary_set_prototype(prototype))
    }

    /// [[IsExtensible]]
    fn is_extensible(&self, object: Object) -> JsResult<bool> {
        Ok(object.ordinary_is_extensible())
    }

    /// [[PreventExtensions]]: false if it was refused.
    fn prevent_extensions(&self, object: Object) -> JsResult<bool> {
        object.ordinary_prevent_extensions();
        Ok(true)
    }
}

/// The internal methods of a kind; `None` for ordinary objects, arrays, functions and all that only have private fields.
#[inline]
pub fn methods(kind: u8) -> Option<&'static dyn Exotic> {
    if kind < kind::TYPED_ARRAY {
        return None;
    }
    special_methods(kind)
}

fn special_methods(kind: u8) -> Option<&'static dyn Exotic> {
    const TYPED_ARRAY_END: u8 = kind::TYPED_ARRAY + 16;
    Some(match kind {
        kind::TYPED_ARRAY..TYPED_ARRAY_END => &crate::builtins::typed_array::TypedArrayExotic,
        kind::PROXY => &crate::builtins::proxy::ProxyExotic,
        kind::STRING_WRAPPER => &super::StringWrapperExotic,
        kind::MAPPED_ARGUMENTS => &super::MappedArgumentsExotic,
        kind::NAMESPACE => &super::NamespaceExotic,
        kind::ENVIRONMENT => &crate::builtins::convex::EnvironmentExotic,
        _ => return None,
    })
}
