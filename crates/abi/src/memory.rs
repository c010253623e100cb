//! The map of linear memory.
//!
//! ```text
//! 0x000000  guest's Rust stack, growing down (an overflow leaves the memory: a trap, never corruption)
//! 0x100000  cells at fixed addresses (this module)
//! 0x110000  argument buffer
//! 0x200000  guest's static data, linked there with --global-base
//!    …      units' data and the realm: the image, frozen after initialisation
//!    …      heap of one execution, up to HEAP_END
//! 0xA800000  the collector's tables
//! ```
//!
//! The memory has a fixed size ([`MEMORY_PAGES`]) and never grows; pages that nobody touches cost nothing.
//! The guest imports it as `env.memory` and exports its function table as `__indirect_function_table`.

/// Size of the guest's Rust stack in bytes: `-z stack-size`.
pub const RUST_STACK_SIZE: u32 = 0x10_0000;
/// Where the guest's static data begins: `--global-base`.
pub const GLOBAL_BASE: u32 = 0x20_0000;
/// Size of the memory in 64-KiB pages (192 MiB). The limit a function feels is [`HEAP_END`].
pub const MEMORY_PAGES: u32 = 3072;
/// Where the collector keeps its tables; no heap reaches beyond.
pub const COLLECTOR_TABLES: u32 = 0xA80_0000;

const CELLS: u32 = 0x10_0000;

/// u64: the value thrown, while a call returns [`crate::value::EXCEPTION`]. EMPTY otherwise.
pub const PENDING_EXCEPTION: u32 = CELLS;
/// u64: `new.target` for the callee about to be entered. Only written for callees whose `FunctionInfo` has
/// `USES_NEW_TARGET`; such a callee takes it at entry and writes UNDEFINED back.
pub const NEW_TARGET: u32 = CELLS + 8;
/// u32: native stack in use, in weighted bytes. A compiled function that calls others adds its weight at entry,
/// compares with [`STACK_LIMIT`] (over: `throw_stack_overflow`), and puts the old number back before it returns.
pub const STACK_DEPTH: u32 = CELLS + 16;
/// u32: largest allowed [`STACK_DEPTH`]; set by the host.
pub const STACK_LIMIT: u32 = CELLS + 20;
/// u32: next free byte of the region of the heap that is being filled; always a multiple of 8. Compiled code allocates small cells inline:
/// `p = HEAP_TOP; if p + size > HEAP_LIMIT call the runtime function instead; HEAP_TOP = p + size`.
pub const HEAP_TOP: u32 = CELLS + 24;
/// u32: end of that region; the guest finds another one or collects.
pub const HEAP_LIMIT: u32 = CELLS + 28;
/// u32: incremented whenever an object that serves as a prototype gains, loses or reconfigures a property or changes
/// its own prototype. Inline caches of prototype hits are valid for one epoch.
pub const PROTO_EPOCH: u32 = CELLS + 32;
/// u32: address of the global object.
pub const GLOBAL_OBJECT: u32 = CELLS + 36;
/// f64: the fixed clock of an execution, in milliseconds since the epoch; set by the host.
pub const TIME_MS: u32 = CELLS + 40;
/// 32 bytes: the seed of `Math.random` (ChaCha12); set by the host.
pub const RANDOM_SEED: u32 = CELLS + 48;
/// u32: what an execution may do, see [`phase`]; set by the host.
pub const PHASE: u32 = CELLS + 80;
/// u32: why the guest executed `unreachable`, see [`termination`]; 0 otherwise. Read by the host after a trap.
pub const TERMINATION: u32 = CELLS + 84;
/// u32, u32: address and byte length of what a guest export leaves for the host (see [`crate::bridge`]).
pub const RESULT: u32 = CELLS + 88;
/// u32: 0 while `Array.prototype[Symbol.iterator]`, `%ArrayIteratorPrototype%.next` and `Array.prototype`'s lack of
/// index properties are as the realm made them, so that arrays may be iterated and spread without calling them.
pub const ARRAY_ITERATION_CHANGED: u32 = CELLS + 96;
/// u64: the value of a `yield` while a generator's resume function returns SUSPENDED.
pub const YIELD_VALUE: u32 = CELLS + 104;
/// u32: shape of a fresh `[]`.
pub const ARRAY_SHAPE: u32 = CELLS + 112;
/// u32: shape of a function object created from an ordinary function, arrow or method of a unit.
pub const FUNCTION_SHAPE: u32 = CELLS + 116;
/// u32: address of `String.prototype`.
pub const STRING_PROTOTYPE: u32 = CELLS + 120;
/// u32: first byte of what is collected, all before it being roots; 0 while nothing is. Set by the host, together with the
/// four words that follow and a fresh region in [`HEAP_TOP`] and [`HEAP_LIMIT`].
pub const HEAP_START: u32 = CELLS + 0x180;
/// u32: end of what the heap may ever use.
pub const HEAP_END: u32 = CELLS + 0x184;
/// u32: end of what it has used: at first that of the fresh region.
pub const HEAP_FRONTIER: u32 = CELLS + 0x188;
/// u32: bytes allocated after a collection before it is worth to collect again, if little is alive.
pub const COLLECT_AFTER: u32 = CELLS + 0x18C;
/// u32: not 0 in tests: collections happen after at most that many bytes, and what is freed is overwritten.
pub const COLLECT_STRESS: u32 = CELLS + 0x190;
/// u32: collections so far.
pub const COLLECTIONS: u32 = CELLS + 0x194;
/// u32: not 0 once the guest has read [`TIME_MS`]; the host writes 0 before an execution.
pub const TIME_READ: u32 = CELLS + 0x198;
/// u64 each: original function objects, in the order of [`INTRINSICS`]. Compiled code that found a callee compares it
/// with one of these and, if equal, does the operation inline.
pub const INTRINSIC_TABLE: u32 = CELLS + 0x200;

