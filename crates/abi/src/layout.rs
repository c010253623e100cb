//! Heap cells that compiled code touches directly. All are 8-byte aligned and begin with an 8-byte header:
//! kind (u8 at 0), flags (u8 at 1), a kind-specific u16 at 2, a kind-specific u32 at 4. Cells never move.

/// u8 at 0: one of [`kind`].
pub const KIND: u32 = 0;
/// u8 at 1.
pub const FLAGS: u32 = 1;

/// Cell kinds. Objects come last, so `kind >= OBJECT` means "object"; all of those share the object header.
pub mod kind {
    /// [`super::string`]
    pub const STRING: u8 = 1;
    /// Symbol; private to the guest.
    pub const SYMBOL: u8 = 2;
    /// BigInt; private to the guest.
    pub const BIGINT: u8 = 3;
    /// [`super::env`]
    pub const ENV: u8 = 4;
    /// [`super::frame`]
    pub const FRAME: u8 = 5;
    /// Shape; private to the guest, compared by address.
    pub const SHAPE: u8 = 6;
    /// Raw storage (slots, elements, string data, hash tables) owned by another cell.
    pub const STORAGE: u8 = 7;
    /// Iterator record and other cells private to the guest.
    pub const INTERNAL: u8 = 8;
    /// Memory that nobody uses; u32 at 4 is its size, header included.
    pub const FREE: u8 = 9;

    /// Ordinary object. Its inline property slots begin at [`super::object::INLINE_SLOTS`].
    pub const OBJECT: u8 = 32;
    /// [`super::array`]
    pub const ARRAY: u8 = 33;
    /// [`super::function`]
    pub const FUNCTION: u8 = 34;
    /// [`super::typed_array`]; `TYPED_ARRAY + n` for the n-th element type of [`super::typed_array::TYPES`].
    pub const TYPED_ARRAY: u8 = 48;
    /// First kind free for the guest's other exotic and built-in objects.
    pub const FIRST_PRIVATE_OBJECT: u8 = 64;
}

/// String cell, 16 bytes: UTF-16 semantics over Latin-1 or UTF-16 data. The u16 at 2 is the number of 8-byte words behind
/// the cell that belong to it (its first data, if they are not long).
pub mod string {
    /// Flag: data is u16 units; otherwise u8 (Latin-1).
    pub const TWO_BYTE: u8 = 1;
    /// Flag: concatenation not yet flattened: u32 left at 8, u32 right at 12 instead of hash and data.
    pub const ROPE: u8 = 2;
    /// Flag: interned (every property key is); interned strings are equal only if their addresses are.
    pub const INTERNED: u8 = 4;
    /// Size of a string cell without data.
    pub const SIZE: u32 = 16;
    /// u32: length in UTF-16 units, ropes included.
    pub const LENGTH: u32 = 4;
    /// u32: hash, 0 when not computed yet.
    pub const HASH: u32 = 8;
    /// u32: address of the first unit; may lie inside another string's data (slices share).
    pub const DATA: u32 = 12;
}

/// Header shared by all objects.
pub mod object {
    /// u32: address of the shape. A shape determines kind, prototype, and each own property's name, attributes and slot.
    pub const SHAPE: u32 = 4;
    /// u32: address of the out-of-line slots (u64 each), 0 if none.
    pub const SLOTS: u32 = 8;
    /// First inline slot of an ordinary object. Other kinds keep their own fields here and their inline slots, if any,
    /// behind; inline caches hold byte offsets from the cell's start, so compiled code need not know.
    pub const INLINE_SLOTS: u32 = 16;
    /// u16 of ordinary objects: their inline capacity, in slots.
    pub const INLINE_CAPACITY: u32 = 2;
    /// Ordinary objects hold their inline capacity (number of u64 slots) in the u16 at 2. Literals get as many as they
    /// have properties, at least this many.
    pub const MIN_INLINE_CAPACITY: u32 = 4;
    /// Flag (all objects): not plain for element access or property addition (frozen, sealed, non-extensible).
    pub const RESTRICTED: u8 = 1;
    /// Flag (all objects): serves as a prototype; shape changes must advance PROTO_EPOCH.
    pub const IS_PROTOTYPE: u8 = 2;
}

