//! What `util.inspect` shows of each kind of object.

use super::describe::{Shown, prefix};
use super::errors::error_text;
use super::inspect::{Inspector, MAX_ITEMS, is_error};
use crate::builtins::date::DateObject;
use crate::builtins::map_set::{MapObject, SetObject};
use crate::cell::kind;
use crate::key::PropertyKey;
use crate::object::{Attributes, Object, PrimitiveWrapper};
use crate::promise::{PromiseObject, PromiseState};
use crate::string::JsString;
use crate::value::Value;
use convex_wasm_abi::unit::function_info as info;

/// Whether it is a typed array.
pub fn is_typed_array(object: Object) -> bool {
    (kind::TYPED_ARRAY..kind::FIRST_PRIVATE_OBJECT).contains(&object.kind.get())
}

/// `object[Symbol.toStringTag]`, unless it is shown as a property or says the same as the constructor's name.
pub fn tag(object: Object, constructor: Option<&str>) -> String {
    let key: PropertyKey = crate::symbol::to_string_tag().into();
    let is_shown = object.ordinary_get_own(key).is_some_and(|property| property.attributes.has(Attributes::ENUMERABLE));
    let tag = match object.get(key) {
        Ok(tag) => tag.as_string().map(JsString::to_text).unwrap_or_default(),
        Err(thrown) => {
            thrown.take();
            String::new()
        }
    };
    if is_shown || constructor == Some(tag.as_str()) { String::new() } else { tag }
}

/// How the object is shown. Takes keys out of `keys` that are part of its text, and adds hidden ones that are shown.
pub fn shown(
    inspector: &Inspector,
    object: Object,
    constructor: &Option<String>,
    tag: &str,
    keys: &mut Vec<PropertyKey>,
) -> Shown {
    let class = constructor.as_deref();
    let braces = |fallback: &'static str, size: Option<usize>| {
        Shown::braces(format!("{}{{", prefix(class, tag, fallback, size)), fallback)
    };
    if let Some(array) = object.as_array() {
        let length = array.len() as usize;
        let name = match class {
            Some("Array") if tag.is_empty() => String::new(),
            _ => prefix(class, tag, "Array", Some(length)),
        };
        let numbers = array.dense().iter().all(|value| value.get().is_number() || value.get().is_bigint());
        return list(name, "Array", length, numbers);
    }
    if is_typed_array(object) {
        let length = length(object);
        let name = class.unwrap_or("TypedArray").to_owned();
        return list(prefix(Some(&name), tag, "TypedArray", Some(length)), "TypedArray", length, true);
    }
    if let Some(map) = object.as_kind::<MapObject>() {
        let size = map.with(|table| table.len()) as usize;
        return Shown { is_complete: size == 0, has_rest: size > MAX_ITEMS, ..braces("Map", Some(size)) };
    }
    if let Some(set) = object.as_kind::<SetObject>() {
        let size = set.with(|table| table.len()) as usize;
        return Shown { is_complete: size == 0, has_rest: size > MAX_ITEMS, ..braces("Set", Some(size)) };
    }
    if is_error(object) {
        return Shown::text(error_text(inspector, object, class, keys));
    }
    match object.kind.get() {
        kind::FUNCTION => Shown::text(function_text(object, class, tag)),
        kind::REGEXP => Shown::text(with_class(class, "RegExp", safe_text(object))),
        kind::DATE => Shown::text(with_class(class, "Date", date_text(object))),
        kind::PROMISE => braces("Promise", None),
        kind::WEAK_MAP => braces("WeakMap", None),
        kind::WEAK_SET => braces("WeakSet", None),
        kind::ARRAY_BUFFER | kind::SHARED_ARRAY_BUFFER => braces("ArrayBuffer", None),
        kind::GENERATOR | kind::ASYNC_GENERATOR => empty(format!("{}{{", prefix(class, tag, "Object", None))),
        kind::NAMESPACE => {
            Shown { is_complete: true, ..Shown::braces("[Module: null prototype] {".to_owned(), "Module") }
        }
        kind::PRIMITIVE_WRAPPER | kind::STRING_WRAPPER => Shown::text(wrapper_text(object)),
        kind::ARGUMENTS | kind::MAPPED_ARGUMENTS => empty("[Arguments] {".to_owned()),
        _ if class == Some("Object") && tag.is_empty() => empty("{".to_owned()),
        _ => empty(format!("{}{{", prefix(class, tag, "Object", None))),
    }
}

