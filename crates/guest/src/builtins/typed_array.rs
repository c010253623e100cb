//! Typed arrays: the object. Constructors are in [`construct`], methods in [`prototype`], conversions in [`element`].

mod construct;
mod element;
mod exotic;
mod prototype;
mod transform;

pub use element::{ALL, Element, ElementType};
pub use exotic::TypedArrayExotic;

use core::cell::Cell;

use convex_wasm_abi::layout::typed_array as abi;

use super::array_buffer::{ArrayBufferObject, detached};
use crate::cell::{Gc, ObjectKind, kind};
use crate::object::{Object, ObjectHeader};
use crate::realm::typed_array_prototype;
use crate::shape::root_shape;
use crate::throw::JsResult;
use crate::value::Value;

/// A typed array (see [`convex_wasm_abi::layout::typed_array`]).
#[repr(C)]
pub struct TypedArrayObject {
    header: ObjectHeader,
    /// Address of element 0, if the buffer has a fixed length.
    data: Cell<u32>,
    /// Number of elements; 0 if the buffer is resizable, detached or immutable.
    fast_length: Cell<u32>,
    buffer: Gc<ArrayBufferObject>,
    byte_offset: u32,
    /// Number of elements; `None` if it follows the length of a resizable buffer.
    fixed_length: Option<u32>,
    /// The next typed array over the same buffer.
    next_view: Cell<Option<Gc<TypedArrayObject>>>,
}

// SAFETY: only `TypedArrayObject::new` makes cells of this kind, and of those up to TYPED_ARRAY + 10, which have the same
// layout.
unsafe impl ObjectKind for TypedArrayObject {
    const KIND: u8 = kind::TYPED_ARRAY;
}

const _: () = assert!(core::mem::offset_of!(TypedArrayObject, data) == abi::DATA as usize);
const _: () = assert!(core::mem::offset_of!(TypedArrayObject, fast_length) == abi::LENGTH as usize);

/// The object as a typed array of any element type.
#[inline]
pub fn view(object: Object) -> Option<Gc<TypedArrayObject>> {
    let is_view = object.kind.get().wrapping_sub(kind::TYPED_ARRAY) < ALL.len() as u8;
    // SAFETY: all kinds in that range are `TypedArrayObject` cells.
    is_view.then(|| unsafe { Gc::from_address(object.address()) })
}

impl TypedArrayObject {
    /// A typed array over `buffer` from `byte_offset` (aligned) on, with `length` elements that exist, or as long as the
    /// resizable buffer.
    fn new(
        element_type: ElementType,
        prototype: Object,
        buffer: Gc<ArrayBufferObject>,
        byte_offset: u32,
        length: Option<u32>,
    ) -> Gc<TypedArrayObject> {
        let kind = kind::TYPED_ARRAY + element_type as u8;
        let mut header = ObjectHeader::with_shape::<TypedArrayObject>(root_shape(kind, Some(prototype), 0));
        header.kind = Cell::new(kind);
        let fast_length = if buffer.is_resizable() || buffer.is_immutable() { 0 } else { length.unwrap_or(0) };
        let view = Gc::new(TypedArrayObject {
            header,
            data: Cell::new(buffer.data() + byte_offset),
            fast_length: Cell::new(fast_length),
            buffer,
            byte_offset,
            fixed_length: length,
            next_view: Cell::new(None),
        });
        view.next_view.set(buffer.add_view(view));
        view
    }

    /// A typed array over all of a buffer of fixed length, whose length is a multiple of the element's size.
    pub fn over(element_type: ElementType, buffer: Gc<ArrayBufferObject>) -> Gc<TypedArrayObject> {
        let length = buffer.byte_length() / element_type.size();
        TypedArrayObject::new(element_type, prototype_of(element_type), buffer, 0, Some(length))
    }

    /// The element type.
    #[inline]
    pub fn element_type(&self) -> ElementType {
        ALL[(self.header.kind.get() - kind::TYPED_ARRAY) as usize]
    }

