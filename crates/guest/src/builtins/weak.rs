//! `WeakMap`, `WeakSet`, `WeakRef` and `FinalizationRegistry`. What only a collection could reveal stays hidden, as in Convex:
//! a `WeakRef` is strong and no finalizer ever runs. Entries of weak collections whose key is dead are dropped.

use core::cell::Cell;

use super::check::incompatible;
use super::map_set::OrderedTable;
use super::object::entry_parts;
use crate::builtin::{CallContext, constructor, methods, native, native_constructor, require_new, to_string_tag};
use crate::call::{call, is_callable};
use crate::cell::{Gc, ObjectKind, kind};
use crate::collector::uninterrupted;
use crate::collector::weak::{self, Weak, WeakValue};
use crate::convert::same_value;
use crate::error::display;
use crate::iterate::iterate;
use crate::key::PropertyKey;
use crate::object::{Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// `WeakMap`
#[repr(C)]
struct WeakMapObject {
    header: ObjectHeader,
    table: State<WeakTable>,
}

/// `WeakSet`
#[repr(C)]
struct WeakSetObject {
    header: ObjectHeader,
    table: State<WeakTable>,
}

/// `WeakRef`
#[repr(C)]
struct WeakRefObject {
    header: ObjectHeader,
    target: Cell<Value>,
}

/// `FinalizationRegistry`
#[repr(C)]
struct RegistryObject {
    header: ObjectHeader,
    /// Unregister tokens in use.
    tokens: State<WeakTable>,
}

// SAFETY: only this file makes cells of this kind.
unsafe impl ObjectKind for WeakMapObject {
    const KIND: u8 = kind::WEAK_MAP;
}

// SAFETY: only this file makes cells of this kind.
unsafe impl ObjectKind for WeakSetObject {
    const KIND: u8 = kind::WEAK_SET;
}

// SAFETY: only this file makes cells of this kind.
unsafe impl ObjectKind for WeakRefObject {
    const KIND: u8 = kind::WEAK_REF;
}

// SAFETY: only this file makes cells of this kind.
unsafe impl ObjectKind for RegistryObject {
    const KIND: u8 = kind::FINALIZATION_REGISTRY;
}

/// A table that keeps neither keys nor values alive. A value lives as long as the table and its key do.
struct WeakTable(OrderedTable);

/// All weak tables: the object of each, and its offset in it.
static TABLES: State<Vec<(Weak<ObjectHeader>, u32)>> = State::new(Vec::new());

impl WeakTable {
    const fn new() -> WeakTable {
        WeakTable(OrderedTable::new())
    }

    /// What stands for a key in the table: an int made of its address, which is no reference.
    fn hide(key: Value) -> Value {
        Value::int(!key.payload() as i32)
    }

    fn is_live(hidden: Value) -> bool {
        weak::is_live(!hidden.payload())
    }

    fn get(&self, key: Value) -> Option<Value> {
        self.0.get(Self::hide(key)).filter(|_| key.is_reference()).map(|value| WeakValue(value.0).get())
    }

    fn contains(&self, key: Value) -> bool {
        key.is_reference() && self.0.contains(Self::hide(key))
    }

    fn insert(&mut self, key: Value, value: Value) {
        uninterrupted(|| self.0.insert(Self::hide(key), Value(WeakValue::from(value).0)));
    }

    fn get_or_insert(&mut self, key: Value, value: Value) -> Value {
        if let Some(known) = self.get(key) {
            return known;
        }
        self.insert(key, value);
        value
    }

    fn remove(&mut self, key: Value) -> bool {
        key.is_reference() && uninterrupted(|| self.0.remove(Self::hide(key)))
    }
}

/// Remembers the table of a fresh weak collection.
fn enlist<T: ObjectKind>(object: Gc<T>, table: &State<WeakTable>) {
    let offset = (&raw const *table).addr() as u32 - object.address();
    uninterrupted(|| TABLES.with(|tables| tables.push((object.object().weak(), offset))));
}

/// Calls `body` with each table of a collection that is alive.
fn each_table(mut body: impl FnMut(&mut WeakTable)) {
    TABLES.with(|tables| {
        for (object, offset) in tables.iter().filter(|(object, _)| object.is_live()) {
            // SAFETY: `enlist` got the offset of a table in this object, which is alive.
            let table: Gc<State<WeakTable>> = unsafe { Gc::from_address(object.get().address() + offset) };
            table.with(&mut body);
        }
    });
}

/// Calls `found` with the values of live keys in live weak collections.
pub(crate) fn each_ephemeron(mut found: impl FnMut(Value)) {
    each_table(|table| {
        let live = table.0.iter().filter(|&(key, _)| WeakTable::is_live(key));
        live.for_each(|(_, value)| found(WeakValue(value.0).get()));
    });
}

/// Drops what the collection under way did not mark.
pub(crate) fn drop_dead() {
    each_table(|table| table.0.retain(WeakTable::is_live));
    TABLES.with(|tables| tables.retain(|(object, _)| object.is_live()));
}

/// Builds them.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::WeakMapPrototype);
    constructor("WeakMap", 0, native_constructor(construct_map), prototype);
    methods(
        prototype,
        &[
            ("delete", 1, native(|cx| Ok(map(cx, "delete")?.table.with(|table| table.remove(cx.arg(0))).into()))),
            ("get", 1, native(map_get)),
            ("set", 2, native(map_set)),
            ("getOrInsert", 2, native(map_get_or_insert)),
            ("getOrInsertComputed", 2, native(map_get_or_insert_computed)),
            ("has", 1, native(|cx| Ok(map(cx, "has")?.table.with(|table| table.contains(cx.arg(0))).into()))),
        ],
    );
    to_string_tag(prototype, "WeakMap");

    let prototype = intrinsic(Intrinsic::WeakSetPrototype);
    constructor("WeakSet", 0, native_constructor(construct_set), prototype);
    methods(
        prototype,
        &[
            ("delete", 1, native(|cx| Ok(set(cx, "delete")?.table.with(|table| table.remove(cx.arg(0))).into()))),
            ("has", 1, native(|cx| Ok(set(cx, "has")?.table.with(|table| table.contains(cx.arg(0))).into()))),
            ("add", 1, native(set_add)),
        ],
    );
    to_string_tag(prototype, "WeakSet");

    let prototype = intrinsic(Intrinsic::WeakRefPrototype);
    constructor("WeakRef", 1, native_constructor(construct_ref), prototype);
    methods(prototype, &[("deref", 0, native(deref))]);
    to_string_tag(prototype, "WeakRef");

    let prototype = intrinsic(Intrinsic::FinalizationRegistryPrototype);
    constructor("FinalizationRegistry", 1, native_constructor(construct_registry), prototype);
    methods(prototype, &[("register", 2, native(register)), ("unregister", 1, native(unregister))]);
    to_string_tag(prototype, "FinalizationRegistry");
}

