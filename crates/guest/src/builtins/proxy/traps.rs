//! The internal methods of proxies: calling traps and enforcing the invariants.

use super::ProxyObject;
use crate::builtins::object::descriptor::{from_property_descriptor, to_property_descriptor};
use crate::call::as_method;
use crate::cell::kind;
use crate::convert::{same_value, to_boolean};
use crate::error::display;
use crate::key::PropertyKey;
use crate::memory::PROTO_EPOCH;
use crate::names;
use crate::object::exotic::Exotic;
use crate::object::{Content, Object, Property, PropertyDescriptor, is_compatible};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::string::JsString;
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

/// Internal methods of [`ProxyObject`].
pub struct ProxyExotic;

/// A proxy in use: its target and, if the handler has one, the trap.
struct Trap {
    target: Object,
    handler: Object,
    function: Option<Object>,
    name: JsString,
}

impl Trap {
    /// Finds the trap `name`; TypeError if the proxy is revoked or the trap no function.
    fn find(object: Object, name: JsString) -> JsResult<Trap> {
        // Targets and prototypes may be proxies again, a million of them or in a circle.
        crate::call::check_stack()?;
        let Some((target, handler)) = object.as_kind::<ProxyObject>().and_then(|proxy| proxy.parts()) else {
            let name = name.to_text();
            return Err(throw_type_error(format!("Cannot perform '{name}' on a proxy that has been revoked")));
        };
        let key = PropertyKey::from_interned(name);
        let function = handler_method(handler, key)?;
        let function = match as_method(function) {
            Ok(function) => function,
            Err(throw) => {
                throw.take();
                return Err(throw_type_error(format!(
                    "'{}' returned for property '{}' of object '{}' is not a function",
                    display(function),
                    name.to_text(),
                    display(handler.into())
                )));
            }
        };
        Ok(Trap { target, handler, function, name })
    }

    /// Calls the trap with the target and `arguments`.
    fn call(&self, function: Object, arguments: &[Value]) -> JsResult {
        let mut all = [Value::UNDEFINED; 4];
        all[0] = self.target.into();
        all[1..=arguments.len()].copy_from_slice(arguments);
        crate::call::call(function.into(), self.handler.into(), &all[..=arguments.len()])
    }

    /// The TypeError for an invariant that the trap broke.
    #[cold]
    fn broken(&self, what: impl AsRef<str>) -> Throw {
        throw_type_error(format!("'{}' on proxy: {}", self.name.to_text(), what.as_ref()))
    }

    /// False if the target surely has no own property of that name that is not configurable, so that no invariant concerns it.
    fn may_be_fixed(&self, key: PropertyKey) -> bool {
        self.target.kind.get() != kind::OBJECT
            || self.target.find(key).is_some_and(|entry| !entry.attributes.is_configurable())
    }

    fn target_property(&self, key: PropertyKey) -> JsResult<Option<Property>> {
        self.target.get_own_property(key)
    }
}

/// `handler[key]`, where handlers are mostly literals that have some traps and inherit none.
fn handler_method(handler: Object, key: PropertyKey) -> JsResult {
    if handler.kind.get() == kind::OBJECT {
        match handler.find(key) {
            Some(entry) if !entry.attributes.is_accessor() => return Ok(handler.data_slot(entry)),
            None if inherits_no_traps(handler) => return Ok(Value::UNDEFINED),
            _ => {}
        }
    }
    handler.get(key)
}

/// Whether a handler inherits from an `Object.prototype` that has no property with the name of a trap, looked up once an epoch of
/// the prototypes.
fn inherits_no_traps(handler: Object) -> bool {
    static KNOWN: State<(u32, bool)> = State::new((u32::MAX, false));
    let (epoch, prototype) = (PROTO_EPOCH.get(), intrinsic(Intrinsic::ObjectPrototype));
    let has_none = KNOWN.with(|known| {
        if known.0 != epoch {
            let has = |name: JsString| prototype.find(PropertyKey::from_interned(name)).is_some();
            *known = (epoch, !trap_names().into_iter().any(has));
        }
        known.1
    });
    has_none && handler.prototype() == Some(prototype)
}

