//! The global object's own values and functions that belong to no other area.

use crate::builtin::{Method, constants, methods, native};
use crate::convert::to_number;
use crate::object::Attributes;
use crate::promise::queue::queue_microtask;
use crate::realm::global;
use crate::throw::hand_over;
use crate::value::Value;

const FUNCTIONS: &[Method] = &[
    ("isNaN", 1, native(|cx| Ok(to_number(cx.arg(0))?.is_nan().into()))),
    ("isFinite", 1, native(|cx| Ok(to_number(cx.arg(0))?.is_finite().into()))),
    ("eval", 1, native(|cx| if cx.arg(0).is_string() { hand_over("eval") } else { Ok(cx.arg(0)) })),
    ("queueMicrotask", 1, native(|cx| queue_microtask(cx.arg(0)))),
];

/// Builds them.
pub(crate) fn install() {
    let global = global();
    for name in ["globalThis", "self"] {
        global.define(name, global.into(), Attributes::HIDDEN);
    }
    constants(
        global,
        &[
            ("undefined", Value::UNDEFINED),
            ("NaN", Value::double(f64::NAN)),
            ("Infinity", Value::double(f64::INFINITY)),
        ],
    );
    methods(global, FUNCTIONS);
}
