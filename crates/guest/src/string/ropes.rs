//! Ropes that modules leave behind.
//!
//! A rope in the image would be flattened anew by every execution that reads it, each time in a page of its own. So those
//! that module evaluation makes are flattened at its end, as far as they are short: longer ones may be parts of each other.

use super::JsString;
use crate::state::State;

/// Longest rope to be flattened, in units.
const MAX_LENGTH: u32 = 1 << 10;
/// Most ropes of one module.
const MAX_COUNT: usize = 1 << 12;

/// Ropes made by the module under evaluation.
static MADE: State<Option<Vec<JsString>>> = State::new(None);

/// Tells of a new rope.
#[inline]
pub(super) fn made(rope: JsString) {
    MADE.with(|made| {
        if let Some(made) = made
            && rope.len() <= MAX_LENGTH
            && made.len() < MAX_COUNT
        {
            made.push(rope);
        }
    });
}

/// Begins the evaluation of a module.
pub fn watch() {
    MADE.with(|made| *made = Some(Vec::new()));
}

/// Ends it.
pub fn flatten_made() {
    for rope in MADE.with(Option::take).into_iter().flatten() {
        rope.units();
    }
}
