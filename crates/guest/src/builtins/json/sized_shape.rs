//! Shapes with as many inline slots as they have properties.

use convex_wasm_abi::layout::object::MIN_INLINE_CAPACITY;

use crate::cell::kind;
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::{Shape, root_shape};
use crate::state::State;

/// Direct-mapped: addresses of a narrow shape and of its wide twin.
static CACHE: State<[Option<(Shape, Shape)>; 128]> = State::new([None; 128]);

/// The shape of an object literal with the properties of `shape`, which grew from that of `{}` and is no dictionary.
#[inline]
pub fn sized_shape(shape: Shape) -> Shape {
    if shape.count() <= MIN_INLINE_CAPACITY {
        return shape;
    }
    let index = (shape.address() >> 5) as usize % 128;
    match CACHE.with(|cache| cache[index]) {
        Some((narrow, wide)) if narrow == shape => wide,
        _ => {
            let wide = widen(shape);
            CACHE.with(|cache| cache[index] = Some((shape, wide)));
            wide
        }
    }
}

#[cold]
fn widen(shape: Shape) -> Shape {
    let root = root_shape(kind::OBJECT, Some(intrinsic(Intrinsic::ObjectPrototype)), shape.count() as u16);
    shape.entries().fold(root, |wide, entry| wide.add(entry.key, entry.attributes))
}
