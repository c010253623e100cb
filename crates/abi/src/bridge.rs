//! How host and guest call each other.
//!
//! ## Guest exports (called by the host; all may trap)
//!
//! | export | meaning |
//! | --- | --- |
//! | `boot()` | builds the realm; once, before everything else |
//! | `allocate(bytes: i32) -> i32` | 8-aligned memory from the heap, for what the host writes: unit data, arguments, results |
//! | `link_unit(data_base: i32, table_base: i32, unit: i32)` | fills constants, shapes and function records of an instantiated unit |
//! | `make_namespace(address: i32, length: i32) -> i32` | creates a module namespace object; the bytes are repeated `u32 name length, u32 binding address, UTF-8 name`, sorted by name; answers the address of a u64 that holds it |
//! | `evaluate(code: i32) -> i32` | runs a module body (absolute table index) and drains microtasks: DONE or FAILED |
//! | `describe(address: i32) -> i32` | for the binding at `address`: DONE with JSON of what Convex's analysis needs, see below |
//! | `invoke(address: i32, name: i32, name_length: i32, args: i32, args_length: i32) -> i32` | calls the method `name` (UTF-8) of the object in the binding at `address` with one string argument (UTF-8), drains microtasks, answers a [`status`] |
//! | `resume(address: i32, length: i32) -> i32` | settles operations of the last batch with [`RESULT_HEADER`] records, in the order given, drains microtasks after each, answers a [`status`] |
//!
//! After DONE, FAILED, HAND_OVER: `RESULT` holds address and length of UTF-8 text. DONE of `invoke`: the string the promise
//! (or the plain call) yielded. FAILED: JSON
//! `{"name","message","stack":[word,…] (a trace, see [`stack_frame`]),"text":"Error: message" (what String(error) gives),
//! "data": string or absent (ConvexError's JSON text)}`. After PENDING: the batch, repeated
//! [`OPERATION_HEADER`] records. STUCK: nothing pending and the promise not settled.
//!
//! `describe` answers `{"kind":"query"|"mutation"|"action"|"httpAction"|"other", "visibility":"public"|"internal"|null,
//! "args":string|null, "returns":string|null, "isRouter":bool, "isCrons":bool, "isSchema":bool, "export":string|null
//! (result of calling `export()` if it is a function and the value is schema, crons or app definition, of `getRoutes()` if it
//! is a router),
//! "handler":{"unit","start"}|null}`.
//!
//! ## Guest imports (module `host`)
//!
//! | import | meaning |
//! | --- | --- |
//! | `call(op: i32, address: i32, length: i32) -> i32` | a synchronous operation of [`op`]; answers the byte length of its reply, or −1−length when the reply is an error to throw (JSON `{"code","message"}`) |
//! | `take(address: i32)` | copies the reply of the last `call` that was not taken yet to memory |
//! | `capture_stack(address: i32, capacity: i32) -> i32` | writes up to `capacity` frames (see [`stack_frame`]), innermost first, leaving out the guest's own; answers their number. The guest's first call when it boots has capacity 0: the host looks at how a stack is laid out |

/// Results of guest exports.
pub mod status {
    /// Finished; RESULT holds the value.
    pub const DONE: u32 = 0;
    /// Waiting for host operations; RESULT holds the batch.
    pub const PENDING: u32 = 1;
    /// Threw; RESULT holds the error.
    pub const FAILED: u32 = 2;
    /// The promise can never settle.
    pub const STUCK: u32 = 3;
    /// Not answerable here; RESULT names the built-in that is missing. (A hand-over deep in a call is a trap with
    /// `termination::HAND_OVER` instead.)
    pub const HAND_OVER: u32 = 4;
}

/// Operations of `host.call`.
pub mod op {
    /// `Convex.syscall`: u32 length of the name, name, JSON argument. Reply: JSON text.
    pub const SYSCALL: u32 = 1;
    /// `process.env[name]`: the name. Reply: empty if unset, else `=` and the value.
    pub const ENV_GET: u32 = 2;
    /// A console line: u8 level (0 debug, 1 log, 2 info, 3 warn, 4 error), then the formatted UTF-8 message. Empty reply.
    pub const LOG: u32 = 3;
    /// Text of a trace (see [`super::stack_frame`]). Reply: `\n    at name (convex:/module.js:line:column)` each.
    pub const FORMAT_STACK: u32 = 4;
    /// Source text: u32 unit, u32 start, u32 end. Reply: UTF-8.
    pub const SOURCE_TEXT: u32 = 5;
    /// Real time in nanoseconds as 8 bytes (phase PROGRAM only, for `performance.now`).
    pub const MONOTONIC_NOW: u32 = 6;
    /// Names of all environment variables as a JSON array.
    pub const ENV_NAMES: u32 = 7;
    /// For the collector: u32 start, u32 end. Reply: u32 each, ascending: the addresses in that range that stand anywhere on the
    /// guest's native stack, as 32-bit words or as native addresses of the memory.
    pub const STACK_REFERENCES: u32 = 8;
    /// For the collector: u32 start, u32 end. Reply: (u32 start, u32 end) each: runs of pages in that range that were, or may have
    /// been, written since the memory was mapped. Pages it leaves out are as in the image.
    pub const WRITTEN_PAGES: u32 = 9;
}

/// A frame of a stack trace: two u32 words, of which the first has a kind in its upper bits and a unit's index in the
/// lower [`UNIT_BITS`](stack_frame::UNIT_BITS). The guest keeps what the host gave it, does not look at it, and never shows it to programs.
pub mod stack_frame {
    /// Bits of the unit's index.
    pub const UNIT_BITS: u32 = 28;
    /// Kind: the second word is an offset in the unit's Wasm.
    pub const WASM: u32 = 0;
    /// Kind: the second word is a return address, as an offset in the unit's native code.
    pub const NATIVE: u32 = 1;
    /// Kind: an async function that waits; the second word is the number of the point (see
    /// [`FIRST_POINT`](crate::unit::function_info::FIRST_POINT)) where it is suspended.
    pub const SUSPENDED: u32 = 2;
    /// Kind: `Promise.all`, which waits for the element that the second word is the index of.
    pub const PROMISE_ALL: u32 = 3;
    /// Kind: as before, `Promise.allSettled`.
    pub const PROMISE_ALL_SETTLED: u32 = 4;
    /// Kind: as before, `Promise.any`.
    pub const PROMISE_ANY: u32 = 5;

    /// Words before the frames of a trace: most frames to show (of JavaScript functions, which may have several frames of
    /// Wasm), then unit and first point of a function: frames down to its innermost are left out. Unit [`WHOLE`] for none.
    pub const HEADER_WORDS: usize = 3;
    /// See [`HEADER_WORDS`].
    pub const WHOLE: u32 = u32::MAX;
}

/// Record of a batch: u32 operation id, u32 name length, u32 argument length, then name and argument (UTF-8), padded to
/// a multiple of 4. Ids rise by one in the order of issue.
pub const OPERATION_HEADER: u32 = 12;

/// Record of a reply: u32 operation id, u32 failed (0 or 1), u32 length, then UTF-8, padded to a multiple of 4: the JSON
/// text the promise is resolved with, or `{"message","data"?,"code"?}` it is rejected with as an `Error` that has `data`.
pub const RESULT_HEADER: u32 = 12;

/// Words of an import slot that stand for no binding or namespace; only slots of `import()` have them.
pub mod import {
    /// The specifier names no module.
    pub const MISSING: u32 = 0;
    /// The module, or one that it imports, lacks something that is imported from it.
    pub const UNLINKABLE: u32 = 1;
}
