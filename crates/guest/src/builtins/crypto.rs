//! `crypto`: digests, and keys that are secrets. Randomness is for actions only.

mod hash;
mod key;

use crate::builtin::{CallContext, Method, constructor, methods, native, native_constructor, to_string_tag};
use crate::builtins::array_buffer::ArrayBufferObject;
use crate::builtins::convex::throw_forbidden;
use crate::object::{Attributes, Object};
use crate::promise::{rejected, resolved};
use crate::realm::global;
use crate::throw::{JsResult, hand_over, throw_type_error};

const METHODS: &[Method] = &[("getRandomValues", 1, native(randomness)), ("randomUUID", 0, native(randomness))];

const SUBTLE_METHODS: &[Method] = &[
    ("digest", 2, native(|cx| at_once(digest(cx)))),
    ("generateKey", 3, native(randomness)),
    ("decrypt", 3, native(keys)),
    ("deriveBits", 3, native(|cx| at_once(key::derive_bits(cx)))),
    ("deriveKey", 5, native(keys)),
    ("encrypt", 3, native(keys)),
    ("exportKey", 2, native(|cx| at_once(key::export(cx)))),
    ("importKey", 5, native(|cx| at_once(key::import(cx)))),
    ("sign", 3, native(|cx| at_once(key::sign(cx)))),
    ("verify", 4, native(|cx| at_once(key::verify(cx)))),
];

/// Defines `crypto`, `Crypto`, `SubtleCrypto` and `CryptoKey`.
pub(crate) fn install() {
    let prototype = interface("Crypto", METHODS);
    let subtle = Object::ordinary(Some(interface("SubtleCrypto", SUBTLE_METHODS)));
    key::install(interface("CryptoKey", &[]));
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
    hand_over("this algorithm of crypto.subtle")
}

/// A promise that is settled already.
fn at_once(outcome: JsResult) -> JsResult {
    match outcome {
        Ok(value) => Ok(resolved(value)?.into()),
        Err(thrown) => Ok(rejected(thrown.take()).into()),
    }
}

fn digest(cx: &CallContext) -> JsResult {
    let hash = key::hash_of(cx.arg(0))?;
    let data = key::bytes(cx.arg(1), "data")?;
    Ok(ArrayBufferObject::from_bytes(&hash.digest(&[&data]))?.into())
}
