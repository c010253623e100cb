//! Whether regular expressions still behave as the realm made them, so that their methods need not go through user code.

use super::{RegExpObject, shape_with};
use crate::cell::Gc;
use crate::memory::PROTO_EPOCH;
use crate::object::Object;
use crate::realm::{Intrinsic, intrinsic};
use crate::shape::Shape;
use crate::state::State;
use crate::value::Value;

struct Memory {
    initial: Option<Shape>,
    /// Shape and slots of `RegExp.prototype`.
    prototype: Option<(Shape, Vec<Value>)>,
    /// PROTO_EPOCH when it was last found unchanged.
    epoch: u32,
}

static MEMORY: State<Memory> = State::new(Memory { initial: None, prototype: None, epoch: 0 });

/// Shape of a fresh regular expression.
pub fn initial_shape() -> Shape {
    if let Some(shape) = MEMORY.with(|memory| memory.initial) {
        return shape;
    }
    let shape = shape_with(intrinsic(Intrinsic::RegExpPrototype));
    MEMORY.with(|memory| memory.initial = Some(shape));
    shape
}

fn slots(prototype: Object) -> Vec<Value> {
    (0..prototype.shape().count()).map(|slot| prototype.slot(slot)).collect()
}

/// Takes the prototype as it is now for what it should be.
pub fn remember(prototype: Object) {
    initial_shape();
    let state = (prototype.shape(), slots(prototype));
    MEMORY.with(|memory| memory.prototype = Some(state));
}

/// Whether a value is a regular expression, and neither it nor its prototype was tampered with.
pub fn is_pristine(value: Value) -> bool {
    pristine(value).is_some()
}

/// The regular expression, if neither it nor its prototype was tampered with.
#[inline]
pub fn pristine(value: Value) -> Option<Gc<RegExpObject>> {
    let regexp = value.as_kind::<RegExpObject>()?;
    let epoch = PROTO_EPOCH.get();
    MEMORY.with(|memory| {
        if memory.initial != Some(regexp.object().shape()) {
            return None;
        }
        if memory.epoch != epoch {
            let prototype = intrinsic(Intrinsic::RegExpPrototype);
            let (shape, known) = memory.prototype.as_ref()?;
            if *shape != prototype.shape() || *known != slots(prototype) {
                return None;
            }
            memory.epoch = epoch;
        }
        Some(regexp)
    })
}
