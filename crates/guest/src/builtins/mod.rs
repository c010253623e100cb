//! The built-in objects, one file an area. Each has `install()`, called once by `boot` in this order; intrinsic
//! prototypes exist before (see [`crate::realm::intrinsic`]), so order only matters for the order of global properties.

pub mod check;
pub mod object;
pub mod function;
pub mod array;
pub mod error;
pub mod dom_exception;
pub mod symbol;
pub mod map_set;
pub mod weak;
pub mod proxy;
pub mod reflect;
pub mod iterator;
pub mod array_buffer;
pub mod data_view;
pub mod typed_array;
pub mod promise_statics;
pub mod generator_protos;
pub mod global;
pub mod string;
pub mod number;
pub mod boolean;
pub mod performance;
pub mod math;
pub mod json;
pub mod bytes;
pub mod regexp;
pub mod date;
pub mod bigint;
pub mod console;
pub mod text_encoding;
pub mod uri;
pub mod base64;
pub mod url;
pub mod structured_clone;
pub mod crypto;
pub mod convex;

/// Builds all of them.
pub(crate) fn install() {
    crate::promise::install();
    object::install();
    function::install();
    array::install();
    error::install();
    dom_exception::install();
    symbol::install();
    map_set::install();
    weak::install();
    proxy::install();
    reflect::install();
    iterator::install();
    array_buffer::install();
    typed_array::install();
    data_view::install();
    promise_statics::install();
    generator_protos::install();
    global::install();
    string::install();
    number::install();
    boolean::install();
    performance::install();
    math::install();
    json::install();
    regexp::install();
    date::install();
    bigint::install();
    console::install();
    text_encoding::install();
    uri::install();
    base64::install();
    url::install();
    structured_clone::install();
    crypto::install();
    convex::install();
}
