//! What `Object.keys` and its like find in a shape, remembered for the shapes they met last.

use crate::cell::kind;
use crate::object::Object;
use crate::shape::{Entry, Shape};
use crate::state::State;

/// Shapes remembered; a power of two.
const REMEMBERED: usize = 256;

#[derive(Clone, Copy)]
struct Known {
    shape: Shape,
    listing: Option<&'static [Entry]>,
}

static KNOWN: State<[Option<Known>; REMEMBERED]> = State::new([None; REMEMBERED]);

/// The enumerable own properties of an object whose keys are all names, in order, and of which none is an accessor: reading
/// them runs no code. `None` for other objects, and for those whose shape changes in place.
#[inline]
pub fn listing(object: Object) -> Option<&'static [Entry]> {
    let shape = object.shape();
    if object.kind.get() != kind::OBJECT || shape.is_dictionary() {
        return None;
    }
    let place = (shape.address() >> 3) as usize % REMEMBERED;
    match KNOWN.with(|known| known[place]) {
        Some(known) if known.shape == shape => known.listing,
        _ => {
            let listing = list(shape);
            KNOWN.with(|known| known[place] = Some(Known { shape, listing }));
            listing
        }
    }
}

#[cold]
fn list(shape: Shape) -> Option<&'static [Entry]> {
    // Private names are no keys.
    let is_key = |entry: &Entry| !entry.key.as_symbol().is_some_and(|symbol| symbol.is_private());
    let entries: Vec<Entry> = shape.entries().filter(is_key).collect();
    if entries.iter().any(|entry| entry.key.as_string().is_none() || entry.attributes.is_accessor()) {
        return None;
    }
    let enumerable: Vec<Entry> = entries.into_iter().filter(|entry| entry.attributes.is_enumerable()).collect();
    Some(enumerable.leak())
}
