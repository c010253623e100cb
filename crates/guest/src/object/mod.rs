//! Objects: headers, slots, allocation. What the specification calls internal methods is in [`access`]; ordinary
//! properties in [`ordinary`]; arrays in [`array`]; functions in [`function`]; everything else that is special implements
//! [`exotic::Exotic`].

mod access;
mod arguments;
mod array;
pub mod exotic;
mod function;
mod namespace;
mod ordinary;
mod property;
mod wrapper;

pub use access::{element_get_error, set_error};
pub use arguments::{MappedArgumentsExotic, map_arguments, new_arguments};
pub use array::{ArrayCell, new_array_prototype};
pub(crate) use function::function_shape as function_shape_of;
pub use function::{FunctionCell, FunctionRecord, new_function_prototype, new_native_function};
pub use namespace::{NamespaceExotic, NamespaceObject};
pub use ordinary::is_compatible;
pub use property::{AccessorCell, Attributes, Content, Property, PropertyDescriptor};
pub use wrapper::{PrimitiveWrapper, StringWrapperExotic};

use core::cell::Cell;
use core::ops::Deref;

use convex_wasm_abi::layout::object as abi;

use crate::cell::{Gc, ObjectKind, kind};
use crate::collector::weak::Weak;
use crate::heap::{self, Contents};
use crate::shape::{Shape, root_shape};
use crate::value::Value;

/// The header shared by all objects (see [`convex_wasm_abi::layout::object`]).
#[repr(C)]
pub struct ObjectHeader {
    /// One of [`kind`].
    pub kind: Cell<u8>,
    /// Flags of the ABI.
    pub flags: Cell<u8>,
    /// Inline capacity of ordinary objects; size in 8-byte words of the guest's own kinds.
    pub extra: Cell<u16>,
    /// The shape.
    pub shape: Cell<Shape>,
    /// Payload address of the out-of-line slots, or 0.
    pub slots: Cell<u32>,
}

impl ObjectHeader {
    /// Header of a fresh object of kind `T` with that prototype.
    pub fn new<T: ObjectKind>(prototype: Object) -> ObjectHeader {
        ObjectHeader::with_shape::<T>(root_shape(T::KIND, Some(prototype), 0))
    }

    /// Header of a fresh object of kind `T` with that shape (which has no properties yet).
    pub fn with_shape<T: ObjectKind>(shape: Shape) -> ObjectHeader {
        ObjectHeader {
            kind: Cell::new(T::KIND),
            flags: Cell::new(0),
            extra: Cell::new(core::mem::size_of::<T>().div_ceil(8) as u16),
            shape: Cell::new(shape),
            slots: Cell::new(0),
        }
    }
}

/// An object of any kind.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Object(Gc<ObjectHeader>);

impl Deref for Object {
    type Target = ObjectHeader;
    #[inline(always)]
    fn deref(&self) -> &ObjectHeader {
        &self.0
    }
}

impl core::fmt::Debug for Object {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Object({:#x})", self.address())
    }
}

impl Object {
    /// The object with this address.
    ///
    /// # Safety
    /// `address` is that of an initialised object cell.
    #[inline(always)]
    pub unsafe fn from_address(address: u32) -> Object {
        // SAFETY: passed on to the caller.
        Object(unsafe { Gc::from_address(address) })
    }

    /// The cell's address.
    #[inline(always)]
    pub fn address(self) -> u32 {
        self.0.address()
    }

    /// A fresh `{}` with that prototype.
    pub fn ordinary(prototype: Option<Object>) -> Object {
        Object::with_shape(root_shape(kind::OBJECT, prototype, abi::MIN_INLINE_CAPACITY as u16))
    }

    /// A fresh `{}`.
    pub fn new() -> Object {
        Object::with_shape(crate::realm_shapes::object_shape())
    }

    /// The start of the realm: an object without prototype and without inline slots.
    pub fn without_prototype() -> Object {
        Object::with_shape(root_shape(kind::OBJECT, None, 0))
    }

