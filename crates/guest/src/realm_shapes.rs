//! Shapes that are needed all the time.

use convex_wasm_abi::layout::object as abi;

use crate::cell::{Gc, kind};
use crate::memory::{ARRAY_SHAPE, FUNCTION_SHAPE};
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::{Shape, root_shape};
use crate::state::State;

static OBJECT_SHAPE: State<Option<Shape>> = State::new(None);

/// Shape of `{}`.
#[inline]
pub fn object_shape() -> Shape {
    if let Some(shape) = OBJECT_SHAPE.with(|shape| *shape) {
        return shape;
    }
    let shape = root_shape(kind::OBJECT, Some(intrinsic(Intrinsic::ObjectPrototype)), abi::MIN_INLINE_CAPACITY as u16);
    OBJECT_SHAPE.with(|known| *known = Some(shape));
    shape
}

/// Shape of `[]`.
#[inline]
pub fn array_shape() -> Shape {
    if ARRAY_SHAPE.get() == 0 {
        ARRAY_SHAPE.set(root_shape(kind::ARRAY, Some(intrinsic(Intrinsic::ArrayPrototype)), 0).address());
    }
    // SAFETY: the cell holds the address of a shape.
    unsafe { Gc::from_address(ARRAY_SHAPE.get()) }
}

/// Shape of an ordinary function nobody has looked at.
#[inline]
pub fn function_shape() -> Shape {
    if FUNCTION_SHAPE.get() == 0 {
        let shape = crate::object::function_shape_of(intrinsic(Intrinsic::FunctionPrototype));
        FUNCTION_SHAPE.set(shape.address());
    }
    // SAFETY: the cell holds the address of a shape.
    unsafe { Gc::from_address(FUNCTION_SHAPE.get()) }
}

/// Shape of an async function, generator or async generator nobody has looked at.
pub fn suspending_function_shape(is_async: bool, is_generator: bool) -> Shape {
    static SHAPES: State<[Option<Shape>; 4]> = State::new([None; 4]);
    let index = is_async as usize + 2 * is_generator as usize;
    if let Some(shape) = SHAPES.with(|shapes| shapes[index]) {
        return shape;
    }
    let prototype = intrinsic(match (is_async, is_generator) {
        (false, false) => Intrinsic::FunctionPrototype,
        (true, false) => Intrinsic::AsyncFunctionPrototype,
        (false, true) => Intrinsic::GeneratorFunctionPrototype,
        (true, true) => Intrinsic::AsyncGeneratorFunctionPrototype,
    });
    let shape = crate::object::function_shape_of(prototype);
    SHAPES.with(|shapes| shapes[index] = Some(shape));
    shape
}