/// u64[ARGUMENT_CAPACITY]: arguments from the fourth on. The caller writes `ARGUMENTS[i]` for argument `i` (so slots
/// 0–2 are unused by calls) right before the call, after all of them are evaluated; the callee copies what it needs at
/// entry, before anything else runs. Also carries the operands of variadic runtime functions, there from slot 0.
pub const ARGUMENTS: u32 = 0x11_0000;
/// Most arguments a call can have; more is `RangeError`.
pub const ARGUMENT_CAPACITY: u32 = 0x1_0000;

/// Functions that compiled code knows by identity, as `Object.property` paths from the global object.
pub const INTRINSICS: &[&str] = &[
    "Math.floor",
    "Math.ceil",
    "Math.abs",
    "Math.sqrt",
    "Math.min",
    "Math.max",
    "Math.trunc",
    "Math.round",
    "Array.prototype.push",
    "String.prototype.charCodeAt",
    "Array.isArray",
    "Number.isInteger",
    "Math.imul",
    "String.prototype.charAt",
    "Array.prototype.map",
    "Array.prototype.filter",
    "Array.prototype.forEach",
    "Array.prototype.reduce",
    "Array.prototype.some",
    "Array.prototype.every",
    "Array.prototype.find",
];

/// Values of [`PHASE`].
pub mod phase {
    /// Modules are being evaluated: no system calls; clock and randomness are those of the push.
    pub const IMPORT: u32 = 0;
    /// A query runs.
    pub const QUERY: u32 = 1;
    /// A mutation runs.
    pub const MUTATION: u32 = 2;
    /// A plain program (tests, benchmarks): no system calls, `performance.now` is real time.
    pub const PROGRAM: u32 = 3;
}

/// Values of [`TERMINATION`].
pub mod termination {
    /// The heap is full.
    pub const OUT_OF_MEMORY: u32 = 1;
    /// The guest met something it does not have; RESULT names it. The runner repeats the execution on V8.
    pub const HAND_OVER: u32 = 2;
    /// The guest's own invariant failed (a Rust panic); RESULT holds the message.
    pub const PANIC: u32 = 3;
}