    /// A fresh ordinary object of that shape. All slots are UNDEFINED; those the shape has are for the caller to fill.
    #[inline]
    pub fn with_shape(shape: Shape) -> Object {
        let capacity = shape.inline_capacity() as u32;
        let address = heap::allocate(abi::INLINE_SLOTS + capacity * 8);
        // SAFETY: fresh memory of 16 + 8 × capacity bytes.
        unsafe {
            Object::write_header(address, shape);
            for slot in 0..capacity {
                core::ptr::write((address + abi::INLINE_SLOTS + slot * 8) as usize as *mut Value, Value::UNDEFINED);
            }
            Object::from_address(address)
        }
    }

    /// A fresh ordinary object of that shape, whose first slots have these values. They fit its inline capacity.
    #[inline]
    pub fn with_slots(shape: Shape, values: impl Iterator<Item = Value>) -> Object {
        let capacity = shape.inline_capacity() as u32;
        let address = heap::allocate(abi::INLINE_SLOTS + capacity * 8);
        // SAFETY: fresh memory of 16 + 8 × capacity bytes, of which all are written.
        unsafe {
            Object::write_header(address, shape);
            let slots = (address + abi::INLINE_SLOTS) as usize as *mut Value;
            let mut filled = 0;
            for value in values.take(capacity as usize) {
                slots.add(filled).write(value);
                filled += 1;
            }
            for slot in filled..capacity as usize {
                slots.add(slot).write(Value::UNDEFINED);
            }
            Object::from_address(address)
        }
    }

    /// Writes the header of an ordinary object.
    ///
    /// # Safety
    /// `address` is that of at least 16 bytes of fresh memory.
    #[inline(always)]
    unsafe fn write_header(address: u32, shape: Shape) {
        let header = ObjectHeader {
            kind: Cell::new(kind::OBJECT),
            flags: Cell::new(0),
            extra: Cell::new(shape.inline_capacity()),
            shape: Cell::new(shape),
            slots: Cell::new(0),
        };
        // SAFETY: the caller's.
        unsafe {
            core::ptr::write(address as usize as *mut ObjectHeader, header);
            core::ptr::write((address + 12) as usize as *mut u32, 0);
        }
    }

    /// A reference that does not keep it alive.
    #[inline(always)]
    pub fn weak(self) -> Weak<ObjectHeader> {
        self.0.into()
    }

    /// The object as the guest's kind `T`.
    #[inline(always)]
    pub fn as_kind<T: ObjectKind>(self) -> Option<Gc<T>> {
        // SAFETY: cells of that kind are `T` by the trait's contract.
        (self.kind.get() == T::KIND).then(|| unsafe { Gc::from_address(self.address()) })
    }

    /// The array, if it is one (not: a proxy for one).
    #[inline(always)]
    pub fn as_array(self) -> Option<Gc<ArrayCell>> {
        self.as_kind::<ArrayCell>()
    }

    /// The function, if it is one.
    #[inline(always)]
    pub fn as_function(self) -> Option<Gc<FunctionCell>> {
        self.as_kind::<FunctionCell>()
    }

    /// The shape.
    #[inline(always)]
    pub fn shape(self) -> Shape {
        self.shape.get()
    }

    /// The prototype as the shape has it (a proxy's is elsewhere).
    #[inline(always)]
    pub fn prototype(self) -> Option<Object> {
        self.shape().prototype()
    }

    /// Whether all these flags are set.
    #[inline(always)]
    pub fn has_flag(self, flag: u8) -> bool {
        self.flags.get() & flag != 0
    }

    /// Sets flags.
    pub fn set_flag(self, flag: u8) {
        self.flags.set(self.flags.get() | flag);
    }

    /// From now on changes of this object advance PROTO_EPOCH. What is cached already cannot depend on it.
    pub fn mark_as_prototype(self) {
        self.set_flag(abi::IS_PROTOTYPE);
    }

