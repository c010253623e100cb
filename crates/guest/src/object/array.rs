//! Arrays: dense elements, or sparse ones whose index properties are in a dictionary shape.

use core::cell::Cell;

use convex_wasm_abi::layout::{array as abi, object as object_abi};

use super::{Attributes, Content, Object, ObjectHeader, Property, PropertyDescriptor};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{to_number, to_uint32};
use crate::heap::{self, Contents};
use crate::key::PropertyKey;
use crate::names::keys;
use crate::shape::Shape;
use crate::throw::{JsResult, throw_range_error};
use crate::value::Value;

/// An index this far behind the end makes an array sparse.
const MAX_GAP: u32 = 1024;
/// Setting `length` to more than this makes an array sparse.
const MAX_DENSE_LENGTH: u32 = 1 << 21;
/// Private flag: dense elements are not configurable (sealed).
const SEALED_ELEMENTS: u8 = 16;
/// Private flag: dense elements are not writable either (frozen).
const FROZEN_ELEMENTS: u8 = 32;

/// An array (see [`convex_wasm_abi::layout::array`]).
#[repr(C)]
pub struct ArrayCell {
    header: ObjectHeader,
    /// Payload address of the elements; the true length of a sparse array.
    elements: Cell<u32>,
    length: Cell<u32>,
    capacity: Cell<u32>,
}

// SAFETY: only this file makes cells of kind ARRAY, besides compiled code, which follows the same layout.
unsafe impl ObjectKind for ArrayCell {
    const KIND: u8 = kind::ARRAY;
}

const _: () = assert!(core::mem::size_of::<ArrayCell>() == abi::SIZE as usize);

impl ArrayCell {
    /// An empty array with room for `capacity` elements.
    pub fn with_capacity(capacity: u32) -> Gc<ArrayCell> {
        ArrayCell::with_shape(crate::realm_shapes::array_shape(), capacity)
    }

    /// An empty array of that shape (another prototype, say) with room for `capacity` elements.
    pub fn with_shape(shape: Shape, capacity: u32) -> Gc<ArrayCell> {
        let array = Gc::new(ArrayCell {
            header: ObjectHeader::with_shape::<ArrayCell>(shape),
            elements: Cell::new(0),
            length: Cell::new(0),
            capacity: Cell::new(0),
        });
        array.header.extra.set(0);
        if capacity > 0 {
            array.grow(capacity);
        }
        array
    }

    /// An array of these elements (EMPTY: a hole).
    pub fn from_slice(values: &[Value]) -> Gc<ArrayCell> {
        let array = ArrayCell::with_capacity(0);
        array.reserve_exactly(values.len() as u32);
        array.write_all(0, values.iter().copied());
        array.length.set(values.len() as u32);
        array
    }

    /// An array of the same elements, holes included.
    pub fn from_cells(elements: &[Cell<Value>]) -> Gc<ArrayCell> {
        let array = ArrayCell::with_capacity(0);
        array.reserve_exactly(elements.len() as u32);
        array.copy_all(0, elements);
        array.length.set(elements.len() as u32);
        array
    }

    /// An array of the first `length` elements, of which there are as many (EMPTY: a hole).
    #[inline]
    pub fn from_iter(length: u32, values: impl Iterator<Item = Value>) -> Gc<ArrayCell> {
        let array = ArrayCell::with_capacity(0);
        array.reserve_exactly(length);
        let written = array.write_all(0, values.take(length as usize));
        array.write_all(written, (written..length).map(|_| Value::EMPTY));
        array.length.set(length);
        array
    }

    /// `length`
    #[inline(always)]
    pub fn len(&self) -> u32 {
        if self.is_sparse() { self.elements.get() } else { self.length.get() }
    }

    /// Whether `length` is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the elements are in the shape.
    #[inline(always)]
    pub fn is_sparse(&self) -> bool {
        self.header.flags.get() & abi::SPARSE != 0
    }

