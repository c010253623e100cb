//! Inline caches of property sites (see [`convex_wasm_abi::layout::inline_cache`]) and what is behind their MORE word.
//!
//! The words that compiled code checks hold the first own hit and the first prototype hit of a site; everything else
//! that can be remembered goes to a small table behind MORE, which only the guest reads: further shapes, out-of-line slots,
//! getters, absent properties, additions.

use core::cell::Cell;

use convex_wasm_abi::layout::{more_entry, object as object_abi};

use crate::builtins::typed_array;
use crate::cell::{Gc, kind};
use crate::heap::{self, Contents};
use crate::key::PropertyKey;
use crate::memory::PROTO_EPOCH;
use crate::names::keys;
use crate::object::{AccessorCell, Attributes, Object, exotic};
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::{Entry, Shape};
use crate::throw::JsResult;
use crate::value::Value;

/// Entries behind MORE.
const MORE_ENTRIES: usize = more_entry::COUNT as usize;
const _: () = assert!(size_of::<MoreEntry>() == more_entry::SIZE as usize && size_of::<Found>() == 12);

/// An inline cache.
#[repr(C)]
pub struct InlineCache {
    own_shape: Cell<u32>,
    own_offset: Cell<u32>,
    holder_shape: Cell<u32>,
    epoch: Cell<u32>,
    holder_slot: Cell<u32>,
    more: Cell<u32>,
}

/// What is known about objects of a shape at a site. Compiled code reads the kinds that the ABI names.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Found {
    /// An inline slot at this offset of the object.
    Inline(u32) = more_entry::INLINE,
    /// An out-of-line slot at this offset of the slots.
    OutOfLine(u32) = more_entry::OUT_OF_LINE,
    /// A word of a prototype; for one epoch.
    Holder(u32) = more_entry::HOLDER,
    /// An accessor of a prototype; for one epoch.
    Accessor(Gc<AccessorCell>) = more_entry::ACCESSOR,
    /// No such property; for one epoch.
    Absent = 4,
    /// An assignment adds it: the new shape and the slot; for one epoch.
    Addition(Shape, u32) = more_entry::ADDITION,
    /// The number of elements of a typed array; for one epoch.
    ElementCount = more_entry::ELEMENT_COUNT,
    /// An own accessor in this slot.
    OwnAccessor(u32) = 7,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct MoreEntry {
    shape: u32,
    /// PROTO_EPOCH when it was found; 0 if it does not depend on prototypes.
    epoch: u32,
    found: Found,
}

#[repr(C)]
struct More {
    entries: [Cell<MoreEntry>; MORE_ENTRIES],
    /// The entry to be overwritten next.
    next: Cell<usize>,
}

impl Gc<InlineCache> {
    fn more(self) -> Option<Gc<More>> {
        let address = self.more.get();
        // SAFETY: MORE is 0 or what `remember` put there.
        (address != 0).then(|| unsafe { Gc::from_address(address) })
    }

    #[inline]
    fn recall(self, shape: u32) -> Option<Found> {
        let more = self.more()?;
        let entry = more.entries.iter().find(|entry| entry.get().shape == shape)?.get();
        (entry.epoch == 0 || entry.epoch == PROTO_EPOCH.get()).then_some(entry.found)
    }

    #[cold]
    fn remember(self, shape: u32, epoch: u32, found: Found) {
        let entry = MoreEntry { shape, epoch, found };
        let more = self.more().unwrap_or_else(|| {
            let free = MoreEntry { shape: 0, epoch: 0, found: Found::Absent };
            let address = heap::allocate_storage(core::mem::size_of::<More>() as u32, Contents::Words);
            let more = More { entries: core::array::from_fn(|_| Cell::new(free)), next: Cell::new(0) };
            self.more.set(address);
            // SAFETY: fresh memory of that size, initialised here.
            unsafe {
                core::ptr::write(address as usize as *mut More, more);
                Gc::from_address(address)
            }
        });
        let same = more.entries.iter().position(|known| known.get().shape == shape);
        let place = same.unwrap_or_else(|| more.next.replace((more.next.get() + 1) % MORE_ENTRIES));
        more.entries[place].set(entry);
    }

