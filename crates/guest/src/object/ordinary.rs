//! Own properties kept in the shape and the slots: what all kinds have besides their special ones.

use convex_wasm_abi::layout::object as abi;

use super::{AccessorCell, Attributes, Content, Object, Property, PropertyDescriptor};
use crate::cell::{Gc, kind};
use crate::convert::same_value;
use crate::key::PropertyKey;
use crate::memory::{ARRAY_ITERATION_CHANGED, PROTO_EPOCH};
use crate::realm::{Intrinsic, known_intrinsic};
use crate::shape::Entry;
use crate::value::Value;

impl Object {
    /// The own property in the shape with that key.
    #[inline]
    pub fn find(self, key: PropertyKey) -> Option<Entry> {
        self.materialize();
        self.shape().find(key)
    }

    /// Functions get their `length`, `name` and `prototype` only when somebody looks.
    #[inline(always)]
    fn materialize(self) {
        if self.slots.get() == 0 && self.kind.get() == kind::FUNCTION {
            self.materialize_function();
        }
    }

    /// Value of a data slot. EMPTY stands for a value that is computed when it is read first.
    #[inline]
    pub fn data_slot(self, entry: Entry) -> Value {
        let value = self.slot(entry.slot);
        if value.is_empty() { self.lazy_slot(entry) } else { value }
    }

    #[cold]
    fn lazy_slot(self, entry: Entry) -> Value {
        let value = match self.kind.get() {
            kind::FUNCTION => self.lazy_function_prototype(),
            _ => crate::error::lazy_stack(self),
        };
        self.set_slot(entry.slot, value);
        value
    }

    /// Getter and setter of an accessor slot.
    pub fn accessor_slot(self, entry: Entry) -> Gc<AccessorCell> {
        debug_assert!(entry.attributes.is_accessor());
        // SAFETY: slots of accessor properties hold accessor cells.
        unsafe { Gc::from_address(self.slot(entry.slot).payload()) }
    }

    /// The own property in the shape, completely.
    pub fn ordinary_get_own(self, key: PropertyKey) -> Option<Property> {
        let entry = self.find(key)?;
        let content = if entry.attributes.is_accessor() {
            let accessor = self.accessor_slot(entry);
            Content::Accessor { get: accessor.get.get(), set: accessor.set.get() }
        } else {
            Content::Data(self.data_slot(entry))
        };
        Some(Property { content, attributes: entry.attributes })
    }

    /// Tells caches that a prototype changed.
    #[inline]
    pub(super) fn changed(self, key: PropertyKey) {
        if self.has_flag(abi::IS_PROTOTYPE) {
            self.prototype_changed(key);
        }
    }

    #[cold]
    fn prototype_changed(self, key: PropertyKey) {
        PROTO_EPOCH.set(PROTO_EPOCH.get() + 1);
        self.iteration_changed(key);
    }

    /// Tells those who watch particular properties of prototypes that one was assigned.
    #[cold]
    pub(super) fn prototype_written(self, key: PropertyKey) {
        if key == crate::names::keys::constructor() || known_intrinsic(Intrinsic::RegExpPrototype) == Some(self) {
            PROTO_EPOCH.set(PROTO_EPOCH.get() + 1);
        }
        self.iteration_changed(key);
    }

    /// Whether arrays may still be iterated without calling their iterator, after `key` of this object was written.
    fn iteration_changed(self, key: PropertyKey) {
        let is = |name| known_intrinsic(name) == Some(self);
        let is_iteration = key.as_index().is_some()
            && (is(Intrinsic::ArrayPrototype) || is(Intrinsic::ObjectPrototype))
            || key == crate::symbol::iterator().into() && is(Intrinsic::ArrayPrototype)
            || key == crate::names::keys::next() && is(Intrinsic::ArrayIteratorPrototype);
        if is_iteration && crate::bridge::booted() {
            ARRAY_ITERATION_CHANGED.set(1);
        }
    }

    /// Adds a property that is not there yet. The caller has checked that the object is extensible.
    pub fn add_slot(self, key: PropertyKey, value: Value, attributes: Attributes) {
        self.materialize();
        let shape = self.shape();
        let slot = shape.count();
        self.reserve_slot(slot);
        self.set_slot(slot, value);
        self.shape.set(shape.add(key, attributes));
        self.changed(key);
    }

    /// Adds a property as described, which is not there yet.
    pub(super) fn add_property(self, key: PropertyKey, property: Property) {
        let value = match property.content {
            Content::Data(value) => value,
            Content::Accessor { get, set } => Value::internal(AccessorCell::new(get, set)),
        };
        self.add_slot(key, value, property.attributes);
    }

