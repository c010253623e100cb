//! `URLSearchParams`.

use core::cell::Cell;

use url::form_urlencoded::{Serializer, parse};

use super::UrlObject;
use crate::builtin::{
    CallContext, constructor, getters, method, methods, native, native_constructor, require_new, to_string_tag,
};
use crate::call;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::to_string;
use crate::iterate::{collect, iterate, new_iterator_result};
use crate::object::{ArrayCell, Attributes, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A list of names and values.
#[repr(C)]
pub struct SearchParams {
    header: ObjectHeader,
    pairs: State<Vec<(String, String)>>,
    /// The URL it belongs to.
    url: Cell<Option<Gc<UrlObject>>>,
}

// SAFETY: only this file makes cells of this kind.
unsafe impl ObjectKind for SearchParams {
    const KIND: u8 = kind::URL_SEARCH_PARAMS;
}

/// What an iterator yields.
#[derive(Clone, Copy)]
enum Yield {
    Names,
    Values,
    Entries,
}

/// An iterator over such a list.
#[repr(C)]
struct ParamsIterator {
    header: ObjectHeader,
    params: Gc<SearchParams>,
    next: Cell<usize>,
    yields: Yield,
}

// SAFETY: only `new_iterator` makes cells of this kind.
unsafe impl ObjectKind for ParamsIterator {
    const KIND: u8 = kind::URL_SEARCH_PARAMS_ITERATOR;
}

pub(super) fn install() {
    let prototype = intrinsic(Intrinsic::UrlSearchParamsPrototype);
    constructor("URLSearchParams", 0, native_constructor(construct), prototype);
    methods(
        prototype,
        &[
            ("append", 2, native(append)),
            ("delete", 1, native(delete)),
            ("get", 1, native(get)),
            ("getAll", 1, native(get_all)),
            ("has", 1, native(has)),
            ("set", 2, native(set)),
            ("sort", 0, native(sort)),
            ("forEach", 1, native(for_each)),
            ("keys", 0, native(|cx| new_iterator(cx, Yield::Names))),
            ("values", 0, native(|cx| new_iterator(cx, Yield::Values))),
            ("toString", 0, native(|cx| Ok(this_params(cx)?.serialize().as_str().into()))),
        ],
    );
    let entries = method(prototype, "entries", 0, native(|cx| new_iterator(cx, Yield::Entries)));
    prototype.define(crate::symbol::iterator(), entries.into(), Attributes::HIDDEN);
    getters(prototype, &[("size", native(|cx| Ok(this_params(cx)?.pairs.with(|pairs| pairs.len()).into())))]);
    to_string_tag(prototype, "URLSearchParams");

    let iterator = intrinsic(Intrinsic::UrlSearchParamsIteratorPrototype);
    iterator.force_prototype(Some(intrinsic(Intrinsic::IteratorPrototype)));
    methods(iterator, &[("next", 0, native(next))]);
    to_string_tag(iterator, "URLSearchParams Iterator");
}

fn parsed(query: &str) -> Vec<(String, String)> {
    parse(query.as_bytes()).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

impl SearchParams {
    fn new(prototype: Object, pairs: Vec<(String, String)>, url: Option<Gc<UrlObject>>) -> Gc<SearchParams> {
        let header = ObjectHeader::new::<SearchParams>(prototype);
        Gc::new(SearchParams { header, pairs: State::new(pairs), url: Cell::new(url) })
    }

    /// The parameters of a URL with this query.
    pub fn of_url(url: Gc<UrlObject>, query: String) -> Gc<SearchParams> {
        SearchParams::new(intrinsic(Intrinsic::UrlSearchParamsPrototype), parsed(&query), Some(url))
    }

    /// Takes over another query.
    pub fn replace(&self, query: &str) {
        let pairs = parsed(query);
        self.pairs.with(|current| *current = pairs);
    }

    fn serialize(&self) -> String {
        self.pairs.with(|pairs| Serializer::new(String::new()).extend_pairs(pairs.iter()).finish())
    }

    /// Changes the list, and the URL with it.
    fn change(&self, change: impl FnOnce(&mut Vec<(String, String)>)) {
        self.pairs.with(change);
        if let Some(url) = self.url.get() {
            url.set_query(&self.serialize());
        }
    }
}

fn this_params(cx: &CallContext) -> JsResult<Gc<SearchParams>> {
    cx.this.as_kind::<SearchParams>().ok_or_else(|| throw_type_error("Illegal invocation"))
}

fn text(value: Value) -> JsResult<String> {
    Ok(to_string(value)?.to_text())
}

fn construct(cx: &CallContext) -> JsResult {
    require_new(cx, "URLSearchParams")?;
    let pairs = match cx.arg(0).as_object() {
        None if cx.arg(0).is_nullish() => vec![],
        None => {
            let query = text(cx.arg(0))?;
            parsed(query.strip_prefix('?').unwrap_or(&query))
        }
        Some(object) => pairs_of(object)?,
    };
    Ok(SearchParams::new(cx.new_prototype(Intrinsic::UrlSearchParamsPrototype)?, pairs, None).into())
}

/// The pairs of an iterable of pairs, or of an object's properties.
fn pairs_of(object: Object) -> JsResult<Vec<(String, String)>> {
    let mut pairs = vec![];
    if object.get_method(crate::symbol::iterator().into())?.is_some() {
        iterate(object.into(), |item| {
            let pair = if item.is_object() { collect(item)? } else { vec![] };
            let [name, value] = pair[..] else {
                return Err(throw_type_error("Each query pair must be an iterable [name, value] tuple"));
            };
            pairs.push((text(name)?, text(value)?));
            Ok(true)
        })?;
        return Ok(pairs);
    }
    for key in object.own_keys()? {
        if object.get_own_property(key)?.is_some_and(|property| property.attributes.is_enumerable()) {
            pairs.push((text(key.to_value())?, text(object.get(key)?)?));
        }
    }
    Ok(pairs)
}

fn append(cx: &CallContext) -> JsResult {
    let (params, name, value) = (this_params(cx)?, text(cx.arg(0))?, text(cx.arg(1))?);
    params.change(|pairs| pairs.push((name, value)));
    Ok(Value::UNDEFINED)
}

/// Whether a pair has the name and, if a second argument was given, the value.
fn matcher(cx: &CallContext) -> JsResult<impl Fn(&(String, String)) -> bool> {
    let name = text(cx.arg(0))?;
    let value = if cx.arg(1).is_undefined() { None } else { Some(text(cx.arg(1))?) };
    Ok(move |pair: &(String, String)| pair.0 == name && value.as_ref().is_none_or(|value| pair.1 == *value))
}

fn delete(cx: &CallContext) -> JsResult {
    let (params, matches) = (this_params(cx)?, matcher(cx)?);
    params.change(|pairs| pairs.retain(|pair| !matches(pair)));
    Ok(Value::UNDEFINED)
}

fn has(cx: &CallContext) -> JsResult {
    let (params, matches) = (this_params(cx)?, matcher(cx)?);
    Ok(params.pairs.with(|pairs| pairs.iter().any(matches)).into())
}

fn get(cx: &CallContext) -> JsResult {
    let (params, name) = (this_params(cx)?, text(cx.arg(0))?);
    let value = params.pairs.with(|pairs| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone()));
    Ok(value.map_or(Value::NULL, |value| value.as_str().into()))
}

fn get_all(cx: &CallContext) -> JsResult {
    let (params, name) = (this_params(cx)?, text(cx.arg(0))?);
    let values: Vec<String> =
        params.pairs.with(|pairs| pairs.iter().filter(|pair| pair.0 == name).map(|pair| pair.1.clone()).collect());
    Ok(values.iter().map(|value| Value::from(value.as_str())).collect::<Vec<_>>().into())
}

fn set(cx: &CallContext) -> JsResult {
    let (params, name, value) = (this_params(cx)?, text(cx.arg(0))?, text(cx.arg(1))?);
    params.change(|pairs| match pairs.iter().position(|pair| pair.0 == name) {
        None => pairs.push((name, value)),
        Some(first) => {
            pairs[first].1 = value;
            let mut index = 0;
            pairs.retain(|pair| {
                index += 1;
                pair.0 != name || index - 1 == first
            });
        }
    });
    Ok(Value::UNDEFINED)
}

fn sort(cx: &CallContext) -> JsResult {
    this_params(cx)?.change(|pairs| pairs.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16())));
    Ok(Value::UNDEFINED)
}

