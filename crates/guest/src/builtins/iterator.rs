//! `Iterator`: prototype, constructor, and the helpers that consume an iterator. Those that answer another iterator are in
//! [`helpers`].

mod helpers;
mod wrapped;

use super::{array, map_set};
use crate::builtin::{CallContext, Method, accessor, constructor, method, methods, native, native_constructor};
use crate::call::{call, is_callable};
use crate::cell::{Gc, kind};
use crate::convert::to_boolean;
use crate::iterate::IteratorRecord;
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{ArrayCell, Attributes, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

const METHODS: &[Method] = &[
    ("reduce", 1, native(reduce)),
    ("toArray", 0, native(to_array)),
    ("forEach", 1, native(for_each)),
    ("some", 1, native(some)),
    ("every", 1, native(every)),
    ("find", 1, native(find)),
    ("@@iterator", 0, native(|cx| Ok(cx.this))),
];

/// `Iterator`, once it is there.
static CONSTRUCTOR: State<Value> = State::new(Value::UNDEFINED);

/// Builds `Iterator`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::IteratorPrototype);
    let iterator = constructor("Iterator", 0, native_constructor(construct), prototype);
    method(iterator, "from", 1, native(wrapped::from));
    methods(prototype, METHODS);
    helpers::install(prototype);
    wrapped::install();
    // Both are accessors, for the web's sake: assignments to them work on what inherits from the prototype.
    if let Some(entry) = prototype.find(keys::constructor()) {
        prototype.remove_slot(entry);
    }
    CONSTRUCTOR.with(|known| *known = iterator.into());
    let constructor_of = native(|_| Ok(CONSTRUCTOR.with(|known| *known)));
    accessor(prototype, "constructor", constructor_of, Some(native(|cx| shadow(cx, keys::constructor()))));
    let tag = native(|_| Ok("Iterator".into()));
    accessor(prototype, "@@toStringTag", tag, Some(native(|cx| shadow(cx, crate::symbol::to_string_tag().into()))));
}

