//! The internal methods of the specification, on objects of every kind.

use convex_wasm_abi::layout::{array as array_abi, object as abi};

use super::{Attributes, Content, Object, Property, PropertyDescriptor, exotic};
use crate::call;
use crate::cell::kind;
use crate::key::PropertyKey;
use crate::memory::PROTO_EPOCH;
use crate::names::keys;
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// The internal methods of an exotic object, for one use: proxies of proxies nest.
struct Dispatch {
    methods: &'static dyn exotic::Exotic,
    _level: call::Level,
}

impl Object {
    #[inline]
    fn exotic(self) -> JsResult<Option<Dispatch>> {
        match exotic::methods(self.kind.get()) {
            Some(methods) => Ok(Some(Dispatch { methods, _level: call::descend()? })),
            None => Ok(None),
        }
    }

    /// [[GetOwnProperty]]
    pub fn get_own_property(self, key: PropertyKey) -> JsResult<Option<Property>> {
        match self.exotic()? {
            Some(exotic) => exotic.methods.get_own_property(self, key),
            None => Ok(self.plain_get_own(key)),
        }
    }

    /// Own property of an object that is no exotic one; arrays included.
    pub fn plain_get_own(self, key: PropertyKey) -> Option<Property> {
        if let Some(array) = self.as_array()
            && let Some(property) = array.get_own(key)
        {
            return Some(property);
        }
        self.ordinary_get_own(key)
    }

    /// [[DefineOwnProperty]]: false if refused.
    pub fn define_own_property(self, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        if let Some(exotic) = self.exotic()? {
            return exotic.methods.define_own_property(self, key, descriptor);
        }
        match self.as_array() {
            Some(array) => array.define_own(key, descriptor),
            None => Ok(self.ordinary_define_own(key, descriptor)),
        }
    }

