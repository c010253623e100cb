//! CopyDataProperties: spread and rest of objects; and `Object.assign` where it is the same.
//!
//! Objects whose shape has only plain properties under names are copied slot by slot, by a recipe that is made once for each
//! shape and each list of excluded keys. What user code may take part in goes the specification's way.

use core::cell::Cell;

use convex_wasm_abi::layout::object as abi;

use crate::cell::kind;
use crate::convert::to_object;
use crate::key::PropertyKey;
use crate::memory::PROTO_EPOCH;
use crate::object::{Attributes, Object, PropertyDescriptor};
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::{Entry, Shape, root_shape};
use crate::state::State;
use crate::throw::JsResult;
use crate::value::Value;

/// Recipes remembered; a power of two.
const REMEMBERED: usize = 128;
/// Inline slots of a spread object for what the literal adds to it.
const SPARE_SLOTS: u32 = 2;
/// Objects with more properties than this are copied one by one.
const MAX_SLOTS: u32 = 64;

/// How objects of a shape are copied.
struct Recipe {
    source: Shape,
    excluded: Vec<PropertyKey>,
    /// `None`: not by a recipe.
    copy: Option<Copy>,
}

struct Copy {
    /// PROTO_EPOCH in which `Object.prototype` had none of the keys, so that assigning them to an empty object is defining them.
    assignable: Cell<Option<u32>>,
    /// Shape of the empty copy.
    empty: Shape,
    /// Shape of the copy.
    full: Shape,
    /// Slots of the source, in the order of the copy's.
    slots: Vec<u32>,
    /// Whether all of them are inline.
    slots_are_inline: bool,
}

impl Copy {
    /// What is copied, in order.
    #[inline]
    fn values(&self, source: Object) -> impl Iterator<Item = Value> {
        let inline = self.slots_are_inline.then(|| source.inline_slots());
        self.slots.iter().map(move |&from| match inline.and_then(|slots| slots.get(from as usize)) {
            Some(slot) => slot.get(),
            None => source.slot(from),
        })
    }
}

static RECIPES: State<[Option<&'static Recipe>; REMEMBERED]> = State::new([None; REMEMBERED]);

/// The recipe for objects of the shape without the excluded keys; `spare` inline slots are kept free.
fn recipe(source: Shape, excluded: &[PropertyKey], spare: u32) -> Option<&'static Copy> {
    let keys = excluded.iter().fold(0, |hash, key| hash ^ key.hash() as usize);
    let place = ((source.address() >> 4) as usize ^ keys) % REMEMBERED;
    match RECIPES.with(|recipes| recipes[place]) {
        Some(known) if known.source == source && known.excluded == excluded => known.copy.as_ref(),
        _ => {
            let copy = make(source, excluded, spare);
            let recipe: &'static Recipe = Box::leak(Box::new(Recipe { source, excluded: excluded.to_vec(), copy }));
            RECIPES.with(|recipes| recipes[place] = Some(recipe));
            recipe.copy.as_ref()
        }
    }
}

#[cold]
fn make(source: Shape, excluded: &[PropertyKey], spare: u32) -> Option<Copy> {
    let is_plain = |entry: &Entry| entry.key.as_string().is_some() && entry.attributes == Attributes::ALL;
    if source.kind() != kind::OBJECT || source.is_dictionary() || !source.entries().all(|entry| is_plain(&entry)) {
        return None;
    }
    let copied: Vec<Entry> = source.entries().filter(|entry| !excluded.contains(&entry.key)).collect();
    let count = copied.len() as u32;
    let room = (count + spare).max(abi::MIN_INLINE_CAPACITY);
    let capacity = if spare > 0 { room.max(source.inline_capacity().into()) } else { room };
    if capacity > MAX_SLOTS {
        return None;
    }
    let empty = root_shape(kind::OBJECT, Some(intrinsic(Intrinsic::ObjectPrototype)), capacity as u16);
    let full = copied.iter().fold(empty, |shape, entry| shape.add(entry.key, Attributes::ALL));
    let slots_are_inline = copied.iter().all(|entry| entry.slot < source.inline_capacity().into());
    Some(Copy {
        assignable: Cell::new(None),
        empty,
        full,
        slots_are_inline,
        slots: copied.iter().map(|entry| entry.slot).collect(),
    })
}