    /// Remembers a property found by a read of `object` (which has `shape`) on `holder`.
    fn remember_get(self, object: Object, holder: Object, entry: Entry) {
        let shape = object.shape();
        if shape.is_dictionary() && !object.has_flag(object_abi::IS_PROTOTYPE) {
            return;
        }
        let shape = shape.address();
        let epoch = PROTO_EPOCH.get();
        if entry.attributes.is_accessor() {
            // Objects of a shape share a prototype's accessor, but each has its own accessors in its slots.
            if holder == object {
                return self.remember(shape, epoch, Found::OwnAccessor(entry.slot));
            }
            return self.remember(shape, epoch, Found::Accessor(holder.accessor_slot(entry)));
        }
        if holder != object || object.shape().is_dictionary() {
            if self.holder_shape.get() == 0 || self.epoch.get() != epoch || self.holder_shape.get() == shape {
                self.holder_shape.set(shape);
                self.epoch.set(epoch);
                self.holder_slot.set(holder.slot_address(entry.slot));
            } else {
                self.remember(shape, epoch, Found::Holder(holder.slot_address(entry.slot)));
            }
            return;
        }
        self.remember_own(object, entry);
    }

    /// Remembers an own data property, for reads or (if it is writable) writes of objects of the same shape.
    pub fn remember_own(self, object: Object, entry: Entry) {
        if object.shape().is_dictionary() {
            return;
        }
        let shape = object.shape().address();
        match object.inline_offset(entry.slot) {
            Some(offset) => self.remember_inline(shape, offset),
            None => self.remember(shape, 0, Found::OutOfLine(out_of_line_offset(object, entry.slot))),
        }
    }

    /// Remembers that the property just added to `object` leads from the shape `before` to the one it has now, whatever
    /// prototypes have.
    pub fn remember_addition(self, before: Shape, object: Object) {
        if !before.is_dictionary() && !object.shape().is_dictionary() {
            self.remember(before.address(), 0, Found::Addition(object.shape(), before.count()));
        }
    }

    fn remember_inline(self, shape: u32, offset: u32) {
        if self.own_shape.get() == 0 {
            self.own_shape.set(shape);
            self.own_offset.set(offset);
        } else {
            self.remember(shape, 0, Found::Inline(offset));
        }
    }
}

fn out_of_line_offset(object: Object, slot: u32) -> u32 {
    object.slot_address(slot) - object.slots.get()
}

fn load(address: u32) -> Value {
    // SAFETY: caches only hold addresses of slots, valid for the shape or epoch they were checked against.
    unsafe { core::ptr::read(address as usize as *const Value) }
}

fn store(address: u32, value: Value) {
    // SAFETY: as in `load`.
    unsafe { core::ptr::write(address as usize as *mut Value, value) }
}

/// `primitive.key`, looked up on the primitive's prototype. Compiled code has checked nothing.
#[inline]
pub fn get_of_primitive(prototype: Object, key: PropertyKey, receiver: Value, cache: Gc<InlineCache>) -> JsResult {
    if cache.own_shape.get() == prototype.shape().address() {
        return Ok(load(prototype.address() + cache.own_offset.get()));
    }
    get(prototype, key, receiver, cache)
}