    /// Whether elements may be stored and appended without asking: dense and not restricted in any way.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.header.flags.get() & !object_abi::IS_PROTOTYPE == 0
    }

    /// The dense element at `index`; EMPTY for a hole or out of range (also if sparse).
    #[inline(always)]
    pub fn element(&self, index: u32) -> Value {
        if index >= self.length.get() {
            return Value::EMPTY;
        }
        // SAFETY: `index < length <= capacity`.
        unsafe { core::ptr::read((self.elements.get() as usize as *const Value).add(index as usize)) }
    }

    /// The dense elements. They may be written through [`ArrayCell::set_element`] meanwhile, and the block stays
    /// readable even if the array grows out of it.
    #[inline]
    pub fn dense(&self) -> &'static [Cell<Value>] {
        if self.length.get() == 0 {
            return &[];
        }
        // SAFETY: `length` words at `elements` are initialised; cells are shared.
        unsafe {
            core::slice::from_raw_parts(self.elements.get() as usize as *const Cell<Value>, self.length.get() as usize)
        }
    }

    #[inline(always)]
    fn write(&self, index: u32, value: Value) {
        debug_assert!(index < self.capacity.get());
        // SAFETY: `index < capacity`.
        unsafe { core::ptr::write((self.elements.get() as usize as *mut Value).add(index as usize), value) }
    }

    /// Replaces a dense element that exists, without asking for permission.
    #[inline(always)]
    pub fn set_element(&self, index: u32, value: Value) {
        if index < self.length.get() {
            self.write(index, value);
        }
    }

    /// Sets the length of a dense array under construction; new elements are holes.
    pub fn set_dense_length(&self, length: u32) {
        if length > self.capacity.get() {
            self.grow(length);
        }
        for index in length..self.length.get() {
            self.write(index, Value::EMPTY);
        }
        self.length.set(length);
    }

    /// Writes values from index `start` on, for which there is room. Answers the index behind the last.
    #[inline]
    fn write_all(&self, start: u32, values: impl Iterator<Item = Value>) -> u32 {
        let elements = self.elements.get() as usize as *mut Value;
        let mut index = start;
        for value in values {
            debug_assert!(index < self.capacity.get());
            // SAFETY: `index < capacity`.
            unsafe { elements.add(index as usize).write(value) };
            index += 1;
        }
        index
    }

    /// Copies elements to index `start` and on, where there is room.
    #[inline]
    fn copy_all(&self, start: u32, elements: &[Cell<Value>]) {
        /// More are worth a call of the engine's bulk copy.
        const FEW: usize = 24;
        if elements.len() <= FEW {
            self.write_all(start, elements.iter().map(Cell::get));
            return;
        }
        let target = self.elements.get() as usize as *mut Value;
        // SAFETY: there is room behind `start`, and the elements are those of another array.
        unsafe {
            core::ptr::copy_nonoverlapping(elements.as_ptr().cast(), target.add(start as usize), elements.len());
        }
    }

    /// Gives a fresh array its storage, which the caller fills.
    #[inline]
    fn reserve_exactly(&self, length: u32) {
        if length > 0 {
            self.elements.set(heap::allocate_storage(length.saturating_mul(8), Contents::Values));
            self.capacity.set(length);
        }
    }

    /// Makes room for `more` elements.
    pub fn reserve(&self, more: u32) {
        let needed = self.length.get() + more;
        if needed > self.capacity.get() {
            self.grow(needed);
        }
    }

    /// Appends elements to a plain array, or one under construction. False, with nothing done, if there are holes among
    /// them.
    pub fn append_packed(&self, elements: &[Cell<Value>]) -> bool {
        if elements.iter().any(|element| element.get().is_empty()) {
            return false;
        }
        let length = self.length.get();
        let new_length = length + elements.len() as u32;
        if self.capacity.get() == 0 {
            self.reserve_exactly(new_length);
        } else if new_length > self.capacity.get() {
            self.grow(new_length.max(length + length / 2));
        }
        self.copy_all(length, elements);
        self.length.set(new_length);
        true
    }

    #[cold]
    fn grow(&self, capacity: u32) {
        let old = self.capacity.get();
        let bytes = capacity.saturating_mul(8);
        let elements = match old {
            0 => heap::allocate_storage(bytes, Contents::Values),
            _ => heap::grow_storage(self.elements.get(), bytes, Contents::Values),
        };
        self.elements.set(elements);
        self.capacity.set(capacity);
        self.write_all(old, (old..capacity).map(|_| Value::EMPTY));
    }

    /// Appends to a plain array (see [`ArrayCell::is_plain`]), or one under construction.
    #[inline]
    pub fn push(&self, value: Value) {
        let length = self.length.get();
        if length == self.capacity.get() {
            self.grow((length * 2).max(4));
        }
        self.write(length, value);
        self.length.set(length + 1);
    }

    /// Takes the last element off a plain, non-empty array; EMPTY if it is a hole.
    pub fn pop(&self) -> Value {
        let Some(last) = self.length.get().checked_sub(1) else { return Value::EMPTY };
        let value = self.element(last);
        self.write(last, Value::EMPTY);
        self.length.set(last);
        value
    }
}

