//! `CryptoKey`, and what `crypto.subtle` does with secrets: HMAC, HKDF and PBKDF2. Other algorithms are handed over.

use super::hash::Hash;
use crate::builtin::{CallContext, getters, native};
use crate::builtins::array_buffer::ArrayBufferObject;
use crate::builtins::bytes::bytes_of;
use crate::builtins::dom_exception::throw_dom_exception;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{to_boolean, to_number, to_string};
use crate::iterate::iterate;
use crate::names::keys;
use crate::object::{ArrayCell, Attributes, Object, ObjectHeader};
use crate::state::State;
use crate::throw::{JsResult, Throw, hand_over, throw_type_error};
use crate::value::Value;

/// What a key is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Hmac(Hash),
    Hkdf,
    Pbkdf2,
}

/// A secret key.
#[repr(C)]
pub struct CryptoKeyObject {
    header: ObjectHeader,
    algorithm: Algorithm,
    secret: Gc<ArrayBufferObject>,
    extractable: bool,
    /// Bits of [`USAGES`].
    usages: u16,
}

// SAFETY: only `import` makes cells of this kind.
unsafe impl ObjectKind for CryptoKeyObject {
    const KIND: u8 = kind::CRYPTO_KEY;
}

/// Usages in the order in which they are shown.
const USAGES: [&str; 8] = ["encrypt", "decrypt", "sign", "verify", "deriveBits", "deriveKey", "wrapKey", "unwrapKey"];
const SIGN: u16 = 1 << 2;
const VERIFY: u16 = 1 << 3;
const DERIVE_BITS: u16 = 1 << 4;
const DERIVE: u16 = DERIVE_BITS | 1 << 5;

static PROTOTYPE: State<Option<Object>> = State::new(None);

pub(super) fn install(prototype: Object) {
    PROTOTYPE.with(|known| *known = Some(prototype));
    getters(
        prototype,
        &[
            ("type", native(|cx| this(cx).map(|_| "secret".into()))),
            ("extractable", native(|cx| Ok(this(cx)?.extractable.into()))),
            ("algorithm", native(algorithm_object)),
            ("usages", native(usages_array)),
        ],
    );
}

fn this(cx: &CallContext) -> JsResult<Gc<CryptoKeyObject>> {
    cx.this.as_kind().ok_or_else(|| throw_type_error("Value of \"this\" must be of type CryptoKey"))
}

fn named(name: &str) -> Object {
    let object = Object::new();
    object.define("name", name.into(), Attributes::ALL);
    object
}

fn algorithm_object(cx: &CallContext) -> JsResult {
    let key = this(cx)?;
    Ok(match key.algorithm {
        Algorithm::Hmac(hash) => {
            let object = named("HMAC");
            object.define("length", Value::from(key.secret.byte_length() * 8), Attributes::ALL);
            object.define("hash", named(hash.name()).into(), Attributes::ALL);
            object
        }
        Algorithm::Hkdf => named("HKDF"),
        Algorithm::Pbkdf2 => named("PBKDF2"),
    }
    .into())
}

fn usages_array(cx: &CallContext) -> JsResult {
    let usages = this(cx)?.usages;
    let names = USAGES.iter().enumerate().filter(|(bit, _)| usages >> bit & 1 != 0);
    Ok(ArrayCell::from_slice(&names.map(|(_, name)| (*name).into()).collect::<Vec<Value>>()).into())
}

/// The name of an algorithm argument, which is a text or an object with one.
pub fn algorithm_name(algorithm: Value) -> JsResult<String> {
    let name = match algorithm.as_object() {
        Some(object) => object.get(keys::name_())?,
        None => algorithm,
    };
    Ok(to_string(name)?.to_text())
}

fn unrecognized() -> Throw {
    throw_dom_exception("NotSupportedError", "Unrecognized algorithm name")
}

/// The hash function of an algorithm argument.
pub fn hash_of(algorithm: Value) -> JsResult<Hash> {
    Hash::named(&algorithm_name(algorithm)?).ok_or_else(unrecognized)
}

/// A member of an algorithm argument.
fn member(algorithm: Value, name: &str) -> JsResult {
    match algorithm.as_object() {
        Some(object) => object.get(name.into()),
        None => Err(throw_type_error(format!("'{name}' is required in algorithm"))),
    }
}

pub(super) fn bytes(value: Value, name: &str) -> JsResult<Vec<u8>> {
    bytes_of(value).ok_or_else(|| {
        throw_type_error(format!(
            "The \"{name}\" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView."
        ))
    })
}

fn algorithm(value: Value) -> JsResult<Algorithm> {
    let name = algorithm_name(value)?.to_ascii_uppercase();
    Ok(match name.as_str() {
        "HMAC" => Algorithm::Hmac(hash_of(member(value, "hash")?)?),
        "HKDF" => Algorithm::Hkdf,
        "PBKDF2" => Algorithm::Pbkdf2,
        _ => hand_over("this algorithm of crypto.subtle"),
    })
}

fn usages(value: Value) -> JsResult<u16> {
    let mut usages = 0;
    iterate(value, |usage| {
        let usage = to_string(usage)?.to_text();
        match USAGES.iter().position(|known| *known == usage) {
            Some(bit) => usages |= 1 << bit,
            None => {
                return Err(throw_type_error(format!("value '{usage}' is not a valid enum value of type KeyUsage.")));
            }
        }
        Ok(true)
    })?;
    Ok(usages)
}

