//! Literals, functions, classes.

use convex_wasm_abi::layout::{env, function as function_abi, kind};
use convex_wasm_abi::unit::function_info as info;

use super::properties::site;
use super::{cell, name};
use crate::builtins::string::iterator::spread_directly;
use crate::call::{is_callable, is_constructor};
use crate::cell::Gc;
use crate::convert::{get_value, to_object, to_property_key};
use crate::copy_properties;
use crate::error::describe;
use crate::heap;
use crate::inline_cache::InlineCache;
use crate::iterate::{IteratorRecord, iterates_plainly};
use crate::key::PropertyKey;
use crate::memory::{argument, arguments};
use crate::names::{self, keys};
use crate::object::{
    ArrayCell, Attributes, FunctionCell, FunctionRecord, Object, PropertyDescriptor, map_arguments, new_arguments,
};
use crate::realm::{Intrinsic, intrinsic};
use crate::realm_shapes;
use crate::shape::ShapeCell;
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error, to_status, to_word};
use crate::value::Value;

#[unsafe(no_mangle)]
extern "C" fn rt_new_object() -> Value {
    Object::new().into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_literal(shape: u32, count: u32) -> Value {
    let object = Object::with_shape(cell::<ShapeCell>(shape));
    for slot in 0..count {
        object.set_slot(slot, argument(slot));
    }
    object.into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_array(count: u32) -> Value {
    ArrayCell::from_slice(arguments(count)).into()
}

fn array(value: Value) -> Gc<ArrayCell> {
    // Compiled code only passes arrays it made itself.
    cell(value.payload())
}

#[unsafe(no_mangle)]
extern "C" fn rt_array_append(target: Value, value: Value) {
    array(target).push(value);
}

#[unsafe(no_mangle)]
extern "C" fn rt_array_spread(target: Value, iterable: Value, name_address: u32) -> i32 {
    let target = array(target);
    if append_plainly(target, iterable) {
        return 0;
    }
    let record = IteratorRecord::open_for_code(iterable, name(name_address));
    to_status(record.and_then(|record| record.drain_into(target)))
}

#[unsafe(no_mangle)]
extern "C" fn rt_arguments_spread(target: Value, iterable: Value, name_address: u32) -> i32 {
    let target = array(target);
    if append_plainly(target, iterable) {
        return 0;
    }
    let name = name(name_address).map(JsString::to_text).unwrap_or_default();
    to_status(open_arguments(iterable, &name).and_then(|record| record.drain_into(target)))
}

fn append_plainly(target: Gc<ArrayCell>, iterable: Value) -> bool {
    if let Some(string) = iterable.as_string() {
        return spread_directly(string, target);
    }
    iterates_plainly(iterable)
        && iterable
            .as_kind::<ArrayCell>()
            .filter(|source| !source.is_sparse())
            .is_some_and(|source| target.append_packed(source.dense()))
}

/// GetIterator with the messages of a call's last argument.
fn open_arguments(iterable: Value, name: &str) -> JsResult<Gc<IteratorRecord>> {
    if iterable.is_nullish() {
        let what = if iterable.is_null() { "null" } else { "undefined" };
        return Err(throw_type_error(format!("{name} is not iterable (cannot read property {what})")));
    }
    let method = get_value(iterable, crate::symbol::iterator().into())?;
    if !is_callable(method) {
        return Err(throw_type_error("Spread syntax requires ...iterable[Symbol.iterator] to be a function"));
    }
    IteratorRecord::from_method(iterable, method)
}

#[unsafe(no_mangle)]
extern "C" fn rt_object_spread(target: Value, source: Value) -> i32 {
    let Some(target) = target.as_object() else { return 0 };
    to_status(copy_properties::spread(target, source))
}

/// As many excluded keys need no memory.
const FEW_KEYS: usize = 8;

#[unsafe(no_mangle)]
extern "C" fn rt_object_rest(source: Value, excluded: u32) -> Value {
    let rest = || {
        // Property keys already: nothing is called that could overwrite the argument buffer.
        let mut keys = [keys::empty(); FEW_KEYS];
        if excluded as usize <= FEW_KEYS {
            for index in 0..excluded {
                keys[index as usize] = to_property_key(argument(index))?;
            }
            return Ok(copy_properties::rest(source, &keys[..excluded as usize])?.into());
        }
        let excluded = (0..excluded).map(|index| to_property_key(argument(index))).collect::<JsResult<Vec<_>>>()?;
        Ok(copy_properties::rest(source, &excluded)?.into())
    };
    to_word(rest())
}

#[unsafe(no_mangle)]
extern "C" fn rt_define_field(object: Value, key: Value, value: Value, cache: u32) -> i32 {
    define_field(object, key, value, cache, false)
}

#[unsafe(no_mangle)]
extern "C" fn rt_add_field(object: Value, key: Value, value: Value, cache: u32) -> i32 {
    define_field(object, key, value, cache, true)
}

fn define_field(object: Value, key: Value, value: Value, cache: u32, adds: bool) -> i32 {
    if let (Some(object), Some(cache)) = (object.as_object(), site(cache))
        && define_by_cache(object, key, value, cache, adds)
    {
        return 0;
    }
    let define = || {
        let key = to_property_key(key)?;
        to_object(object)?.create_data_or_throw(key, value)
    };
    to_status(define())
}

/// Defines a property of an ordinary object, unless something is special about it, and remembers how. The key is an
/// interned string that is no index.
fn define_by_cache(object: Object, key: Value, value: Value, cache: Gc<InlineCache>, adds: bool) -> bool {
    let Some(key) = key.as_string().map(PropertyKey::from_interned) else { return false };
    if object.kind.get() != kind::OBJECT || object.flags.get() != 0 {
        return false;
    }
    let before = object.shape();
    match before.find(key) {
        Some(entry) if entry.attributes == Attributes::ALL => {
            cache.remember_own(object, entry);
            object.set_slot(entry.slot, value);
        }
        Some(_) => return false,
        None => {
            object.add_slot(key, value, Attributes::ALL);
            cache.remember_addition(before, object, adds);
        }
    }
    true
}

fn set_home(function: Value, object: Value) {
    if let Some(function) = function.as_object().and_then(Object::as_function) {
        function.home.set(object);
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_set_home(function: Value, object: Value) {
    set_home(function, object);
}

fn visibility(enumerable: u32) -> Attributes {
    let base = Attributes::CONFIGURABLE;
    if enumerable != 0 { base.with(Attributes::ENUMERABLE) } else { base }
}

#[unsafe(no_mangle)]
extern "C" fn rt_define_method(object: Value, key: Value, function: Value, enumerable: u32) -> i32 {
    set_home(function, object);
    let define = || {
        let key = to_property_key(key)?;
        let attributes = visibility(enumerable).with(Attributes::WRITABLE);
        to_object(object)?.define_or_throw(key, &PropertyDescriptor::data(function, attributes))
    };
    to_status(define())
}

#[unsafe(no_mangle)]
extern "C" fn rt_define_accessor(object: Value, key: Value, function: Value, kind: u32, enumerable: u32) -> i32 {
    set_home(function, object);
    let define = || {
        let key = to_property_key(key)?;
        let (get, set) = if kind == 0 { (Some(function), None) } else { (None, Some(function)) };
        to_object(object)?.define_or_throw(key, &PropertyDescriptor::accessor(get, set, visibility(enumerable)))
    };
    to_status(define())
}

#[unsafe(no_mangle)]
extern "C" fn rt_set_function_name(function: Value, key: Value, prefix: u32) {
    let Some(function) = function.as_object() else { return };
    let Ok(key) = to_property_key(key) else { return };
    let name = match key.as_symbol() {
        Some(symbol) if symbol.is_private() => symbol.descriptive_string(),
        Some(symbol) => match symbol.description().as_string() {
            Some(description) => format!("[{}]", description.to_text()),
            None => String::new(),
        },
        None => key.to_value().as_string().map(JsString::to_text).unwrap_or_default(),
    };
    let name = match prefix {
        1 => format!("get {name}"),
        2 => format!("set {name}"),
        _ => name,
    };
    // A class with a static member `name` keeps it.
    let has_own_name = function
        .ordinary_get_own(keys::name_())
        .is_some_and(|property| property.attributes.is_accessor() || property.attributes != Attributes::CONFIGURABLE);
    if !has_own_name {
        function.define(names::name_(), Value::from(name.as_str()), Attributes::CONFIGURABLE);
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_function(record: u32, env: u32) -> Value {
    FunctionCell::closure(cell(record), env).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_class(record: u32, env: u32, heritage: Value) -> Value {
    to_word(new_class(cell(record), env, heritage))
}

fn new_class(record: Gc<FunctionRecord>, env: u32, heritage: Value) -> JsResult {
    let (constructor_parent, prototype_parent) = parents(heritage)?;
    let shape = realm_shapes::function_shape();
    let class = FunctionCell::with_shape(shape, record, env);
    class.code.set(crate::call::CLASS_CALLED.index());
    class.object().set_flag(function_abi::CLASS);
    let object = class.object();
    if constructor_parent != intrinsic(Intrinsic::FunctionPrototype) {
        object.shape.set(shape.with_prototype(Some(constructor_parent)));
    }
    let prototype = Object::ordinary(prototype_parent);
    match object.find(keys::prototype()) {
        Some(entry) => object.set_slot(entry.slot, prototype.into()),
        None => object.define(names::prototype(), prototype.into(), Attributes::NONE),
    }
    prototype.define(names::constructor(), object.into(), Attributes::HIDDEN);
    class.home.set(prototype.into());
    Ok(object.into())
}

/// What the class and its prototype inherit from.
fn parents(heritage: Value) -> JsResult<(Object, Option<Object>)> {
    let function_prototype = intrinsic(Intrinsic::FunctionPrototype);
    if heritage.is_empty() {
        return Ok((function_prototype, Some(intrinsic(Intrinsic::ObjectPrototype))));
    }
    if heritage.is_null() {
        return Ok((function_prototype, None));
    }
    let Some(parent) = heritage.as_object().filter(|_| is_constructor(heritage)) else {
        return Err(throw_type_error(format!(
            "Class extends value {} is not a constructor or null",
            describe(heritage)
        )));
    };
    let prototype = parent.get(keys::prototype())?;
    if !prototype.is_object() && !prototype.is_null() {
        let described = describe(prototype);
        return Err(throw_type_error(format!(
            "Class extends value does not have valid prototype property {described}"
        )));
    }
    Ok((parent, prototype.as_object()))
}

#[unsafe(no_mangle)]
extern "C" fn rt_class_prototype(constructor: Value) -> Value {
    let class = constructor.as_object();
    class
        .and_then(|class| class.find(keys::prototype()).map(|entry| class.slot(entry.slot)))
        .unwrap_or(Value::UNDEFINED)
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_env(parent: u32, count: u32) -> u32 {
    let address = heap::allocate(env::SLOTS + count * 8);
    // SAFETY: fresh memory for the header and `count` words.
    unsafe {
        core::ptr::write(address as usize as *mut u32, u32::from(kind::ENV) | count << 16);
        core::ptr::write((address + env::PARENT) as usize as *mut u32, parent);
        for slot in 0..count {
            core::ptr::write((address + env::SLOTS + slot * 8) as usize as *mut Value, Value::EMPTY);
        }
    }
    address
}

/// Argument `index` of a call being entered.
fn entered(index: u32, first: [Value; 3]) -> Value {
    match first.get(index as usize) {
        Some(&value) => value,
        None => argument(index),
    }
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_arguments(function: u32, count: u32, a0: Value, a1: Value, a2: Value) -> Value {
    let values: Vec<_> = (0..count).map(|index| entered(index, [a0, a1, a2])).collect();
    // A function called directly comes without its cell; only sloppy ones would show it.
    let function = (function != 0).then(|| cell::<FunctionCell>(function));
    let sloppy = function.filter(|function| !function.info.get().has(info::STRICT));
    new_arguments(&values, sloppy.map(|function| function.object())).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_map_arguments(arguments: Value, env: u32, first: u32, count: u32) -> Value {
    let Some(arguments) = arguments.as_object() else { return arguments };
    // SAFETY: compiled code passes its own environment, which has these slots.
    unsafe { map_arguments(arguments, env, first, count) }.into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_new_rest(first: u32, count: u32, a0: Value, a1: Value, a2: Value) -> Value {
    let values = (first..count).map(|index| entered(index, [a0, a1, a2]));
    ArrayCell::from_iter(count.saturating_sub(first), values).into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_foresee_function(text: Value, maker: Value) {
    crate::builtins::function::text::foresee(text, maker);
}
