//! The TypeError for circular structures, in V8's words.

use crate::error::constructor_name;
use crate::key::PropertyKey;
use crate::object::Object;
use crate::throw::{Throw, throw_type_error};

/// Longest path that is shown whole; of a longer one the first lines and the last.
const WHOLE_PATH: usize = 3;
const FIRST_LINES: usize = 2;

fn step(key: PropertyKey) -> String {
    match key.as_index() {
        Some(index) => format!("index {index}"),
        None => format!("property '{}'", key.display()),
    }
}

fn class(object: Object) -> String {
    format!("object with constructor '{}'", constructor_name(object))
}

/// Throws the TypeError: `object`, found under `key`, is one of the `open` objects already.
#[cold]
pub fn circular_error(open: &[(Object, PropertyKey)], object: Object, key: PropertyKey) -> Throw {
    let start = open.iter().position(|&(open, _)| open == object).unwrap_or(0);
    let path = open.get(start + 1..).unwrap_or(&[]);
    let mut lines =
        vec!["Converting circular structure to JSON".to_owned(), format!("    --> starting at {}", class(object))];
    for (index, &(object, key)) in path.iter().enumerate() {
        if path.len() <= WHOLE_PATH || index < FIRST_LINES || index == path.len() - 1 {
            lines.push(format!("    |     {} -> {}", step(key), class(object)));
        } else if index == FIRST_LINES {
            lines.push("    |     ...".to_owned());
        }
    }
    lines.push(format!("    --- {} closes the circle", step(key)));
    throw_type_error(lines.join("\n"))
}
