//! `Map` and `Set`: two names for an insertion-ordered table.

pub mod iterator;
mod set_algebra;
mod table;

pub use table::{Cursor, OrderedTable};

use core::cell::Cell;
use core::marker::PhantomData;

use super::array::iterator::IterationKind;
use super::check::{incompatible, require_function};
use super::object::{entry_parts, group};
use crate::builtin::{
    CallContext, accessor, constructor, getters, method, methods, native, native_constructor, require_new,
    to_string_tag,
};
use crate::call::{call, is_callable};
use crate::cell::{Gc, ObjectKind, kind};
use crate::error::display;
use crate::iterate::iterate;
use crate::key::PropertyKey;
use crate::object::{ArrayCell, Attributes, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// What distinguishes maps and sets.
pub trait Flavor: 'static {
    /// Kind of the collection's cells.
    const KIND: u8;
    /// Kind of its iterators' cells.
    const ITERATOR_KIND: u8;
    /// Name of the constructor.
    const NAME: &'static str;
    /// Its prototype.
    const PROTOTYPE: Intrinsic;
    /// Prototype of its iterators.
    const ITERATOR_PROTOTYPE: Intrinsic;
    /// Method that adds what the constructor is given.
    const ADDER: &'static str;
}

/// Maps.
pub struct Maps;
/// Sets: values are the keys.
pub struct Sets;

impl Flavor for Maps {
    const KIND: u8 = kind::MAP;
    const ITERATOR_KIND: u8 = kind::MAP_ITERATOR;
    const NAME: &'static str = "Map";
    const PROTOTYPE: Intrinsic = Intrinsic::MapPrototype;
    const ITERATOR_PROTOTYPE: Intrinsic = Intrinsic::MapIteratorPrototype;
    const ADDER: &'static str = "set";
}

impl Flavor for Sets {
    const KIND: u8 = kind::SET;
    const ITERATOR_KIND: u8 = kind::SET_ITERATOR;
    const NAME: &'static str = "Set";
    const PROTOTYPE: Intrinsic = Intrinsic::SetPrototype;
    const ITERATOR_PROTOTYPE: Intrinsic = Intrinsic::SetIteratorPrototype;
    const ADDER: &'static str = "add";
}

/// A map or set.
#[repr(C)]
pub struct Collection<F> {
    header: ObjectHeader,
    table: State<OrderedTable>,
    flavor: PhantomData<F>,
}

/// `Map`
pub type MapObject = Collection<Maps>;
/// `Set`
pub type SetObject = Collection<Sets>;

// SAFETY: only `Collection::new` makes cells of these kinds.
unsafe impl<F: Flavor> ObjectKind for Collection<F> {
    const KIND: u8 = F::KIND;
}

impl<F: Flavor> Collection<F> {
    /// A collection with that prototype.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(prototype: Object, table: OrderedTable) -> Gc<Collection<F>> {
        let header = ObjectHeader::new::<Collection<F>>(prototype);
        Gc::new(Collection { header, table: State::new(table), flavor: PhantomData })
    }

    /// A collection with the usual prototype.
    pub fn of(table: OrderedTable) -> Gc<Collection<F>> {
        Collection::new(intrinsic(F::PROTOTYPE), table)
    }

    /// Its table. The body calls no JavaScript.
    #[inline(always)]
    pub fn with<R>(&self, body: impl FnOnce(&mut OrderedTable) -> R) -> R {
        self.table.with(body)
    }
}

/// Builds `Map`, `Set` and their iterators.
pub(crate) fn install() {
    install_map();
    install_set();
    iterator::install::<Maps>();
    iterator::install::<Sets>();
}

fn install_map() {
    let prototype = intrinsic(Intrinsic::MapPrototype);
    let map = constructor("Map", 0, native_constructor(construct::<Maps>), prototype);
    method(map, "groupBy", 2, native(group_by));
    methods(prototype, &[("get", 1, native(get)), ("set", 2, native(set))]);
    methods(
        prototype,
        &[("getOrInsert", 2, native(get_or_insert)), ("getOrInsertComputed", 2, native(get_or_insert_computed))],
    );
    install_shared::<Maps>(map, prototype);
    methods(prototype, &[("keys", 0, native(|cx| iterator::create::<Maps>(cx, "keys", IterationKind::Keys)))]);
    methods(prototype, &[("values", 0, native(|cx| iterator::create::<Maps>(cx, "values", IterationKind::Values)))]);
    let entries = native(|cx| iterator::create::<Maps>(cx, "entries", IterationKind::Entries));
    let entries = method(prototype, "entries", 0, entries);
    prototype.define(crate::symbol::iterator(), entries.into(), Attributes::HIDDEN);
}

fn install_set() {
    let prototype = intrinsic(Intrinsic::SetPrototype);
    let set = constructor("Set", 0, native_constructor(construct::<Sets>), prototype);
    methods(prototype, &[("add", 1, native(add))]);
    install_shared::<Sets>(set, prototype);
    methods(prototype, set_algebra::METHODS);
    let entries = native(|cx| iterator::create::<Sets>(cx, "entries", IterationKind::Entries));
    method(prototype, "entries", 0, entries);
    let values = native(|cx| iterator::create::<Sets>(cx, "values", IterationKind::Values));
    let values = method(prototype, "values", 0, values);
    prototype.define("keys", values.into(), Attributes::HIDDEN);
    prototype.define(crate::symbol::iterator(), values.into(), Attributes::HIDDEN);
}

