//! `TextEncoder` and `TextDecoder` of the Encoding standard: UTF-8, UTF-16 and Latin-1; other encodings are handed over.

mod encoding;

use core::cell::Cell;

use encoding::Encoding;

use crate::builtin::{
    CallContext, constructor, getters, methods, native, native_constructor, require_new, to_string_tag,
};
use crate::builtins::bytes::{bytes_of, new_uint8_array, write_bytes};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{to_boolean, to_string};
use crate::object::{Attributes, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::state::State;
use crate::string::JsString;
use crate::throw::{JsResult, Throw, hand_over, throw_range_error, throw_type_error};
use crate::value::Value;

/// A text encoder, which has no state.
#[repr(C)]
struct TextEncoder {
    header: ObjectHeader,
}

// SAFETY: only `construct_encoder` makes cells of this kind.
unsafe impl ObjectKind for TextEncoder {
    const KIND: u8 = kind::TEXT_ENCODER;
}

/// A text decoder.
#[repr(C)]
struct TextDecoder {
    header: ObjectHeader,
    encoding: Encoding,
    fatal: bool,
    ignore_bom: bool,
    /// A byte order mark may still come.
    at_start: Cell<bool>,
    /// Bytes of a character that is not complete yet, while streaming.
    rest: State<Vec<u8>>,
}

// SAFETY: only `construct_decoder` makes cells of this kind.
unsafe impl ObjectKind for TextDecoder {
    const KIND: u8 = kind::TEXT_DECODER;
}

/// Defines both.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::TextEncoderPrototype);
    constructor("TextEncoder", 0, native_constructor(construct_encoder), prototype);
    methods(prototype, &[("encode", 0, native(encode)), ("encodeInto", 2, native(encode_into))]);
    getters(prototype, &[("encoding", native(|_| Ok("utf-8".into())))]);
    to_string_tag(prototype, "TextEncoder");

    let prototype = intrinsic(Intrinsic::TextDecoderPrototype);
    constructor("TextDecoder", 0, native_constructor(construct_decoder), prototype);
    methods(prototype, &[("decode", 0, native(decode))]);
    getters(
        prototype,
        &[
            ("encoding", native(|cx| Ok(this_decoder(cx)?.encoding.name().into()))),
            ("fatal", native(|cx| Ok(this_decoder(cx)?.fatal.into()))),
            ("ignoreBOM", native(|cx| Ok(this_decoder(cx)?.ignore_bom.into()))),
        ],
    );
    to_string_tag(prototype, "TextDecoder");
}

fn construct_encoder(cx: &CallContext) -> JsResult {
    require_new(cx, "TextEncoder")?;
    let prototype = cx.new_prototype(Intrinsic::TextEncoderPrototype)?;
    Ok(Gc::new(TextEncoder { header: ObjectHeader::new::<TextEncoder>(prototype) }).into())
}

fn utf8(value: Value) -> JsResult<Vec<u8>> {
    let mut bytes = vec![];
    if !value.is_undefined() {
        to_string(value)?.append_utf8(&mut bytes);
    }
    Ok(bytes)
}

fn encode(cx: &CallContext) -> JsResult {
    Ok(new_uint8_array(&utf8(cx.arg(0))?)?.into())
}

fn encode_into(cx: &CallContext) -> JsResult {
    let bytes = utf8(cx.arg(0))?;
    let Some(target) = cx.arg(1).as_object().filter(|_| bytes_of(cx.arg(1)).is_some()) else {
        return Err(throw_type_error("The \"dest\" argument must be an instance of Uint8Array"));
    };
    let room = target.length()? as usize;
    let mut written = bytes.len().min(room);
    // Only whole characters are written.
    while written < bytes.len() && bytes[written] & 0xC0 == 0x80 {
        written -= 1;
    }
    write_bytes(target, &bytes[..written]);
    let read = String::from_utf8_lossy(&bytes[..written]).encode_utf16().count();
    let result = Object::new();
    result.define("read", Value::from(read), Attributes::ALL);
    result.define("written", Value::from(written), Attributes::ALL);
    Ok(result.into())
}

