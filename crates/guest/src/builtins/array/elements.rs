//! Reading and writing indexed properties, with shortcuts for dense arrays. Every access looks at the object anew, so
//! callbacks may change it as they like.

use crate::call::{construct, is_constructor};
use crate::cell::Gc;
use crate::convert::{get_value, is_array};
use crate::key::PropertyKey;
use crate::memory::{ARRAY_ITERATION_CHANGED, PROTO_EPOCH};
use crate::names::keys;
use crate::object::{ArrayCell, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::realm_shapes::array_shape;
use crate::state::State;
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

/// Largest integer index, and largest length: 2⁵³ − 1.
pub const MAX_SAFE_LENGTH: u64 = (1 << 53) - 1;
/// Arrays created with a length up to this many elements are dense (32 MiB of holes).
const MAX_DENSE_LENGTH: u32 = 1 << 22;

/// `object[index]`
#[inline]
pub fn get_at(object: Object, index: u64) -> JsResult {
    match dense_element(object, index) {
        Some(value) => Ok(value),
        None => object.get(PropertyKey::integer(index)),
    }
}

/// `object[index]` if `index in object`.
#[inline]
pub fn get_present(object: Object, index: u64) -> JsResult<Option<Value>> {
    match dense_element(object, index) {
        Some(value) => Ok(Some(value)),
        None => get_present_slow(object, index),
    }
}

#[cold]
fn get_present_slow(object: Object, index: u64) -> JsResult<Option<Value>> {
    let key = PropertyKey::integer(index);
    if object.has_property(key)? { Ok(Some(object.get(key)?)) } else { Ok(None) }
}

#[inline(always)]
fn dense_element(object: Object, index: u64) -> Option<Value> {
    let value = object.as_array()?.element(u32::try_from(index).ok()?);
    (!value.is_empty()).then_some(value)
}

/// The array, if its elements may be stored and appended directly: it is dense and nothing on its prototype chain
/// intercepts indices.
#[inline(always)]
pub fn as_plain_array(object: Object) -> Option<Gc<ArrayCell>> {
    object.as_array().filter(|array| array.is_plain() && ARRAY_ITERATION_CHANGED.get() == 0)
}

/// The array, if it is as in [`as_plain_array`] and has no holes: what the copying methods may take in one piece.
pub fn as_packed_array(object: Object) -> Option<Gc<ArrayCell>> {
    as_plain_array(object).filter(|array| array.dense().iter().all(|element| !element.get().is_empty()))
}

/// The array, if it is as in [`as_plain_array`] and its holes, if it has any, are nobody else's elements: what may be moved,
/// or copied with its holes, in one piece.
pub fn as_movable_array(object: Object) -> Option<Gc<ArrayCell>> {
    as_plain_array(object).filter(|_| object.shape() == array_shape()).or_else(|| as_packed_array(object))
}

/// `object[index] = value`; TypeError if refused.
#[inline]
pub fn set_at(object: Object, index: u64, value: Value) -> JsResult<()> {
    if let Some(array) = as_plain_array(object) {
        if index < u64::from(array.len()) {
            array.set_element(index as u32, value);
            return Ok(());
        }
        if index == u64::from(array.len()) && index < u64::from(u32::MAX) {
            array.push(value);
            return Ok(());
        }
    }
    object.set(PropertyKey::integer(index), value)
}

/// CreateDataPropertyOrThrow.
#[inline]
pub fn create_at(object: Object, index: u64, value: Value) -> JsResult<()> {
    if let Some(array) = object.as_array().filter(|array| array.is_plain()) {
        if index < u64::from(array.len()) {
            array.set_element(index as u32, value);
            return Ok(());
        }
        if index == u64::from(array.len()) && index < u64::from(u32::MAX) {
            array.push(value);
            return Ok(());
        }
    }
    object.create_data_or_throw(PropertyKey::integer(index), value)
}

/// `delete object[index]`; TypeError if refused.
pub fn delete_at(object: Object, index: u64) -> JsResult<()> {
    object.delete_or_throw(PropertyKey::integer(index))
}

/// `object.length = length`; TypeError if refused.
pub fn set_length(object: Object, length: u64) -> JsResult<()> {
    if let Some(array) = object.as_array().filter(|array| array.is_plain())
        && length <= u64::from(array.len())
    {
        array.set_dense_length(length as u32);
        return Ok(());
    }
    object.set(keys::length(), Value::number(length as f64))
}

/// ArrayCreate: RangeError if the length is no array's.
pub fn array_create(length: u64) -> JsResult<Gc<ArrayCell>> {
    array_with_length(ArrayCell::with_capacity(0), length)
}

/// Gives a fresh array its length, all holes.
pub fn array_with_length(array: Gc<ArrayCell>, length: u64) -> JsResult<Gc<ArrayCell>> {
    let Ok(length) = u32::try_from(length) else { return Err(throw_range_error("Invalid array length")) };
    if length <= MAX_DENSE_LENGTH {
        array.set_dense_length(length);
    } else {
        array.resize(length);
    }
    Ok(array)
}

/// Where arrays without own properties inherit a property from; known for one epoch of the prototypes.
pub struct InheritedSite {
    epoch: u32,
    /// Address of the value, 0 if there is no such property.
    slot: u32,
}

impl InheritedSite {
    /// A site nothing is known of.
    pub const fn unknown() -> State<InheritedSite> {
        State::new(InheritedSite { epoch: u32::MAX, slot: 0 })
    }
}

static CONSTRUCTOR_SITE: State<InheritedSite> = InheritedSite::unknown();

/// `object[key]`, remembering where ordinary arrays have it from.
pub fn inherited(object: Object, key: PropertyKey, site: &State<InheritedSite>) -> JsResult {
    if object.shape() != array_shape() {
        return object.get(key);
    }
    let epoch = PROTO_EPOCH.get();
    if site.with(|site| site.epoch != epoch) {
        let Some(slot) = find_inherited(object, key) else { return object.get(key) };
        site.with(|site| *site = InheritedSite { epoch, slot });
    }
    let slot = site.with(|site| site.slot);
    if slot == 0 {
        return Ok(Value::UNDEFINED);
    }
    // SAFETY: slots of prototypes move or vanish only when the epoch advances.
    Ok(unsafe { core::ptr::read(slot as usize as *const Value) })
}

/// Address of the value of a data property on the prototype chain, 0 if there is none; `None` for anything else.
fn find_inherited(object: Object, key: PropertyKey) -> Option<u32> {
    let mut holder = object.prototype();
    while let Some(current) = holder {
        if crate::object::exotic::methods(current.kind.get()).is_some() {
            return None;
        }
        if let Some(entry) = current.find(key) {
            let is_value = !entry.attributes.is_accessor() && !current.data_slot(entry).is_empty();
            return is_value.then(|| current.slot_address(entry.slot));
        }
        holder = current.prototype();
    }
    Some(0)
}

/// ArraySpeciesCreate.
pub fn array_species_create(original: Object, length: u64) -> JsResult<Object> {
    create_from_species(species(original)?, length)
}

/// The end of ArraySpeciesCreate: an array by what [`species`] answered.
pub fn create_from_species(species: Option<Value>, length: u64) -> JsResult<Object> {
    match species {
        None => Ok(array_create(length)?.object()),
        Some(constructor) => construct(constructor, &[Value::number(length as f64)], constructor),
    }
}

/// The constructor that the methods of `original` create their results with; `None` for `Array` itself.
pub fn species(original: Object) -> JsResult<Option<Value>> {
    if !is_array(original.into())? {
        return Ok(None);
    }
    let constructor = inherited(original, keys::constructor(), &CONSTRUCTOR_SITE)?;
    if constructor.is_undefined() || constructor == intrinsic(Intrinsic::ArrayConstructor).into() {
        return Ok(None);
    }
    let species =
        if constructor.is_object() { get_value(constructor, crate::symbol::species().into())? } else { constructor };
    if constructor.is_object() && species.is_nullish() || species == intrinsic(Intrinsic::ArrayConstructor).into() {
        return Ok(None);
    }
    if !is_constructor(species) {
        return Err(throw_type_error("object.constructor[Symbol.species] is not a constructor"));
    }
    Ok(Some(species))
}
