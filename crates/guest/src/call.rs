//! Calling and constructing.

use convex_wasm_abi::layout::function as abi;
use convex_wasm_abi::memory::ARGUMENT_CAPACITY;
use convex_wasm_abi::unit::function_info as info;

use crate::builtin::{NativeCode, NativeFunction, native};
use crate::cell::{Gc, kind};
use crate::error::describe;
use crate::instances;
use crate::key::PropertyKey;
use crate::memory::{NEW_TARGET, PROTO_EPOCH, STACK_DEPTH, STACK_LIMIT, set_argument};
use crate::names::keys;
use crate::object::{FunctionCell, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::Shape;
use crate::state::State;
use crate::throw::{JsResult, Throw, from_word, throw_range_error, throw_type_error};
use crate::value::Value;

/// Native stack that a built-in between two JavaScript functions may take, in bytes of [`STACK_DEPTH`]. The host's stack
/// is several times as large as the limit, so these are weights rather than sizes.
pub(crate) const NATIVE_FRAME: u32 = 512;
/// Weight of a level of recursion within a built-in.
const NESTED_FRAME: u32 = 256;
/// Rust's own stack grows down to 0; below this address a call is refused.
const RUST_STACK_RESERVE: usize = 0x1_8000;

/// Whether the value can be called.
#[inline]
pub fn is_callable(value: Value) -> bool {
    match value.as_object() {
        Some(object) => object.kind.get() == kind::FUNCTION || crate::builtins::proxy::is_callable(object),
        None => false,
    }
}

/// Whether the value can be constructed.
pub fn is_constructor(value: Value) -> bool {
    match value.as_object() {
        Some(object) if object.kind.get() == kind::FUNCTION => object.has_flag(abi::CONSTRUCTOR),
        Some(object) => crate::builtins::proxy::is_constructor(object),
        None => false,
    }
}

/// The method in `value`: `None` if undefined or null, TypeError if not callable.
pub fn as_method(value: Value) -> JsResult<Option<Object>> {
    match value.as_object() {
        Some(object) if is_callable(value) => Ok(Some(object)),
        None if value.is_nullish() => Ok(None),
        _ => Err(throw_type_error(format!("{} is not a function", describe(value)))),
    }
}

/// RangeError if the stack is nearly used up.
#[inline]
pub fn check_stack() -> JsResult<()> {
    let here = 0u8;
    if (&raw const here) as usize <= RUST_STACK_RESERVE
        || STACK_DEPTH.get() > STACK_LIMIT.get() && STACK_LIMIT.get() != 0
    {
        return Err(stack_overflow());
    }
    Ok(())
}

/// A level of recursion of a built-in; ends when it is dropped.
pub struct Level {
    depth: u32,
}

impl Drop for Level {
    #[inline]
    fn drop(&mut self) {
        STACK_DEPTH.set(self.depth);
    }
}

/// Begins a level of recursion of a built-in that may go as deep as user data do (`let _level = descend()?;`). RangeError
/// if it went too deep.
#[inline]
pub fn descend() -> JsResult<Level> {
    check_stack()?;
    let depth = STACK_DEPTH.get();
    STACK_DEPTH.set(depth + NESTED_FRAME);
    Ok(Level { depth })
}

/// A function that a built-in is about to call again and again: what is the same for every call is done once.
pub struct Callee {
    function: Value,
    /// Address and code of the function cell; `None` for proxies.
    direct: Option<(u32, NativeFunction)>,
    _level: Level,
}

impl Callee {
    /// Prepares calls of a callable. RangeError if the stack is nearly used up.
    pub fn new(function: Value) -> JsResult<Callee> {
        let level = descend()?;
        STACK_DEPTH.set(level.depth + NATIVE_FRAME);
        let cell = function.as_object().and_then(Object::as_function);
        let direct = cell.map(|cell| (cell.address(), code(cell.code.get())));
        Ok(Callee { function, direct, _level: level })
    }

    /// `function.call(this, ...arguments)`
    #[inline(always)]
    pub fn call<const COUNT: usize>(&self, this: Value, arguments: [Value; COUNT]) -> JsResult {
        let Some((address, code)) = self.direct else { return call_other(self.function, this, &arguments) };
        let first = |index: usize| if index < COUNT { arguments[index] } else { Value::UNDEFINED };
        for (index, &value) in arguments.iter().enumerate().skip(3) {
            set_argument(index as u32, value);
        }
        from_word(code(address, COUNT as u32, this, first(0), first(1), first(2)))
    }
}

/// RangeError: Maximum call stack size exceeded.
#[cold]
pub fn stack_overflow() -> Throw {
    throw_range_error("Maximum call stack size exceeded")
}

/// The function in table slot `index` with the ABI's type for callees.
#[inline(always)]
fn code(index: u32) -> NativeFunction {
    // SAFETY: function cells and records only hold table indices of functions of this type; on wasm32 a function pointer
    // is its table index.
    unsafe { core::mem::transmute::<usize, NativeFunction>(index as usize) }
}

/// `function.call(this, ...arguments)`. TypeError if it is not callable.
#[inline]
pub fn call(function: Value, this: Value, arguments: &[Value]) -> JsResult {
    match function.as_object().and_then(Object::as_function) {
        Some(cell) => call_function(cell, this, arguments),
        None => call_other(function, this, arguments),
    }
}

#[cold]
fn call_other(function: Value, this: Value, arguments: &[Value]) -> JsResult {
    check_stack()?;
    match function.as_object() {
        Some(object) if crate::builtins::proxy::is_callable(object) => {
            crate::builtins::proxy::call(object, this, arguments)
        }
        _ => Err(throw_type_error(format!("{} is not a function", describe(function)))),
    }
}

/// As [`call`], for a function known to be one.
#[inline]
pub fn call_function(function: Gc<FunctionCell>, this: Value, arguments: &[Value]) -> JsResult {
    enter(function, function.code.get(), this, arguments)
}

#[inline]
fn enter(function: Gc<FunctionCell>, code_index: u32, this: Value, arguments: &[Value]) -> JsResult {
    check_stack()?;
    let count = arguments.len() as u32;
    if count > 3 {
        if count > ARGUMENT_CAPACITY {
            return Err(throw_range_error("Maximum call stack size exceeded"));
        }
        for (index, &value) in arguments.iter().enumerate().skip(3) {
            set_argument(index as u32, value);
        }
    }
    let first = |index: usize| arguments.get(index).copied().unwrap_or(Value::UNDEFINED);
    let depth = STACK_DEPTH.get();
    STACK_DEPTH.set(depth + NATIVE_FRAME);
    let word = code(code_index)(function.address(), count, this, first(0), first(1), first(2));
    STACK_DEPTH.set(depth);
    from_word(word)
}

/// `new constructor(...arguments)` with that `new.target` (pass the constructor itself for plain `new`). TypeError if it
/// is no constructor.
pub fn construct(constructor: Value, arguments: &[Value], new_target: Value) -> JsResult<Object> {
    let Some(function) = constructor.as_object().and_then(Object::as_function) else {
        check_stack()?;
        return match constructor.as_object() {
            Some(object) if crate::builtins::proxy::is_constructor(object) => {
                crate::builtins::proxy::construct(object, arguments, new_target)
            }
            _ => Err(throw_type_error(format!("{} is not a constructor", describe(constructor)))),
        };
    };
    if !function.object().has_flag(abi::CONSTRUCTOR) {
        return Err(throw_type_error(format!("{} is not a constructor", describe(constructor))));
    }
    let record = function.info.get();
    let is_derived = function.object().has_flag(abi::DERIVED);
    let this = if function.is_native() {
        Value::UNDEFINED
    } else if is_derived {
        Value::EMPTY
    } else {
        new_instance(new_target)?.into()
    };
    if record.has(info::USES_NEW_TARGET) {
        NEW_TARGET.set(new_target);
    }
    // A class's CODE refuses plain calls; its record has the real one.
    let result = enter(function, record.code.get(), this, arguments)?;
    match result.as_object().or_else(|| this.as_object()) {
        Some(object) => {
            if new_target == constructor {
                instances::learn(object, function);
            }
            Ok(object)
        }
        None => Err(throw_type_error("Derived constructors may only return object or undefined")),
    }
}

/// OrdinaryCreateFromConstructor with `Object.prototype` as the default.
fn new_instance(new_target: Value) -> JsResult<Object> {
    let target = new_target.as_object();
    if let Some(shape) = target.and_then(Object::as_function).and_then(|class| class.instances.get()) {
        return Ok(Object::with_shape(shape));
    }
    let prototype = match target {
        Some(target) => target.get(keys::prototype())?.as_object(),
        None => None,
    };
    let prototype = prototype.unwrap_or_else(|| intrinsic(Intrinsic::ObjectPrototype));
    Ok(Object::with_shape(instances::shape(prototype, new_target)))
}

/// `value[key](...arguments)` on any value: GetV and Call.
pub fn invoke(value: Value, key: PropertyKey, arguments: &[Value]) -> JsResult {
    let method = crate::convert::get_value(value, key)?;
    if !is_callable(method) {
        return Err(throw_type_error(format!("{} is not a function", key.display())));
    }
    call(method, value, arguments)
}

/// Code of class constructors for plain calls: always throws.
pub const CLASS_CALLED: NativeCode = native(|cx| {
    let name = cx.callee.object().function_name();
    let which = if name.is_empty() { "constructors".to_owned() } else { format!("constructor {name}") };
    Err(throw_type_error(format!("Class {which} cannot be invoked without 'new'")))
});

/// `value instanceof class`
pub fn instance_of(value: Value, class: Value) -> JsResult<bool> {
    let Some(object) = class.as_object() else {
        return Err(throw_type_error("Right-hand side of 'instanceof' is not an object"));
    };
    if object.kind.get() == kind::FUNCTION && tests_ordinarily(object) {
        return ordinary_instance_of(class, value);
    }
    let method = object.get(crate::symbol::has_instance().into())?;
    if !method.is_nullish() && method != Value::from(intrinsic(Intrinsic::HasInstance)) {
        return Ok(crate::convert::to_boolean(call(method, class, &[value])?));
    }
    if !is_callable(class) {
        return Err(throw_type_error("Right-hand side of 'instanceof' is not callable"));
    }
    ordinary_instance_of(class, value)
}

/// Whether `instanceof` of the function is known to reach the original `Function.prototype[Symbol.hasInstance]`, which is
/// found out once for the functions of a shape and an epoch of the prototypes.
fn tests_ordinarily(class: Object) -> bool {
    static KNOWN: State<Option<(Shape, u32)>> = State::new(None);
    let (shape, epoch) = (class.shape(), PROTO_EPOCH.get());
    if KNOWN.with(|known| *known == Some((shape, epoch))) {
        return true;
    }
    let is_ordinary = !shape.is_dictionary()
        && shape.prototype() == Some(intrinsic(Intrinsic::FunctionPrototype))
        && shape.find(crate::symbol::has_instance().into()).is_none();
    if is_ordinary {
        KNOWN.with(|known| *known = Some((shape, epoch)));
    }
    is_ordinary
}

/// OrdinaryHasInstance.
pub fn ordinary_instance_of(class: Value, value: Value) -> JsResult<bool> {
    let Some(class) = class.as_object().filter(|_| is_callable(class)) else { return Ok(false) };
    if let Some(target) = crate::builtins::function::bound_target(class) {
        return instance_of(value, target);
    }
    let Some(object) = value.as_object() else { return Ok(false) };
    let prototype = class.get(keys::prototype())?;
    let Some(wanted) = prototype.as_object() else {
        return Err(throw_type_error(format!(
            "Function has non-object prototype '{}' in instanceof check",
            crate::error::safe_to_string(prototype)
        )));
    };
    let mut current = object.get_prototype_of()?;
    while let Some(ancestor) = current {
        if ancestor == wanted {
            return Ok(true);
        }
        current = ancestor.get_prototype_of()?;
    }
    Ok(false)
}