/// `importKey(format, keyData, algorithm, extractable, usages)`
pub(super) fn import(cx: &CallContext) -> JsResult {
    if to_string(cx.arg(0))?.to_text() != "raw" {
        hand_over("keys of this format");
    }
    let algorithm = algorithm(cx.arg(2))?;
    let secret = bytes(cx.arg(1), "keyData")?;
    let extractable = to_boolean(cx.arg(3));
    let usages = usages(cx.arg(4))?;
    let syntax_error = |text: &str| Err(throw_dom_exception("SyntaxError", text));
    match algorithm {
        Algorithm::Hmac(_) if usages & !(SIGN | VERIFY) != 0 => {
            return syntax_error("Unsupported key usage for an HMAC key");
        }
        Algorithm::Hkdf | Algorithm::Pbkdf2 if usages & !DERIVE != 0 => {
            return syntax_error("Unsupported key usage for a key of this algorithm");
        }
        Algorithm::Hmac(_) if secret.is_empty() => {
            return Err(throw_dom_exception("DataError", "Zero-length key is not supported"));
        }
        Algorithm::Hkdf | Algorithm::Pbkdf2 if extractable => {
            return syntax_error("Keys of this algorithm are not extractable");
        }
        _ if usages == 0 => return syntax_error("Usages cannot be empty when importing a secret key."),
        _ => {}
    }
    let prototype = PROTOTYPE.with(|prototype| *prototype).unwrap_or_default();
    let header = ObjectHeader::new::<CryptoKeyObject>(prototype);
    let secret = ArrayBufferObject::from_bytes(&secret)?;
    Ok(Gc::new(CryptoKeyObject { header, algorithm, secret, extractable, usages }).into())
}

fn key(value: Value) -> JsResult<Gc<CryptoKeyObject>> {
    value.as_kind().ok_or_else(|| throw_type_error("The \"key\" argument must be an instance of CryptoKey."))
}

/// `exportKey(format, key)`
pub(super) fn export(cx: &CallContext) -> JsResult {
    let key = key(cx.arg(1))?;
    if !key.extractable {
        return Err(throw_dom_exception("InvalidAccessException", "key is not extractable"));
    }
    if to_string(cx.arg(0))?.to_text() != "raw" {
        hand_over("keys of this format");
    }
    Ok(ArrayBufferObject::from_bytes(&key.secret.to_bytes())?.into())
}

/// The HMAC of the data, if the key is for this usage and algorithm.
fn mac(algorithm: Value, key_value: Value, data: Value, usage: u16) -> JsResult<Vec<u8>> {
    let name = algorithm_name(algorithm)?;
    let key = key(key_value)?;
    if !name.eq_ignore_ascii_case("HMAC") {
        hand_over("this algorithm of crypto.subtle");
    }
    let Algorithm::Hmac(hash) = key.algorithm else {
        return Err(throw_dom_exception("InvalidAccessError", "Key algorithm mismatch"));
    };
    if key.usages & usage == 0 {
        let usage = if usage == SIGN { "sign" } else { "verify" };
        return Err(throw_dom_exception("InvalidAccessError", &format!("Unable to use this key to {usage}")));
    }
    Ok(hash.hmac(&key.secret.to_bytes(), &[&bytes(data, "data")?]))
}

/// `sign(algorithm, key, data)`
pub(super) fn sign(cx: &CallContext) -> JsResult {
    Ok(ArrayBufferObject::from_bytes(&mac(cx.arg(0), cx.arg(1), cx.arg(2), SIGN)?)?.into())
}

/// `verify(algorithm, key, signature, data)`
pub(super) fn verify(cx: &CallContext) -> JsResult {
    let expected = mac(cx.arg(0), cx.arg(1), cx.arg(3), VERIFY)?;
    let given = bytes(cx.arg(2), "signature")?;
    // Every byte is looked at, so that time tells nothing about where they differ.
    let difference = expected.iter().zip(&given).fold(0, |difference, (a, b)| difference | (a ^ b));
    Ok((expected.len() == given.len() && difference == 0).into())
}

/// `deriveBits(algorithm, key, length)`
pub(super) fn derive_bits(cx: &CallContext) -> JsResult {
    let algorithm = cx.arg(0);
    let key = key(cx.arg(1))?;
    let expected = self::algorithm(algorithm)?;
    if expected != key.algorithm || matches!(expected, Algorithm::Hmac(_)) {
        return Err(throw_dom_exception("InvalidAccessError", "Key algorithm mismatch"));
    }
    if key.usages & DERIVE_BITS == 0 {
        return Err(throw_dom_exception("InvalidAccessError", "baseKey does not have deriveBits usage"));
    }
    let hash = hash_of(member(algorithm, "hash")?)?;
    let salt = bytes(member(algorithm, "salt")?, "salt")?;
    let bits = to_number(cx.arg(2))?;
    if !(bits > 0.0 && bits % 8.0 == 0.0 && bits <= f64::from(u32::MAX)) {
        return Err(throw_dom_exception("OperationError", "length must be a multiple of 8"));
    }
    let (secret, length) = (key.secret.to_bytes(), bits as usize / 8);
    let derived = match expected {
        Algorithm::Pbkdf2 => {
            let iterations = to_number(member(algorithm, "iterations")?)?;
            if !(1.0..=f64::from(u32::MAX)).contains(&iterations) {
                return Err(throw_dom_exception("OperationError", "iterations cannot be zero"));
            }
            Some(hash.pbkdf2(&secret, &salt, iterations as u32, length))
        }
        _ => hash.hkdf(&secret, &salt, &bytes(member(algorithm, "info")?, "info")?, length),
    };
    match derived {
        Some(derived) => Ok(ArrayBufferObject::from_bytes(&derived)?.into()),
        None => Err(throw_dom_exception("OperationError", "length is too long for HKDF")),
    }
}
