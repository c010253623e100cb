//! `for…in`: enumerable string keys of an object and its prototypes.

use core::cell::Cell;

use crate::cell::{Gc, Header, kind};
use crate::convert::to_object;
use crate::key::PropertyKey;
use crate::object::Object;
use crate::shape::FastMap;
use crate::throw::JsResult;
use crate::value::Value;

/// A running `for…in`.
#[repr(C)]
pub struct ForIn {
    header: Header,
    object: Option<Object>,
    keys: Vec<PropertyKey>,
    next: Cell<usize>,
}

impl ForIn {
    /// Collects the keys. Undefined and null have none.
    pub fn open(value: Value) -> JsResult<Gc<ForIn>> {
        let object = if value.is_nullish() { None } else { Some(to_object(value)?) };
        let keys = match object {
            Some(object) => enumerable_keys(object)?,
            None => vec![],
        };
        Ok(Gc::new(ForIn { header: Header::internal::<ForIn>(), object, keys, next: Cell::new(0) }))
    }

    /// The next key that is still there.
    pub fn step(&self) -> Option<Value> {
        let object = self.object?;
        loop {
            let key = *self.keys.get(self.next.get())?;
            self.next.set(self.next.get() + 1);
            match is_enumerated(object, key) {
                Ok(true) => return Some(key.to_value()),
                Ok(false) => {}
                Err(thrown) => drop(thrown.take()),
            }
        }
    }
}

/// Whether a key that was collected is still to be visited. A proxy is only now asked whether it is enumerable.
fn is_enumerated(object: Object, key: PropertyKey) -> JsResult<bool> {
    if object.kind.get() != kind::PROXY {
        return object.has_property(key);
    }
    Ok(object.get_own_property(key)?.is_some_and(|property| property.attributes.is_enumerable()))
}

fn enumerable_keys(object: Object) -> JsResult<Vec<PropertyKey>> {
    let mut keys = vec![];
    let mut seen = FastMap::<u64, ()>::default();
    let mut current = Some(object);
    while let Some(holder) = current {
        let own_keys = holder.own_keys()?;
        let prototype = holder.get_prototype_of()?;
        for key in own_keys {
            if key.is_symbol() {
                continue;
            }
            if holder == object && holder.kind.get() == kind::PROXY {
                seen.insert(key.word(), ());
                keys.push(key);
                continue;
            }
            let Some(property) = holder.get_own_property(key)? else { continue };
            let is_new = (holder == object && prototype.is_none()) || seen.insert(key.word(), ()).is_none();
            if is_new && property.attributes.is_enumerable() {
                keys.push(key);
            }
        }
        current = prototype;
    }
    Ok(keys)
}
