//! Inline caches of property sites (see [`convex_wasm_abi::layout::inline_cache`]) and what is behind their MORE word.
//!
//! Its own two entries hold what compiled code finds most easily: own slots, prototypes' properties and accessors.
//! Everything else that can be remembered goes to a small table behind MORE: further shapes, out-of-line slots, absent
//! properties, additions.

use core::cell::Cell;

use convex_wasm_abi::layout::{inline_cache as abi, more_entry, object as object_abi};

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
    entries: [Cell<InlineEntry>; 2],
    epoch: Cell<u32>,
    more: Cell<u32>,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct InlineEntry {
    /// Address of the shape and the tag; 0 if the entry is free.
    shape: u32,
    place: u32,
}

impl InlineEntry {
    const FREE: InlineEntry = InlineEntry { shape: 0, place: 0 };
    const TAG: u32 = abi::ADDITION;

    /// The entry for `found`, if it is something that an inline entry can say.
    fn of(shape: u32, found: Found) -> Option<InlineEntry> {
        let (tag, place) = match found {
            Found::Inline(offset) => (abi::OWN, offset),
            Found::Holder(slot) => (abi::HOLDER, slot),
            Found::Accessor(accessor) => (abi::ACCESSOR, accessor.address()),
            _ => return None,
        };
        Some(InlineEntry { shape: shape | tag, place })
    }

    /// What the entry says; nothing of additions, which compiled code does.
    fn found(self) -> Option<Found> {
        match self.shape & Self::TAG {
            abi::OWN => Some(Found::Inline(self.place)),
            abi::HOLDER => Some(Found::Holder(self.place)),
            // SAFETY: an entry with that tag was made of an accessor.
            abi::ACCESSOR => Some(Found::Accessor(unsafe { Gc::from_address(self.place) })),
            _ => None,
        }
    }

    /// Whether it is about objects of this shape.
    fn is_for(self, shape: u32) -> bool {
        self.shape & !Self::TAG == shape
    }

    fn depends_on_epoch(self) -> bool {
        self.shape & Self::TAG != abi::OWN
    }
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
        let is_current = self.epoch.get() == PROTO_EPOCH.get();
        let holds = |entry: &InlineEntry| entry.is_for(shape) && (is_current || !entry.depends_on_epoch());
        if let Some(found) = self.entries.iter().map(Cell::get).filter(holds).find_map(InlineEntry::found) {
            return Some(found);
        }
        let more = self.more()?;
        let entry = more.entries.iter().find(|entry| entry.get().shape == shape)?.get();
        (entry.epoch == 0 || entry.epoch == PROTO_EPOCH.get()).then_some(entry.found)
    }

    #[cold]
    fn remember(self, shape: u32, epoch: u32, found: Found) {
        if !InlineEntry::of(shape, found).is_some_and(|entry| self.remember_inline(shape, entry)) {
            self.remember_more(shape, epoch, found);
        }
    }

    /// Puts an entry into the cache itself, if there is room.
    fn remember_inline(self, shape: u32, entry: InlineEntry) -> bool {
        self.drop_stale();
        let same = self.entries.iter().find(|known| known.get().is_for(shape));
        let place = same.or_else(|| self.entries.iter().find(|known| known.get().shape == 0));
        if let Some(place) = place {
            place.set(entry);
        }
        place.is_some()
    }

    /// Frees entries of earlier epochs.
    fn drop_stale(self) {
        let epoch = PROTO_EPOCH.get();
        if self.epoch.replace(epoch) != epoch {
            let stale = self.entries.iter().filter(|entry| entry.get().depends_on_epoch());
            stale.for_each(|entry| entry.set(InlineEntry::FREE));
        }
    }

    /// Remembers an addition at a site that mostly adds: in both entries if they are free, for compiled code.
    fn remember_addition_first(self, before: Shape, after: Shape) -> bool {
        self.drop_stale();
        let is_free = self.entries.iter().all(|entry| entry.get().shape == 0);
        let slot = before.count();
        if !is_free || before.kind() != kind::OBJECT || slot >= u32::from(before.inline_capacity()) {
            return false;
        }
        let entry = |shape, place| InlineEntry { shape: shape | abi::ADDITION, place };
        self.entries[0].set(entry(before.address(), after.address()));
        self.entries[1].set(entry(0, object_abi::INLINE_SLOTS + 8 * slot));
        true
    }

    fn remember_more(self, shape: u32, epoch: u32, found: Found) {
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
            return self.remember(shape, epoch, Found::Holder(holder.slot_address(entry.slot)));
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
            Some(offset) => self.remember(shape, 0, Found::Inline(offset)),
            None => self.remember(shape, 0, Found::OutOfLine(out_of_line_offset(object, entry.slot))),
        }
    }

    /// Remembers that the property just added to `object` leads from the shape `before` to the one it has now, whatever
    /// prototypes have. `adds`: the site mostly adds the property.
    pub fn remember_addition(self, before: Shape, object: Object, adds: bool) {
        self.remember_addition_for(0, before, object, adds);
    }

    fn remember_addition_for(self, epoch: u32, before: Shape, object: Object, adds: bool) {
        let after = object.shape();
        let is_shared = !before.is_dictionary() && !after.is_dictionary();
        if is_shared && !(adds && self.remember_addition_first(before, after)) {
            self.remember(before.address(), epoch, Found::Addition(after, before.count()));
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

/// `primitive.key`, looked up on the primitive's prototype. Compiled code has checked nothing, or what it knows of strings.
#[inline]
pub fn get_of_primitive(prototype: Object, key: PropertyKey, receiver: Value, cache: Gc<InlineCache>) -> JsResult {
    let shape = prototype.shape().address();
    if let Some(Found::Holder(slot)) = cache.recall(shape) {
        return Ok(load(slot));
    }
    if key != keys::length()
        && let Some(entry) = prototype.find(key)
        && !entry.attributes.is_accessor()
    {
        prototype.mark_as_prototype();
        cache.remember(shape, PROTO_EPOCH.get(), Found::Holder(prototype.slot_address(entry.slot)));
        return Ok(prototype.data_slot(entry));
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

/// `object.key = value` where the words that compiled code checks did not help: false if refused. `adds`: the site mostly
/// adds the property.
#[inline]
pub fn set(object: Object, key: PropertyKey, value: Value, cache: Gc<InlineCache>, adds: bool) -> JsResult<bool> {
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
    set_slow(object, key, value, cache, adds)
}

fn set_slow(object: Object, key: PropertyKey, value: Value, cache: Gc<InlineCache>, adds: bool) -> JsResult<bool> {
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
    object.add_slot(key, value, Attributes::ALL);
    cache.remember_addition_for(PROTO_EPOCH.get(), before, object, adds);
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
    let slot = cache.entries[0].get().place;
    if cache.epoch.get() == PROTO_EPOCH.get() && slot != 0 {
        return Ok(Some(load(slot)));
    }
    let global = crate::realm::global();
    if let Some(entry) = global.find(key)
        && !entry.attributes.is_accessor()
    {
        cache.epoch.set(PROTO_EPOCH.get());
        cache.entries[0].set(InlineEntry { shape: 0, place: global.slot_address(entry.slot) });
        return Ok(Some(global.data_slot(entry)));
    }
    if !global.has_property(key)? {
        return Ok(None);
    }
    global.get(key).map(Some)
}
