//! `DOMException`, reduced to what can be told of an error: name, message, code.

use crate::builtin::{CallContext, constants, constructor, native_constructor, require_new, to_string_tag};
use crate::convert::to_string;
use crate::error::new_error;
use crate::names::{self, keys};
use crate::object::{Attributes, Object};
use crate::realm::{Intrinsic, intrinsic};
use crate::string::JsString;
use crate::throw::{JsResult, Throw};
use crate::value::Value;

/// Names of `DOMException` with a legacy code, and its constants' names (WebIDL, "DOMException names").
const DOM_EXCEPTIONS: &[(&str, &str, i32)] = &[
    ("IndexSizeError", "INDEX_SIZE_ERR", 1),
    ("HierarchyRequestError", "HIERARCHY_REQUEST_ERR", 3),
    ("WrongDocumentError", "WRONG_DOCUMENT_ERR", 4),
    ("InvalidCharacterError", "INVALID_CHARACTER_ERR", 5),
    ("NoModificationAllowedError", "NO_MODIFICATION_ALLOWED_ERR", 7),
    ("NotFoundError", "NOT_FOUND_ERR", 8),
    ("NotSupportedError", "NOT_SUPPORTED_ERR", 9),
    ("InUseAttributeError", "INUSE_ATTRIBUTE_ERR", 10),
    ("InvalidStateError", "INVALID_STATE_ERR", 11),
    ("SyntaxError", "SYNTAX_ERR", 12),
    ("InvalidModificationError", "INVALID_MODIFICATION_ERR", 13),
    ("NamespaceError", "NAMESPACE_ERR", 14),
    ("InvalidAccessError", "INVALID_ACCESS_ERR", 15),
    ("TypeMismatchError", "TYPE_MISMATCH_ERR", 17),
    ("SecurityError", "SECURITY_ERR", 18),
    ("NetworkError", "NETWORK_ERR", 19),
    ("AbortError", "ABORT_ERR", 20),
    ("URLMismatchError", "URL_MISMATCH_ERR", 21),
    ("QuotaExceededError", "QUOTA_EXCEEDED_ERR", 22),
    ("TimeoutError", "TIMEOUT_ERR", 23),
    ("InvalidNodeTypeError", "INVALID_NODE_TYPE_ERR", 24),
    ("DataCloneError", "DATA_CLONE_ERR", 25),
];

/// Builds it.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::DomExceptionPrototype);
    prototype.force_prototype(Some(intrinsic(Intrinsic::ErrorPrototype)));
    let class = constructor("DOMException", 0, native_constructor(construct), prototype);
    for &(_, constant, code) in DOM_EXCEPTIONS {
        constants(class, &[(constant, Value::int(code))]);
        constants(prototype, &[(constant, Value::int(code))]);
    }
    to_string_tag(prototype, "DOMException");
}

fn construct(cx: &CallContext) -> JsResult {
    require_new(cx, "DOMException")?;
    let message = if cx.arg(0).is_undefined() { JsString::empty() } else { to_string(cx.arg(0))? };
    let (name, cause) = match cx.arg(1).as_object() {
        Some(options) => (options.get(keys::name_())?, Some(options.get(keys::cause())?)),
        None => (cx.arg(1), None),
    };
    let name = if name.is_undefined() { JsString::from_str("Error") } else { to_string(name)? };
    let error = create(cx.new_prototype(Intrinsic::DomExceptionPrototype)?, message, name);
    if let Some(cause) = cause.filter(|cause| !cause.is_undefined()) {
        error.define(names::cause(), cause, Attributes::HIDDEN);
    }
    Ok(error.into())
}

fn create(prototype: Object, message: JsString, name: JsString) -> Object {
    let text = name.to_text();
    let code = DOM_EXCEPTIONS.iter().find(|(known, ..)| *known == text).map_or(0, |&(_, _, code)| code);
    let error = new_error(prototype, message.into()).object();
    error.define(names::name_(), name.into(), Attributes::HIDDEN);
    error.define(names::code(), Value::int(code), Attributes::HIDDEN);
    error
}

/// Throws a `DOMException`.
#[cold]
pub fn throw_dom_exception(name: &str, message: &str) -> Throw {
    let prototype = intrinsic(Intrinsic::DomExceptionPrototype);
    Throw::value(create(prototype, JsString::from_str(message), JsString::from_str(name)).into())
}
