//! The statics that walk over properties.

use super::listing::listing;
use crate::builtin::{CallContext, Method, native};
use crate::builtins::array::iterator::IterationKind;
use crate::builtins::check::require_callback;
use crate::builtins::map_set::OrderedTable;
use crate::call::call;
use crate::cell::kind;
use crate::convert::{get_value, to_object, to_property_key};
use crate::error::display;
use crate::iterate::iterate;
use crate::key::PropertyKey;
use crate::object::{ArrayCell, Object};
use crate::shape::Entry;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

pub(super) const STATICS: &[Method] = &[
    ("keys", 1, native(|cx| enumerable_own(cx, IterationKind::Keys))),
    ("values", 1, native(|cx| enumerable_own(cx, IterationKind::Values))),
    ("entries", 1, native(|cx| enumerable_own(cx, IterationKind::Entries))),
    ("assign", 2, native(assign)),
    ("fromEntries", 1, native(from_entries)),
    ("groupBy", 2, native(group_by)),
    ("getOwnPropertyNames", 1, native(|cx| own_keys(cx, false))),
    ("getOwnPropertySymbols", 1, native(|cx| own_keys(cx, true))),
];

/// The value of an own property if it is there and enumerable.
fn own_enumerable(object: Object, key: PropertyKey) -> JsResult<Option<Value>> {
    if object.kind.get() == kind::OBJECT
        && let Some(entry) = object.find(key)
        && !entry.attributes.is_accessor()
    {
        return Ok(entry.attributes.is_enumerable().then(|| object.data_slot(entry)));
    }
    match object.get_own_property(key)? {
        Some(property) if property.attributes.is_enumerable() => Ok(Some(object.get(key)?)),
        _ => Ok(None),
    }
}

/// EnumerableOwnProperties.
fn enumerable_own(cx: &CallContext, kind: IterationKind) -> JsResult {
    let object = to_object(cx.arg(0))?;
    if let Some(entries) = listing(object) {
        let result = ArrayCell::with_capacity(entries.len() as u32);
        for &entry in entries {
            result.push(kind.of_entry(|| entry.key.to_value(), object.data_slot(entry)));
        }
        return Ok(result.into());
    }
    let keys = object.own_keys()?;
    let result = ArrayCell::with_capacity(keys.len() as u32);
    for key in keys {
        if key.is_symbol() {
            continue;
        }
        if kind == IterationKind::Keys {
            if object.get_own_property(key)?.is_some_and(|property| property.attributes.is_enumerable()) {
                result.push(key.to_value());
            }
        } else if let Some(value) = own_enumerable(object, key)? {
            result.push(kind.of_entry(|| key.to_value(), value));
        }
    }
    Ok(result.into())
}

fn assign(cx: &CallContext) -> JsResult {
    let target = to_object(cx.arg(0))?;
    for &source in cx.rest(1) {
        if source.is_nullish() {
            continue;
        }
        let source = to_object(source)?;
        if crate::copy_properties::assign(target, source) {
            continue;
        }
        if let Some(entries) = listing(source) {
            assign_listed(target, source, entries)?;
            continue;
        }
        for key in source.own_keys()? {
            if let Some(value) = own_enumerable(source, key)? {
                target.set(key, value)?;
            }
        }
    }
    Ok(target.into())
}

/// Assigns the listed properties; setters of the target may change the source meanwhile.
fn assign_listed(target: Object, source: Object, entries: &[Entry]) -> JsResult<()> {
    let shape = source.shape();
    for &entry in entries {
        if source.shape() == shape {
            target.set(entry.key, source.data_slot(entry))?;
        } else if let Some(value) = own_enumerable(source, entry.key)? {
            target.set(entry.key, value)?;
        }
    }
    Ok(())
}

fn from_entries(cx: &CallContext) -> JsResult {
    if cx.arg(0).is_nullish() {
        return Err(throw_type_error("undefined is not iterable"));
    }
    let object = Object::new();
    iterate(cx.arg(0), |entry| {
        let (key, value) = entry_parts(entry)?;
        object.create_data_property(to_property_key(key)?, value)?;
        Ok(true)
    })?;
    Ok(object.into())
}

/// Key and value of an entry `[key, value]`; TypeError if it is no object.
pub fn entry_parts(entry: Value) -> JsResult<(Value, Value)> {
    if !entry.is_object() {
        return Err(throw_type_error(format!("Iterator value {} is not an entry object", display(entry))));
    }
    Ok((get_value(entry, PropertyKey::index(0))?, get_value(entry, PropertyKey::index(1))?))
}

fn group_by(cx: &CallContext) -> JsResult {
    let groups = group(cx, "Object.groupBy", |key| Ok(to_property_key(key)?.to_value()))?;
    let object = Object::ordinary(None);
    for (key, elements) in groups.iter() {
        object.create_data_property(to_property_key(key)?, elements)?;
    }
    Ok(object.into())
}

/// GroupBy of the first two arguments: arrays of elements by key, keys in the order of their first appearance.
/// `name` is for messages.
pub fn group(cx: &CallContext, name: &str, to_key: impl Fn(Value) -> JsResult) -> JsResult<OrderedTable> {
    crate::convert::require_coercible(cx.arg(0), name)?;
    let function = require_callback(cx.arg(1))?;
    let mut groups = OrderedTable::new();
    let mut index = 0;
    iterate(cx.arg(0), |value| {
        let key = to_key(call(function, Value::UNDEFINED, &[value, Value::number(f64::from(index))])?)?;
        index += 1;
        let elements = groups.get_or_insert_with(key, || ArrayCell::with_capacity(0).into());
        if let Some(elements) = elements.as_kind::<ArrayCell>() {
            elements.push(value);
        }
        Ok(true)
    })?;
    Ok(groups)
}

fn own_keys(cx: &CallContext, symbols: bool) -> JsResult {
    let keys = to_object(cx.arg(0))?.own_keys()?;
    let wanted = keys.into_iter().filter(|key| key.is_symbol() == symbols);
    Ok(wanted.map(PropertyKey::to_value).collect::<Vec<Value>>().into())
}
