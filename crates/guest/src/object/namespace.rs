//! Module namespace objects.

use super::exotic::Exotic;
use super::{Attributes, Object, ObjectHeader, Property, PropertyDescriptor};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::same_value;
use crate::key::PropertyKey;
use crate::string::JsString;
use crate::throw::{JsResult, throw_reference_error};
use crate::value::Value;

/// A module namespace: names, sorted, and the addresses of the bindings they stand for.
#[repr(C)]
pub struct NamespaceObject {
    header: ObjectHeader,
    bindings: Vec<(PropertyKey, u32)>,
}

// SAFETY: only `create` makes cells of this kind.
unsafe impl ObjectKind for NamespaceObject {
    const KIND: u8 = kind::NAMESPACE;
}

impl NamespaceObject {
    /// The namespace of these exports, sorted by name.
    pub fn create(bindings: Vec<(PropertyKey, u32)>) -> Object {
        let mut header =
            ObjectHeader::new::<NamespaceObject>(crate::realm::intrinsic(crate::realm::Intrinsic::ObjectPrototype));
        header.shape = core::cell::Cell::new(crate::shape::root_shape(kind::NAMESPACE, None, 0));
        let object = Gc::new(NamespaceObject { header, bindings }).object();
        let tag = Value::from("Module");
        object.add_slot(crate::symbol::to_string_tag().into(), tag, Attributes::NONE);
        object.set_flag(convex_wasm_abi::layout::object::RESTRICTED);
        object
    }

    /// The binding's word, or EMPTY while it is in its temporal dead zone.
    fn binding(&self, key: PropertyKey) -> Option<Value> {
        let &(_, address) = self.bindings.iter().find(|(name, _)| *name == key)?;
        // SAFETY: bindings are words in units' data, which live as long as the program.
        Some(unsafe { core::ptr::read(address as usize as *const Value) })
    }

    fn read(&self, key: PropertyKey) -> JsResult<Option<Value>> {
        match self.binding(key) {
            Some(value) if value.is_empty() => Err(throw_reference_error(format!(
                "Cannot access '{}' before initialization",
                key.to_value().as_string().map(JsString::to_text).unwrap_or_default()
            ))),
            found => Ok(found),
        }
    }
}

/// Internal methods of namespaces.
pub struct NamespaceExotic;

/// Attributes of an export.
const EXPORT: Attributes = Attributes::WRITABLE.with(Attributes::ENUMERABLE);

impl Exotic for NamespaceExotic {
    fn get_own_property(&self, object: Object, key: PropertyKey) -> JsResult<Option<Property>> {
        let Some(namespace) = object.as_kind::<NamespaceObject>() else { return Ok(None) };
        Ok(match namespace.read(key)? {
            Some(value) => Some(Property::data(value, EXPORT)),
            None => object.ordinary_get_own(key),
        })
    }

    fn define_own_property(&self, object: Object, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        if key.is_symbol() {
            return Ok(object.ordinary_define_own(key, descriptor));
        }
        let Some(current) = self.get_own_property(object, key)? else { return Ok(false) };
        let same = match current.content {
            super::Content::Data(value) => descriptor.value.is_none_or(|new| same_value(new, value)),
            super::Content::Accessor { .. } => false,
        };
        Ok(same
            && !descriptor.is_accessor()
            && descriptor.configurable != Some(true)
            && descriptor.enumerable != Some(false)
            && descriptor.writable != Some(false))
    }

    fn has_property(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        let namespace = object.as_kind::<NamespaceObject>();
        Ok(namespace.is_some_and(|namespace| namespace.binding(key).is_some()) || object.find(key).is_some())
    }

    fn set(&self, _object: Object, _key: PropertyKey, _value: Value, _receiver: Value) -> JsResult<bool> {
        Ok(false)
    }

    fn delete(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        Ok(!self.has_property(object, key)?)
    }

    fn own_keys(&self, object: Object) -> JsResult<Vec<PropertyKey>> {
        let namespace = object.as_kind::<NamespaceObject>();
        let mut keys: Vec<_> =
            namespace.map(|namespace| namespace.bindings.iter().map(|(name, _)| *name).collect()).unwrap_or_default();
        keys.extend(object.ordinary_own_keys());
        Ok(keys)
    }

    fn set_prototype_of(&self, _object: Object, prototype: Option<Object>) -> JsResult<bool> {
        Ok(prototype.is_none())
    }
}