/// CanBeHeldWeakly: objects, and symbols that `Symbol.for` did not make.
fn can_be_held_weakly(value: Value) -> bool {
    value.is_object() || value.is_symbol() && super::symbol::registered_key(value).is_none()
}

fn map(cx: &CallContext, method: &str) -> JsResult<Gc<WeakMapObject>> {
    cx.this.as_kind().ok_or_else(|| incompatible(&format!("WeakMap.prototype.{method}"), cx.this))
}

fn set(cx: &CallContext, method: &str) -> JsResult<Gc<WeakSetObject>> {
    cx.this.as_kind().ok_or_else(|| incompatible(&format!("WeakSet.prototype.{method}"), cx.this))
}

fn construct_map(cx: &CallContext) -> JsResult {
    require_new(cx, "WeakMap")?;
    let header = ObjectHeader::new::<WeakMapObject>(cx.new_prototype(Intrinsic::WeakMapPrototype)?);
    let map = Gc::new(WeakMapObject { header, table: State::new(WeakTable::new()) });
    enlist(map, &map.table);
    fill(map.object(), cx.arg(0), "set", |item| entry_parts(item).map(|(key, value)| vec![key, value]))
}

fn construct_set(cx: &CallContext) -> JsResult {
    require_new(cx, "WeakSet")?;
    let header = ObjectHeader::new::<WeakSetObject>(cx.new_prototype(Intrinsic::WeakSetPrototype)?);
    let set = Gc::new(WeakSetObject { header, table: State::new(WeakTable::new()) });
    enlist(set, &set.table);
    fill(set.object(), cx.arg(0), "add", |item| Ok(vec![item]))
}

/// Passes what the constructor is given to the method `adder`.
fn fill(collection: Object, items: Value, adder: &str, arguments: impl Fn(Value) -> JsResult<Vec<Value>>) -> JsResult {
    if items.is_nullish() {
        return Ok(collection.into());
    }
    let function = collection.get(PropertyKey::from_text(adder))?;
    if !is_callable(function) {
        let (what, object) = (display(function), display(collection.into()));
        return Err(throw_type_error(format!(
            "'{what}' returned for property '{adder}' of object '{object}' is not a function"
        )));
    }
    iterate(items, |item| {
        call(function, collection.into(), &arguments(item)?)?;
        Ok(true)
    })?;
    Ok(collection.into())
}