impl Gc<ArrayCell> {
    fn element_attributes(self) -> Attributes {
        let flags = self.header.flags.get();
        if flags & FROZEN_ELEMENTS != 0 {
            Attributes::ENUMERABLE
        } else if flags & SEALED_ELEMENTS != 0 {
            Attributes::ENUMERABLE.with(Attributes::WRITABLE)
        } else {
            Attributes::ALL
        }
    }

    fn length_attributes(self) -> Attributes {
        if self.object().has_flag(abi::FIXED_LENGTH) { Attributes::NONE } else { Attributes::WRITABLE }
    }

    /// The own property if it is `length` or a dense element.
    pub fn get_own(self, key: PropertyKey) -> Option<Property> {
        if let Some(index) = key.as_index() {
            let value = self.element(index);
            return (!value.is_empty()).then(|| Property::data(value, self.element_attributes()));
        }
        (key == keys::length()).then(|| Property::data(Value::from(self.len()), self.length_attributes()))
    }

    /// The value of `length` or a dense element.
    #[inline]
    pub(super) fn get_fast(self, key: PropertyKey) -> Option<Value> {
        match key.as_index() {
            Some(index) => Some(self.element(index)).filter(|value| !value.is_empty()),
            None => (key == keys::length()).then(|| Value::from(self.len())),
        }
    }

    /// Assigns to `length` or a dense element, or appends. `None`: not one of these.
    pub(super) fn set_fast(self, key: PropertyKey, value: Value) -> JsResult<Option<bool>> {
        let Some(index) = key.as_index() else {
            if key != keys::length() {
                return Ok(None);
            }
            if self.object().has_flag(abi::FIXED_LENGTH) {
                return Ok(Some(false));
            }
            return self.define_length(&PropertyDescriptor { value: Some(value), ..Default::default() }).map(Some);
        };
        if self.element(index).is_empty() {
            return Ok(None);
        }
        if self.header.flags.get() & FROZEN_ELEMENTS != 0 {
            return Ok(Some(false));
        }
        self.write(index, value);
        Ok(Some(true))
    }