/// Braces around nothing but properties.
fn empty(open: String) -> Shown {
    Shown { is_complete: true, ..Shown::braces(open, "Object") }
}

fn list(name: String, fallback: &'static str, length: usize, numbers: bool) -> Shown {
    Shown {
        close: "]",
        is_complete: length == 0,
        has_rest: length > MAX_ITEMS,
        array_of_numbers: Some(numbers),
        ..Shown::braces(format!("{name}["), fallback)
    }
}

fn length(object: Object) -> usize {
    match object.length() {
        Ok(length) => length as usize,
        Err(thrown) => {
            thrown.take();
            0
        }
    }
}

/// The text with the class in front, if that is not the usual one.
fn with_class(class: Option<&str>, usual: &str, text: String) -> String {
    if class == Some(usual) { text } else { format!("{}{text}", prefix(class, "", usual, None)) }
}

fn safe_text(object: Object) -> String {
    crate::error::safe_to_string(object.into())
}

fn date_text(object: Object) -> String {
    object.as_kind::<DateObject>().and_then(|date| date.iso()).unwrap_or_else(|| "Invalid Date".to_owned())
}

fn wrapper_text(object: Object) -> String {
    let value = PrimitiveWrapper::unwrap(object).unwrap_or(Value::UNDEFINED);
    let class = match value {
        value if value.is_string() => "String",
        value if value.is_number() => "Number",
        value if value.is_bigint() => "BigInt",
        value if value.is_symbol() => "Symbol",
        _ => "Boolean",
    };
    format!("[{class}: {}]", super::inspect::inspect(value))
}

/// `[Function: name]`, `[class Name extends Parent]`.
fn function_text(object: Object, class: Option<&str>, tag: &str) -> String {
    let name = object.function_name();
    let Some(function) = object.as_function() else { return "[Function (anonymous)]".to_owned() };
    let record = function.info.get();
    if record.has(info::CLASS) {
        let mut text = if name.is_empty() { "[class (anonymous)".to_owned() } else { format!("[class {name}") };
        let parent = object.prototype().filter(|parent| parent.as_function().is_some());
        if let Some(parent) = parent.map(Object::function_name).filter(|name| !name.is_empty()) {
            text.push_str(&format!(" extends {parent}"));
        } else if record.has(info::DERIVED) && object.prototype().is_none() {
            text.push_str(" extends [null prototype]");
        }
        return text + "]";
    }
    let kind = match (record.has(info::ASYNC), record.has(info::GENERATOR)) {
        (false, false) => "Function",
        (true, false) => "AsyncFunction",
        (false, true) => "GeneratorFunction",
        (true, true) => "AsyncGeneratorFunction",
    };
    let mut text = format!("[{kind}");
    if class.is_none() {
        text.push_str(" (null prototype)");
    }
    text.push_str(&if name.is_empty() { " (anonymous)]".to_owned() } else { format!(": {name}]") });
    if let Some(class) = class.filter(|&class| class != kind && class != "Function") {
        text.push_str(&format!(" {class}"));
    }
    if !tag.is_empty() && class != Some(tag) && tag != kind {
        text.push_str(&format!(" [{tag}]"));
    }
    text
}