fn map_get(cx: &CallContext) -> JsResult {
    Ok(map(cx, "get")?.table.with(|table| table.get(cx.arg(0))).unwrap_or(Value::UNDEFINED))
}

fn map_set(cx: &CallContext) -> JsResult {
    let map = map(cx, "set")?;
    require_weak_key(cx.arg(0))?;
    map.table.with(|table| table.insert(cx.arg(0), cx.arg(1)));
    Ok(cx.this)
}

fn map_get_or_insert(cx: &CallContext) -> JsResult {
    let map = map(cx, "getOrInsert")?;
    require_weak_key(cx.arg(0))?;
    Ok(map.table.with(|table| table.get_or_insert(cx.arg(0), cx.arg(1))))
}

fn map_get_or_insert_computed(cx: &CallContext) -> JsResult {
    let map = map(cx, "getOrInsertComputed")?;
    require_weak_key(cx.arg(0))?;
    let compute = super::check::require_function(cx.arg(1))?;
    if let Some(value) = map.table.with(|table| table.get(cx.arg(0))) {
        return Ok(value);
    }
    let value = crate::call::call(compute, Value::UNDEFINED, &[cx.arg(0)])?;
    map.table.with(|table| table.insert(cx.arg(0), value));
    Ok(value)
}

/// TypeError unless a weak map can have this key.
fn require_weak_key(key: Value) -> JsResult<()> {
    if can_be_held_weakly(key) {
        return Ok(());
    }
    Err(throw_type_error("Invalid value used as weak map key"))
}

fn set_add(cx: &CallContext) -> JsResult {
    let set = set(cx, "add")?;
    if !can_be_held_weakly(cx.arg(0)) {
        return Err(throw_type_error("Invalid value used in weak set"));
    }
    set.table.with(|table| table.insert(cx.arg(0), Value::TRUE));
    Ok(cx.this)
}

fn construct_ref(cx: &CallContext) -> JsResult {
    require_new(cx, "WeakRef")?;
    if !can_be_held_weakly(cx.arg(0)) {
        return Err(throw_type_error("WeakRef: invalid target"));
    }
    let header = ObjectHeader::new::<WeakRefObject>(cx.new_prototype(Intrinsic::WeakRefPrototype)?);
    Ok(Gc::new(WeakRefObject { header, target: Cell::new(cx.arg(0)) }).into())
}

fn deref(cx: &CallContext) -> JsResult {
    match cx.this.as_kind::<WeakRefObject>() {
        Some(reference) => Ok(reference.target.get()),
        None => Err(incompatible("WeakRef.prototype.deref", cx.this)),
    }
}

fn construct_registry(cx: &CallContext) -> JsResult {
    require_new(cx, "FinalizationRegistry")?;
    if !is_callable(cx.arg(0)) {
        return Err(throw_type_error("FinalizationRegistry: cleanup must be callable"));
    }
    let prototype = cx.new_prototype(Intrinsic::FinalizationRegistryPrototype)?;
    let header = ObjectHeader::new::<RegistryObject>(prototype);
    let registry = Gc::new(RegistryObject { header, tokens: State::new(WeakTable::new()) });
    enlist(registry, &registry.tokens);
    Ok(registry.into())
}

fn registry(cx: &CallContext, method: &str) -> JsResult<Gc<RegistryObject>> {
    cx.this.as_kind().ok_or_else(|| incompatible(&format!("FinalizationRegistry.prototype.{method}"), cx.this))
}

fn register(cx: &CallContext) -> JsResult {
    let registry = registry(cx, "register")?;
    let (target, held, token) = (cx.arg(0), cx.arg(1), cx.arg(2));
    if !can_be_held_weakly(target) {
        return Err(throw_type_error("FinalizationRegistry.prototype.register: invalid target"));
    }
    if same_value(target, held) {
        return Err(throw_type_error("FinalizationRegistry.prototype.register: target and holdings must not be same"));
    }
    if can_be_held_weakly(token) {
        registry.tokens.with(|tokens| tokens.insert(token, Value::TRUE));
    } else if !token.is_undefined() {
        return Err(throw_type_error(format!("Invalid unregister token ('{}')", display(token))));
    }
    Ok(Value::UNDEFINED)
}

fn unregister(cx: &CallContext) -> JsResult {
    let registry = registry(cx, "unregister")?;
    if !can_be_held_weakly(cx.arg(0)) {
        return Err(throw_type_error(format!("Invalid unregisterToken ('{}')", display(cx.arg(0)))));
    }
    Ok(registry.tokens.with(|tokens| tokens.remove(cx.arg(0))).into())
}
