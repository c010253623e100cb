//! What objects are called when they are inspected.

use crate::names::keys;
use crate::object::{Content, Object};

/// How an object is shown, apart from its entries.
pub struct Shown {
    /// Text in front of the brace.
    pub base: String,
    /// Opening brace with its prefix.
    pub open: String,
    /// Closing brace.
    pub close: &'static str,
    /// Name of the kind, for objects without constructor.
    pub fallback: &'static str,
    /// Whether nothing follows unless there are properties.
    pub is_complete: bool,
    /// Whether the last of the entries is "… more items".
    pub has_rest: bool,
    /// For arrays, whether all elements are numbers.
    pub array_of_numbers: Option<bool>,
}

impl Shown {
    /// With braces.
    pub fn braces(open: String, fallback: &'static str) -> Shown {
        Shown {
            base: String::new(),
            open,
            close: "}",
            fallback,
            is_complete: false,
            has_rest: false,
            array_of_numbers: None,
        }
    }

    /// A text that needs no braces unless there are properties.
    pub fn text(base: String) -> Shown {
        Shown { base, is_complete: true, ..Shown::braces("{".to_owned(), "Object") }
    }

    /// The text of an object without entries.
    pub fn whole(self) -> String {
        if self.base.is_empty() { format!("{}{}", self.open, self.close) } else { self.base }
    }
}

/// Name of the class an object seems to be an instance of; `None` if its prototype chain has no constructor. No user
/// code runs.
pub fn class_name(object: Object) -> Option<String> {
    let mut holder = Some(object);
    while let Some(current) = holder {
        if let Some(property) = current.ordinary_get_own(keys::constructor())
            && let Content::Data(constructor) = property.content
            && let Some(function) = constructor.as_object().filter(|object| object.as_function().is_some())
        {
            let name = function.function_name();
            if !name.is_empty() && is_instance(object, function) {
                return Some(name);
            }
        }
        holder = current.prototype();
    }
    None
}

/// `object instanceof function`, without user code.
fn is_instance(object: Object, function: Object) -> bool {
    let Some(Content::Data(prototype)) = function.ordinary_get_own(keys::prototype()).map(|property| property.content)
    else {
        return false;
    };
    let mut ancestor = object.prototype();
    while let Some(current) = ancestor {
        if prototype == current.into() {
            return true;
        }
        ancestor = current.prototype();
    }
    false
}

/// `Class(size) [tag] `, the text in front of an opening brace.
pub fn prefix(constructor: Option<&str>, tag: &str, fallback: &str, size: Option<usize>) -> String {
    let size = size.map(|size| format!("({size})")).unwrap_or_default();
    match constructor {
        None if !tag.is_empty() && tag != fallback => format!("[{fallback}{size}: null prototype] [{tag}] "),
        None => format!("[{fallback}{size}: null prototype] "),
        Some(name) if !tag.is_empty() && tag != name => format!("{name}{size} [{tag}] "),
        Some(name) => format!("{name}{size} "),
    }
}
