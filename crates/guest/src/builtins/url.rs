//! `URL` and `URLSearchParams` of the URL standard. International host names are handed over.

mod search_params;

use core::cell::Cell;

pub use search_params::SearchParams;
use url::{Url, quirks};

use crate::builtin::{
    CallContext, accessor, constructor, methods, native, native_constructor, require_new, to_string_tag,
};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::to_string;
use crate::error::new_error;
use crate::names::keys;
use crate::object::{Attributes, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::throw::{JsResult, Throw, hand_over, throw_type_error};
use crate::value::Value;

/// A URL.
#[repr(C)]
pub struct UrlObject {
    header: ObjectHeader,
    url: State<Url>,
    /// Its `searchParams`, once somebody asked.
    params: Cell<Option<Gc<SearchParams>>>,
}

// SAFETY: only `construct` makes cells of this kind.
unsafe impl ObjectKind for UrlObject {
    const KIND: u8 = kind::URL;
}

macro_rules! parts {
    ($($name:literal $get:ident $set:expr;)*) => {
        fn install_parts(prototype: Object) {
            $(accessor(
                prototype,
                $name,
                native(|cx| Ok(this_url(cx)?.url.with(|url| Value::from(quirks::$get(url).as_ref() as &str)))),
                $set,
            );)*
        }
    };
}

parts! {
    "protocol" protocol Some(native(|cx| set(cx, |url, text| quirks::set_protocol(url, text).is_ok())));
    "username" username Some(native(|cx| set(cx, |url, text| quirks::set_username(url, text).is_ok())));
    "password" password Some(native(|cx| set(cx, |url, text| quirks::set_password(url, text).is_ok())));
    "host" host Some(native(|cx| set(cx, |url, text| quirks::set_host(url, text).is_ok())));
    "hostname" hostname Some(native(|cx| set(cx, |url, text| quirks::set_hostname(url, text).is_ok())));
    "port" port Some(native(|cx| set(cx, |url, text| quirks::set_port(url, text).is_ok())));
    "pathname" pathname Some(native(|cx| set(cx, |url, text| { quirks::set_pathname(url, text); true })));
    "hash" hash Some(native(|cx| set(cx, |url, text| { quirks::set_hash(url, text); true })));
}

/// Defines `URL` and `URLSearchParams`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::UrlPrototype);
    let url = constructor("URL", 1, native_constructor(construct), prototype);
    methods(url, &[("canParse", 1, native(can_parse))]);
    methods(prototype, &[("toString", 0, native(href)), ("toJSON", 0, native(href))]);
    accessor(prototype, "href", native(href), Some(native(set_href)));
    accessor(prototype, "origin", native(origin), None);
    install_parts(prototype);
    accessor(prototype, "search", native(search), Some(native(set_search)));
    accessor(prototype, "searchParams", native(search_params), None);
    to_string_tag(prototype, "URL");
    search_params::install();
}

fn this_url(cx: &CallContext) -> JsResult<Gc<UrlObject>> {
    cx.this.as_kind::<UrlObject>().ok_or_else(|| throw_type_error("Illegal invocation"))
}

fn text(value: Value) -> JsResult<String> {
    Ok(to_string(value)?.to_text())
}

#[cold]
fn invalid(input: &str) -> Throw {
    let error = new_error(intrinsic(Intrinsic::TypeErrorPrototype), "Invalid URL".into()).object();
    error.define(keys::code(), "ERR_INVALID_URL".into(), Attributes::ALL);
    error.define(keys::input(), input.into(), Attributes::ALL);
    Throw::value(error.into())
}

/// Whether a host that is refused here could be an international name.
fn may_be_international(text: &str) -> bool {
    !text.is_ascii() || text.contains('%') || text.to_ascii_lowercase().contains("xn--")
}

/// Parses the arguments of the constructor; `None` if they are no URL.
fn parse(cx: &CallContext) -> JsResult<Option<Url>> {
    let input = text(cx.arg(0))?;
    let base = match cx.arg(1) {
        Value::UNDEFINED => None,
        base => {
            let base = text(base)?;
            match Url::parse(&base) {
                Ok(base) => Some(base),
                Err(url::ParseError::IdnaError) if may_be_international(&base) => hand_over("international host name"),
                Err(_) => return Ok(None),
            }
        }
    };
    match Url::options().base_url(base.as_ref()).parse(&input) {
        Ok(url) => Ok(Some(url)),
        Err(url::ParseError::IdnaError) if may_be_international(&input) => hand_over("international host name"),
        Err(_) => Ok(None),
    }
}

fn construct(cx: &CallContext) -> JsResult {
    require_new(cx, "URL")?;
    if cx.arguments.is_empty() {
        return Err(throw_type_error("The \"url\" argument must be specified"));
    }
    let Some(url) = parse(cx)? else { return Err(invalid(&text(cx.arg(0))?)) };
    let header = ObjectHeader::new::<UrlObject>(cx.new_prototype(Intrinsic::UrlPrototype)?);
    Ok(Gc::new(UrlObject { header, url: State::new(url), params: Cell::new(None) }).into())
}

fn can_parse(cx: &CallContext) -> JsResult {
    Ok(parse(cx)?.is_some().into())
}

/// Assigns a part; what is not valid is ignored.
fn set(cx: &CallContext, change: fn(&mut Url, &str) -> bool) -> JsResult {
    let (url, text) = (this_url(cx)?, text(cx.arg(0))?);
    let changed = url.url.with(|url| change(url, &text));
    if !changed && !text.is_ascii() {
        hand_over("international host name");
    }
    Ok(Value::UNDEFINED)
}

fn href(cx: &CallContext) -> JsResult {
    Ok(this_url(cx)?.url.with(|url| url.as_str().into()))
}

fn set_href(cx: &CallContext) -> JsResult {
    let (object, input) = (this_url(cx)?, text(cx.arg(0))?);
    let Ok(url) = Url::parse(&input) else { return Err(invalid(&input)) };
    object.url.with(|current| *current = url);
    refresh_params(object);
    Ok(Value::UNDEFINED)
}

fn origin(cx: &CallContext) -> JsResult {
    Ok(this_url(cx)?.url.with(|url| quirks::origin(url).as_str().into()))
}

fn search(cx: &CallContext) -> JsResult {
    Ok(this_url(cx)?.url.with(|url| quirks::search(url).into()))
}

fn set_search(cx: &CallContext) -> JsResult {
    let (object, text) = (this_url(cx)?, text(cx.arg(0))?);
    object.url.with(|url| quirks::set_search(url, &text));
    refresh_params(object);
    Ok(Value::UNDEFINED)
}

fn search_params(cx: &CallContext) -> JsResult {
    let object = this_url(cx)?;
    if let Some(params) = object.params.get() {
        return Ok(params.into());
    }
    let params = SearchParams::of_url(object, query(object));
    object.params.set(Some(params));
    Ok(params.into())
}

fn query(object: Gc<UrlObject>) -> String {
    object.url.with(|url| url.query().unwrap_or_default().to_owned())
}

/// Lets `searchParams` follow a change of the URL.
fn refresh_params(object: Gc<UrlObject>) {
    if let Some(params) = object.params.get() {
        params.replace(&query(object));
    }
}

impl UrlObject {
    /// Lets the URL follow a change of its `searchParams`.
    fn set_query(&self, query: &str) {
        self.url.with(|url| url.set_query((!query.is_empty()).then_some(query)));
    }
}