fn trap_names() -> [JsString; 13] {
    [
        names::get(),
        names::set(),
        names::has(),
        names::apply(),
        names::construct(),
        names::own_keys(),
        names::get_own_property_descriptor(),
        names::define_property(),
        names::delete_property(),
        names::get_prototype_of(),
        names::set_prototype_of(),
        names::is_extensible(),
        names::prevent_extensions(),
    ]
}

fn is_fixed_data(property: &Property) -> Option<Value> {
    match property.content {
        Content::Data(value) if !property.attributes.is_configurable() && !property.attributes.is_writable() => {
            Some(value)
        }
        _ => None,
    }
}

impl Exotic for ProxyExotic {
    fn get_prototype_of(&self, object: Object) -> JsResult<Option<Object>> {
        let trap = Trap::find(object, names::get_prototype_of())?;
        let Some(function) = trap.function else { return trap.target.get_prototype_of() };
        let answer = trap.call(function, &[])?;
        let prototype = answer.as_object();
        if prototype.is_none() && !answer.is_null() {
            return Err(trap.broken("trap returned neither object nor null"));
        }
        if !trap.target.is_extensible()? && trap.target.get_prototype_of()? != prototype {
            return Err(trap.broken("proxy target is non-extensible but the trap did not return its actual prototype"));
        }
        Ok(prototype)
    }

    fn set_prototype_of(&self, object: Object, prototype: Option<Object>) -> JsResult<bool> {
        let trap = Trap::find(object, names::set_prototype_of())?;
        let Some(function) = trap.function else { return trap.target.set_prototype_of(prototype) };
        if !to_boolean(trap.call(function, &[prototype.map_or(Value::NULL, Value::from)])?) {
            return Ok(false);
        }
        if !trap.target.is_extensible()? && trap.target.get_prototype_of()? != prototype {
            return Err(
                trap.broken("trap returned truish for setting a new prototype on the non-extensible proxy target")
            );
        }
        Ok(true)
    }

    fn is_extensible(&self, object: Object) -> JsResult<bool> {
        let trap = Trap::find(object, names::is_extensible())?;
        let Some(function) = trap.function else { return trap.target.is_extensible() };
        let answer = to_boolean(trap.call(function, &[])?);
        let actual = trap.target.is_extensible()?;
        if answer != actual {
            return Err(trap
                .broken(format!("trap result does not reflect extensibility of proxy target (which is '{actual}')")));
        }
        Ok(answer)
    }

    fn prevent_extensions(&self, object: Object) -> JsResult<bool> {
        let trap = Trap::find(object, names::prevent_extensions())?;
        let Some(function) = trap.function else { return trap.target.prevent_extensions() };
        let answer = to_boolean(trap.call(function, &[])?);
        if answer && trap.target.is_extensible()? {
            return Err(trap.broken("trap returned truish but the proxy target is extensible"));
        }
        Ok(answer)
    }

    fn get_own_property(&self, object: Object, key: PropertyKey) -> JsResult<Option<Property>> {
        let trap = Trap::find(object, names::get_own_property_descriptor())?;
        let Some(function) = trap.function else { return trap.target_property(key) };
        let answer = trap.call(function, &[key.to_value()])?;
        let name = key.display();
        if !answer.is_object() && !answer.is_undefined() {
            return Err(trap.broken(format!("trap returned neither object nor undefined for property '{name}'")));
        }
        let actual = trap.target_property(key)?;
        if answer.is_undefined() {
            let Some(actual) = actual else { return Ok(None) };
            if !actual.attributes.is_configurable() {
                return Err(trap.broken(format!(
                    "trap returned undefined for property '{name}' which is non-configurable in the proxy target"
                )));
            }
            if !trap.target.is_extensible()? {
                return Err(trap.broken(format!(
                    "trap returned undefined for property '{name}' which exists in the non-extensible proxy target"
                )));
            }
            return Ok(None);
        }
        let extensible = trap.target.is_extensible()?;
        let result = to_property_descriptor(answer)?.complete();
        let allowed = match &actual {
            Some(actual) => is_compatible(&result.into(), actual),
            None => extensible,
        };
        if !allowed {
            return Err(trap.broken(format!(
                "trap returned descriptor for property '{name}' that is incompatible with the existing property in \
                 the proxy target"
            )));
        }
        if !result.attributes.is_configurable() {
            let Some(actual) = actual.filter(|actual| !actual.attributes.is_configurable()) else {
                return Err(trap.broken(format!(
                    "trap reported non-configurability for property '{name}' which is either non-existent or \
                     configurable in the proxy target"
                )));
            };
            if is_fixed_data(&result).is_some() && actual.attributes.is_writable() {
                return Err(trap.broken(format!(
                    "trap reported non-configurable and writable for property '{name}' which is non-configurable, \
                     non-writable in the proxy target"
                )));
            }
        }
        Ok(Some(result))
    }

