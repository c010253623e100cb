//! The unmapped `arguments` object.

use super::{AccessorCell, Attributes, Object, ObjectHeader};
use crate::cell::{Gc, ObjectKind, kind};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::realm::{Intrinsic, intrinsic};
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