/// `object.key` where the words that compiled code checks did not help. `receiver` is the object itself, or the primitive
/// whose prototype it is.
#[inline]
pub fn get(object: Object, key: PropertyKey, receiver: Value, cache: Gc<InlineCache>) -> JsResult {
    if let Some(found) = cache.recall(object.shape().address()) {
        let value = match found {
            Found::Inline(offset) => load(object.address() + offset),
            Found::OutOfLine(offset) if object.slots.get() != 0 => load(object.slots.get() + offset),
            Found::Holder(slot) => load(slot),
            Found::Absent => Value::UNDEFINED,
            Found::Accessor(accessor) => return call_getter(accessor, receiver),
            Found::OwnAccessor(slot) => {
                let attributes = Attributes::ACCESSOR;
                return call_getter(object.accessor_slot(Entry { key, slot, attributes }), receiver);
            }
            Found::ElementCount => typed_array::view(object).map_or(Value::EMPTY, |array| array.length().into()),
            Found::OutOfLine(_) | Found::Addition(..) => Value::EMPTY,
        };
        if !value.is_empty() {
            return Ok(value);
        }
    }
    get_slow(object, key, receiver, cache)
}

/// Whether `length` of a typed array is its number of elements; the cache remembers it then.
pub fn has_element_count(array: Object, cache: Gc<InlineCache>) -> bool {
    let original = typed_array::view(array).is_some() && has_original_length(array);
    if original {
        cache.remember(array.shape().address(), PROTO_EPOCH.get(), Found::ElementCount);
    }
    original
}

/// Whether `length` of a typed array is the getter of its prototypes.
fn has_original_length(array: Object) -> bool {
    let mut holder = Some(array);
    while let Some(object) = holder {
        if let Some(entry) = object.find(keys::length()) {
            return entry.attributes.is_accessor()
                && object.accessor_slot(entry).get.get() == intrinsic(Intrinsic::TypedArrayLength).into();
        }
        holder = object.prototype();
    }
    false
}

fn call_getter(accessor: Gc<AccessorCell>, receiver: Value) -> JsResult {
    let getter = accessor.get.get();
    if getter.is_undefined() { Ok(Value::UNDEFINED) } else { crate::call::call(getter, receiver, &[]) }
}

/// False if there is no setter.
fn call_setter(accessor: Gc<AccessorCell>, receiver: Object, value: Value) -> JsResult<bool> {
    let setter = accessor.set.get();
    if setter.is_undefined() {
        return Ok(false);
    }
    crate::call::call(setter, receiver.into(), &[value]).map(|_| true)
}

fn get_slow(object: Object, key: PropertyKey, receiver: Value, cache: Gc<InlineCache>) -> JsResult {
    let is_array = object.kind.get() == kind::ARRAY;
    if is_array && key == keys::length() {
        return object.get(key);
    }
    if key == keys::length()
        && let Some(array) = typed_array::view(object)
        && has_element_count(object, cache)
    {
        return Ok(array.length().into());
    }
    let mut holder = object;
    loop {
        if exotic::methods(holder.kind.get()).is_some() {
            return holder.get_with_receiver(key, receiver);
        }
        if let Some(entry) = holder.find(key) {
            let value = if entry.attributes.is_accessor() { Value::UNDEFINED } else { holder.data_slot(entry) };
            cache.remember_get(object, holder, entry);
            if entry.attributes.is_accessor() {
                return call_getter(holder.accessor_slot(entry), receiver);
            }
            return Ok(value);
        }
        if holder != object && holder.kind.get() == kind::ARRAY && key == keys::length() {
            return holder.get_with_receiver(key, receiver);
        }
        match holder.prototype() {
            Some(prototype) => holder = prototype,
            None => break,
        }
    }
    let may_appear = object.shape().is_dictionary() || object.kind.get() == kind::FUNCTION;
    if !may_appear {
        cache.remember(object.shape().address(), PROTO_EPOCH.get(), Found::Absent);
    }
    Ok(Value::UNDEFINED)
}

