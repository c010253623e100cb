//! A unit: the Wasm module of one JavaScript module.
//!
//! Imports: `env.memory`, `env.table` (the guest's `__indirect_function_table`), immutable i32 globals `env.data_base` and `env.table_base`,
//! and functions `rt.<name>` from [`crate::functions`]. One active data segment at `data_base` and one active element
//! segment at `table_base`. Element 0 is the module's body (function type of [`crate::layout::function`]), evaluated once.
//! Nothing else is exported. So a unit's bytes do not depend on where or beside what it is placed.
//!
//! The data begins with a header of u32 words; offsets are relative to `data_base`:

/// Must be [`crate::ABI_VERSION`].
pub const VERSION: u32 = 0;
/// Offset of the constants: u64 each, filled by `link_unit` from their descriptors, roots ever after.
pub const CONSTANTS: u32 = 4;
/// Number of constants.
pub const CONSTANT_COUNT: u32 = 8;
/// Offset of the constant descriptors, one behind the other without padding; see [`constant`].
pub const CONSTANT_DESCRIPTORS: u32 = 12;
/// Offset of the function records; see [`function_info`].
pub const FUNCTIONS: u32 = 16;
/// Number of function records.
pub const FUNCTION_COUNT: u32 = 20;
/// Offset of the literal shapes: u32 each, filled by `link_unit`: the shape of a fresh ordinary object (prototype
/// `Object.prototype`, inline capacity `max(count, MIN_INLINE_CAPACITY)`) that got these keys in this order, all in
/// inline slots 0, 1, 2….
pub const SHAPES: u32 = 24;
/// Most keys of a literal shape. Objects of that many properties still share their shapes, which additions never change.
pub const MAX_SHAPE_KEYS: u32 = 64;
/// Number of literal shapes.
pub const SHAPE_COUNT: u32 = 28;
/// Offset of the shape descriptors: u32 count, then u32 constant index of each key; one behind the other, 4-aligned.
pub const SHAPE_DESCRIPTORS: u32 = 32;
/// Offset of the module's bindings: u64 each, initial word written by the compiler (EMPTY for let/const/class,
/// UNDEFINED for var and functions). Roots.
pub const BINDINGS: u32 = 36;
/// Number of bindings.
pub const BINDING_COUNT: u32 = 40;
/// Offset of the import slots: u32 each, the *address* of the exporter's binding, written by the host before
/// evaluation. Namespace imports point at a u64 that the host obtained from the guest's `make_namespace`.
pub const IMPORTS: u32 = 44;
/// Number of import slots.
pub const IMPORT_COUNT: u32 = 48;
/// Offset of the inline caches, [`crate::layout::inline_cache::SIZE`] bytes each.
pub const CACHES: u32 = 52;
/// Number of inline caches.
pub const CACHE_COUNT: u32 = 56;
/// Size of the whole data segment in bytes, a multiple of 8.
pub const SIZE: u32 = 60;
/// Offset of the hoisted functions: u32 index of a binding, u32 number of a function; the function declarations of the module,
/// whose function objects are in their bindings before any module is evaluated.
pub const HOISTED: u32 = 64;
/// Number of hoisted functions.
pub const HOISTED_COUNT: u32 = 68;
/// Size of the header.
pub const HEADER_SIZE: u32 = 72;

/// Constant descriptors: a tag byte, then its payload.
pub mod constant {
    /// u32 length, Latin-1 bytes: a string, interned (it may be used as a property key if it is no array index).
    pub const LATIN1: u8 = 1;
    /// u32 length in units, little-endian u16 units, unaligned: a string, interned.
    pub const UTF16: u8 = 2;
    /// u32 length, ASCII decimal digits with optional sign: a BigInt.
    pub const BIGINT: u8 = 3;
    /// u32 length, UTF-8 text: a fresh private name. The text is its description without `#`, and for a method or accessor, what
    /// errors say of receivers without it: NUL, [`INSTANCE`] or [`STATIC`], and the name of the class.
    pub const PRIVATE_NAME: u8 = 4;
    /// Of a private method: it is one of instances.
    pub const INSTANCE: char = 'i';
    /// Of a private method: it is one of the class.
    pub const STATIC: char = 's';
    /// u32 count, then `count` u32 constant indices of cooked strings (0xFFFF_FFFF: undefined) and `count` of raw
    /// strings: the frozen template object of a tagged template site.
    pub const TEMPLATE: u8 = 5;
    /// u32 length, name: a well-known symbol, e.g. `iterator`, `asyncIterator`, `toPrimitive`.
    pub const WELL_KNOWN_SYMBOL: u8 = 6;
    /// u32 constant indices of pattern and flags: a regular expression literal, to be compiled when the unit is linked.
    /// The constant itself is never read.
    pub const REGEXP: u8 = 7;
}

/// Static facts of a function, 32 bytes.
pub mod function_info {
    /// u32: constant index of the name in the segment; replaced by the string's address when linked.
    pub const NAME: u32 = 0;
    /// u32: the `length` property.
    pub const LENGTH: u32 = 4;
    /// u32: flags below.
    pub const FLAGS: u32 = 8;
    /// u32: element index of the code, relative in the segment; absolute when linked.
    pub const CODE: u32 = 12;
    /// u32, u32: byte range of the function's source text in the module, for `toString` (the host answers it).
    pub const SOURCE_START: u32 = 16;
    /// End of the range.
    pub const SOURCE_END: u32 = 20;
    /// u32: index of the unit, written when linked.
    pub const UNIT: u32 = 24;
    /// u32: number of the function's first point in the unit: its start, then its suspension points by state. So the
    /// number also says which function it is.
    pub const FIRST_POINT: u32 = 28;
    /// Size of the record.
    pub const SIZE: u32 = 32;

    /// Has [[Construct]] and a `prototype` property (ordinary functions, classes).
    pub const CONSTRUCTOR: u32 = 1;
    /// Class constructor.
    pub const CLASS: u32 = 2;
    /// Derived class constructor.
    pub const DERIVED: u32 = 4;
    /// Takes NEW_TARGET at entry.
    pub const USES_NEW_TARGET: u32 = 8;
    /// Async function, arrow or method.
    pub const ASYNC: u32 = 16;
    /// Generator (with ASYNC: async generator); has a `prototype` property but no [[Construct]].
    pub const GENERATOR: u32 = 32;
    /// Arrow function or method: no `prototype`.
    pub const ARROW: u32 = 64;
    /// Method, getter or setter: no `prototype`, no [[Construct]].
    pub const METHOD: u32 = 128;
    /// Strict mode; a sloppy function coerces `this` itself at entry with `sloppy_this`.
    pub const STRICT: u32 = 256;
    /// From this bit on: how many properties the function, as a constructor, probably gives to `this`; those of superclasses
    /// not counted. 255: or more.
    pub const PROPERTIES_SHIFT: u32 = 24;
}