    /// Removes a property from the shape.
    pub fn remove_slot(self, entry: Entry) {
        if !self.shape().is_dictionary() {
            self.shape.set(self.shape().to_dictionary());
        }
        self.shape().remove(entry.key);
        self.set_slot(entry.slot, Value::UNDEFINED);
        if let Some(slots) = self.shape().compact() {
            for (new, old) in slots.into_iter().enumerate() {
                self.set_slot(new as u32, self.slot(old));
            }
        }
        self.changed(entry.key);
    }

    /// ValidateAndApplyPropertyDescriptor over the shape's properties.
    pub fn ordinary_define_own(self, key: PropertyKey, descriptor: &PropertyDescriptor) -> bool {
        let Some(entry) = self.find(key) else {
            if self.has_flag(abi::RESTRICTED) {
                return false;
            }
            self.add_property(key, descriptor.complete());
            return true;
        };
        let Some(current) = self.ordinary_get_own(key) else { return false };
        if !is_compatible(descriptor, &current) {
            return false;
        }
        let merged = merge(descriptor, &current);
        if merged.attributes != entry.attributes {
            self.shape.set(self.shape().reconfigure(key, merged.attributes));
        }
        let value = match merged.content {
            Content::Data(value) => value,
            Content::Accessor { get, set } => Value::internal(AccessorCell::new(get, set)),
        };
        self.set_slot(entry.slot, value);
        self.changed(key);
        true
    }

    /// Own keys in the shape, ordered: indices, strings, symbols. Private names are left out.
    pub fn ordinary_own_keys(self) -> Vec<PropertyKey> {
        self.materialize();
        let mut keys = Vec::with_capacity(self.shape().count() as usize);
        let mut indices = vec![];
        let mut symbols = vec![];
        for Entry { key, .. } in self.shape().entries() {
            if let Some(symbol) = key.as_symbol() {
                if !symbol.is_private() {
                    symbols.push(key);
                }
            } else if key.as_index().is_some() {
                indices.push(key);
            } else {
                keys.push(key);
            }
        }
        if !indices.is_empty() {
            indices.sort_unstable_by_key(|key| key.word());
            indices.append(&mut keys);
            keys = indices;
        }
        keys.append(&mut symbols);
        keys
    }
}

/// Whether an existing property may be changed as described.
pub fn is_compatible(descriptor: &PropertyDescriptor, current: &Property) -> bool {
    let attributes = current.attributes;
    if attributes.is_configurable() {
        return true;
    }
    if descriptor.configurable == Some(true)
        || descriptor.enumerable.is_some_and(|enumerable| enumerable != attributes.is_enumerable())
    {
        return false;
    }
    match current.content {
        Content::Accessor { get, set } => {
            !descriptor.is_data()
                && descriptor.get.is_none_or(|new| new == get)
                && descriptor.set.is_none_or(|new| new == set)
        }
        Content::Data(value) => {
            !descriptor.is_accessor()
                && (attributes.is_writable()
                    || descriptor.writable != Some(true) && descriptor.value.is_none_or(|new| same_value(new, value)))
        }
    }
}

/// The property after the change.
fn merge(descriptor: &PropertyDescriptor, current: &Property) -> Property {
    let pick = |new: Option<bool>, flag: Attributes| {
        if new.unwrap_or(current.attributes.has(flag)) { flag } else { Attributes::NONE }
    };
    let attributes = pick(descriptor.enumerable, Attributes::ENUMERABLE)
        .with(pick(descriptor.configurable, Attributes::CONFIGURABLE));
    let is_accessor = descriptor.is_accessor() || current.attributes.is_accessor() && !descriptor.is_data();
    if is_accessor {
        let (get, set) = match current.content {
            Content::Accessor { get, set } => (get, set),
            Content::Data(_) => (Value::UNDEFINED, Value::UNDEFINED),
        };
        return Property::accessor(descriptor.get.unwrap_or(get), descriptor.set.unwrap_or(set), attributes);
    }
    let value = match current.content {
        Content::Data(value) => value,
        Content::Accessor { .. } => Value::UNDEFINED,
    };
    let was_writable = current.attributes.is_writable() && !current.attributes.is_accessor();
    let writable = descriptor.writable.unwrap_or(was_writable);
    let attributes = if writable { attributes.with(Attributes::WRITABLE) } else { attributes };
    Property::data(descriptor.value.unwrap_or(value), attributes)
}