    /// DefinePropertyOrThrow.
    pub fn define_or_throw(self, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<()> {
        if self.define_own_property(key, descriptor)? {
            return Ok(());
        }
        Err(define_error(self, key)?)
    }

    /// CreateDataProperty: false if refused.
    pub fn create_data_property(self, key: PropertyKey, value: Value) -> JsResult<bool> {
        if self.kind.get() == kind::OBJECT {
            match self.shape().find(key) {
                Some(entry) if entry.attributes == Attributes::ALL => {
                    self.set_slot(entry.slot, value);
                    return Ok(true);
                }
                None if self.flags.get() & abi::RESTRICTED == 0 => {
                    self.add_slot(key, value, Attributes::ALL);
                    return Ok(true);
                }
                _ => {}
            }
        }
        self.define_own_property(key, &PropertyDescriptor::data(value, Attributes::ALL))
    }

    /// CreateDataPropertyOrThrow.
    pub fn create_data_or_throw(self, key: PropertyKey, value: Value) -> JsResult<()> {
        if self.create_data_property(key, value)? {
            return Ok(());
        }
        Err(define_error(self, key)?)
    }

    /// Defines a property of a fresh or realm object, which cannot fail.
    pub fn define(self, key: impl Into<PropertyKey>, value: Value, attributes: Attributes) {
        self.ordinary_define_own(key.into(), &PropertyDescriptor::data(value, attributes));
    }

    /// [[HasProperty]]
    pub fn has_property(self, key: PropertyKey) -> JsResult<bool> {
        let mut object = self;
        loop {
            if let Some(exotic) = object.exotic()? {
                return exotic.methods.has_property(object, key);
            }
            if object.plain_has_own(key) {
                return Ok(true);
            }
            match object.prototype() {
                Some(prototype) => object = prototype,
                None => return Ok(false),
            }
        }
    }

    /// Whether an object that is no exotic one has the own property.
    fn plain_has_own(self, key: PropertyKey) -> bool {
        self.as_array().is_some_and(|array| array.get_own(key).is_some()) || self.find(key).is_some()
    }

    /// HasOwnProperty.
    pub fn has_own_property(self, key: PropertyKey) -> JsResult<bool> {
        match self.exotic()? {
            Some(exotic) => Ok(exotic.methods.get_own_property(self, key)?.is_some()),
            None => Ok(self.plain_has_own(key)),
        }
    }

    /// OrdinaryHasProperty of an exotic object: its own method first, then the chain.
    pub fn default_has(self, key: PropertyKey) -> JsResult<bool> {
        if self.get_own_property(key)?.is_some() {
            return Ok(true);
        }
        match self.get_prototype_of()? {
            Some(prototype) => prototype.has_property(key),
            None => Ok(false),
        }
    }

    /// `object[key]`
    #[inline]
    pub fn get(self, key: PropertyKey) -> JsResult {
        self.get_with_receiver(key, self.into())
    }

    /// [[Get]]
    pub fn get_with_receiver(self, key: PropertyKey, receiver: Value) -> JsResult {
        let mut object = self;
        loop {
            let object_kind = object.kind.get();
            if let Some(exotic) = object.exotic()? {
                return exotic.methods.get(object, key, receiver);
            }
            if object_kind == kind::ARRAY
                && let Some(array) = object.as_array()
                && let Some(value) = array.get_fast(key)
            {
                return Ok(value);
            }
            if let Some(entry) = object.find(key) {
                if !entry.attributes.is_accessor() {
                    return Ok(object.data_slot(entry));
                }
                return call_getter(object.accessor_slot(entry).get.get(), receiver);
            }
            match object.prototype() {
                Some(prototype) => object = prototype,
                None => return Ok(Value::UNDEFINED),
            }
        }
    }

    /// OrdinaryGet of an exotic object: its own property first, then the chain.
    pub fn default_get(self, key: PropertyKey, receiver: Value) -> JsResult {
        match self.get_own_property(key)? {
            Some(Property { content: Content::Data(value), .. }) => Ok(value),
            Some(Property { content: Content::Accessor { get, .. }, .. }) => call_getter(get, receiver),
            None => match self.get_prototype_of()? {
                Some(prototype) => prototype.get_with_receiver(key, receiver),
                None => Ok(Value::UNDEFINED),
            },
        }
    }

    /// `object[key] = value` in strict code: TypeError if refused.
    pub fn set(self, key: PropertyKey, value: Value) -> JsResult<()> {
        if self.set_with_receiver(key, value, self.into())? {
            return Ok(());
        }
        Err(set_error(self.into(), key)?)
    }

    /// [[Set]]: false if refused.
    pub fn set_with_receiver(self, key: PropertyKey, value: Value, receiver: Value) -> JsResult<bool> {
        let mut object = self;
        loop {
            let object_kind = object.kind.get();
            if let Some(exotic) = object.exotic()? {
                return exotic.methods.set(object, key, value, receiver);
            }
            if object_kind == kind::ARRAY
                && let Some(array) = object.as_array()
            {
                if Value::from(object) == receiver {
                    if let Some(done) = array.set_fast(key, value)? {
                        return Ok(done);
                    }
                } else if let Some(property) = array.get_own(key) {
                    if !property.attributes.is_writable() {
                        return Ok(false);
                    }
                    return set_on_receiver(key, value, receiver);
                }
            }
            if let Some(entry) = object.find(key) {
                if entry.attributes.is_accessor() {
                    return call_setter(object.accessor_slot(entry).set.get(), receiver, value);
                }
                if !entry.attributes.is_writable() {
                    return Ok(false);
                }
                if Value::from(object) == receiver {
                    object.set_slot(entry.slot, value);
                    if object.has_flag(abi::IS_PROTOTYPE) {
                        object.prototype_written(key);
                    }
                    return Ok(true);
                }
                return set_on_receiver(key, value, receiver);
            }
            match object.prototype() {
                Some(prototype) => object = prototype,
                None => break,
            }
        }
        // Nothing on the chain: the common case is adding a property to the object where the search began.
        if receiver == Value::from(self) {
            if let (Some(array), Some(index)) = (self.as_array(), key.as_index()) {
                return Ok(array.add_element(index, value));
            }
            if self.has_flag(abi::RESTRICTED) {
                return Ok(false);
            }
            self.add_slot(key, value, Attributes::ALL);
            return Ok(true);
        }
        set_on_receiver(key, value, receiver)
    }

    /// OrdinarySet of an exotic object: its own property first, then the chain.
    pub fn default_set(self, key: PropertyKey, value: Value, receiver: Value) -> JsResult<bool> {
        match self.get_own_property(key)? {
            Some(Property { content: Content::Accessor { set, .. }, .. }) => call_setter(set, receiver, value),
            Some(property) if !property.attributes.is_writable() => Ok(false),
            Some(_) => set_on_receiver(key, value, receiver),
            None => match self.get_prototype_of()? {
                Some(prototype) => prototype.set_with_receiver(key, value, receiver),
                None => set_on_receiver(key, value, receiver),
            },
        }
    }

    /// [[Delete]]: false if refused.
    pub fn delete(self, key: PropertyKey) -> JsResult<bool> {
        match self.exotic()? {
            Some(exotic) => exotic.methods.delete(self, key),
            None => self.default_delete(key),
        }
    }

    /// `delete object[key]` in strict code: TypeError if refused.
    pub fn delete_or_throw(self, key: PropertyKey) -> JsResult<()> {
        if self.delete(key)? {
            return Ok(());
        }
        if self.kind.get() == kind::PROXY {
            return Err(refused_by_proxy("deleteProperty", key));
        }
        let described = crate::error::describe(self.into());
        Err(throw_type_error(format!("Cannot delete property '{}' of {described}", key.display())))
    }

    /// OrdinaryDelete.
    pub fn default_delete(self, key: PropertyKey) -> JsResult<bool> {
        if let Some(array) = self.as_array()
            && let Some(done) = array.delete_own(key)
        {
            return Ok(done);
        }
        let Some(entry) = self.find(key) else {
            return match exotic::methods(self.kind.get()) {
                Some(_) => Ok(self.get_own_property(key)?.is_none_or(|property| property.attributes.is_configurable())),
                None => Ok(true),
            };
        };
        if !entry.attributes.is_configurable() {
            return Ok(false);
        }
        self.remove_slot(entry);
        Ok(true)
    }

    /// [[OwnPropertyKeys]]: indices ascending, strings, symbols.
    pub fn own_keys(self) -> JsResult<Vec<PropertyKey>> {
        if let Some(exotic) = self.exotic()? {
            return exotic.methods.own_keys(self);
        }
        Ok(match self.as_array() {
            Some(array) => array.own_keys(),
            None => self.ordinary_own_keys(),
        })
    }

    /// [[GetPrototypeOf]]
    pub fn get_prototype_of(self) -> JsResult<Option<Object>> {
        match self.exotic()? {
            Some(exotic) => exotic.methods.get_prototype_of(self),
            None => Ok(self.prototype()),
        }
    }

    /// [[SetPrototypeOf]]: false if refused.
    pub fn set_prototype_of(self, prototype: Option<Object>) -> JsResult<bool> {
        match self.exotic()? {
            Some(exotic) => exotic.methods.set_prototype_of(self, prototype),
            None => Ok(self.ordinary_set_prototype(prototype)),
        }
    }

    /// OrdinarySetPrototypeOf.
    pub fn ordinary_set_prototype(self, prototype: Option<Object>) -> bool {
        if self.prototype() == prototype {
            return true;
        }
        if self.has_flag(abi::RESTRICTED) {
            return false;
        }
        let mut ancestor = prototype;
        while let Some(object) = ancestor {
            if object == self {
                return false;
            }
            if object.kind.get() == kind::PROXY {
                break;
            }
            ancestor = object.prototype();
        }
        self.force_prototype(prototype);
        true
    }

    /// Changes the prototype without any check.
    pub fn force_prototype(self, prototype: Option<Object>) {
        self.shape.set(self.shape().with_prototype(prototype));
        if self.has_flag(abi::IS_PROTOTYPE) || self.shape().is_dictionary() {
            PROTO_EPOCH.set(PROTO_EPOCH.get() + 1);
        }
        if self.kind.get() == kind::ARRAY && crate::bridge::booted() {
            // Its iterator may be another one now.
            crate::memory::ARRAY_ITERATION_CHANGED.set(1);
        }
    }

    /// [[IsExtensible]]
    pub fn is_extensible(self) -> JsResult<bool> {
        match self.exotic()? {
            Some(exotic) => exotic.methods.is_extensible(self),
            None => Ok(self.ordinary_is_extensible()),
        }
    }

    /// OrdinaryIsExtensible.
    pub fn ordinary_is_extensible(self) -> bool {
        !self.has_flag(abi::RESTRICTED)
    }

    /// [[PreventExtensions]]: false if refused.
    pub fn prevent_extensions(self) -> JsResult<bool> {
        if let Some(exotic) = self.exotic()? {
            return exotic.methods.prevent_extensions(self);
        }
        self.ordinary_prevent_extensions();
        Ok(true)
    }

    /// OrdinaryPreventExtensions.
    pub fn ordinary_prevent_extensions(self) {
        // Lazy properties come into being before it is too late.
        self.find(keys::length());
        self.set_flag(abi::RESTRICTED);
    }

    /// GetMethod: `None` if undefined or null; TypeError if not callable.
    pub fn get_method(self, key: PropertyKey) -> JsResult<Option<Object>> {
        call::as_method(self.get(key)?)
    }

    /// `object[key](...arguments)`
    pub fn invoke(self, key: PropertyKey, arguments: &[Value]) -> JsResult {
        let method = self.get(key)?;
        if !call::is_callable(method) {
            return Err(throw_type_error(format!("{} is not a function", key.display())));
        }
        call::call(method, self.into(), arguments)
    }

    /// SetIntegrityLevel: seals, and freezes if `freeze`. False if refused.
    pub fn set_integrity(self, freeze: bool) -> JsResult<bool> {
        if !self.prevent_extensions()? {
            return Ok(false);
        }
        if self.kind.get() == kind::OBJECT && !self.shape().is_dictionary() {
            self.restrict_properties(freeze);
            return Ok(true);
        }
        if let Some(array) = self.as_array() {
            array.restrict_elements(freeze);
        }
        for key in self.own_keys()? {
            let is_element = self.as_array().is_some_and(|array| key.as_index().is_some() && !array.is_sparse());
            if is_element || self.kind.get() == kind::ARRAY && key == keys::length() {
                continue;
            }
            let Some(current) = self.get_own_property(key)? else { continue };
            let mut descriptor = PropertyDescriptor { configurable: Some(false), ..PropertyDescriptor::default() };
            if freeze && !current.attributes.is_accessor() {
                descriptor.writable = Some(false);
            }
            self.define_or_throw(key, &descriptor)?;
        }
        if freeze && self.kind.get() == kind::ARRAY {
            self.set_flag(array_abi::FIXED_LENGTH);
        }
        Ok(true)
    }

    /// Seals, or freezes, all properties of an ordinary object at once.
    fn restrict_properties(self, freeze: bool) {
        let shape = self.shape();
        let root = crate::shape::root_shape(shape.kind(), shape.prototype(), shape.inline_capacity());
        let restricted = shape.entries().fold(root, |shape, entry| {
            let mut attributes = entry.attributes.without(Attributes::CONFIGURABLE);
            if freeze {
                attributes = attributes.without(Attributes::WRITABLE);
            }
            // Private names keep theirs: `#x = 1` works on frozen objects too.
            let is_private = entry.key.as_symbol().is_some_and(|symbol| symbol.is_private());
            shape.add(entry.key, if is_private { entry.attributes } else { attributes })
        });
        self.shape.set(restricted);
        if self.has_flag(abi::IS_PROTOTYPE) {
            PROTO_EPOCH.set(PROTO_EPOCH.get() + 1);
        }
    }

    /// TestIntegrityLevel: whether it is sealed, or frozen.
    pub fn test_integrity(self, frozen: bool) -> JsResult<bool> {
        if self.is_extensible()? {
            return Ok(false);
        }
        for key in self.own_keys()? {
            if let Some(property) = self.get_own_property(key)?
                && (property.attributes.is_configurable()
                    || frozen && !property.attributes.is_accessor() && property.attributes.is_writable())
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn call_getter(getter: Value, receiver: Value) -> JsResult {
    if getter.is_undefined() { Ok(Value::UNDEFINED) } else { call::call(getter, receiver, &[]) }
}

fn call_setter(setter: Value, receiver: Value, value: Value) -> JsResult<bool> {
    if setter.is_undefined() {
        return Ok(false);
    }
    call::call(setter, receiver, &[value])?;
    Ok(true)
}

/// The end of OrdinarySet: writes or creates a data property of the receiver.
fn set_on_receiver(key: PropertyKey, value: Value, receiver: Value) -> JsResult<bool> {
    let Some(receiver) = receiver.as_object() else { return Ok(false) };
    match receiver.get_own_property(key)? {
        Some(property) if property.attributes.is_accessor() || !property.attributes.is_writable() => Ok(false),
        Some(_) => receiver
            .define_own_property(key, &PropertyDescriptor { value: Some(value), ..PropertyDescriptor::default() }),
        None => receiver.create_data_property(key, value),
    }
}

/// The TypeError for a property that could not be defined.
#[cold]
fn define_error(object: Object, key: PropertyKey) -> JsResult<Throw> {
    if object.kind.get() == kind::PROXY {
        return Ok(refused_by_proxy("defineProperty", key));
    }
    Ok(if object.get_own_property(key)?.is_none() {
        throw_type_error(format!("Cannot define property {}, object is not extensible", key.display()))
    } else {
        throw_type_error(format!("Cannot redefine property: {}", key.display()))
    })
}

/// The TypeError for what a proxy's trap refused.
#[cold]
pub fn refused_by_proxy(trap: &str, key: PropertyKey) -> Throw {
    throw_type_error(format!("'{trap}' on proxy: trap returned falsish for property '{}'", key.display()))
}

/// The TypeError for an assignment that was refused.
#[cold]
pub fn set_error(target: Value, key: PropertyKey) -> JsResult<Throw> {
    let name = key.display();
    let described = crate::error::describe(target);
    let Some(object) = target.as_object() else {
        let kind = crate::convert::type_of(target).to_text();
        let described = crate::error::safe_to_string(target);
        let is_unit = key == keys::length()
            || key.as_index().is_some_and(|index| target.as_string().is_some_and(|string| index < string.len()));
        if is_unit {
            return Ok(throw_type_error(format!(
                "Cannot assign to read only property '{name}' of {kind} '{described}'"
            )));
        }
        return Ok(throw_type_error(format!("Cannot create property '{name}' on {kind} '{described}'")));
    };
    if object.kind.get() == kind::PROXY {
        return Ok(refused_by_proxy("set", key));
    }
    if let Some(array) =
        object.as_array().filter(|_| key == keys::length() && !object.has_flag(array_abi::FIXED_LENGTH))
    {
        return Ok(throw_type_error(format!(
            "Cannot delete property '{}' of {described}",
            array.len().saturating_sub(1)
        )));
    }
    let mut holder = Some(object);
    while let Some(current) = holder {
        if let Some(property) = current.get_own_property(key)? {
            return Ok(throw_type_error(if property.attributes.is_accessor() {
                format!("Cannot set property {name} of {described} which has only a getter")
            } else {
                format!("Cannot assign to read only property '{name}' of object '{described}'")
            }));
        }
        holder = current.get_prototype_of()?;
    }
    if object.has_flag(array_abi::FIXED_LENGTH) && object.kind.get() == kind::ARRAY && object.ordinary_is_extensible() {
        return Ok(throw_type_error(format!("Cannot assign to read only property 'length' of object '{described}'")));
    }
    Ok(throw_type_error(format!("Cannot add property {name}, object is not extensible")))
}

/// The TypeError for reading or writing a property of undefined or null; `verb` is "read" or "set".
#[cold]
pub fn element_get_error(target: Value, key: PropertyKey, verb: &str) -> Throw {
    if key == crate::symbol::iterator().into() && verb == "read" {
        return crate::iterate::not_iterable(target);
    }
    let (what, gerund) =
        (if target.is_null() { "null" } else { "undefined" }, if verb == "read" { "reading" } else { "setting" });
    throw_type_error(format!("Cannot {verb} properties of {what} ({gerund} '{}')", key.display()))
}
