//! `WeakMap`, `WeakSet`, `WeakRef` and `FinalizationRegistry`. An execution is short and ends by forgetting all memory, so
//! nothing is collected while somebody could notice: the references are strong and no finalizer ever runs, which the
//! specification allows.

use core::cell::Cell;

use super::check::incompatible;
use super::map_set::OrderedTable;
use super::object::entry_parts;
use crate::builtin::{CallContext, constructor, methods, native, native_constructor, require_new, to_string_tag};
use crate::call::{call, is_callable};
use crate::cell::{Gc, ObjectKind, kind};
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
    table: State<OrderedTable>,
}

/// `WeakSet`
#[repr(C)]
struct WeakSetObject {
    header: ObjectHeader,
    table: State<OrderedTable>,
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
    tokens: State<OrderedTable>,
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
    let map = Gc::new(WeakMapObject { header, table: State::new(OrderedTable::new()) });
    fill(map.object(), cx.arg(0), "set", |item| entry_parts(item).map(|(key, value)| vec![key, value]))
}

fn construct_set(cx: &CallContext) -> JsResult {
    require_new(cx, "WeakSet")?;
    let header = ObjectHeader::new::<WeakSetObject>(cx.new_prototype(Intrinsic::WeakSetPrototype)?);
    let set = Gc::new(WeakSetObject { header, table: State::new(OrderedTable::new()) });
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
    Ok(map.table.with(|table| table.get_or_insert_with(cx.arg(0), || cx.arg(1))))
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
    set.table.with(|table| table.add(cx.arg(0)));
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
    Ok(Gc::new(RegistryObject { header, tokens: State::new(OrderedTable::new()) }).into())
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
        registry.tokens.with(|tokens| tokens.add(token));
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