    fn define_own_property(&self, object: Object, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        let trap = Trap::find(object, names::define_property())?;
        let Some(function) = trap.function else { return trap.target.define_own_property(key, descriptor) };
        let answer = trap.call(function, &[key.to_value(), from_property_descriptor(descriptor)])?;
        if !to_boolean(answer) {
            return Ok(false);
        }
        let name = key.display();
        let actual = trap.target_property(key)?;
        let extensible = trap.target.is_extensible()?;
        let makes_fixed = descriptor.configurable == Some(false);
        let Some(actual) = actual else {
            if !extensible {
                return Err(trap.broken(format!(
                    "trap returned truish for adding property '{name}'  to the non-extensible proxy target"
                )));
            }
            if makes_fixed {
                return Err(fixed_too_early(&trap, &name));
            }
            return Ok(true);
        };
        if !is_compatible(descriptor, &actual) {
            return Err(trap.broken(format!(
                "trap returned truish for adding property '{name}'  that is incompatible with the existing property \
                 in the proxy target"
            )));
        }
        if makes_fixed && actual.attributes.is_configurable() {
            return Err(fixed_too_early(&trap, &name));
        }
        let is_data = matches!(actual.content, Content::Data(_));
        let is_fixed = !actual.attributes.is_configurable();
        if is_data && is_fixed && actual.attributes.is_writable() && descriptor.writable == Some(false) {
            return Err(trap.broken(format!(
                "trap returned truish for defining non-configurable property '{name}' which cannot be non-writable, \
                 unless there exists a corresponding non-configurable, non-writable own property of the target object."
            )));
        }
        Ok(true)
    }

    fn has_property(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        let trap = Trap::find(object, names::has())?;
        let Some(function) = trap.function else { return trap.target.has_property(key) };
        if to_boolean(trap.call(function, &[key.to_value()])?) {
            return Ok(true);
        }
        if let Some(actual) = trap.target_property(key)? {
            let name = key.display();
            if !actual.attributes.is_configurable() {
                return Err(trap.broken(format!(
                    "trap returned falsish for property '{name}' which exists in the proxy target as non-configurable"
                )));
            }
            if !trap.target.is_extensible()? {
                return Err(trap.broken(format!(
                    "trap returned falsish for property '{name}' but the proxy target is not extensible"
                )));
            }
        }
        Ok(false)
    }

    fn get(&self, object: Object, key: PropertyKey, receiver: Value) -> JsResult {
        let trap = Trap::find(object, names::get())?;
        let Some(function) = trap.function else { return trap.target.get_with_receiver(key, receiver) };
        let answer = trap.call(function, &[key.to_value(), receiver])?;
        if !trap.may_be_fixed(key) {
            return Ok(answer);
        }
        let Some(actual) = trap.target_property(key)?.filter(|actual| !actual.attributes.is_configurable()) else {
            return Ok(answer);
        };
        let name = key.display();
        if let Some(expected) = is_fixed_data(&actual)
            && !same_value(answer, expected)
        {
            return Err(trap.broken(format!(
                "property '{name}' is a read-only and non-configurable data property on the proxy target but the \
                 proxy did not return its actual value (expected '{}' but got '{}')",
                display(expected),
                display(answer)
            )));
        }
        if let Content::Accessor { get, .. } = actual.content
            && get.is_undefined()
            && !answer.is_undefined()
        {
            return Err(trap.broken(format!(
                "property '{name}' is a non-configurable accessor property on the proxy target and does not have a \
                 getter function, but the trap did not return 'undefined' (got '{}')",
                display(answer)
            )));
        }
        Ok(answer)
    }