/// `{ ...source }` into a literal under construction.
pub fn spread(target: Object, source: Value) -> JsResult<()> {
    if let Some(source) = source.as_object()
        && copy_to_empty(target, source, |_| true)
    {
        return Ok(());
    }
    copy_properties(target, source, &[])
}

/// `Object.assign` of an ordinary object to an empty literal, if that is the same as spreading it. False, with nothing done,
/// if not.
pub fn assign(target: Object, source: Object) -> bool {
    copy_to_empty(target, source, |copy| {
        let epoch = PROTO_EPOCH.get();
        if copy.assignable.get() == Some(epoch) {
            return true;
        }
        let prototype = intrinsic(Intrinsic::ObjectPrototype);
        let is_assignable = copy.full.entries().all(|entry| prototype.find(entry.key).is_none());
        if is_assignable {
            copy.assignable.set(Some(epoch));
        }
        is_assignable
    })
}

/// Copies by a recipe that is allowed, if `target` is an empty literal that can become as large.
fn copy_to_empty(target: Object, source: Object, is_allowed: impl FnOnce(&Copy) -> bool) -> bool {
    if target.shape() != crate::realm_shapes::object_shape() || target.flags.get() != 0 {
        return false;
    }
    let Some(copy) = recipe(source.shape(), &[], SPARE_SLOTS) else { return false };
    if !is_allowed(copy) || !target.make_room(copy.empty) {
        return false;
    }
    target.fill_slots(copy.values(source));
    target.shape.set(copy.full);
    true
}

/// The rest of an object pattern: a fresh object.
pub fn rest(source: Value, excluded: &[PropertyKey]) -> JsResult<Object> {
    if let Some(source) = source.as_object()
        && let Some(copy) = recipe(source.shape(), excluded, 0)
    {
        return Ok(Object::with_slots(copy.full, copy.values(source)));
    }
    let target = Object::new();
    copy_properties(target, source, excluded)?;
    Ok(target)
}

/// Own enumerable properties of `source`, if it is not nullish, without `excluded`.
fn copy_properties(target: Object, source: Value, excluded: &[PropertyKey]) -> JsResult<()> {
    if source.is_nullish() {
        return Ok(());
    }
    let source = to_object(source)?;
    if source.kind.get() == kind::OBJECT && copy_plain(target, source, excluded) {
        return Ok(());
    }
    for key in source.own_keys()? {
        if excluded.contains(&key) {
            continue;
        }
        if let Some(property) = source.get_own_property(key)?
            && property.attributes.is_enumerable()
        {
            target.create_data_or_throw(key, source.get(key)?)?;
        }
    }
    Ok(())
}

/// Copies the properties of an ordinary object that has no accessors, index keys or symbols, so that no user code runs
/// and the order is that of creation. False, with nothing done, if it is another object.
fn copy_plain(target: Object, source: Object, excluded: &[PropertyKey]) -> bool {
    let shape = source.shape();
    if target.kind.get() != kind::OBJECT
        || !shape.entries().all(|entry| entry.key.as_string().is_some() && !entry.attributes.is_accessor())
    {
        return false;
    }
    for entry in shape.entries() {
        if !entry.attributes.is_enumerable() || excluded.contains(&entry.key) {
            continue;
        }
        let value = source.data_slot(entry);
        match target.find(entry.key) {
            Some(known) if known.attributes == Attributes::ALL => target.set_slot(known.slot, value),
            Some(_) => {
                // A getter of the literal, say: it becomes a data property.
                target.ordinary_define_own(entry.key, &PropertyDescriptor::data(value, Attributes::ALL));
            }
            None => target.add_slot(entry.key, value, Attributes::ALL),
        }
    }
    true
}
