//! How built-in functions are written and registered; see the crate's documentation for an example.

use convex_wasm_abi::unit::function_info as info;

use crate::cell::Gc;
use crate::key::PropertyKey;
use crate::memory::{NEW_TARGET, argument};
use crate::names;
use crate::object::{AccessorCell, Attributes, FunctionCell, Object, new_native_function};
use crate::realm::{Intrinsic, global, intrinsic};
use crate::throw::{JsResult, to_word};
use crate::value::Value;

/// What a built-in function is called with.
pub struct CallContext<'a> {
    /// The function object itself; its `home` is the built-in's to use.
    pub callee: Gc<FunctionCell>,
    /// `this`, not coerced.
    pub this: Value,
    /// `new.target`; UNDEFINED unless the function was registered as a constructor and is being constructed.
    pub new_target: Value,
    /// All arguments that were passed.
    pub arguments: &'a [Value],
}

impl CallContext<'_> {
    /// Argument `index`, UNDEFINED if it was not passed.
    #[inline(always)]
    pub fn arg(&self, index: usize) -> Value {
        self.arguments.get(index).copied().unwrap_or(Value::UNDEFINED)
    }

    /// The arguments from `index` on.
    pub fn rest(&self, index: usize) -> &[Value] {
        self.arguments.get(index..).unwrap_or(&[])
    }

    /// Whether this is `new F(…)` (or `super(…)`) rather than a plain call.
    pub fn is_construct(&self) -> bool {
        !self.new_target.is_undefined()
    }

    /// GetPrototypeFromConstructor: the prototype for the object to create: `new.target.prototype`, or the intrinsic.
    pub fn new_prototype(&self, default: Intrinsic) -> JsResult<Object> {
        let Some(new_target) = self.new_target.as_object() else { return Ok(intrinsic(default)) };
        if new_target == self.callee.object() {
            return Ok(intrinsic(default));
        }
        Ok(new_target.get(names::keys::prototype())?.as_object().unwrap_or_else(|| intrinsic(default)))
    }
}

/// The code of a built-in, with the calling convention of the ABI.
#[derive(Clone, Copy)]
pub struct NativeCode(NativeFunction);

/// The type of every function in the table.
pub type NativeFunction = extern "C" fn(u32, u32, Value, Value, Value, Value) -> Value;

impl NativeCode {
    /// Its index in the function table.
    pub fn index(self) -> u32 {
        self.0 as usize as u32
    }
}

/// Makes the code of a built-in from a plain `fn` item (or a closure that captures nothing).
pub const fn native<F: Fn(&CallContext) -> JsResult + Copy>(_: F) -> NativeCode {
    const { assert!(core::mem::size_of::<F>() == 0, "a function item, not a pointer") };
    NativeCode(enter::<F>)
}

/// As [`native`], for constructors: they see `new.target`.
pub const fn native_constructor<F: Fn(&CallContext) -> JsResult + Copy>(_: F) -> NativeCode {
    const { assert!(core::mem::size_of::<F>() == 0, "a function item, not a pointer") };
    NativeCode(enter_constructor::<F>)
}

extern "C" fn enter<F: Fn(&CallContext) -> JsResult + Copy>(
    function: u32,
    count: u32,
    this: Value,
    a0: Value,
    a1: Value,
    a2: Value,
) -> Value {
    call_native::<F>(function, count, this, Value::UNDEFINED, [a0, a1, a2])
}

extern "C" fn enter_constructor<F: Fn(&CallContext) -> JsResult + Copy>(
    function: u32,
    count: u32,
    this: Value,
    a0: Value,
    a1: Value,
    a2: Value,
) -> Value {
    let new_target = NEW_TARGET.get();
    NEW_TARGET.set(Value::UNDEFINED);
    call_native::<F>(function, count, this, new_target, [a0, a1, a2])
}

#[inline(always)]
fn call_native<F: Fn(&CallContext) -> JsResult + Copy>(
    function: u32,
    count: u32,
    this: Value,
    new_target: Value,
    first: [Value; 3],
) -> Value {
    // SAFETY: `F` has no size, as `native` asserts, so it has exactly one value.
    let body: F = unsafe { core::mem::zeroed() };
    // SAFETY: the ABI passes the address of the callee.
    let callee = unsafe { Gc::<FunctionCell>::from_address(function) };
    if count <= 3 {
        let arguments = &first[..count as usize];
        return to_word(body(&CallContext { callee, this, new_target, arguments }));
    }
    let listed = |index: usize| first.get(index).copied().unwrap_or_else(|| argument(index as u32));
    with_list(count as usize, listed, |arguments| to_word(body(&CallContext { callee, this, new_target, arguments })))
}

/// Values in memory that needs no allocation.
const FEW: usize = 8;