/// The pair at `index`, which may change between calls.
fn pair(params: Gc<SearchParams>, index: usize) -> Option<(Value, Value)> {
    let (name, value) = params.pairs.with(|pairs| pairs.get(index).cloned())?;
    Some((name.as_str().into(), value.as_str().into()))
}

fn for_each(cx: &CallContext) -> JsResult {
    let params = this_params(cx)?;
    let callback = cx.arg(0);
    if !call::is_callable(callback) {
        return Err(throw_type_error("The \"callback\" argument must be of type function"));
    }
    let mut index = 0;
    while let Some((name, value)) = pair(params, index) {
        call::call(callback, cx.arg(1), &[value, name, cx.this])?;
        index += 1;
    }
    Ok(Value::UNDEFINED)
}

fn new_iterator(cx: &CallContext, yields: Yield) -> JsResult {
    let params = this_params(cx)?;
    let header = ObjectHeader::new::<ParamsIterator>(intrinsic(Intrinsic::UrlSearchParamsIteratorPrototype));
    Ok(Gc::new(ParamsIterator { header, params, next: Cell::new(0), yields }).into())
}

fn next(cx: &CallContext) -> JsResult {
    let Some(iterator) = cx.this.as_kind::<ParamsIterator>() else {
        return Err(throw_type_error("Illegal invocation"));
    };
    let index = iterator.next.get();
    let Some((name, value)) = pair(iterator.params, index) else {
        return Ok(new_iterator_result(Value::UNDEFINED, true).into());
    };
    iterator.next.set(index + 1);
    let item = match iterator.yields {
        Yield::Names => name,
        Yield::Values => value,
        Yield::Entries => ArrayCell::from_slice(&[name, value]).into(),
    };
    Ok(new_iterator_result(item, false).into())
}
