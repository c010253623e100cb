//! Base64 and hexadecimal digits of `Uint8Array`: `fromBase64`, `toHex` and their like.

mod base64;
mod hex;

use crate::builtin::{CallContext, methods, native};
use crate::builtins::bytes::new_uint8_array;
use crate::builtins::check::incompatible;
use crate::builtins::typed_array::{ElementType, TypedArrayObject, view};
use crate::cell::Gc;
use crate::convert::to_boolean;
use crate::error::display;
use crate::names::keys;
use crate::object::{Attributes, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, throw_syntax_error, throw_type_error};
use crate::value::Value;

use base64::{Alphabet, LastChunk};

/// What was decoded until the text, the room for it, or what could be understood of it ended.
struct Decoded {
    /// Units of the text that the bytes stand for.
    read: usize,
    bytes: Vec<u8>,
    /// Why the rest cannot be decoded.
    error: Option<&'static str>,
}

/// Adds the methods to `Uint8Array`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::Uint8ArrayPrototype);
    let class = prototype.get(keys::constructor()).ok().and_then(Value::as_object);
    if let Some(class) = class {
        methods(class, &[("fromBase64", 1, native(from_base64)), ("fromHex", 1, native(from_hex))]);
    }
    methods(
        prototype,
        &[
            ("setFromBase64", 1, native(set_from_base64)),
            ("setFromHex", 1, native(set_from_hex)),
            ("toBase64", 0, native(to_base64)),
            ("toHex", 0, native(to_hex)),
        ],
    );
}

fn from_base64(cx: &CallContext) -> JsResult {
    let text = require_text(cx)?;
    let (alphabet, last) = decoding_options(cx)?;
    new_array(base64::decode(&text, alphabet, last, usize::MAX))
}

fn from_hex(cx: &CallContext) -> JsResult {
    new_array(hex::decode(&require_text(cx)?, usize::MAX))
}

fn set_from_base64(cx: &CallContext) -> JsResult {
    let array = this(cx, "setFromBase64")?;
    array.buffer().require_mutable("Uint8Array.prototype.setFromBase64")?;
    let text = require_text(cx)?;
    let (alphabet, last) = decoding_options(cx)?;
    let room = array.valid_length("Uint8Array.prototype.setFromBase64")?;
    write(array, base64::decode(&text, alphabet, last, room as usize))
}

fn set_from_hex(cx: &CallContext) -> JsResult {
    let array = this(cx, "setFromHex")?;
    array.buffer().require_mutable("Uint8Array.prototype.setFromHex")?;
    let text = require_text(cx)?;
    let room = array.valid_length("Uint8Array.prototype.setFromHex")?;
    write(array, hex::decode(&text, room as usize))
}

fn to_base64(cx: &CallContext) -> JsResult {
    let array = this(cx, "toBase64")?;
    let (mut alphabet, mut omits_padding) = (Alphabet::Base64, false);
    if let Some(options) = options(cx.arg(0))? {
        alphabet = alphabet_of(options)?;
        omits_padding = to_boolean(options.get("omitPadding".into())?);
    }
    array.valid_length("Uint8Array.prototype.toBase64")?;
    Ok(JsString::from_latin1(&base64::encode(&array.to_bytes(), alphabet, omits_padding)).into())
}

fn to_hex(cx: &CallContext) -> JsResult {
    let array = this(cx, "toHex")?;
    array.valid_length("Uint8Array.prototype.toHex")?;
    Ok(JsString::from_latin1(&hex::encode(&array.to_bytes())).into())
}

fn this(cx: &CallContext, method: &str) -> JsResult<Gc<TypedArrayObject>> {
    let array = cx.this.as_object().and_then(view).filter(|array| array.element_type() == ElementType::Uint8);
    array.ok_or_else(|| incompatible(&format!("Uint8Array.prototype.{method}"), cx.this))
}

/// The units of the argument, which must be a string.
fn require_text(cx: &CallContext) -> JsResult<Vec<u16>> {
    match cx.arg(0).as_string() {
        Some(text) => Ok(text.units().iter().collect()),
        None => Err(throw_type_error(format!("{} is not a string", display(cx.arg(0))))),
    }
}

/// GetOptionsObject.
fn options(value: Value) -> JsResult<Option<Object>> {
    if value.is_undefined() {
        return Ok(None);
    }
    value.as_object().map(Some).ok_or_else(|| throw_type_error(format!("{} is not an object", display(value))))
}

fn decoding_options(cx: &CallContext) -> JsResult<(Alphabet, LastChunk)> {
    let Some(options) = options(cx.arg(1))? else { return Ok((Alphabet::Base64, LastChunk::Loose)) };
    let alphabet = alphabet_of(options)?;
    let last = options.get("lastChunkHandling".into())?;
    let last = match last.as_string() {
        None if last.is_undefined() => LastChunk::Loose,
        Some(text) if text.is("loose") => LastChunk::Loose,
        Some(text) if text.is("strict") => LastChunk::Strict,
        Some(text) if text.is("stop-before-partial") => LastChunk::StopBeforePartial,
        _ => {
            return Err(throw_type_error("lastChunkHandling must be \"loose\", \"strict\" or \"stop-before-partial\""));
        }
    };
    Ok((alphabet, last))
}

fn alphabet_of(options: Object) -> JsResult<Alphabet> {
    let alphabet = options.get("alphabet".into())?;
    match alphabet.as_string() {
        None if alphabet.is_undefined() => Ok(Alphabet::Base64),
        Some(text) if text.is("base64") => Ok(Alphabet::Base64),
        Some(text) if text.is("base64url") => Ok(Alphabet::Base64Url),
        _ => Err(throw_type_error("alphabet must be \"base64\" or \"base64url\"")),
    }
}

fn new_array(decoded: Decoded) -> JsResult {
    match decoded.error {
        Some(error) => Err(throw_syntax_error(error)),
        None => Ok(new_uint8_array(&decoded.bytes)?.into()),
    }
}

/// Writes the bytes, also those before an error; answers `{ read, written }`.
fn write(array: Gc<TypedArrayObject>, decoded: Decoded) -> JsResult {
    array.write_bytes(&decoded.bytes);
    if let Some(error) = decoded.error {
        return Err(throw_syntax_error(error));
    }
    let result = Object::new();
    result.add_slot("read".into(), Value::from(decoded.read), Attributes::ALL);
    result.add_slot("written".into(), Value::from(decoded.bytes.len()), Attributes::ALL);
    Ok(result.into())
}