fn install_shared<F: Flavor>(constructor: Object, prototype: Object) {
    accessor(constructor, "@@species", native(|cx| Ok(cx.this)), None);
    methods(
        prototype,
        &[
            ("has", 1, native(has::<F>)),
            ("delete", 1, native(delete::<F>)),
            ("clear", 0, native(clear::<F>)),
            ("forEach", 1, native(for_each::<F>)),
        ],
    );
    getters(prototype, &[("size", native(size::<F>))]);
    to_string_tag(prototype, F::NAME);
}

/// `this` as a collection; TypeError otherwise.
#[inline]
fn this<F: Flavor>(cx: &CallContext, method: &str) -> JsResult<Gc<Collection<F>>> {
    match cx.this.as_kind::<Collection<F>>() {
        Some(collection) => Ok(collection),
        None => Err(incompatible(&format!("{}.prototype.{method}", F::NAME), cx.this)),
    }
}

fn construct<F: Flavor>(cx: &CallContext) -> JsResult {
    require_new(cx, F::NAME)?;
    let collection = Collection::<F>::new(cx.new_prototype(F::PROTOTYPE)?, OrderedTable::new());
    if cx.arg(0).is_nullish() {
        return Ok(collection.into());
    }
    let is_map = F::KIND == kind::MAP;
    let adder = collection.object().get(PropertyKey::from_text(F::ADDER))?;
    if !is_callable(adder) {
        let described = display(adder);
        return Err(throw_type_error(format!(
            "'{described}' returned for property '{}' of object '#<{}>' is not a function",
            F::ADDER,
            F::NAME
        )));
    }
    let is_native = is_native_adder::<F>(adder);
    if let Some(items) = cx.arg(0).as_kind::<ArrayCell>().filter(|items| !items.is_sparse()) {
        collection.with(|table| table.reserve(items.len() as usize));
    }
    iterate(cx.arg(0), |item| {
        let (key, value) = if is_map { entry_parts(item)? } else { (item, item) };
        if is_native {
            collection.with(|table| if is_map { table.insert(key, value) } else { table.add(key) });
        } else if is_map {
            call(adder, collection.into(), &[key, value])?;
        } else {
            call(adder, collection.into(), &[key])?;
        }
        Ok(true)
    })?;
    Ok(collection.into())
}

/// Whether the function is the built-in `set` or `add`, which need not be called then.
fn is_native_adder<F: Flavor>(adder: Value) -> bool {
    let code = if F::KIND == kind::MAP { native(set) } else { native(add) };
    adder.as_object().and_then(Object::as_function).is_some_and(|function| function.code.get() == code.index())
}

fn group_by(cx: &CallContext) -> JsResult {
    Ok(MapObject::of(group(cx, "Map.groupBy", Ok)?).into())
}

fn get(cx: &CallContext) -> JsResult {
    let map = this::<Maps>(cx, "get")?;
    Ok(map.with(|table| table.get(cx.arg(0))).unwrap_or(Value::UNDEFINED))
}

fn set(cx: &CallContext) -> JsResult {
    this::<Maps>(cx, "set")?.with(|table| table.insert(cx.arg(0), cx.arg(1)));
    Ok(cx.this)
}

fn get_or_insert(cx: &CallContext) -> JsResult {
    let map = this::<Maps>(cx, "getOrInsert")?;
    Ok(map.with(|table| table.get_or_insert_with(cx.arg(0), || cx.arg(1))))
}

fn get_or_insert_computed(cx: &CallContext) -> JsResult {
    let map = this::<Maps>(cx, "getOrInsertComputed")?;
    let compute = require_function(cx.arg(1))?;
    if let Some(value) = map.with(|table| table.get(cx.arg(0))) {
        return Ok(value);
    }
    // Keys have no −0.
    let key = if cx.arg(0).as_number() == Some(0.0) { Value::int(0) } else { cx.arg(0) };
    let value = call(compute, Value::UNDEFINED, &[key])?;
    map.with(|table| table.insert(key, value));
    Ok(value)
}

fn add(cx: &CallContext) -> JsResult {
    this::<Sets>(cx, "add")?.with(|table| table.add(cx.arg(0)));
    Ok(cx.this)
}

fn has<F: Flavor>(cx: &CallContext) -> JsResult {
    Ok(this::<F>(cx, "has")?.with(|table| table.contains(cx.arg(0))).into())
}

fn delete<F: Flavor>(cx: &CallContext) -> JsResult {
    Ok(this::<F>(cx, "delete")?.with(|table| table.remove(cx.arg(0))).into())
}

fn clear<F: Flavor>(cx: &CallContext) -> JsResult {
    this::<F>(cx, "clear")?.with(OrderedTable::clear);
    Ok(Value::UNDEFINED)
}

fn size<F: Flavor>(cx: &CallContext) -> JsResult {
    match cx.this.as_kind::<Collection<F>>() {
        Some(collection) => Ok(Value::from(collection.with(|table| table.len()))),
        None => Err(incompatible(&format!("get {}.prototype.size", F::NAME), cx.this)),
    }
}

fn for_each<F: Flavor>(cx: &CallContext) -> JsResult {
    let collection = this::<F>(cx, "forEach")?;
    let function = require_function(cx.arg(0))?;
    let cursor = Cell::new(Cursor::default());
    while let Some((key, value)) = collection.step(&cursor) {
        call(function, cx.arg(1), &[value, key, cx.this])?;
    }
    Ok(Value::UNDEFINED)
}

impl<F: Flavor> Collection<F> {
    /// The entry behind the cursor, which moves on.
    #[inline]
    pub fn step(&self, cursor: &Cell<Cursor>) -> Option<(Value, Value)> {
        let mut position = cursor.get();
        let entry = self.with(|table| table.step(&mut position));
        cursor.set(position);
        entry
    }
}
