//! The JavaScript runtime inside Wasm.
//!
//! Compiled modules (*units*) import its `rt_*` functions, the host calls the functions of [`bridge`]; both contracts are
//! in `convex_wasm_abi`. One thread, one realm, no clock, no randomness, no file: all of that comes from the host.
//!
//! # Where things are
//! - The heap: [`value`] NaN-boxed words · [`cell`] cells and references · [`heap`] the heap · [`collector`] what makes memory free again · [`memory`] fixed cells.
//! - Names: [`string`], [`symbol`], [`bigint`], [`key`] property keys, [`names`] those needed all the time.
//! - Objects: [`shape`] hidden classes · [`object`] internal methods of all kinds · [`inline_cache`] property sites ·
//!   [`instances`] sizes of class instances · [`copy_properties`] spread and rest · [`private`] private names.
//! - The language: [`call`], [`throw`], [`error`], [`convert`] · [`iterate`], [`for_in`], [`async_iterate`] · [`promise`] with the
//!   microtask queue, [`frame`] and [`generator`] for what suspends, [`delegate`] for `yield*`, [`dispose`] for `using`.
//! - The library: [`realm`] intrinsic objects, [`builtin`] how functions are registered, [`builtins`] all of them.
//! - The borders: [`exports`] what compiled code calls, [`link`] units becoming part of the program · [`bridge`] what the host
//!   calls, [`host`] and [`operations`] what it answers, [`failure`] errors on the way, [`describe`] exports for analysis.
//!
//! # How to write a built-in
//! A built-in is a plain function from a call to a result, listed in a table; `install` of its file runs once at boot:
//!
//! ```text
//! fn at(cx: &CallContext) -> JsResult {
//!     let string = this_string(cx, "String.prototype.at")?;       // cx.this, cx.arg(0), cx.arguments, cx.new_target
//!     let index = to_integer_or_infinity(cx.arg(0))?;             // everything that may throw: `?`
//!     …
//!     Ok(JsString::from_unit(unit).into())                        // Value: From<bool, i32, u32, f64, &str, JsString, Object, Gc<T>>
//! }
//!
//! const METHODS: &[Method] = &[("at", 1, native(at)), ("@@iterator", 0, native(iterator))];
//!
//! pub(crate) fn install() {
//!     let prototype = intrinsic(Intrinsic::StringPrototype);      // exists already, or is made now
//!     let constructor = constructor("String", 1, native_constructor(construct), prototype);   // also a global
//!     methods(prototype, METHODS);
//!     getters(prototype, &[("size", native(size))]);
//!     to_string_tag(prototype, "String");
//! }
//! ```
//!
//! - **Throwing**: `return Err(throw_type_error("…"))`. Catching: `match … { Err(thrown) => thrown.take() }` gives the value.
//! - **Calling**: `call(f, this, &[a, b])?`, `construct(f, &[..], f)?`, `object.invoke(key, &[..])?`. No allocation.
//! - **Properties**: `object.get(key)?`, `set`, `delete`, `has_property`, `own_keys`, `get_own_property`, `define_own_property`,
//!   `create_data_or_throw`; on primitives `get_value(value, key)?`. Keys: `keys::length()` for names in [`names`] (add yours
//!   there if it is hot), `PropertyKey::from("x")`, an index `7u32.into()`, a symbol `symbol::iterator().into()`.
//!   Arrays: `object.as_array()` gives the dense elements without asking (`is_plain`, `element`, `push`, `dense`).
//! - **Own kinds of objects**: a `repr(C)` struct that begins with `header: ObjectHeader`, then private fields (`Cell`s, or
//!   [`state::State`] for collections); `unsafe impl ObjectKind` with a number from [`cell::kind`];
//!   `Gc::new(MapObject { header: ObjectHeader::new::<MapObject>(prototype), … })`; `value.as_kind::<MapObject>()` to get it back;
//!   the prototype of a subclass: `cx.new_prototype(Intrinsic::MapPrototype)?`. Different internal methods: implement
//!   [`object::exotic::Exotic`] and add the kind to `exotic::methods`.
//! - **Iterating**: `iterate(value, |item| { …; Ok(true) })?` closes the iterator when told `false` or an error;
//!   `IteratorRecord::open/step/close` by hand; `new_iterator_result(value, done)`.
//! - **Promises**: `PromiseObject::pending()`, `promise.resolve(v)`, `promise.reject(v)`, `promise::resolved(v)?`,
//!   `promise.then_native(data, |data, outcome| …)`, [`promise::capability::Capability`] for any constructor,
//!   [`operations::enqueue_operation`] for asynchronous host calls, [`host::operation`] for synchronous ones.
//! - **Data of a function object**: `function(name, length, code)` then `.home.set(value)`; read it as `cx.callee.home`.
//! - **Recursion** as deep as user data go: `let _level = call::descend()?;`, so that it ends in a RangeError.
//! - **Missing things**: [`throw::hand_over`] ends the execution; it runs again on V8.

pub mod async_iterate;
pub mod bigint;
pub mod bridge;
pub mod builtin;
pub mod builtins;
pub mod call;
pub mod cell;
pub mod collector;
pub mod convert;
pub mod copy_properties;
pub mod delegate;
pub mod describe;
pub mod dispose;
pub mod error;
pub mod exports;
pub mod failure;
pub mod for_in;
pub mod frame;
pub mod function_source;
pub mod generator;
pub mod heap;
pub mod host;
pub mod inline_cache;
pub mod instances;
pub mod iterate;
pub mod key;
pub mod link;
pub mod memory;
pub mod message;
mod modules;
pub mod names;
pub mod object;
pub mod operations;
pub mod private;
pub mod promise;
pub mod realm;
pub mod realm_shapes;
pub mod shape;
pub mod stack;
pub mod state;
pub mod string;
pub mod symbol;
pub mod throw;
pub mod value;
