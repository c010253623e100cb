//! `Intl.PluralRules`, `Intl.Collator` and `Intl.ListFormat` in English.

use super::options::Options;
use super::{
    IntlObject, Part, Service, bound, bound_method, class, create, described, joined, locale, parts_array, this,
};
use crate::builtin::{CallContext, methods, native, native_constructor, require_new};
use crate::builtins::string::compare_in_english;
use crate::cell::Gc;
use crate::convert::{to_boolean, to_number, to_string};
use crate::iterate::iterate;
use crate::object::{ArrayCell, Object};
use crate::string::JsString;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// Options of `Intl.ListFormat`.
#[derive(Clone, Copy)]
pub struct ListOptions {
    /// "conjunction", "disjunction" or "unit".
    kind: &'static str,
    /// "long", "short" or "narrow".
    style: &'static str,
}

pub(super) fn install(intl: Object) {
    let plural = class(intl, "PluralRules", native_constructor(construct_plural));
    methods(plural, &[("select", 1, native(select)), ("resolvedOptions", 0, native(plural_options))]);
    let collator = class(intl, "Collator", native_constructor(construct_collator));
    bound_method(collator, "compare", native(|cx| Ok(bound(this_collator(cx, "compare")?.0, 2, native(compare)))));
    methods(collator, &[("resolvedOptions", 0, native(collator_options))]);
    let list = class(intl, "ListFormat", native_constructor(construct_list));
    methods(
        list,
        &[
            ("format", 1, native(|cx| Ok(joined(&list_parts(cx, "format")?)))),
            ("formatToParts", 1, native(|cx| Ok(parts_array(&list_parts(cx, "formatToParts")?)))),
        ],
    );
}

fn construct_plural(cx: &CallContext) -> JsResult {
    require_new(cx, "Intl.PluralRules")?;
    let locale = locale(cx.arg(0))?;
    let options = Options::new(cx.arg(1), "Intl.PluralRules")?;
    let kind = options.one_of("type", &["cardinal", "ordinal"])?;
    options.refuse(&[
        "minimumIntegerDigits",
        "minimumFractionDigits",
        "maximumFractionDigits",
        "minimumSignificantDigits",
        "maximumSignificantDigits",
    ])?;
    create(cx, locale, Service::Plural(kind == Some("ordinal")))
}

fn this_plural(cx: &CallContext, method: &str) -> JsResult<(Gc<IntlObject>, bool)> {
    this(cx, &format!("PluralRules.prototype.{method}"), |service| match service {
        Service::Plural(ordinal) => Some(ordinal),
        _ => None,
    })
}

fn select(cx: &CallContext) -> JsResult {
    let (_, ordinal) = this_plural(cx, "select")?;
    // Three decimals are what would be shown of the number.
    let number = (to_number(cx.arg(0))?.abs() * 1000.0).round() / 1000.0;
    let category = match (ordinal, number % 10.0, number % 100.0) {
        (false, ..) => {
            if number == 1.0 {
                "one"
            } else {
                "other"
            }
        }
        (true, last, end) if last == 1.0 && end != 11.0 => "one",
        (true, last, end) if last == 2.0 && end != 12.0 => "two",
        (true, last, end) if last == 3.0 && end != 13.0 => "few",
        _ => "other",
    };
    Ok(category.into())
}

fn plural_options(cx: &CallContext) -> JsResult {
    let (object, ordinal) = this_plural(cx, "resolvedOptions")?;
    let categories: &[&str] = if ordinal { &["few", "one", "two", "other"] } else { &["one", "other"] };
    let categories: Vec<Value> = categories.iter().map(|category| (*category).into()).collect();
    Ok(described(&[
        ("locale", object.locale.into()),
        ("type", if ordinal { "ordinal" } else { "cardinal" }.into()),
        ("minimumIntegerDigits", Value::int(1)),
        ("minimumFractionDigits", Value::int(0)),
        ("maximumFractionDigits", Value::int(3)),
        ("pluralCategories", ArrayCell::from_slice(&categories).into()),
        ("roundingIncrement", Value::int(1)),
        ("roundingMode", "halfExpand".into()),
        ("roundingPriority", "auto".into()),
        ("trailingZeroDisplay", "auto".into()),
    ]))
}