    /// The buffer.
    pub fn buffer(&self) -> Gc<ArrayBufferObject> {
        self.buffer
    }

    /// Offset of element 0 in the buffer.
    pub fn byte_offset(&self) -> u32 {
        self.byte_offset
    }

    /// Number of elements now; 0 if the buffer is detached or too short.
    #[inline]
    pub fn length(&self) -> u32 {
        match self.fast_length.get() {
            0 => self.length_in_bounds().unwrap_or(0),
            length => length,
        }
    }

    /// Number of elements; `None` if the buffer is detached or too short.
    pub fn length_in_bounds(&self) -> Option<u32> {
        let available = self.buffer.byte_length().checked_sub(self.byte_offset)?;
        if self.buffer.is_detached() {
            return None;
        }
        let possible = available / self.element_type().size();
        match self.fixed_length {
            Some(length) => (length <= possible).then_some(length),
            None => Some(possible),
        }
    }

    /// ValidateTypedArray: number of elements; TypeError if the buffer is detached or too short.
    pub fn valid_length(&self, method: impl core::fmt::Display) -> JsResult<u32> {
        self.length_in_bounds().ok_or_else(|| detached(method))
    }

    /// Told by the buffer that it was detached; answers the next typed array to be told.
    pub(super) fn buffer_detached(&self) -> Option<Gc<TypedArrayObject>> {
        self.fast_length.set(0);
        self.next_view.take()
    }

    /// As [`Self::valid_length`]; TypeError also if the elements never change.
    pub fn valid_length_to_write(&self, method: impl core::fmt::Display) -> JsResult<u32> {
        self.buffer.require_mutable(&method)?;
        self.valid_length(method)
    }

    #[inline]
    fn address_of(&self, index: u32) -> u32 {
        self.buffer.data() + self.byte_offset + index * self.element_type().size()
    }

    /// The element at `index`; undefined if there is none.
    #[inline]
    pub fn get(&self, index: u32) -> Value {
        if index >= self.length() {
            return Value::UNDEFINED;
        }
        let (element_type, mut bytes) = (self.element_type(), [0; 8]);
        let source = self.address_of(index) as usize as *const u8;
        // SAFETY: the element lies within the buffer.
        unsafe { core::ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), element_type.size() as usize) };
        element_type.read(bytes)
    }

    /// Stores a converted element at `index`, if there is one.
    #[inline]
    pub fn set_element(&self, index: u32, element: Element) {
        if index >= self.length() || self.buffer.is_immutable() {
            return;
        }
        let element_type = self.element_type();
        let bytes = element_type.bytes(element);
        let target = self.address_of(index) as usize as *mut u8;
        // SAFETY: the element lies within the buffer.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), target, element_type.size() as usize) };
    }

    /// Converts `value` and stores it at `index`, if that is still an element afterwards.
    #[inline]
    pub fn set(&self, index: u32, value: Value) -> JsResult<()> {
        let element = self.element_type().convert(value)?;
        self.set_element(index, element);
        Ok(())
    }

    /// A copy of the bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.buffer.read(self.byte_offset, self.length() * self.element_type().size())
    }

    /// Overwrites bytes from the start; answers how many fitted.
    pub fn write_bytes(&self, bytes: &[u8]) -> usize {
        let count = bytes.len().min((self.length() * self.element_type().size()) as usize);
        self.buffer.write(self.byte_offset, &bytes[..count]);
        count
    }

    /// All elements.
    pub fn to_vec(&self) -> Vec<Value> {
        (0..self.length()).map(|index| self.get(index)).collect()
    }
}

/// The usual prototype of an element type.
fn prototype_of(element_type: ElementType) -> Object {
    typed_array_prototype(element_type as usize)
}

/// Builds %TypedArray% and the eleven constructors.
pub(crate) fn install() {
    construct::install();
    prototype::install();
}
