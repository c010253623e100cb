//! How many inline slots instances of a class get: as many as earlier ones needed.

use convex_wasm_abi::layout::object::MIN_INLINE_CAPACITY;

use crate::cell::kind;
use crate::collector::uninterrupted;
use crate::collector::weak::Weak;
use crate::object::{Object, ObjectHeader};
use crate::shape::{FastMap, Shape, ShapeCell, root_shape};
use crate::state::State;

/// Inline slots of the first instance.
const FIRST_CAPACITY: u16 = 8;
/// Most inline slots; further properties are kept out of line.
const MAX_CAPACITY: u16 = 64;

/// Root shapes of instances by the address of their prototype, and whether the capacity is only a first guess.
static SHAPES: State<Option<FastMap<Weak<ObjectHeader>, (Weak<ShapeCell>, bool)>>> = State::new(None);

/// The shape of a fresh instance.
#[inline]
pub fn shape(prototype: Object) -> Shape {
    let known = SHAPES.with(|shapes| shapes.as_ref().and_then(|shapes| shapes.get(&prototype.weak())).copied());
    if let Some((shape, _)) = known {
        return shape.get();
    }
    let shape = root_shape(kind::OBJECT, Some(prototype), FIRST_CAPACITY);
    remember(prototype, shape, true);
    shape
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

/// Takes note of how many properties an instance has when its constructor is done.
#[inline]
pub fn learn(instance: Object) {
    let shape = instance.shape();
    let Some(prototype) = shape.prototype().filter(|_| instance.kind.get() == kind::OBJECT) else { return };
    let known = SHAPES.with(|shapes| shapes.as_ref().and_then(|shapes| shapes.get(&prototype.weak())).copied());
    let Some((root, is_guess)) = known else { return };
    let needed = (shape.count() as u16).clamp(MIN_INLINE_CAPACITY as u16, MAX_CAPACITY);
    if is_guess || needed > root.get().inline_capacity() {
        remember(prototype, root_shape(kind::OBJECT, Some(prototype), needed), false);
    }
}
