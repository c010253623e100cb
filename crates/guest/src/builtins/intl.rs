//! `Intl` (ECMA-402) for American English in UTC: what apps use to show numbers and dates. Everything else, other locales
//! first of all, is handed over.

pub mod date_format;
pub mod date_options;
mod decimal;
mod number_format;
mod number_options;
mod options;
mod words;

use core::cell::Cell;

pub use number_format::{bigint_to_locale_string, number_to_locale_string};

use crate::builtin::{CallContext, NativeCode, accessor, function, methods, native, to_string_tag};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::to_string;
use crate::names;
use crate::object::{ArrayCell, Attributes, Object, ObjectHeader, new_native_function};
use crate::realm::{Intrinsic, global, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, hand_over, throw_range_error, throw_type_error};
use crate::value::Value;
use convex_wasm_abi::unit::function_info as info;

/// What an object of `Intl` does.
#[derive(Clone, Copy)]
pub enum Service {
    /// `Intl.NumberFormat`
    Number(number_options::NumberOptions),
    /// `Intl.DateTimeFormat`
    Date(date_options::DateOptions),
    /// `Intl.PluralRules`; true: ordinal numbers.
    Plural(bool),
    /// `Intl.Collator`: its options object, which each comparison reads again.
    Collator(Value),
    /// `Intl.ListFormat`
    List(words::ListOptions),
}

/// An object of `Intl`.
#[repr(C)]
pub struct IntlObject {
    header: ObjectHeader,
    /// The locale, as it was asked for.
    locale: JsString,
    service: Service,
    /// The function that `format` or `compare` answers, UNDEFINED before.
    bound: Cell<Value>,
}

// SAFETY: only `create` makes cells of this kind.
unsafe impl ObjectKind for IntlObject {
    const KIND: u8 = kind::INTL;
}

/// Constructors of `Intl` that are there, so that libraries can see them, but handed over when used.
const MISSING: &[&str] = &["DisplayNames", "Locale", "RelativeTimeFormat", "Segmenter"];

/// Defines `Intl`.
pub(crate) fn install() {
    let intl = Object::new();
    to_string_tag(intl, "Intl");
    methods(intl, &[("getCanonicalLocales", 1, native(canonical_locales))]);
    number_format::install(intl);
    date_format::install(intl);
    words::install(intl);
    for name in MISSING {
        let code = crate::builtin::native_constructor(|_| hand_over("this part of Intl"));
        let function = new_native_function(name, 0, code, info::CONSTRUCTOR).object();
        intl.define(*name, function.into(), Attributes::HIDDEN);
    }
    global().define("Intl", intl.into(), Attributes::HIDDEN);
}

/// Makes a class of `Intl`: its prototype.
fn class(intl: Object, name: &str, code: NativeCode) -> Object {
    let prototype = Object::new();
    let class = new_native_function(name, 0, code, info::CONSTRUCTOR | info::USES_NEW_TARGET).object();
    class.define(names::prototype(), prototype.into(), Attributes::NONE);
    prototype.define(names::constructor(), class.into(), Attributes::HIDDEN);
    methods(class, &[("supportedLocalesOf", 1, native(canonical_locales))]);
    to_string_tag(prototype, &format!("Intl.{name}"));
    intl.define(name, class.into(), Attributes::HIDDEN);
    prototype
}

/// The locale of an argument: English, or the execution is handed over.
fn locale(value: Value) -> JsResult<JsString> {
    let first = match value.as_object().and_then(Object::as_array) {
        Some(array) if array.is_empty() => Value::UNDEFINED,
        Some(array) => array.element(0),
        None if value.is_null() => return Err(throw_type_error("Cannot convert undefined or null to object")),
        None => value,
    };
    if first.is_undefined() {
        return Ok(JsString::from_str("en-US"));
    }
    let Some(tag) = first.as_string() else { return Err(throw_type_error("Incorrect locale information provided")) };
    match tag.to_text().as_str() {
        "en-US" | "en" => Ok(tag),
        text if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => {
            Err(throw_range_error("Incorrect locale information provided"))
        }
        _ => hand_over("Intl in this locale"),
    }
}

fn canonical_locales(cx: &CallContext) -> JsResult {
    let list = match cx.arg(0).as_object().and_then(Object::as_array) {
        None if cx.arg(0).is_undefined() => return Ok(ArrayCell::with_capacity(0).into()),
        Some(array) if array.is_empty() => return Ok(array.into()),
        Some(array) if array.len() > 1 => hand_over("several locales"),
        _ => locale(cx.arg(0))?,
    };
    Ok(ArrayCell::from_slice(&[list.into()]).into())
}

/// An object with the prototype of `new.target`, or of the class that is called plainly.
fn create(cx: &CallContext, locale: JsString, service: Service) -> JsResult {
    let prototype = match cx.new_target.as_object() {
        Some(target) => target.get(names::keys::prototype())?.as_object(),
        None => cx.callee.object().get(names::keys::prototype())?.as_object(),
    };
    let prototype = prototype.unwrap_or_else(|| intrinsic(Intrinsic::ObjectPrototype));
    let header = ObjectHeader::new::<IntlObject>(prototype);
    Ok(Gc::new(IntlObject { header, locale, service, bound: Cell::new(Value::UNDEFINED) }).into())
}

/// `this` as an object of `Intl` for which `service` answers something.
fn this<T>(cx: &CallContext, method: &str, service: fn(Service) -> Option<T>) -> JsResult<(Gc<IntlObject>, T)> {
    let object = cx.this.as_kind::<IntlObject>();
    object.and_then(|object| Some((object, service(object.service)?))).ok_or_else(|| {
        throw_type_error(format!(
            "Method Intl.{method} called on incompatible receiver {}",
            crate::error::display(cx.this)
        ))
    })
}

/// Defines a getter whose function is bound to the object it is read from: `format`, `compare`.
fn bound_method(prototype: Object, name: &str, getter: NativeCode) {
    accessor(prototype, name, getter, None);
}

/// The bound function of an object, made when it is first read. Its `home` is the object.
fn bound(object: Gc<IntlObject>, length: u32, code: NativeCode) -> Value {
    if object.bound.get().is_undefined() {
        let function = function("", length, code);
        function.home.set(object.into());
        object.bound.set(function.into());
    }
    object.bound.get()
}

/// A piece of formatted text: its type and the text.
type Part = (&'static str, String);

fn joined(parts: &[Part]) -> Value {
    let text: String = parts.iter().map(|(_, text)| text.as_str()).collect();
    text.as_str().into()
}

/// What `formatToParts` answers.
fn parts_array(parts: &[Part]) -> Value {
    let parts: Vec<Value> = parts
        .iter()
        .map(|(kind, text)| {
            let part = Object::new();
            part.define("type", (*kind).into(), Attributes::ALL);
            part.define("value", text.as_str().into(), Attributes::ALL);
            part.into()
        })
        .collect();
    ArrayCell::from_slice(&parts).into()
}

/// Defines what is not undefined, in order.
fn described(properties: &[(&str, Value)]) -> Value {
    let object = Object::new();
    for (name, value) in properties.iter().filter(|(_, value)| !value.is_undefined()) {
        object.define(*name, *value, Attributes::ALL);
    }
    object.into()
}

/// A text argument, or `None` if undefined.
fn text(value: Value) -> JsResult<Option<String>> {
    if value.is_undefined() { Ok(None) } else { Ok(Some(to_string(value)?.to_text())) }
}