/// The entries that are no properties.
pub fn entries(inspector: &mut Inspector, object: Object, level: usize, shown: &mut Shown) -> Vec<String> {
    if object.as_array().is_some() {
        return array_entries(inspector, object, level);
    }
    if is_typed_array(object) {
        return typed_array_entries(inspector, object, level);
    }
    if let Some(map) = object.as_kind::<MapObject>() {
        let pairs: Vec<_> = map.with(|table| table.iter().collect());
        return collection_entries(inspector, pairs.len(), |inspector, index| {
            let (key, value) = pairs[index];
            format!("{} => {}", inspector.value(key, level), inspector.value(value, level))
        });
    }
    if let Some(set) = object.as_kind::<SetObject>() {
        let pairs: Vec<_> = set.with(|table| table.iter().collect());
        return collection_entries(inspector, pairs.len(), |inspector, index| inspector.value(pairs[index].0, level));
    }
    match object.kind.get() {
        kind::PROMISE => promise_entries(inspector, object, level),
        kind::WEAK_MAP | kind::WEAK_SET => vec!["<items unknown>".to_owned()],
        kind::ARRAY_BUFFER | kind::SHARED_ARRAY_BUFFER => buffer_entries(inspector, object, level),
        _ => {
            shown.has_rest = false;
            vec![]
        }
    }
}

fn more_items(count: usize) -> String {
    format!("... {count} more item{}", if count > 1 { "s" } else { "" })
}

fn collection_entries(
    inspector: &mut Inspector,
    count: usize,
    mut entry: impl FnMut(&mut Inspector, usize) -> String,
) -> Vec<String> {
    inspector.indentation += 2;
    let mut entries: Vec<String> = (0..count.min(MAX_ITEMS)).map(|index| entry(inspector, index)).collect();
    inspector.indentation -= 2;
    if count > MAX_ITEMS {
        entries.push(more_items(count - MAX_ITEMS));
    }
    entries
}

fn array_entries(inspector: &mut Inspector, object: Object, level: usize) -> Vec<String> {
    let length = length(object);
    let mut entries = vec![];
    let mut index = 0;
    while index < length && entries.len() < MAX_ITEMS {
        let exists = |index: usize| object.plain_get_own(PropertyKey::integer(index as u64)).is_some();
        let holes = (index..length).take_while(|&index| !exists(index)).count();
        if holes > 0 {
            entries.push(format!("<{holes} empty item{}>", if holes > 1 { "s" } else { "" }));
            index += holes;
            continue;
        }
        entries.push(inspector.property_value(object, PropertyKey::integer(index as u64), level));
        index += 1;
    }
    if index < length {
        entries.push(more_items(length - index));
    }
    entries
}

fn typed_array_entries(inspector: &mut Inspector, object: Object, level: usize) -> Vec<String> {
    let length = length(object);
    collection_entries(inspector, length, |inspector, index| {
        inspector.property_value(object, PropertyKey::integer(index as u64), level)
    })
}

fn promise_entries(inspector: &mut Inspector, object: Object, level: usize) -> Vec<String> {
    let Some(promise) = object.as_kind::<PromiseObject>() else { return vec![] };
    if promise.state() == PromiseState::Pending {
        return vec!["<pending>".to_owned()];
    }
    inspector.indentation += 2;
    let text = inspector.value(promise.result(), level);
    inspector.indentation -= 2;
    vec![if promise.state() == PromiseState::Rejected { format!("<rejected> {text}") } else { text }]
}

fn buffer_entries(inspector: &mut Inspector, object: Object, level: usize) -> Vec<String> {
    const MAX_BYTES: usize = 50;
    let bytes = crate::builtins::bytes::bytes_of(object.into()).unwrap_or_default();
    let shown: Vec<String> = bytes.iter().take(MAX_BYTES).map(|byte| format!("{byte:02x}")).collect();
    let rest = match bytes.len().saturating_sub(MAX_BYTES) {
        0 => String::new(),
        rest => format!(" ... {rest} more byte{}", if rest > 1 { "s" } else { "" }),
    };
    let length = inspector.value(Value::from(bytes.len()), level);
    vec![format!("[Uint8Contents]: <{}{rest}>", shown.join(" ")), format!("[byteLength]: {length}")]
}
