//! `for…in`: enumerable string keys of an object and its prototypes.

use core::cell::Cell;

use crate::builtins::object::listing::listing;
use crate::cell::{Gc, Header, kind};
use crate::convert::to_object;
use crate::iterate::array_prototypes_have_elements;
use crate::key::PropertyKey;
use crate::memory::PROTO_EPOCH;
use crate::object::Object;
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::{Entry, FastMap, Shape};
use crate::state::State;
use crate::throw::JsResult;
use crate::value::Value;

/// A running `for…in`.
#[repr(C)]
pub struct ForIn {
    header: Header,
    object: Option<Object>,
    keys: Keys,
    next: Cell<usize>,
}

/// The keys to visit.
enum Keys {
    /// Those of a shape, all of them there as long as the object has it.
    OfShape(Shape, &'static [Entry]),
    /// Indices of an array below this.
    Indices(u32),
    /// Those that were found.
    Collected(Vec<PropertyKey>),
}

impl ForIn {
    /// Collects the keys. Undefined and null have none.
    pub fn open(value: Value) -> JsResult<Gc<ForIn>> {
        let object = if value.is_nullish() { None } else { Some(to_object(value)?) };
        let keys = match object {
            Some(object) => match listing(object) {
                Some(entries) if inherits_no_keys(object) => Keys::OfShape(object.shape(), entries),
                _ => match indices(object) {
                    Some(length) => Keys::Indices(length),
                    None => Keys::Collected(enumerable_keys(object)?),
                },
            },
            None => Keys::Collected(vec![]),
        };
        Ok(Gc::new(ForIn { header: Header::internal::<ForIn>(), object, keys, next: Cell::new(0) }))
    }

    /// The next key that is still there.
    pub fn step(&self) -> Option<Value> {
        let object = self.object?;
        loop {
            let (key, is_there) = match &self.keys {
                Keys::OfShape(shape, entries) => (entries.get(self.next.get())?.key, object.shape() == *shape),
                Keys::Indices(length) => {
                    let index = u32::try_from(self.next.get()).ok().filter(|index| index < length)?;
                    let is_there = object.as_array().is_some_and(|array| !array.element(index).is_empty());
                    (PropertyKey::index(index), is_there)
                }
                Keys::Collected(keys) => (*keys.get(self.next.get())?, false),
            };
            self.next.set(self.next.get() + 1);
            if is_there {
                return Some(key.to_value());
            }
            match is_enumerated(object, key) {
                Ok(true) => return Some(key.to_value()),
                Ok(false) => {}
                Err(thrown) => drop(thrown.take()),
            }
        }
    }
}

/// The length of an array whose elements are all that is to be visited, apart from holes.
fn indices(object: Object) -> Option<u32> {
    let array = object.as_array().filter(|array| !array.is_sparse())?;
    let has_names = object.shape().entries().any(|entry| entry.attributes.is_enumerable());
    let prototype = intrinsic(Intrinsic::ArrayPrototype);
    let inherits_nothing = object.prototype() == Some(prototype)
        && prototype.prototype() == Some(intrinsic(Intrinsic::ObjectPrototype))
        && !array_prototypes_have_elements()
        && array_prototype_has_no_keys()
        && object_prototype_has_no_keys();
    (!has_names && inherits_nothing).then(|| array.len())
}

/// As [`object_prototype_has_no_keys`], for `Array.prototype`.
fn array_prototype_has_no_keys() -> bool {
    static KNOWN: State<(u32, bool)> = State::new((u32::MAX, false));
    known_to_have_no_keys(&KNOWN, intrinsic(Intrinsic::ArrayPrototype))
}

/// Whether no prototype of the object has enumerable keys, as far as that is quickly told.
fn inherits_no_keys(object: Object) -> bool {
    let mut holder = object.prototype();
    while let Some(current) = holder {
        let has_none = if current == intrinsic(Intrinsic::ObjectPrototype) {
            object_prototype_has_no_keys()
        } else {
            listing(current).is_some_and(<[_]>::is_empty)
        };
        if !has_none {
            return false;
        }
        holder = current.prototype();
    }
    true
}

/// Whether `Object.prototype` has no enumerable property, looked up once an epoch of the prototypes.
fn object_prototype_has_no_keys() -> bool {
    static KNOWN: State<(u32, bool)> = State::new((u32::MAX, false));
    known_to_have_no_keys(&KNOWN, intrinsic(Intrinsic::ObjectPrototype))
}

/// Whether none of a prototype's properties is enumerable; `known` is what was found out in an epoch of the prototypes.
fn known_to_have_no_keys(known: &State<(u32, bool)>, prototype: Object) -> bool {
    let epoch = PROTO_EPOCH.get();
    known.with(|known| {
        if known.0 != epoch {
            *known = (epoch, prototype.shape().entries().all(|entry| !entry.attributes.is_enumerable()));
        }
        known.1
    })
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