    /// [[DefineOwnProperty]] of arrays.
    pub(super) fn define_own(self, key: PropertyKey, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        if key == keys::length() {
            return self.define_length(descriptor);
        }
        let Some(index) = key.as_index() else { return Ok(self.object().ordinary_define_own(key, descriptor)) };
        let exists = !self.element(index).is_empty();
        if exists && self.defines_plain(descriptor, self.element_attributes()) {
            if let Some(value) = descriptor.value {
                if self.element_attributes().is_writable() {
                    self.write(index, value);
                } else if !crate::convert::same_value(value, self.element(index)) {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if index >= self.len() && self.object().has_flag(abi::FIXED_LENGTH) {
            return Ok(false);
        }
        if !exists && !self.is_sparse() {
            if self.object().has_flag(object_abi::RESTRICTED) {
                return Ok(false);
            }
            let complete = descriptor.complete();
            if let (Content::Data(value), Attributes::ALL) = (complete.content, complete.attributes)
                && index <= self.length.get().saturating_add(MAX_GAP)
            {
                self.store_new(index, value);
                return Ok(true);
            }
        }
        self.make_sparse();
        if !self.object().ordinary_define_own(key, descriptor) {
            return Ok(false);
        }
        self.elements.set(self.elements.get().max(index + 1));
        Ok(true)
    }

    /// Whether applying the descriptor to an element with these attributes leaves it a dense element.
    fn defines_plain(self, descriptor: &PropertyDescriptor, attributes: Attributes) -> bool {
        !descriptor.is_accessor()
            && descriptor.writable.is_none_or(|writable| writable == attributes.is_writable())
            && descriptor.enumerable.is_none_or(|enumerable| enumerable)
            && descriptor.configurable.is_none_or(|configurable| configurable == attributes.is_configurable())
    }

    /// `array[index] = value`, if nothing but the array itself can have a say in it. False, with nothing done, if not.
    #[inline]
    pub fn assign_plainly(self, index: u32, value: Value) -> bool {
        let is_plain = self.is_plain()
            && !crate::iterate::array_prototypes_have_elements()
            && self.header.shape.get() == crate::realm_shapes::array_shape();
        if !is_plain || index > self.length.get().saturating_add(MAX_GAP) {
            return false;
        }
        if index < self.length.get() {
            self.write(index, value);
        } else if index == self.length.get() {
            self.push(value);
        } else {
            self.store_new(index, value);
        }
        true
    }

    /// Adds an element that neither the array nor its prototypes have; false if that is refused.
    pub(super) fn add_element(self, index: u32, value: Value) -> bool {
        let object = self.object();
        if object.has_flag(object_abi::RESTRICTED) || index >= self.len() && object.has_flag(abi::FIXED_LENGTH) {
            return false;
        }
        if !self.is_sparse() && index <= self.length.get().saturating_add(MAX_GAP) {
            self.store_new(index, value);
            return true;
        }
        self.make_sparse();
        object.add_slot(PropertyKey::index(index), value, Attributes::ALL);
        self.elements.set(self.elements.get().max(index + 1));
        true
    }

    /// Stores a dense element at or behind the end, or in a hole.
    fn store_new(self, index: u32, value: Value) {
        if index >= self.capacity.get() {
            self.grow((index + 1).max(self.capacity.get() + self.capacity.get() / 2 + 4));
        }
        self.write(index, value);
        self.length.set(self.length.get().max(index + 1));
        self.object().changed(PropertyKey::index(index));
    }

    /// `length`, defined or assigned.
    fn define_length(self, descriptor: &PropertyDescriptor) -> JsResult<bool> {
        let mut new_length = None;
        if let Some(value) = descriptor.value {
            let length = to_uint32(value)?;
            if to_number(value)? != length as f64 {
                return Err(throw_range_error("Invalid array length"));
            }
            new_length = Some(length);
        }
        let fixed = self.object().has_flag(abi::FIXED_LENGTH);
        if descriptor.is_accessor()
            || descriptor.configurable == Some(true)
            || descriptor.enumerable == Some(true)
            || fixed && (descriptor.writable == Some(true) || new_length.is_some_and(|length| length != self.len()))
        {
            return Ok(false);
        }
        let done = new_length.is_none_or(|length| self.resize(length));
        if descriptor.writable == Some(false) {
            self.object().set_flag(abi::FIXED_LENGTH);
        }
        Ok(done)
    }

    /// Sets the length, deleting elements from the end; false if one could not be deleted.
    pub fn resize(self, length: u32) -> bool {
        if !self.is_sparse() {
            if self.header.flags.get() & SEALED_ELEMENTS != 0 && length < self.length.get() {
                return false;
            }
            if length <= MAX_DENSE_LENGTH.max(self.capacity.get()) {
                self.set_dense_length(length);
                return true;
            }
            self.make_sparse();
        }
        let mut doomed: Vec<_> = self
            .object()
            .shape()
            .entries()
            .filter(|entry| entry.key.as_index().is_some_and(|index| index >= length))
            .collect();
        doomed.sort_unstable_by_key(|entry| core::cmp::Reverse(entry.key.as_index()));
        for entry in doomed {
            if !entry.attributes.is_configurable() {
                self.elements.set(entry.key.as_index().map_or(length, |index| index + 1));
                return false;
            }
            // Slots may have moved: look the property up again.
            if let Some(entry) = self.object().find(entry.key) {
                self.object().remove_slot(entry);
            }
        }
        self.elements.set(length);
        true
    }

    /// Moves the elements into a dictionary shape.
    fn make_sparse(self) {
        if self.is_sparse() {
            return;
        }
        let object = self.object();
        let attributes = self.element_attributes();
        let elements = self.dense();
        let length = self.length.get();
        if !object.shape().is_dictionary() {
            object.shape.set(object.shape().to_dictionary());
        }
        self.length.set(0);
        self.capacity.set(0);
        for (index, value) in elements.iter().enumerate() {
            if !value.get().is_empty() {
                object.add_slot(PropertyKey::index(index as u32), value.get(), attributes);
            }
        }
        self.elements.set(length);
        object.set_flag(abi::SPARSE);
    }

    /// Deletes a dense element or refuses to delete `length`. `None`: not one of these.
    pub(super) fn delete_own(self, key: PropertyKey) -> Option<bool> {
        let Some(index) = key.as_index() else { return (key == keys::length()).then_some(false) };
        if self.element(index).is_empty() {
            return None;
        }
        if self.header.flags.get() & SEALED_ELEMENTS != 0 {
            return Some(false);
        }
        self.write(index, Value::EMPTY);
        Some(true)
    }

    /// [[OwnPropertyKeys]] of arrays.
    pub(super) fn own_keys(self) -> Vec<PropertyKey> {
        let dense = self.dense().iter().enumerate().filter(|(_, value)| !value.get().is_empty());
        let mut keys: Vec<_> = dense.map(|(index, _)| PropertyKey::index(index as u32)).collect();
        let rest = self.object().ordinary_own_keys();
        let names = rest.iter().position(|key| key.as_index().is_none()).unwrap_or(rest.len());
        keys.extend_from_slice(&rest[..names]);
        keys.push(keys::length());
        keys.extend_from_slice(&rest[names..]);
        keys
    }

    /// Seals or freezes dense elements.
    pub(super) fn restrict_elements(self, freeze: bool) {
        if !self.is_sparse() {
            self.object().set_flag(SEALED_ELEMENTS | if freeze { FROZEN_ELEMENTS } else { 0 });
        }
    }
}

/// `Array.prototype`, which is an array itself.
pub fn new_array_prototype() -> Object {
    let parent = crate::realm::intrinsic(crate::realm::Intrinsic::ObjectPrototype);
    ArrayCell::with_shape(crate::shape::root_shape(kind::ARRAY, Some(parent), 0), 0).object()
}

/// CreateArrayFromList.
impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Value {
        ArrayCell::from_slice(&values).into()
    }
}

impl Object {
    /// LengthOfArrayLike.
    pub fn length(self) -> JsResult<u64> {
        match self.as_array() {
            Some(array) => Ok(array.len() as u64),
            None => crate::convert::to_length(self.get(keys::length())?),
        }
    }
}