/// `object.key = value` where the words that compiled code checks did not help: false if refused.
#[inline]
pub fn set(object: Object, key: PropertyKey, value: Value, cache: Gc<InlineCache>) -> JsResult<bool> {
    if object.flags.get() & (object_abi::RESTRICTED | object_abi::IS_PROTOTYPE) == 0
        && let Some(found) = cache.recall(object.shape().address())
    {
        match found {
            Found::Inline(offset) => {
                store(object.address() + offset, value);
                return Ok(true);
            }
            Found::OutOfLine(offset) if object.slots.get() != 0 => {
                store(object.slots.get() + offset, value);
                return Ok(true);
            }
            Found::Addition(shape, slot) if !(object.slots.get() == 0 && object.kind.get() == kind::FUNCTION) => {
                object.reserve_slot(slot);
                object.set_slot(slot, value);
                object.shape.set(shape);
                return Ok(true);
            }
            Found::Accessor(accessor) => return call_setter(accessor, object, value),
            _ => {}
        }
    }
    set_slow(object, key, value, cache)
}

fn set_slow(object: Object, key: PropertyKey, value: Value, cache: Gc<InlineCache>) -> JsResult<bool> {
    let is_special = exotic::methods(object.kind.get()).is_some()
        || object.kind.get() == kind::ARRAY && key == keys::length()
        || object.has_flag(object_abi::IS_PROTOTYPE);
    if is_special {
        return object.set_with_receiver(key, value, object.into());
    }
    if let Some(entry) = object.find(key) {
        if entry.attributes.is_accessor() || !entry.attributes.is_writable() {
            return object.set_with_receiver(key, value, object.into());
        }
        cache.remember_own(object, entry);
        object.set_slot(entry.slot, value);
        return Ok(true);
    }
    if let Some(accessor) = inherited_accessor(object, key) {
        if !object.shape().is_dictionary() {
            cache.remember(object.shape().address(), PROTO_EPOCH.get(), Found::Accessor(accessor));
        }
        return call_setter(accessor, object, value);
    }
    let before = object.shape();
    if object.has_flag(object_abi::RESTRICTED) || !may_add(object, key) {
        return object.set_with_receiver(key, value, object.into());
    }
    let slot = before.count();
    object.add_slot(key, value, Attributes::ALL);
    if !before.is_dictionary() && !object.shape().is_dictionary() {
        cache.remember(before.address(), PROTO_EPOCH.get(), Found::Addition(object.shape(), slot));
    }
    Ok(true)
}

/// The accessor that an assignment to a property that the object itself does not have reaches.
fn inherited_accessor(object: Object, key: PropertyKey) -> Option<Gc<AccessorCell>> {
    let mut holder = object.prototype();
    while let Some(current) = holder {
        if exotic::methods(current.kind.get()).is_some() {
            return None;
        }
        if let Some(entry) = current.find(key) {
            return entry.attributes.is_accessor().then(|| current.accessor_slot(entry));
        }
        holder = current.prototype();
    }
    None
}

/// Whether nothing on the prototype chain keeps an assignment from adding a property.
fn may_add(object: Object, key: PropertyKey) -> bool {
    let mut holder = object.prototype();
    while let Some(current) = holder {
        if exotic::methods(current.kind.get()).is_some() || current.kind.get() == kind::ARRAY && key == keys::length() {
            return false;
        }
        if let Some(entry) = current.find(key) {
            return !entry.attributes.is_accessor() && entry.attributes.is_writable();
        }
        holder = current.prototype();
    }
    true
}

/// Value of a global variable; `None` if there is none.
#[inline]
pub fn get_global(key: PropertyKey, cache: Gc<InlineCache>) -> JsResult<Option<Value>> {
    if cache.epoch.get() == PROTO_EPOCH.get() && cache.holder_slot.get() != 0 {
        return Ok(Some(load(cache.holder_slot.get())));
    }
    let global = crate::realm::global();
    if let Some(entry) = global.find(key)
        && !entry.attributes.is_accessor()
    {
        cache.epoch.set(PROTO_EPOCH.get());
        cache.holder_slot.set(global.slot_address(entry.slot));
        return Ok(Some(global.data_slot(entry)));
    }
    if !global.has_property(key)? {
        return Ok(None);
    }
    global.get(key).map(Some)
}
