//! How many inline slots instances of a class get: as many as earlier ones needed.

use convex_wasm_abi::layout::object::MIN_INLINE_CAPACITY;

use crate::cell::kind;
use crate::object::Object;
use crate::shape::{FastMap, Shape, root_shape};
use crate::state::State;

/// Inline slots of the first instance.
const FIRST_CAPACITY: u16 = 8;
/// Most inline slots; further properties are kept out of line.
const MAX_CAPACITY: u16 = 64;

/// Root shapes of instances by the address of their prototype, and whether the capacity is only a first guess.
static SHAPES: State<Option<FastMap<u32, (Shape, bool)>>> = State::new(None);

/// The shape of a fresh instance.
#[inline]
pub fn shape(prototype: Object) -> Shape {
    SHAPES.with(|shapes| {
        let first = || (root_shape(kind::OBJECT, Some(prototype), FIRST_CAPACITY), true);
        shapes.get_or_insert_default().entry(prototype.address()).or_insert_with(first).0
    })
}

/// Takes note of how many properties an instance has when its constructor is done.
#[inline]
pub fn learn(instance: Object) {
    let shape = instance.shape();
    let Some(prototype) = shape.prototype().filter(|_| instance.kind.get() == kind::OBJECT) else { return };
    SHAPES.with(|shapes| {
        let Some((root, is_guess)) = shapes.as_mut().and_then(|shapes| shapes.get_mut(&prototype.address())) else {
            return;
        };
        let needed = (shape.count() as u16).clamp(MIN_INLINE_CAPACITY as u16, MAX_CAPACITY);
        if *is_guess || needed > root.inline_capacity() {
            *is_guess = false;
            *root = root_shape(kind::OBJECT, Some(prototype), needed);
        }
    });
}
