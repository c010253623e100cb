//! `Iterator.zip` and `Iterator.zipKeyed`: several iterators side by side.

use super::flattenable;
use super::helpers::{self, Task};
use crate::builtin::{CallContext, Method, native};
use crate::cell::{Gc, Header};
use crate::error::display;
use crate::iterate::IteratorRecord;
use crate::key::PropertyKey;
use crate::object::{Attributes, Object};
use crate::throw::{JsResult, Throw, throw_type_error};
use crate::value::Value;

pub(super) const STATICS: &[Method] = &[("zip", 1, native(zip)), ("zipKeyed", 1, native(zip_keyed))];

/// When the iterators have different lengths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The first that ends is the end.
    Shortest,
    /// The last that ends is the end; values are filled up by padding.
    Longest,
    /// That is an error.
    Strict,
}

/// Iterators side by side.
#[repr(C)]
pub(super) struct Zip {
    header: Header,
    mode: Mode,
    /// Those that have ended are closed.
    iterators: Vec<Gc<IteratorRecord>>,
    /// `Longest`: a value for each iterator that has ended.
    padding: Vec<Value>,
    /// Results are objects with these keys; arrays if `None`.
    keys: Option<Vec<PropertyKey>>,
}

fn zip(cx: &CallContext) -> JsResult {
    let iterables = require_object(cx.arg(0))?;
    let (mode, padding) = options(cx.arg(1))?;
    let input = IteratorRecord::open(iterables.into())?;
    let mut iterators = vec![];
    while let Some(iterable) = input.step().map_err(|thrown| abandon(&iterators, thrown))? {
        match flattenable(iterable, false, "Iterator.zip") {
            Ok(iterator) => iterators.push(iterator),
            Err(thrown) => {
                let thrown = abandon(&iterators, thrown);
                input.close_silently();
                return Err(thrown);
            }
        }
    }
    let padding = match padding {
        Some(padding) => iterated_padding(padding, iterators.len()),
        None => Ok(vec![Value::UNDEFINED; iterators.len()]),
    };
    let padding = padding.map_err(|thrown| abandon(&iterators, thrown))?;
    Ok(create(mode, iterators, padding, None))
}

fn zip_keyed(cx: &CallContext) -> JsResult {
    let iterables = require_object(cx.arg(0))?;
    let (mode, padding) = options(cx.arg(1))?;
    let (mut keys, mut iterators) = (vec![], vec![]);
    for key in iterables.own_keys()? {
        let iterator = keyed_iterator(iterables, key).map_err(|thrown| abandon(&iterators, thrown))?;
        if let Some(iterator) = iterator {
            keys.push(key);
            iterators.push(iterator);
        }
    }
    let padding: JsResult<Vec<Value>> = match padding {
        Some(padding) => keys.iter().map(|&key| padding.get(key)).collect(),
        None => Ok(vec![Value::UNDEFINED; iterators.len()]),
    };
    let padding = padding.map_err(|thrown| abandon(&iterators, thrown))?;
    Ok(create(mode, iterators, padding, Some(keys)))
}

fn create(
    mode: Mode,
    iterators: Vec<Gc<IteratorRecord>>,
    padding: Vec<Value>,
    keys: Option<Vec<PropertyKey>>,
) -> Value {
    helpers::create(Task::Zip(Gc::new(Zip { header: Header::internal::<Zip>(), mode, iterators, padding, keys })))
}

fn require_object(value: Value) -> JsResult<Object> {
    value.as_object().ok_or_else(|| throw_type_error(format!("{} is not an object", display(value))))
}

/// Mode, and where padding comes from.
fn options(value: Value) -> JsResult<(Mode, Option<Object>)> {
    if value.is_undefined() {
        return Ok((Mode::Shortest, None));
    }
    let options = require_object(value)?;
    let mode = options.get("mode".into())?;
    let mode = match mode.as_string() {
        None if mode.is_undefined() => Mode::Shortest,
        Some(text) if text.is("shortest") => Mode::Shortest,
        Some(text) if text.is("longest") => Mode::Longest,
        Some(text) if text.is("strict") => Mode::Strict,
        _ => return Err(throw_type_error("mode must be \"shortest\", \"longest\" or \"strict\"")),
    };
    if mode != Mode::Longest {
        return Ok((mode, None));
    }
    let padding = options.get("padding".into())?;
    Ok((mode, if padding.is_undefined() { None } else { Some(require_object(padding)?) }))
}

/// The first `count` values of an iterable, undefined where there are not so many.
fn iterated_padding(padding: Object, count: usize) -> JsResult<Vec<Value>> {
    let record = IteratorRecord::open(padding.into())?;
    let mut values = vec![];
    while values.len() < count
        && let Some(value) = record.step()?
    {
        values.push(value);
    }
    values.resize(count, Value::UNDEFINED);
    record.close()?;
    Ok(values)
}

/// The iterator of a property, if it is enumerable and not undefined.
fn keyed_iterator(iterables: Object, key: PropertyKey) -> JsResult<Option<Gc<IteratorRecord>>> {
    let property = iterables.get_own_property(key)?;
    if !property.is_some_and(|property| property.attributes.is_enumerable()) {
        return Ok(None);
    }
    let iterable = iterables.get(key)?;
    if iterable.is_undefined() {
        return Ok(None);
    }
    flattenable(iterable, false, "Iterator.zipKeyed").map(Some)
}

/// Closes iterators, the last first, because something was thrown.
fn abandon(iterators: &[Gc<IteratorRecord>], thrown: Throw) -> Throw {
    iterators.iter().rev().for_each(|iterator| iterator.close_silently());
    thrown
}

impl Zip {
    pub(super) fn step(&self) -> JsResult<Option<Value>> {
        if self.iterators.is_empty() {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(self.iterators.len());
        for (index, iterator) in self.iterators.iter().enumerate() {
            let ended = iterator.is_closed();
            match iterator.step().map_err(|thrown| abandon(&self.iterators, thrown))? {
                Some(value) => values.push(value),
                None if self.mode == Mode::Shortest => return self.close().map(|()| None),
                None if self.mode == Mode::Strict => return self.end_strictly(index),
                None if !ended && self.iterators.iter().all(|iterator| iterator.is_closed()) => return Ok(None),
                None => values.push(self.padding.get(index).copied().unwrap_or(Value::UNDEFINED)),
            }
        }
        Ok(Some(self.result(values)))
    }

    /// The iterator at `index` ended before all that follow: they must end now, and it must have been the first.
    fn end_strictly(&self, index: usize) -> JsResult<Option<Value>> {
        let longer =
            || throw_type_error("Iterators passed to Iterator.zip with \"strict\" mode have different lengths");
        if index > 0 {
            return Err(abandon(&self.iterators, longer()));
        }
        for iterator in self.iterators.iter().skip(1) {
            if iterator.step_valueless().map_err(|thrown| abandon(&self.iterators, thrown))? {
                return Err(abandon(&self.iterators, longer()));
            }
        }
        Ok(None)
    }

    fn result(&self, values: Vec<Value>) -> Value {
        let Some(keys) = &self.keys else { return values.into() };
        let object = Object::ordinary(None);
        for (&key, value) in keys.iter().zip(values) {
            object.define(key, value, Attributes::ALL);
        }
        object.into()
    }

    /// Closes all, the last first. The first error counts.
    pub(super) fn close(&self) -> JsResult<()> {
        let mut outcome = Ok(());
        for iterator in self.iterators.iter().rev() {
            match outcome {
                Ok(()) => outcome = iterator.close(),
                Err(_) => iterator.close_silently(),
            }
        }
        outcome
    }
}
