//! `crypto`: digests. Randomness is for actions only; keys are handed over.

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::builtin::{CallContext, Method, constructor, methods, native, native_constructor, to_string_tag};
use crate::builtins::bytes::{bytes_of, new_uint8_array};
use crate::builtins::convex::throw_forbidden;
use crate::builtins::dom_exception::throw_dom_exception;
use crate::convert::to_string;
use crate::object::{Attributes, Object};
use crate::promise::{rejected, resolved};
use crate::realm::global;
use crate::throw::{JsResult, hand_over, throw_type_error};
use crate::value::Value;

const METHODS: &[Method] = &[("getRandomValues", 1, native(randomness)), ("randomUUID", 0, native(randomness))];

const SUBTLE_METHODS: &[Method] = &[
    ("digest", 2, native(digest)),
    ("generateKey", 3, native(randomness)),
    ("decrypt", 3, native(keys)),
    ("deriveBits", 3, native(keys)),
    ("deriveKey", 5, native(keys)),
    ("encrypt", 3, native(keys)),
    ("exportKey", 2, native(keys)),
    ("importKey", 5, native(keys)),
    ("sign", 3, native(keys)),
    ("verify", 4, native(keys)),
];

/// Defines `crypto`, `Crypto` and `SubtleCrypto`.
pub(crate) fn install() {
    let prototype = interface("Crypto", METHODS);
    let subtle = Object::ordinary(Some(interface("SubtleCrypto", SUBTLE_METHODS)));
    let crypto = Object::ordinary(Some(prototype));
    crypto.define("subtle", subtle.into(), Attributes::HIDDEN);
    global().define("crypto", crypto.into(), Attributes::HIDDEN);
}

/// A constructor that cannot be called, and its prototype.
fn interface(name: &str, table: &[Method]) -> Object {
    let prototype = Object::new();
    constructor(name, 0, native_constructor(|_| Err(throw_type_error("Illegal constructor"))), prototype);
    methods(prototype, table);
    to_string_tag(prototype, name);
    prototype
}

fn randomness(_: &CallContext) -> JsResult {
    Err(throw_forbidden("NoCryptoRngInQueriesOrMutations", "cryptographic randomness"))
}

fn keys(_: &CallContext) -> JsResult {
    hand_over("crypto.subtle with keys")
}

/// The digest, at once; its promise is resolved already.
fn digest(cx: &CallContext) -> JsResult {
    match digest_now(cx) {
        Ok(buffer) => Ok(resolved(buffer)?.into()),
        Err(thrown) => Ok(rejected(thrown.take()).into()),
    }
}

fn digest_now(cx: &CallContext) -> JsResult {
    let algorithm = match cx.arg(0).as_object() {
        Some(object) => object.get(crate::names::keys::name_())?,
        None => cx.arg(0),
    };
    let algorithm = to_string(algorithm)?.to_text().to_ascii_uppercase();
    let Some(data) = bytes_of(cx.arg(1)) else {
        return Err(throw_type_error(
            "The \"data\" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.",
        ));
    };
    let hash = match algorithm.as_str() {
        "SHA-1" => Sha1::digest(&data).to_vec(),
        "SHA-256" => Sha256::digest(&data).to_vec(),
        "SHA-384" => Sha384::digest(&data).to_vec(),
        "SHA-512" => Sha512::digest(&data).to_vec(),
        _ => return Err(throw_dom_exception("NotSupportedError", "Unrecognized algorithm name")),
    };
    let array: Value = new_uint8_array(&hash)?.into();
    crate::convert::get_value(array, "buffer".into())
}