fn construct_collator(cx: &CallContext) -> JsResult {
    let locale = locale(cx.arg(0))?;
    // A copy: later changes of the options must not count.
    let given = Options::new(cx.arg(1), "Intl.Collator")?;
    let copy = Object::new();
    for name in ["usage", "collation", "numeric", "caseFirst", "sensitivity", "ignorePunctuation"] {
        let value = given.get(name)?;
        if !value.is_undefined() {
            copy.define(name, value, crate::object::Attributes::ALL);
        }
    }
    create(cx, locale, Service::Collator(copy.into()))
}

fn this_collator(cx: &CallContext, method: &str) -> JsResult<(Gc<IntlObject>, Value)> {
    this(cx, &format!("Collator.prototype.{method}"), |service| match service {
        Service::Collator(options) => Some(options),
        _ => None,
    })
}

/// The bound function of `compare`.
fn compare(cx: &CallContext) -> JsResult {
    let Some(object) = cx.callee.home.get().as_kind::<IntlObject>() else { return Ok(Value::UNDEFINED) };
    let Service::Collator(options) = object.service else { return Ok(Value::UNDEFINED) };
    compare_in_english(to_string(cx.arg(0))?, to_string(cx.arg(1))?, options)
}

fn collator_options(cx: &CallContext) -> JsResult {
    let (object, options) = this_collator(cx, "resolvedOptions")?;
    let options = Options::new(options, "Intl.Collator")?;
    let sensitivity = options.get("sensitivity")?;
    Ok(described(&[
        ("locale", object.locale.into()),
        ("usage", "sort".into()),
        ("sensitivity", if sensitivity.is_undefined() { "variant".into() } else { sensitivity }),
        ("ignorePunctuation", Value::FALSE),
        ("collation", "default".into()),
        ("numeric", Value::bool(to_boolean(options.get("numeric")?))),
        ("caseFirst", "false".into()),
    ]))
}

fn construct_list(cx: &CallContext) -> JsResult {
    require_new(cx, "Intl.ListFormat")?;
    let locale = locale(cx.arg(0))?;
    let options = Options::new(cx.arg(1), "Intl.ListFormat")?;
    let kind = options.one_of("type", &["conjunction", "disjunction", "unit"])?.unwrap_or("conjunction");
    let style = options.one_of("style", &["long", "short", "narrow"])?.unwrap_or("long");
    create(cx, locale, Service::List(ListOptions { kind, style }))
}

fn list_parts(cx: &CallContext, method: &str) -> JsResult<Vec<Part>> {
    let (_, options) = this(cx, &format!("ListFormat.prototype.{method}"), |service| match service {
        Service::List(options) => Some(options),
        _ => None,
    })?;
    let mut items: Vec<JsString> = vec![];
    if !cx.arg(0).is_undefined() {
        iterate(cx.arg(0), |item| match item.as_string() {
            Some(text) => {
                items.push(text);
                Ok(true)
            }
            None => {
                let shown = crate::error::display(item);
                Err(throw_type_error(format!("Iterable yielded {shown} which is not a string")))
            }
        })?;
    }
    let word = match (options.kind, options.style) {
        ("disjunction", _) => "or ",
        ("conjunction", "long") => "and ",
        ("conjunction", "short") => "& ",
        _ => "",
    };
    let comma = if options.kind == "unit" && options.style == "narrow" { " " } else { ", " };
    let last = items.len().saturating_sub(1);
    let mut parts = vec![];
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            let separator = match (index == last, items.len(), word) {
                (false, ..) | (true, _, "") => comma.to_owned(),
                (true, 2, word) => format!(" {word}"),
                (true, _, word) => format!("{comma}{word}"),
            };
            parts.push(("literal", separator));
        }
        parts.push(("element", item.to_text()));
    }
    Ok(parts)
}