/// SetterThatIgnoresPrototypeProperties.
fn shadow(cx: &CallContext, key: PropertyKey) -> JsResult {
    let Some(object) = cx.this.as_object() else {
        return Err(throw_type_error("Iterator.prototype setter called on non-object"));
    };
    if object == intrinsic(Intrinsic::IteratorPrototype) {
        let name = key.display();
        return Err(throw_type_error(format!(
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

fn construct(cx: &CallContext) -> JsResult {
    if !cx.is_construct() {
        return Err(throw_type_error("Constructor Iterator requires 'new'"));
    }
    if cx.new_target == cx.callee.into() {
        return Err(throw_type_error("Abstract class Iterator not directly constructable"));
    }
    Ok(Object::ordinary(Some(cx.new_prototype(Intrinsic::IteratorPrototype)?)).into())
}

/// `this` as an object; TypeError otherwise.
fn this_object(cx: &CallContext, name: &str) -> JsResult<Value> {
    if cx.this.is_object() {
        return Ok(cx.this);
    }
    Err(throw_type_error(format!("Iterator.prototype.{name} called on non-object")))
}

/// The function argument.
fn require_callback(cx: &CallContext, name: &str) -> JsResult<Value> {
    if is_callable(cx.arg(0)) {
        return Ok(cx.arg(0));
    }
    // V8 names the method instead of the argument.
    Err(throw_type_error(format!("string \"Iterator.prototype.{name}\" is not a function")))
}

/// An iterator being consumed with a function.
struct Consumer {
    record: Gc<IteratorRecord>,
    function: Value,
}

impl Consumer {
    fn new(cx: &CallContext, name: &str) -> JsResult<Consumer> {
        let this = this_object(cx, name)?;
        let function = require_callback(cx, name)?;
        Ok(Consumer { record: IteratorRecord::from_iterator(this)?, function })
    }

    /// Calls the function with each value until `step` says stop; closes the iterator then, and after an error.
    fn each(&self, mut step: impl FnMut(Value, Value) -> bool) -> JsResult<()> {
        let mut index = 0.0;
        while let Some(value) = self.record.step()? {
            match call(self.function, Value::UNDEFINED, &[value, Value::number(index)]) {
                Ok(answer) if step(value, answer) => {}
                Ok(_) => return self.record.close(),
                Err(thrown) => {
                    self.record.close_silently();
                    return Err(thrown);
                }
            }
            index += 1.0;
        }
        Ok(())
    }
}

fn for_each(cx: &CallContext) -> JsResult {
    Consumer::new(cx, "forEach")?.each(|_, _| true)?;
    Ok(Value::UNDEFINED)
}

fn some(cx: &CallContext) -> JsResult {
    let mut found = false;
    Consumer::new(cx, "some")?.each(|_, answer| {
        found = to_boolean(answer);
        !found
    })?;
    Ok(found.into())
}

fn every(cx: &CallContext) -> JsResult {
    let mut all = true;
    Consumer::new(cx, "every")?.each(|_, answer| {
        all = to_boolean(answer);
        all
    })?;
    Ok(all.into())
}

fn find(cx: &CallContext) -> JsResult {
    let mut found = Value::UNDEFINED;
    Consumer::new(cx, "find")?.each(|value, answer| {
        let is_it = to_boolean(answer);
        if is_it {
            found = value;
        }
        !is_it
    })?;
    Ok(found)
}

fn to_array(cx: &CallContext) -> JsResult {
    let record = IteratorRecord::from_iterator(this_object(cx, "toArray")?)?;
    let mut values = vec![];
    while let Some(value) = record.step()? {
        values.push(value);
    }
    Ok(values.into())
}

fn reduce(cx: &CallContext) -> JsResult {
    let consumer = Consumer::new(cx, "reduce")?;
    let mut index = 0.0;
    let mut accumulator = match cx.arguments.get(1) {
        Some(&initial) => initial,
        None => {
            index = 1.0;
            let first = consumer.record.step()?;
            first.ok_or_else(|| throw_type_error("Reduce of a done iterator with no initial value"))?
        }
    };
    while let Some(value) = consumer.record.step()? {
        match call(consumer.function, Value::UNDEFINED, &[accumulator, value, Value::number(index)]) {
            Ok(result) => accumulator = result,
            Err(thrown) => {
                consumer.record.close_silently();
                return Err(thrown);
            }
        }
        index += 1.0;
    }
    Ok(accumulator)
}

/// GetIteratorFlattenable: the iterator of an iterable, or the value itself as an iterator. `method` is for messages.
fn flattenable(value: Value, strings: bool, method: &str) -> JsResult<Gc<IteratorRecord>> {
    if !value.is_object() && !(strings && value.is_string()) {
        return Err(throw_type_error(format!("{method} called on non-object")));
    }
    match crate::convert::get_method(value, crate::symbol::iterator().into())? {
        Some(method) => IteratorRecord::from_method(value, method.into()),
        None => IteratorRecord::from_iterator(value),
    }
}

/// One step of a built-in iterator whose `next` is the built-in one, without an iterator result object: the value, or
/// `None` at the end. `None` for every other iterator: its `next` must be called.
#[inline]
pub fn step_directly(iterator: Value, next: Value) -> Option<JsResult<Option<Value>>> {
    let iterator = iterator.as_object()?;
    let next_code = next.as_object()?.as_function()?.code.get();
    match iterator.kind.get() {
        kind::MAP_ITERATOR => map_set::iterator::step_directly::<map_set::Maps>(iterator, next_code).map(Ok),
        kind::SET_ITERATOR => map_set::iterator::step_directly::<map_set::Sets>(iterator, next_code).map(Ok),
        kind::ARRAY_ITERATOR => array::iterator::step_directly(iterator, next_code),
        kind::STRING_ITERATOR => super::string::iterator::step_directly(iterator, next_code).map(Ok),
        kind::GENERATOR => super::generator_protos::step_directly(iterator, next_code),
        _ => None,
    }
}

/// Appends all that a built-in iterator of keys or values of a collection, which nobody has used yet, would yield. False, with
/// nothing done, for every other iterator.
pub fn drain_directly(iterator: Value, next: Value, target: Gc<ArrayCell>) -> bool {
    let Some(iterator) = iterator.as_object() else { return false };
    let Some(next) = next.as_object().and_then(Object::as_function) else { return false };
    match iterator.kind.get() {
        kind::MAP_ITERATOR => map_set::iterator::drain_directly::<map_set::Maps>(iterator, next.code.get(), target),
        kind::SET_ITERATOR => map_set::iterator::drain_directly::<map_set::Sets>(iterator, next.code.get(), target),
        _ => false,
    }
}

/// Defines a `Symbol.toStringTag` as a plain property.
fn tag(prototype: Object, name: &str) {
    prototype.define(crate::symbol::to_string_tag(), name.into(), Attributes::CONFIGURABLE);
}