/// Array: object header plus dense elements. An element access at `i` may be done inline when the kind is ARRAY,
/// `i < LENGTH` and the loaded word is not EMPTY; a store when also flags == 0. If the array is sparse or exotic the guest
/// keeps its real state elsewhere, CAPACITY and ELEMENTS 0, and LENGTH 0 with flag SPARSE (then `length` asks the guest).
pub mod array {
    /// u32: address of u64 elements (0 when capacity is 0).
    pub const ELEMENTS: u32 = 12;
    /// u32: `length`; elements `LENGTH..CAPACITY` hold EMPTY.
    pub const LENGTH: u32 = 16;
    /// u32: number of words at ELEMENTS.
    pub const CAPACITY: u32 = 20;
    /// Size of an array cell.
    pub const SIZE: u32 = 24;
    /// Flag: see above.
    pub const SPARSE: u8 = 4;
    /// Flag: `length` is read-only.
    pub const FIXED_LENGTH: u8 = 8;
}

/// Cell of kind STORAGE: what others own. The u32 at 4 is the number of bytes behind the header.
pub mod storage {
    /// Flags of one that holds values.
    pub const VALUES: u8 = 1;
    /// Size of the header.
    pub const HEADER_SIZE: u32 = 8;
}

/// Function object. Every callee, compiled or built in, has the Wasm type
/// `(function: i32, argc: i32, this: i64, a0: i64, a1: i64, a2: i64) -> i64`; absent arguments among the first three
/// are UNDEFINED, the others are in [`crate::memory::ARGUMENTS`]. The result is a value or EXCEPTION.
pub mod function {
    /// u32: index in the function table.
    pub const CODE: u32 = 16;
    /// u32: address of the captured environment, or 0.
    pub const ENV: u32 = 20;
    /// u32: address of the [`crate::unit::function_info`] record.
    pub const INFO: u32 = 24;
    /// u32: of a class constructor, address of the shape that instances begin with which it makes as `new.target`; 0 as long
    /// as it has made none (and whenever the guest is to look again).
    pub const INSTANCES: u32 = 28;
    /// u64: home object (for `super`), bound data, or whatever the built-in keeps; UNDEFINED if nothing.
    pub const HOME: u32 = 32;
    /// Size of the cell without property slots; out-of-line slots are used for properties.
    pub const SIZE: u32 = 40;
    /// Flag: has [[Construct]].
    pub const CONSTRUCTOR: u8 = 4;
    /// Flag: class constructor: [[Call]] throws (the guest's CODE for plain calls sees to it through NEW_TARGET).
    pub const CLASS: u8 = 8;
    /// Flag: derived class constructor: `this` is EMPTY at entry.
    pub const DERIVED: u8 = 16;
}

/// Shape; all else in it is private to the guest.
pub mod shape {
    /// u16: inline capacity of ordinary objects.
    pub const INLINE_CAPACITY: u32 = 2;
    /// u32: address of the prototype of the objects, or 0. (Proxies have none here.)
    pub const PROTOTYPE: u32 = 8;
}

/// A getter and a setter.
pub mod accessor {
    /// u64: the getter, or UNDEFINED.
    pub const GET: u32 = 8;
    /// u64: the setter, or UNDEFINED.
    pub const SET: u32 = 16;
}

/// Environment: captured variables of one scope.
pub mod env {
    /// u32: address of the enclosing environment, or 0.
    pub const PARENT: u32 = 4;
    /// u64 slots begin here; u16 at 2 is their number. EMPTY marks the temporal dead zone.
    pub const SLOTS: u32 = 8;
    /// Most slots.
    pub const MAX_SLOTS: u32 = 0xFFFF;
}

/// Frame of an async function or generator: what survives a suspension. Its resume function has the Wasm type
/// `(frame: i32, mode: i32, value: i64) -> i64` and returns SUSPENDED, EXCEPTION, or the completion value.
pub mod frame {
    /// u32: where to go on; 0 at the start. Owned by compiled code.
    pub const STATE: u32 = 4;
    /// u32: function object that was called.
    pub const FUNCTION: u32 = 8;
    /// u32: resume function's index in the table.
    pub const CODE: u32 = 12;
    /// u64: the promise or generator object; owned by the guest.
    pub const OWNER: u32 = 16;
    /// u64 slots begin here, UNDEFINED at creation; u16 at 2 is their number.
    pub const SLOTS: u32 = 24;
    /// Most slots.
    pub const MAX_SLOTS: u32 = 0xFFFF;

    /// mode: go on with `value`.
    pub const NEXT: i32 = 0;
    /// mode: throw `value` at the suspension point.
    pub const THROW: i32 = 1;
    /// mode: return `value` from the suspension point, running `finally` blocks (generators only).
    pub const RETURN: i32 = 2;
}