    fn set(&self, object: Object, key: PropertyKey, value: Value, receiver: Value) -> JsResult<bool> {
        let trap = Trap::find(object, names::set())?;
        let Some(function) = trap.function else { return trap.target.set_with_receiver(key, value, receiver) };
        if !to_boolean(trap.call(function, &[key.to_value(), value, receiver])?) {
            return Ok(false);
        }
        let Some(actual) = trap.target_property(key)?.filter(|actual| !actual.attributes.is_configurable()) else {
            return Ok(true);
        };
        let name = key.display();
        if is_fixed_data(&actual).is_some_and(|expected| !same_value(value, expected)) {
            return Err(trap.broken(format!(
                "trap returned truish for property '{name}' which exists in the proxy target as a non-configurable \
                 and non-writable data property with a different value"
            )));
        }
        if matches!(actual.content, Content::Accessor { set, .. } if set.is_undefined()) {
            return Err(trap.broken(format!(
                "trap returned truish for property '{name}' which exists in the proxy target as a non-configurable \
                 and non-writable accessor property without a setter"
            )));
        }
        Ok(true)
    }

    fn delete(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        let trap = Trap::find(object, names::delete_property())?;
        let Some(function) = trap.function else { return trap.target.delete(key) };
        if !to_boolean(trap.call(function, &[key.to_value()])?) {
            return Ok(false);
        }
        if let Some(actual) = trap.target_property(key)? {
            let name = key.display();
            if !actual.attributes.is_configurable() {
                return Err(trap.broken(format!(
                    "trap returned truish for property '{name}' which is non-configurable in the proxy target"
                )));
            }
            if !trap.target.is_extensible()? {
                return Err(trap.broken(format!(
                    "trap returned truish for property '{name}' but the proxy target is non-extensible"
                )));
            }
        }
        Ok(true)
    }

    fn own_keys(&self, object: Object) -> JsResult<Vec<PropertyKey>> {
        let trap = Trap::find(object, names::own_keys())?;
        let Some(function) = trap.function else { return trap.target.own_keys() };
        let keys = keys_from_array_like(trap.call(function, &[])?)?;
        let mut sorted: Vec<u64> = keys.iter().map(|key| key.word()).collect();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(trap.broken("trap returned duplicate entries"));
        }
        let extensible = trap.target.is_extensible()?;
        let actual = trap.target.own_keys()?;
        let mut required = 0;
        for key in &actual {
            let fixed = trap.target_property(*key)?.is_some_and(|property| !property.attributes.is_configurable());
            if !fixed && extensible {
                continue;
            }
            required += 1;
            if sorted.binary_search(&key.word()).is_err() {
                return Err(trap.broken(format!("trap result did not include '{}'", key.display())));
            }
        }
        if !extensible && keys.len() != required {
            return Err(trap.broken("trap returned extra keys but proxy target is non-extensible"));
        }
        Ok(keys)
    }
}

#[cold]
fn fixed_too_early(trap: &Trap, name: &str) -> Throw {
    trap.broken(format!(
        "trap returned truish for defining non-configurable property '{name}' which is either non-existent or \
         configurable in the proxy target"
    ))
}

/// CreateListFromArrayLike with elements that are strings or symbols.
fn keys_from_array_like(value: Value) -> JsResult<Vec<PropertyKey>> {
    let elements = crate::iterate::array_like(value)?;
    let mut keys = Vec::with_capacity(elements.len());
    for element in elements {
        keys.push(if let Some(string) = element.as_string() {
            PropertyKey::from_string(string)
        } else if let Some(symbol) = element.as_symbol() {
            PropertyKey::from(symbol)
        } else {
            return Err(throw_type_error(format!("{} is not a valid property name", display(element))));
        });
    }
    Ok(keys)
}

/// [[Call]] of a proxy for a function.
pub(super) fn call(proxy: Object, this: Value, arguments: &[Value]) -> JsResult {
    let trap = Trap::find(proxy, names::apply())?;
    match trap.function {
        Some(function) => trap.call(function, &[this, arguments.to_vec().into()]),
        None => crate::call::call(trap.target.into(), this, arguments),
    }
}

/// [[Construct]] of a proxy for a constructor.
pub(super) fn construct(proxy: Object, arguments: &[Value], new_target: Value) -> JsResult<Object> {
    let trap = Trap::find(proxy, names::construct())?;
    let Some(function) = trap.function else {
        return crate::call::construct(trap.target.into(), arguments, new_target);
    };
    let answer = trap.call(function, &[arguments.to_vec().into(), new_target])?;
    answer.as_object().ok_or_else(|| trap.broken(format!("trap returned non-object ('{}')", display(answer))))
}
