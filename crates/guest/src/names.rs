//! Interned strings the guest needs all the time.

use crate::key::PropertyKey;
use crate::state::State;
use crate::string::{JsString, intern_latin1};

macro_rules! names {
    ($($method:ident $name:literal,)*) => {
        #[allow(non_camel_case_types)]
        enum Name { $($method,)* }
        const NAMES: &[&str] = &[$($name,)*];
        static STRINGS: State<[Option<JsString>; NAMES.len()]> = State::new([None; NAMES.len()]);
        $(
            #[doc = concat!("`", $name, "`")]
            #[inline]
            pub fn $method() -> JsString { name(Name::$method as usize) }
        )*
        /// The same names as property keys.
        pub mod keys {
            use super::*;
            $(
                #[doc = concat!("`", $name, "`")]
                #[inline]
                pub fn $method() -> PropertyKey { PropertyKey::from_interned(super::$method()) }
            )*
        }
    };
}

#[inline]
fn name(index: usize) -> JsString {
    match STRINGS.with(|strings| strings[index]) {
        Some(string) => string,
        None => create(index),
    }
}

#[cold]
fn create(index: usize) -> JsString {
    let string = intern_latin1(NAMES[index].as_bytes());
    STRINGS.with(|strings| strings[index] = Some(string));
    string
}

names! {
    empty "",
    length "length",
    name_ "name",
    prototype "prototype",
    constructor "constructor",
    message "message",
    stack "stack",
    stack_trace_limit "stackTraceLimit",
    cause "cause",
    errors "errors",
    error "error",
    suppressed "suppressed",
    to_string "toString",
    value_of "valueOf",
    to_json "toJSON",
    next "next",
    return_ "return",
    throw "throw",
    done "done",
    value "value",
    get "get",
    set "set",
    has "has",
    keys_ "keys",
    size "size",
    writable "writable",
    enumerable "enumerable",
    configurable "configurable",
    then "then",
    resolve "resolve",
    index "index",
    input "input",
    groups "groups",
    indices "indices",
    raw "raw",
    callee "callee",
    default "default",
    last_index "lastIndex",
    flags "flags",
    exec "exec",
    data "data",
    code "code",
    undefined "undefined",
    null "null",
    true_ "true",
    false_ "false",
    object "object",
    function "function",
    boolean "boolean",
    number "number",
    string "string",
    symbol "symbol",
    bigint "bigint",
    status "status",
    reason "reason",
    fulfilled "fulfilled",
    rejected "rejected",
    promise "promise",
    reject "reject",
    join "join",
    get_prototype_of "getPrototypeOf",
    set_prototype_of "setPrototypeOf",
    is_extensible "isExtensible",
    prevent_extensions "preventExtensions",
    get_own_property_descriptor "getOwnPropertyDescriptor",
    define_property "defineProperty",
    delete_property "deleteProperty",
    own_keys "ownKeys",
    apply "apply",
    construct "construct",
}
