//! `JSON.rawJSON`: primitives of which `JSON.stringify` writes exactly the text.

use super::error::Failure;
use super::parse::parse;
use crate::builtin::CallContext;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::to_string;
use crate::object::{Attributes, Object, ObjectHeader};
use crate::shape::root_shape;
use crate::string::JsString;
use crate::throw::{JsResult, throw_syntax_error};

/// Name of the one property.
const KEY: &str = "rawJSON";

/// What `JSON.rawJSON` answers: frozen, without a prototype.
#[repr(C)]
pub struct RawJson {
    header: ObjectHeader,
    text: JsString,
}

// SAFETY: only `raw_json` makes cells of this kind.
unsafe impl ObjectKind for RawJson {
    const KIND: u8 = kind::RAW_JSON;
}

impl RawJson {
    /// The text.
    pub fn text(&self) -> JsString {
        self.text
    }
}

/// `JSON.rawJSON(text)`. SyntaxError unless it is the JSON of a primitive.
pub fn raw_json(cx: &CallContext) -> JsResult {
    let text = to_string(cx.arg(0))?;
    let is_space = |unit: u16| matches!(unit, 9 | 10 | 13 | 32);
    let last = text.len().checked_sub(1).and_then(|last| text.unit(last));
    if last.is_none_or(is_space) {
        return Err(throw_syntax_error("Invalid value for JSON.rawJSON"));
    }
    let opens = |unit: u16| is_space(unit) || unit == u16::from(b'{') || unit == u16::from(b'[');
    if text.unit(0).is_some_and(opens) {
        return Err(Failure::Token(0).throw(text));
    }
    parse(text)?;
    let header = ObjectHeader::with_shape::<RawJson>(root_shape(kind::RAW_JSON, None, 0));
    let object: Object = Gc::new(RawJson { header, text }).object();
    object.add_slot(KEY.into(), text.into(), Attributes::ALL);
    object.set_integrity(true)?;
    Ok(object.into())
}

/// `JSON.isRawJSON(value)`
pub fn is_raw_json(cx: &CallContext) -> JsResult {
    Ok(cx.arg(0).as_kind::<RawJson>().is_some().into())
}