/// Hands a list of values to `body`, on the stack if they are few.
#[inline]
pub fn with_list<R>(count: usize, value: impl Fn(usize) -> Value, body: impl FnOnce(&[Value]) -> R) -> R {
    if count <= FEW {
        let mut list = [Value::UNDEFINED; FEW];
        for (index, place) in list.iter_mut().enumerate().take(count) {
            *place = value(index);
        }
        return body(&list[..count]);
    }
    body(&(0..count).map(value).collect::<Vec<_>>())
}

/// One line of a table of methods: name, `length`, code.
pub type Method = (&'static str, u32, NativeCode);

/// Defines methods (writable, configurable, not enumerable). A name `@@iterator` means the well-known symbol.
pub fn methods(target: Object, table: &[Method]) {
    for &(name, length, code) in table {
        method(target, name, length, code);
    }
}

/// Defines one method and answers its function object.
pub fn method(target: Object, name: &str, length: u32, code: NativeCode) -> Object {
    let (key, display) = method_key(name);
    let function = new_native_function(&display, length, code, info::METHOD).object();
    target.define(key, function.into(), Attributes::HIDDEN);
    function
}

/// The key that `name` stands for in tables, and the `name` property of a method with it.
fn method_key(name: &str) -> (PropertyKey, String) {
    match name.strip_prefix("@@").and_then(crate::symbol::well_known_named) {
        Some(symbol) => (
            symbol.into(),
            format!("[{}]", symbol.descriptive_string().trim_start_matches("Symbol(").trim_end_matches(')')),
        ),
        None => (PropertyKey::from_text(name), name.to_owned()),
    }
}

/// A function object that is no property of anything: `(name, length, code)`. `home` is free for the built-in's data.
pub fn function(name: &str, length: u32, code: NativeCode) -> Gc<FunctionCell> {
    new_native_function(name, length, code, info::METHOD)
}

/// Defines an accessor (configurable, not enumerable) with an optional setter. `name` as in [`methods`].
pub fn accessor(target: Object, name: &str, getter: NativeCode, setter: Option<NativeCode>) {
    let (key, display) = method_key(name);
    let get = new_native_function(&format!("get {display}"), 0, getter, info::METHOD);
    let set = match setter {
        Some(code) => new_native_function(&format!("set {display}"), 1, code, info::METHOD).into(),
        None => Value::UNDEFINED,
    };
    let cell = Value::internal(AccessorCell::new(get.into(), set));
    target.add_slot(key, cell, Attributes::ACCESSOR.with(Attributes::CONFIGURABLE));
}

/// Defines getters (configurable, not enumerable): name and code.
pub fn getters(target: Object, table: &[(&str, NativeCode)]) {
    for &(name, code) in table {
        accessor(target, name, code, None);
    }
}

/// Creates a constructor, links it with its prototype object, and makes it a global. `code` comes from
/// [`native_constructor`]; it throws by itself if it must not be called plainly (see [`require_new`]).
pub fn constructor(name: &str, length: u32, code: NativeCode, prototype: Object) -> Object {
    let function = new_native_function(name, length, code, info::CONSTRUCTOR | info::USES_NEW_TARGET).object();
    function.define(names::prototype(), prototype.into(), Attributes::NONE);
    prototype.define(names::constructor(), function.into(), Attributes::HIDDEN);
    global().define(name, function.into(), Attributes::HIDDEN);
    function
}

/// TypeError "Constructor X requires 'new'" unless constructing.
pub fn require_new(cx: &CallContext, name: &str) -> JsResult<()> {
    if cx.is_construct() {
        return Ok(());
    }
    Err(crate::throw::throw_type_error(format!("Constructor {name} requires 'new'")))
}

/// Defines `target[Symbol.toStringTag]`.
pub fn to_string_tag(target: Object, tag: &str) {
    target.define(crate::symbol::to_string_tag(), tag.into(), Attributes::CONFIGURABLE);
}

/// Defines constants (not writable, enumerable or configurable).
pub fn constants(target: Object, table: &[(&str, Value)]) {
    for &(name, value) in table {
        target.define(name, value, Attributes::NONE);
    }
}

/// SetterThatIgnoresPrototypeProperties: a setter of a prototype that makes properties of what inherits from it.
pub fn set_ignoring_prototype(cx: &CallContext, home: Intrinsic, key: PropertyKey) -> JsResult {
    let name = key.display();
    let Some(object) = cx.this.as_object() else {
        return Err(crate::throw::throw_type_error(format!("Setter of '{name}' called on non-object")));
    };
    if object == intrinsic(home) {
        return Err(crate::throw::throw_type_error(format!(
            "Cannot assign to read only property '{name}' of object '[object Object]'"
        )));
    }
    if object.has_own_property(key)? {
        object.set(key, cx.arg(0))?;
    } else {
        object.create_data_or_throw(key, cx.arg(0))?;
    }
    Ok(Value::UNDEFINED)
}
