//! `process.env`: reads the deployment's environment variables when they are asked for.

use convex_wasm_abi::bridge::op;
use convex_wasm_abi::memory::phase;

use super::from_utf8;
use crate::builtins::json;
use crate::cell::{Gc, ObjectKind, kind};
use crate::host;
use crate::key::PropertyKey;
use crate::memory::PHASE;
use crate::object::exotic::Exotic;
use crate::object::{Attributes, Object, ObjectHeader, Property};
use crate::realm::{Intrinsic, global, intrinsic};
use crate::shape::FastMap;
use crate::state::State;
use crate::throw::JsResult;
use crate::value::Value;

/// `process.env`. What a program assigns becomes an ordinary property in front of the variable.
#[repr(C)]
struct Environment {
    header: ObjectHeader,
}

// SAFETY: only `install` makes a cell of this kind.
unsafe impl ObjectKind for Environment {
    const KIND: u8 = kind::ENVIRONMENT;
}

/// Variables read by this execution. Those read while modules are evaluated are not kept: the image outlives them.
static KNOWN: State<Option<FastMap<u64, Option<Value>>>> = State::new(None);

/// Defines `process`.
pub(super) fn install() {
    let environment =
        Gc::new(Environment { header: ObjectHeader::new::<Environment>(intrinsic(Intrinsic::ObjectPrototype)) });
    let process = Object::new();
    process.define("env", environment.into(), Attributes::ALL);
    global().define("process", process.into(), Attributes::HIDDEN);
}

/// The value of a variable.
fn variable(key: PropertyKey) -> Option<Value> {
    let keep = PHASE.get() != phase::IMPORT;
    if keep && let Some(known) = KNOWN.with(|known| known.get_or_insert_default().get(&key.word()).copied()) {
        return known;
    }
    // A host that refuses has no such variable.
    let reply = host::operation(op::ENV_GET, key.display().as_bytes()).unwrap_or_default();
    let value = reply.strip_prefix(b"=").map(|value| Value::from(from_utf8(value)));
    if keep {
        KNOWN.with(|known| known.get_or_insert_default().insert(key.word(), value));
    }
    value
}

/// Internal methods of `process.env`.
pub struct EnvironmentExotic;

impl Exotic for EnvironmentExotic {
    fn get_own_property(&self, object: Object, key: PropertyKey) -> JsResult<Option<Property>> {
        if let Some(property) = object.ordinary_get_own(key) {
            return Ok(Some(property));
        }
        if key.is_symbol() {
            return Ok(None);
        }
        Ok(variable(key).map(|value| Property::data(value, Attributes::ALL)))
    }

    fn own_keys(&self, object: Object) -> JsResult<Vec<PropertyKey>> {
        let names = host::operation(op::ENV_NAMES, &[]).unwrap_or_else(|_| b"[]".to_vec());
        let names = json::parse(from_utf8(&names))?;
        let mut keys = vec![];
        if let Some(names) = names.as_object().and_then(Object::as_array) {
            keys.extend(names.dense().iter().filter_map(|name| name.get().as_string()).map(PropertyKey::from_string));
        }
        for key in object.ordinary_own_keys() {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        Ok(keys)
    }
}