fn construct_decoder(cx: &CallContext) -> JsResult {
    require_new(cx, "TextDecoder")?;
    let mut encoding = Encoding::Utf8;
    if !cx.arg(0).is_undefined() {
        let label = to_string(cx.arg(0))?.to_text();
        encoding = match Encoding::labelled(&label) {
            Some(encoding) => encoding,
            None if might_be_encoding(&label) => hand_over("TextDecoder for this encoding"),
            None => return Err(throw_range_error(format!("The \"{label}\" encoding is not supported"))),
        };
    }
    let option = |name: &str| match cx.arg(1).as_object() {
        Some(options) => Ok(to_boolean(options.get(name.into())?)),
        None => Ok(false),
    };
    let (fatal, ignore_bom) = (option("fatal")?, option("ignoreBOM")?);
    let header = ObjectHeader::new::<TextDecoder>(cx.new_prototype(Intrinsic::TextDecoderPrototype)?);
    let decoder =
        TextDecoder { header, encoding, fatal, ignore_bom, at_start: Cell::new(true), rest: State::new(Vec::new()) };
    Ok(Gc::new(decoder).into())
}

fn this_decoder(cx: &CallContext) -> JsResult<Gc<TextDecoder>> {
    cx.this.as_kind::<TextDecoder>().ok_or_else(|| throw_type_error("Illegal invocation"))
}

/// Whether the label is one of the standard's other encodings: their families.
fn might_be_encoding(label: &str) -> bool {
    const FAMILIES: &[&str] = &[
        "iso",
        "windows",
        "cp",
        "x-",
        "cs",
        "koi",
        "mac",
        "gb",
        "big5",
        "euc",
        "shift",
        "sjis",
        "ms",
        "ks",
        "korean",
        "chinese",
        "hz",
        "dos",
        "tis",
        "latin",
        "l",
        "arabic",
        "greek",
        "hebrew",
        "cyrillic",
        "ecma",
        "elot",
        "asmo",
        "sun",
        "visual",
        "logical",
        "ibm",
        "cn",
        "replacement",
        "ansi",
        "unicode",
    ];
    let label = label.trim().to_ascii_lowercase();
    FAMILIES.iter().any(|family| label.starts_with(family))
}

#[cold]
fn invalid(encoding: Encoding) -> Throw {
    throw_type_error(format!("The encoded data was not valid for encoding {}", encoding.name()))
}

fn decode(cx: &CallContext) -> JsResult {
    let decoder = this_decoder(cx)?;
    let mut bytes = decoder.rest.with(core::mem::take);
    if !cx.arg(0).is_undefined() {
        match bytes_of(cx.arg(0)) {
            Some(input) => bytes.extend_from_slice(&input),
            None => {
                return Err(throw_type_error(
                    "The \"list\" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.",
                ));
            }
        }
    }
    let stream = match cx.arg(1).as_object() {
        Some(options) => to_boolean(options.get("stream".into())?),
        None => false,
    };
    if stream {
        let tail = match decoder.encoding {
            Encoding::Utf8 => incomplete_tail(&bytes),
            other => other.incomplete_tail(&bytes),
        };
        let complete = bytes.len() - tail;
        let rest = bytes.split_off(complete);
        decoder.rest.with(|kept| *kept = rest);
    }
    let mut text = bytes.as_slice();
    if decoder.at_start.get() && !bytes.is_empty() {
        if !decoder.ignore_bom {
            text = text.strip_prefix(decoder.encoding.byte_order_mark()).unwrap_or(text);
        }
        decoder.at_start.set(false);
    }
    if !stream {
        decoder.at_start.set(true);
    }
    if decoder.encoding != Encoding::Utf8 {
        let decoded = decoder.encoding.decode(text, decoder.fatal)?;
        return decoded.map(Value::from).ok_or_else(|| invalid(decoder.encoding));
    }
    if text.is_ascii() {
        return Ok(JsString::from_latin1(text).into());
    }
    if decoder.fatal {
        return core::str::from_utf8(text).map(Value::from).map_err(|_| invalid(Encoding::Utf8));
    }
    Ok(String::from_utf8_lossy(text).as_ref().into())
}

/// Bytes at the end that may begin a character.
fn incomplete_tail(bytes: &[u8]) -> usize {
    for length in 1..=bytes.len().min(3) {
        let needed = match bytes[bytes.len() - length] {
            0x80..=0xBF => continue,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if needed > length { length } else { 0 };
    }
    0
}
