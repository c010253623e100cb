//! The built-in objects, one file an area. Each has `install()`, called once by `boot` in this order; intrinsic
//! prototypes exist before (see [`crate::realm::intrinsic`]), so order only matters for the order of global properties.

pub mod array;
pub mod array_buffer;
pub mod base64;
pub mod bigint;
pub mod boolean;
pub mod bytes;
pub mod check;
pub mod console;
pub mod convex;
pub mod crypto;
pub mod data_view;
pub mod date;
pub mod dom_exception;
pub mod error;
pub mod function;
pub mod generator_protos;
pub mod global;
pub mod iterator;
pub mod json;
pub mod map_set;
pub mod math;
pub mod number;
pub mod object;
pub mod performance;
pub mod promise_statics;
pub mod proxy;
pub mod reflect;
pub mod regexp;
pub mod string;
pub mod structured_clone;
pub mod symbol;
pub mod text_encoding;
pub mod typed_array;
pub mod uri;
pub mod url;
pub mod weak;

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
