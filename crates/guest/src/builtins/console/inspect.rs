//! Values as text, as `util.inspect` of Node shows them with its default options.

use super::describe::{Shown, class_name, prefix};
use super::layout::{Parts, join};
use super::quote::{property_name, quote};
use super::special;
use crate::builtins::proxy::ProxyObject;
use crate::cell::kind;
use crate::key::PropertyKey;
use crate::object::{Content, Object, PrimitiveWrapper};
use crate::string::{JsString, number_to_string};
use crate::value::Value;

/// Levels shown below the outermost object.
const DEPTH: usize = 2;
/// Elements shown of a collection.
pub const MAX_ITEMS: usize = 100;
/// Units shown of a string.
const MAX_STRING: u32 = 10_000;
/// Strings longer than this, and too long for the line, are broken at their line ends.
const MIN_BROKEN: usize = 16;
const LINE_WIDTH: usize = 80;

/// State of one inspection.
pub struct Inspector {
    /// Objects being shown, outermost first.
    seen: Vec<Object>,
    /// Objects referred to from inside, in the order of their numbers.
    circular: Vec<Object>,
    /// Columns in front of what is being shown.
    pub indentation: usize,
    /// Level of the object shown last.
    last_level: usize,
    depth: usize,
}

/// The text of a value.
pub fn inspect(value: Value) -> String {
    inspect_to_depth(value, DEPTH)
}

/// As [`inspect`], showing `depth` levels below the outermost object.
pub fn inspect_to_depth(value: Value, depth: usize) -> String {
    Inspector { seen: vec![], circular: vec![], indentation: 0, last_level: 0, depth }.value(value, 0)
}

impl Inspector {
    /// The text of a value on `level`.
    pub fn value(&mut self, value: Value, level: usize) -> String {
        let Some(object) = value.as_object() else { return self.primitive(value) };
        let object = innermost_target(object);
        if self.seen.contains(&object) {
            let number = self.circular.iter().position(|&known| known == object).unwrap_or_else(|| {
                self.circular.push(object);
                self.circular.len() - 1
            });
            return format!("[Circular *{}]", number + 1);
        }
        self.object(object, level)
    }

    fn primitive(&self, value: Value) -> String {
        if let Some(string) = value.as_string() {
            return self.string(string);
        }
        if let Some(number) = value.as_number() {
            return number_text(number);
        }
        if let Some(bigint) = value.as_bigint() {
            return format!("{}n", bigint.value());
        }
        if let Some(symbol) = value.as_symbol() {
            return symbol.descriptive_string();
        }
        crate::error::safe_to_string(value)
    }

    fn string(&self, string: JsString) -> String {
        let mut shown = string;
        let mut rest = String::new();
        if string.len() > MAX_STRING {
            shown = string.slice(0, MAX_STRING);
            let more = string.len() - MAX_STRING;
            rest = format!("... {more} more character{}", if more > 1 { "s" } else { "" });
        }
        let length = shown.len() as usize;
        if length > MIN_BROKEN && length + self.indentation + 4 > LINE_WIDTH {
            let lines: Vec<String> = lines(shown).into_iter().map(quote).collect();
            return lines.join(&format!(" +\n{}", " ".repeat(self.indentation + 2))) + &rest;
        }
        quote(shown) + &rest
    }

    fn object(&mut self, object: Object, level: usize) -> String {
        let mut keys = own_enumerable_keys(object);
        let constructor = class_name(object);
        let tag = special::tag(object, constructor.as_deref());
        let mut shown = special::shown(self, object, &constructor, &tag, &mut keys);
        if shown.is_complete && keys.is_empty() {
            return shown.whole();
        }
        if level > self.depth {
            if !shown.base.is_empty() {
                return shown.base;
            }
            let name = prefix(constructor.as_deref(), &tag, shown.fallback, None);
            return format!("[{}]", name.trim_end());
        }
        self.seen.push(object);
        self.last_level = level;
        let mut entries = special::entries(self, object, level + 1, &mut shown);
        for key in keys {
            entries.push(self.property(object, key, level + 1));
        }
        self.seen.pop();
        let mut base = shown.base;
        if let Some(number) = self.circular.iter().position(|&known| known == object) {
            let reference = format!("<ref *{}>", number + 1);
            base = if base.is_empty() { reference } else { format!("{reference} {base}") };
        }
        let Shown { open, close, has_rest, array_of_numbers, .. } = shown;
        let nesting = self.last_level - level;
        let parts = Parts { base, open, close, entries, has_rest, array_of_numbers };
        join(parts, self.indentation, nesting)
    }

    /// `name: value`
    pub fn property(&mut self, object: Object, key: PropertyKey, level: usize) -> String {
        let text = self.property_value(object, key, level);
        let is_hidden = object.ordinary_get_own(key).is_some_and(|property| !property.attributes.is_enumerable());
        let name = if is_hidden { format!("[{}]", key.display()) } else { property_name(key) };
        format!("{name}: {text}")
    }

    /// The value of an own property; accessors are not called.
    pub fn property_value(&mut self, object: Object, key: PropertyKey, level: usize) -> String {
        match own_content(object, key) {
            Some(Content::Data(value)) => {
                self.indentation += 2;
                let text = self.value(value, level);
                self.indentation -= 2;
                text
            }
            Some(Content::Accessor { get, set }) => match (get.is_undefined(), set.is_undefined()) {
                (false, false) => "[Getter/Setter]",
                (false, true) => "[Getter]",
                _ => "[Setter]",
            }
            .to_owned(),
            None => "undefined".to_owned(),
        }
    }
}

/// The text of a number; −0 shows its sign.
pub fn number_text(number: f64) -> String {
    if number == 0.0 && number.is_sign_negative() { "-0".to_owned() } else { number_to_string(number).to_text() }
}

/// The lines of a string, each with its line feed.
fn lines(string: JsString) -> Vec<JsString> {
    let feed = JsString::from_unit(b'\n' as u16);
    let mut lines = vec![];
    let mut start = 0;
    while let Some(end) = string.index_of(feed, start).filter(|&end| end + 1 < string.len()) {
        lines.push(string.slice(start, end + 1));
        start = end + 1;
    }
    lines.push(string.slice(start, string.len()));
    lines
}

/// What an own property holds; whatever goes wrong counts as nothing.
fn own_content(object: Object, key: PropertyKey) -> Option<Content> {
    match object.get_own_property(key) {
        Ok(property) => property.map(|property| property.content),
        Err(thrown) => {
            thrown.take();
            None
        }
    }
}

/// Enumerable own keys, without the indices of arrays, typed arrays and string wrappers.
fn own_enumerable_keys(object: Object) -> Vec<PropertyKey> {
    let Ok(keys) = object.own_keys().map_err(|thrown| thrown.take()) else { return vec![] };
    let has_elements =
        object.as_array().is_some() || special::is_typed_array(object) || PrimitiveWrapper::string(object).is_some();
    keys.into_iter()
        .filter(|&key| {
            let is_enumerable = match object.get_own_property(key) {
                Ok(property) => property.is_some_and(|property| property.attributes.is_enumerable()),
                Err(thrown) => {
                    thrown.take();
                    false
                }
            };
            is_enumerable && !(has_elements && key.as_index().is_some())
        })
        .collect()
}

/// Whether the object is an error.
pub fn is_error(object: Object) -> bool {
    object.kind.get() == kind::ERROR
}

/// The target of a proxy, through as many proxies as there are.
fn innermost_target(mut object: Object) -> Object {
    while let Some((target, _)) = object.as_kind::<ProxyObject>().and_then(|proxy| proxy.parts()) {
        object = target;
    }
    object
}
