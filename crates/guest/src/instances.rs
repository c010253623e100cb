//! How many inline slots instances of a class get: as many as their constructors assign, or earlier ones needed.

use convex_wasm_abi::layout::function as function_abi;
use convex_wasm_abi::layout::object::MIN_INLINE_CAPACITY;

use crate::cell::{Gc, kind};
use crate::collector::uninterrupted;
use crate::collector::weak::Weak;
use crate::names::keys;
use crate::object::{FunctionCell, Object, ObjectHeader};
use crate::shape::{FastMap, Shape, ShapeCell, root_shape};
use crate::state::State;
use crate::value::Value;

/// Inline slots of the first instance, if nothing is known of its constructors.
const FIRST_CAPACITY: u16 = 8;
/// Most inline slots; further properties are kept out of line.
const MAX_CAPACITY: u16 = 64;

/// Root shapes of instances by the address of their prototype, and whether the capacity is only a first guess.
static SHAPES: State<Option<FastMap<Weak<ObjectHeader>, (Weak<ShapeCell>, bool)>>> = State::new(None);

/// The shape of a fresh instance that `constructor`, its `new.target`, makes.
#[inline]
pub fn shape(prototype: Object, constructor: Value) -> Shape {
    let known = SHAPES.with(|shapes| shapes.as_ref().and_then(|shapes| shapes.get(&prototype.weak())).copied());
    if let Some((shape, _)) = known {
        return shape.get();
    }
    let expected = expected_properties(constructor);
    let capacity = if expected == 0 { FIRST_CAPACITY } else { capacity_for(expected) };
    let shape = root_shape(kind::OBJECT, Some(prototype), capacity);
    remember(prototype, shape, expected == 0);
    shape
}

fn capacity_for(properties: u32) -> u16 {
    properties.clamp(MIN_INLINE_CAPACITY, MAX_CAPACITY as u32) as u16
}

/// How many properties a constructor and those of its superclasses assign.
fn expected_properties(constructor: Value) -> u32 {
    let mut expected = 0;
    let mut class = constructor.as_object();
    while let Some(function) = class.and_then(Object::as_function) {
        expected += function.info.get().expected_properties();
        class = function.object().prototype();
    }
    expected
}

fn remember(prototype: Object, shape: Shape, is_guess: bool) {
    uninterrupted(|| {
        SHAPES.with(|shapes| shapes.get_or_insert_default().insert(prototype.weak(), (shape.into(), is_guess)));
    });
}

/// Drops what the collection under way did not mark.
pub(crate) fn drop_dead() {
    SHAPES.with(|shapes| shapes.get_or_insert_default().retain(|_, (shape, _)| shape.is_live()));
}

/// Takes note of how many properties an instance has that `class`, its `new.target`, just made.
#[inline]
pub fn learn(instance: Object, class: Gc<FunctionCell>) {
    // What has been learned holds as long as all properties fit.
    if class.instances.get().is_none() || instance.slots.get() != 0 {
        learn_capacity(instance, class);
    }
}

fn learn_capacity(instance: Object, class: Gc<FunctionCell>) {
    let shape = instance.shape();
    let Some(prototype) = shape.prototype().filter(|_| instance.kind.get() == kind::OBJECT) else { return };
    let known = SHAPES.with(|shapes| shapes.as_ref().and_then(|shapes| shapes.get(&prototype.weak())).copied());
    let Some((root, is_guess)) = known else { return };
    let needed = capacity_for(shape.count());
    let mut root = root.get();
    if is_guess || needed > root.inline_capacity() {
        root = root_shape(kind::OBJECT, Some(prototype), needed);
        remember(prototype, root, false);
    }
    // The `prototype` of a class never changes.
    let object = class.object();
    if object.has_flag(function_abi::CLASS)
        && !class.is_native()
        && object.find(keys::prototype()).is_some_and(|entry| object.data_slot(entry) == prototype.into())
    {
        class.instances.set(Some(root));
    }
}
