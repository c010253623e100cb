//! `Iterator`: prototype, constructor, and the helpers that consume an iterator. Those that answer another iterator, which is
//! made in [`helpers`], are in [`transform`], [`chunking`], [`concat`] and [`zip`].

mod chunking;
mod concat;
mod helpers;
mod transform;
mod wrapped;
mod zip;

use super::{array, map_set};
use crate::builtin::{
    CallContext, Method, accessor, constructor, method, methods, native, native_constructor, set_ignoring_prototype,
};
use crate::call::{call, is_callable};
use crate::cell::{Gc, kind};
use crate::convert::{get_method, same_value_zero, to_boolean, to_string};
use crate::error::display;
use crate::iterate::IteratorRecord;
use crate::key::PropertyKey;
use crate::names::keys;
use crate::object::{ArrayCell, Attributes, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::string::JsString;
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

const METHODS: &[Method] = &[
    ("reduce", 1, native(reduce)),
    ("toArray", 0, native(to_array)),
    ("forEach", 1, native(for_each)),
    ("some", 1, native(some)),
    ("every", 1, native(every)),
    ("find", 1, native(find)),
    ("includes", 1, native(includes)),
    ("join", 1, native(join)),
    ("@@dispose", 0, native(dispose)),
    ("@@iterator", 0, native(|cx| Ok(cx.this))),
];

/// 2⁵³ − 1
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// `Iterator`, once it is there.
static CONSTRUCTOR: State<Value> = State::new(Value::UNDEFINED);

/// Builds `Iterator`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::IteratorPrototype);
    let iterator = constructor("Iterator", 0, native_constructor(construct), prototype);
    method(iterator, "from", 1, native(wrapped::from));
    method(iterator, "concat", 0, native(concat::concat));
    methods(iterator, zip::STATICS);
    for table in [METHODS, transform::METHODS, chunking::METHODS] {
        methods(prototype, table);
    }
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

fn shadow(cx: &CallContext, key: PropertyKey) -> JsResult {
    set_ignoring_prototype(cx, Intrinsic::IteratorPrototype, key)
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

fn includes(cx: &CallContext) -> JsResult {
    let iterator = this_object(cx, "includes")?;
    let skipped = skipped_elements(cx.arg(1)).inspect_err(|_| IteratorRecord::unread(iterator).close_silently());
    let mut skipped = skipped?;
    let record = IteratorRecord::from_iterator(iterator)?;
    while let Some(value) = record.step()? {
        if skipped > 0.0 {
            skipped -= 1.0;
        } else if same_value_zero(value, cx.arg(0)) {
            record.close()?;
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

/// How many values `includes` leaves out: a whole number or Infinity, not coerced.
fn skipped_elements(value: Value) -> JsResult<f64> {
    if value.is_undefined() {
        return Ok(0.0);
    }
    let Some(count) = value.as_number().filter(|count| count.trunc() == *count) else {
        return Err(throw_type_error(format!("{} is not an integer", display(value))));
    };
    if count < 0.0 || count.is_finite() && count > MAX_SAFE_INTEGER {
        return Err(throw_range_error(format!("{} is out of range", display(value))));
    }
    Ok(count)
}

fn join(cx: &CallContext) -> JsResult {
    let iterator = this_object(cx, "join")?;
    let separator = match cx.arg(0) {
        Value::UNDEFINED => JsString::from_str(","),
        separator => to_string(separator).inspect_err(|_| IteratorRecord::unread(iterator).close_silently())?,
    };
    let record = IteratorRecord::from_iterator(iterator)?;
    let (mut joined, mut is_first) = (JsString::empty(), true);
    while let Some(value) = record.step()? {
        let appended = append(joined, if is_first { JsString::empty() } else { separator }, value);
        joined = appended.inspect_err(|_| record.close_silently())?;
        is_first = false;
    }
    Ok(joined.into())
}

/// The text followed by a separator and a value as `join` writes it.
fn append(text: JsString, separator: JsString, value: Value) -> JsResult<JsString> {
    let value = if value.is_nullish() { JsString::empty() } else { to_string(value)? };
    text.concat(separator)?.concat(value)
}

fn dispose(cx: &CallContext) -> JsResult {
    if let Some(method) = get_method(cx.this, keys::return_())? {
        call(method.into(), cx.this, &[])?;
    }
    Ok(Value::UNDEFINED)
}

/// GetIteratorFlattenable: the iterator of an iterable, or the value itself as an iterator. `method` is for messages.
fn flattenable(value: Value, strings: bool, method: &str) -> JsResult<Gc<IteratorRecord>> {
    if !value.is_object() && !(strings && value.is_string()) {
        return Err(throw_type_error(format!("{method} called on non-object")));
    }
    match get_method(value, crate::symbol::iterator().into())? {
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

/// Appends all that a built-in iterator of a string, or of keys or values of a collection, which nobody has used yet, would
/// yield. False, with nothing done, for every other iterator.
pub fn drain_directly(iterator: Value, next: Value, target: Gc<ArrayCell>) -> bool {
    let Some(iterator) = iterator.as_object() else { return false };
    let Some(next) = next.as_object().and_then(Object::as_function) else { return false };
    match iterator.kind.get() {
        kind::MAP_ITERATOR => map_set::iterator::drain_directly::<map_set::Maps>(iterator, next.code.get(), target),
        kind::SET_ITERATOR => map_set::iterator::drain_directly::<map_set::Sets>(iterator, next.code.get(), target),
        kind::STRING_ITERATOR => super::string::iterator::drain_directly(iterator, next.code.get(), target),
        _ => false,
    }
}

/// Defines a `Symbol.toStringTag` as a plain property.
fn tag(prototype: Object, name: &str) {
    prototype.define(crate::symbol::to_string_tag(), name.into(), Attributes::CONFIGURABLE);
}
