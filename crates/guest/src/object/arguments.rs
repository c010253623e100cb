//! `arguments` objects: unmapped ones, and those of sloppy functions, whose elements are the parameters (ECMA-262 10.4.4).

use core::cell::Cell;

use convex_wasm_abi::layout::env;

use super::exotic::Exotic;
use super::{AccessorCell, Attributes, Content, Object, ObjectHeader, Property, PropertyDescriptor};
use crate::cell::{Gc, ObjectKind, kind};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::JsResult;
use crate::value::Value;

/// An arguments object; its elements are ordinary properties.
#[repr(C)]
struct ArgumentsObject {
    header: ObjectHeader,
}

// SAFETY: only `new_arguments` makes cells of this kind.
unsafe impl ObjectKind for ArgumentsObject {
    const KIND: u8 = kind::ARGUMENTS;
}

/// `arguments` of a function with these arguments; sloppy ones reveal their `callee`.
pub fn new_arguments(values: &[Value], callee: Option<Object>) -> Object {
    let header = ObjectHeader::new::<ArgumentsObject>(intrinsic(Intrinsic::ObjectPrototype));
    let object = Gc::new(ArgumentsObject { header }).object();
    for (index, &value) in values.iter().enumerate() {
        object.add_slot(PropertyKey::index(index as u32), value, Attributes::ALL);
    }
    object.add_slot(keys::length(), Value::from(values.len()), Attributes::HIDDEN);
    let iterator = intrinsic(Intrinsic::ArrayValues);
    object.add_slot(crate::symbol::iterator().into(), iterator.into(), Attributes::HIDDEN);
    if let Some(callee) = callee {
        object.add_slot(keys::callee(), callee.into(), Attributes::HIDDEN);
        return object;
    }
    let thrower = Value::from(intrinsic(Intrinsic::ThrowTypeError));
    object.add_slot(keys::callee(), Value::internal(AccessorCell::new(thrower, thrower)), Attributes::ACCESSOR);
    object
}

/// An arguments object of which some elements are parameters. They are ordinary properties too, whose values do not count.
#[repr(C)]
struct MappedArguments {
    header: ObjectHeader,
    /// The slot of the parameter that each element is, inside of an environment; `None` if it is none any more.
    parameters: Vec<Cell<Option<Gc<Cell<Value>>>>>,
}

// SAFETY: only `map_arguments` makes cells of this kind.
unsafe impl ObjectKind for MappedArguments {
    const KIND: u8 = kind::MAPPED_ARGUMENTS;
}

/// The object with the properties of a fresh `arguments` whose first elements are `count` parameters, from slot `first` of the
/// environment on. These take the elements' values.
///
/// # Safety
/// It is the address of an environment that has these slots.
pub unsafe fn map_arguments(arguments: Object, environment: u32, first: u32, count: u32) -> Object {
    let header = ObjectHeader::new::<MappedArguments>(intrinsic(Intrinsic::ObjectPrototype));
    let mut parameters = Vec::new();
    for index in 0..count {
        let Some(entry) = arguments.find(PropertyKey::index(index)) else { break };
        // SAFETY: a slot of the environment, by the caller's contract; slots are aligned words.
        let parameter: Gc<Cell<Value>> = unsafe { Gc::from_address(environment + env::SLOTS + (first + index) * 8) };
        parameter.set(arguments.slot(entry.slot));
        parameters.push(Cell::new(Some(parameter)));
    }
    let object = Gc::new(MappedArguments { header, parameters }).object();
    for entry in arguments.shape().entries() {
        object.add_slot(entry.key, arguments.slot(entry.slot), entry.attributes);
    }
    object
}

/// The parameter that an element is.
fn parameter(object: Object, key: PropertyKey) -> Option<Gc<Cell<Value>>> {
    object.as_kind::<MappedArguments>()?.parameters.get(key.as_index()? as usize)?.get()
}

/// Makes an element an ordinary property.
fn unmap(object: Object, key: PropertyKey) {
    if let (Some(arguments), Some(index)) = (object.as_kind::<MappedArguments>(), key.as_index())
        && let Some(parameter) = arguments.parameters.get(index as usize)
    {
        parameter.set(None);
    }
}

/// Internal methods of mapped `arguments`.
pub struct MappedArgumentsExotic;

impl Exotic for MappedArgumentsExotic {
    fn get_own_property(&self, object: Object, key: PropertyKey) -> JsResult<Option<Property>> {
        let Some(mut property) = object.ordinary_get_own(key) else { return Ok(None) };
        if let Some(parameter) = parameter(object, key) {
            property.content = Content::Data(parameter.get());
        }
        Ok(Some(property))
    }

    fn define_own_property(&self, object: Object, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        let Some(parameter) = parameter(object, key) else { return Ok(object.ordinary_define_own(key, descriptor)) };
        // The property takes the value it seems to have.
        object.ordinary_define_own(key, &PropertyDescriptor { value: Some(parameter.get()), ..Default::default() });
        if !object.ordinary_define_own(key, descriptor) {
            return Ok(false);
        }
        if let Some(value) = descriptor.value {
            parameter.set(value);
        }
        if descriptor.is_accessor() || descriptor.writable == Some(false) {
            unmap(object, key);
        }
        Ok(true)
    }

    fn delete(&self, object: Object, key: PropertyKey) -> JsResult<bool> {
        let done = object.default_delete(key)?;
        if done {
            unmap(object, key);
        }
        Ok(done)
    }
}