/// Typed array with fixed-length backing; others have LENGTH 0 and go through the guest.
pub mod typed_array {
    /// u32: address of element 0.
    pub const DATA: u32 = 12;
    /// u32: length in elements.
    pub const LENGTH: u32 = 16;
    /// Element types in the order of their kinds.
    pub const TYPES: &[&str] = &[
        "Int8",
        "Uint8",
        "Uint8Clamped",
        "Int16",
        "Uint16",
        "Int32",
        "Uint32",
        "Float32",
        "Float64",
        "BigInt64",
        "BigUint64",
    ];
}

/// Inline cache of one property site, in a unit's data, all zero at first: two entries, for objects of two shapes. The first
/// word of an entry is the shape's address plus a tag that says what the second word is:
///
/// - [`OWN`](inline_cache::OWN): the offset of an own data property from the start of the object (sets: it is writable);
/// - [`HOLDER`](inline_cache::HOLDER): the address of a prototype's data property (only gets); for primitives the shape is
///   their prototype's;
/// - [`ACCESSOR`](inline_cache::ACCESSOR): the address of a prototype's [`accessor`];
/// - [`ADDITION`](inline_cache::ADDITION): the shape of an object without flags after the property was added, whose value
///   goes to the offset at WHERE of the second entry (only sites that say that they mostly add properties).
///
/// The latter three hold only while `PROTO_EPOCH == EPOCH`. If no entry fits the guest is called, which fills the cache. The
/// cache of a global variable is the word at WHERE alone: the address of its value, valid for the epoch.
pub mod inline_cache {
    /// u32: shape and tag of the first entry.
    pub const SHAPE: u32 = 0;
    /// u32: where the property is.
    pub const WHERE: u32 = 4;
    /// The second entry begins so many bytes behind the first.
    pub const SECOND: u32 = 8;
    /// u32
    pub const EPOCH: u32 = 16;
    /// u32: address of [`super::more_entry::COUNT`] entries for further shapes, or 0; filled by the guest.
    pub const MORE: u32 = 20;
    /// Size of the cache in bytes.
    pub const SIZE: u32 = 24;

    /// Tag; see above.
    pub const OWN: u32 = 0;
    /// Tag; see above.
    pub const HOLDER: u32 = 1;
    /// Tag; see above.
    pub const ACCESSOR: u32 = 2;
    /// Tag; see above.
    pub const ADDITION: u32 = 3;
}

/// Flags of an assignment to a property.
pub mod set_mode {
    /// In strict code: a refusal is an error.
    pub const STRICT: u32 = 1;
    /// The site mostly adds the property.
    pub const ADDS: u32 = 2;
}

/// What else is known at a property site, see [`inline_cache::MORE`]. An entry holds for objects of its shape, and, unless
/// its epoch is 0, only while `PROTO_EPOCH == EPOCH`.
pub mod more_entry {
    /// Entries of a cache.
    pub const COUNT: u32 = 4;
    /// Size of an entry.
    pub const SIZE: u32 = 20;
    /// u32: 0 if the entry is free.
    pub const SHAPE: u32 = 0;
    /// u32
    pub const EPOCH: u32 = 4;
    /// u32: one of the kinds below; others are private to the guest.
    pub const FOUND: u32 = 8;
    /// u32: see the kinds.
    pub const WHERE: u32 = 12;
    /// u32: see the kinds.
    pub const SLOT: u32 = 16;

    /// An own data property in an inline slot, WHERE bytes from the start of the object. (Sets: writable.)
    pub const INLINE: u32 = 0;
    /// An own data property out of line: WHERE bytes from `object::SLOTS`, unless that is 0 or the word is EMPTY; then the
    /// guest says. (Sets: writable.)
    pub const OUT_OF_LINE: u32 = 1;
    /// A data property of a prototype, at the address WHERE. (Only for gets.)
    pub const HOLDER: u32 = 2;
    /// An accessor of a prototype, an [`super::accessor`] cell at the address WHERE.
    pub const ACCESSOR: u32 = 3;
    /// The property is the number of elements of a typed array: what is at `typed_array::LENGTH`, or if that is 0, what the
    /// guest says. (Only for gets.)
    pub const ELEMENT_COUNT: u32 = 6;
    /// An assignment to an object without flags adds the property: the new shape is WHERE, the value goes to slot SLOT. (Only for sets.)
    pub const ADDITION: u32 = 5;
}