    /// Address of slot `slot`. The slot exists.
    #[inline(always)]
    pub fn slot_address(self, slot: u32) -> u32 {
        let inline = if self.kind.get() == kind::OBJECT { self.extra.get() as u32 } else { 0 };
        if slot < inline {
            self.address() + abi::INLINE_SLOTS + slot * 8
        } else {
            self.slots.get() + (slot - inline) * 8
        }
    }

    /// Byte offset of the slot from the cell's start, if it is inline.
    #[inline]
    pub fn inline_offset(self, slot: u32) -> Option<u32> {
        (self.kind.get() == kind::OBJECT && slot < self.extra.get() as u32).then(|| abi::INLINE_SLOTS + slot * 8)
    }

    /// Reads a slot that exists.
    #[inline(always)]
    pub fn slot(self, slot: u32) -> Value {
        // SAFETY: an existing slot is initialised memory of this object.
        unsafe { core::ptr::read(self.slot_address(slot) as usize as *const Value) }
    }

    /// Writes a slot that exists.
    #[inline(always)]
    pub fn set_slot(self, slot: u32, value: Value) {
        // SAFETY: an existing slot is memory of this object.
        unsafe { core::ptr::write(self.slot_address(slot) as usize as *mut Value, value) }
    }

    /// Gives an ordinary object without properties as many inline slots as `empty` has, a shape without properties, if it is
    /// the newest cell of the heap and can grow in place. False, with nothing done, if not. New slots are for the caller to
    /// fill.
    pub fn make_room(self, empty: Shape) -> bool {
        let (old, new) = (self.extra.get() as u32, empty.inline_capacity() as u32);
        let end = self.address() + abi::INLINE_SLOTS + old * 8;
        if new < old || !heap::extend(end, (new - old) * 8) {
            return false;
        }
        self.extra.set(new as u16);
        self.shape.set(empty);
        let slots = (self.address() + abi::INLINE_SLOTS) as usize as *mut Value;
        for slot in old..new {
            // SAFETY: the object was just made as long.
            unsafe { slots.add(slot as usize).write(Value::UNDEFINED) };
        }
        true
    }

    /// The inline slots of an ordinary object; none of others. Cells never move, so they may be kept as long as the object.
    #[inline]
    pub fn inline_slots(self) -> &'static [Cell<Value>] {
        let count = if self.kind.get() == kind::OBJECT { self.extra.get() as usize } else { 0 };
        // SAFETY: an ordinary object has that many slots, all initialised; cells are shared.
        unsafe {
            core::slice::from_raw_parts((self.address() + abi::INLINE_SLOTS) as usize as *const Cell<Value>, count)
        }
    }

    /// Writes the first inline slots of an ordinary object.
    #[inline]
    pub fn fill_slots(self, values: impl Iterator<Item = Value>) {
        self.inline_slots().iter().zip(values).for_each(|(slot, value)| slot.set(value));
    }

    /// Makes sure that slot `slot` exists; new ones are UNDEFINED.
    pub fn reserve_slot(self, slot: u32) {
        let inline = if self.kind.get() == kind::OBJECT { self.extra.get() as u32 } else { 0 };
        if slot < inline {
            return;
        }
        let needed = slot - inline + 1;
        let old = self.slots.get();
        let capacity = if old == 0 { 0 } else { heap::storage_size(old) / 8 };
        if needed <= capacity {
            return;
        }
        let size = needed.max(capacity * 2).max(4) * 8;
        let new = match old {
            0 => heap::allocate_storage(size, Contents::Values),
            old => heap::grow_storage(old, size, Contents::Values),
        };
        for index in capacity..heap::storage_size(new) / 8 {
            // SAFETY: within the block just allocated or grown.
            unsafe { core::ptr::write((new as usize as *mut Value).add(index as usize), Value::UNDEFINED) };
        }
        self.slots.set(new);
    }
}

impl Default for Object {
    fn default() -> Self {
        Object::new()
    }
}
