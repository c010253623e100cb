//! `Proxy`: the object, its constructor, and calls through it. Traps and invariants are in [`traps`].

mod traps;

pub use traps::ProxyExotic;

use core::cell::Cell;

use crate::builtin::{CallContext, constructor, function, method, native, native_constructor, require_new};
use crate::call;
use crate::cell::{Gc, ObjectKind, kind};
use crate::names::keys;
use crate::object::{Attributes, Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_type_error};
use crate::value::Value;

/// A proxy.
#[repr(C)]
pub struct ProxyObject {
    header: ObjectHeader,
    /// Target and handler; `None` once revoked.
    parts: Cell<Option<(Object, Object)>>,
    /// Whether it has [[Call]] and [[Construct]]: it keeps them when revoked.
    callable: bool,
    constructor: bool,
}

// SAFETY: only `create` makes cells of this kind.
unsafe impl ObjectKind for ProxyObject {
    const KIND: u8 = kind::PROXY;
}

impl ProxyObject {
    /// Target and handler, unless it was revoked.
    pub fn parts(&self) -> Option<(Object, Object)> {
        self.parts.get()
    }
}

/// Builds `Proxy`.
pub(crate) fn install() {
    let unused = Object::new();
    let proxy = constructor("Proxy", 2, native_constructor(construct_new), unused);
    // The one constructor without a `prototype`.
    if let Some(entry) = proxy.find(keys::prototype()) {
        proxy.remove_slot(entry);
    }
    method(proxy, "revocable", 2, native(revocable));
}

fn construct_new(cx: &CallContext) -> JsResult {
    require_new(cx, "Proxy")?;
    Ok(create(cx.arg(0), cx.arg(1))?.into())
}

/// ProxyCreate.
fn create(target: Value, handler: Value) -> JsResult<Gc<ProxyObject>> {
    let (Some(target), Some(handler)) = (target.as_object(), handler.as_object()) else {
        return Err(throw_type_error("Cannot create proxy with a non-object as target or handler"));
    };
    Ok(of(target, handler))
}

fn of(target: Object, handler: Object) -> Gc<ProxyObject> {
    Gc::new(ProxyObject {
        header: ObjectHeader::new::<ProxyObject>(intrinsic(Intrinsic::ObjectPrototype)),
        parts: Cell::new(Some((target, handler))),
        callable: call::is_callable(target.into()),
        constructor: call::is_constructor(target.into()),
    })
}

/// A proxy of the guest's own.
pub fn new(target: Object, handler: Object) -> Value {
    of(target, handler).into()
}

fn revocable(cx: &CallContext) -> JsResult {
    let proxy = create(cx.arg(0), cx.arg(1))?;
    let revoke = function("", 0, native(revoke));
    revoke.home.set(proxy.into());
    let result = Object::new();
    result.define("proxy", proxy.into(), Attributes::ALL);
    result.define("revoke", revoke.into(), Attributes::ALL);
    Ok(result.into())
}

fn revoke(cx: &CallContext) -> JsResult {
    if let Some(proxy) = cx.callee.home.replace(Value::UNDEFINED).as_kind::<ProxyObject>() {
        proxy.parts.set(None);
    }
    Ok(Value::UNDEFINED)
}

/// Whether the object is a proxy with [[Call]].
pub fn is_callable(object: Object) -> bool {
    object.as_kind::<ProxyObject>().is_some_and(|proxy| proxy.callable)
}

/// Whether the object is a proxy with [[Construct]].
pub fn is_constructor(object: Object) -> bool {
    object.as_kind::<ProxyObject>().is_some_and(|proxy| proxy.constructor)
}

/// [[Call]] of a proxy.
pub fn call(object: Object, this: Value, arguments: &[Value]) -> JsResult {
    traps::call(object, this, arguments)
}

/// [[Construct]] of a proxy.
pub fn construct(object: Object, arguments: &[Value], new_target: Value) -> JsResult<Object> {
    traps::construct(object, arguments, new_target)
}

/// IsArray of a proxy; false for other objects. TypeError if it was revoked.
pub fn is_array(object: Object) -> JsResult<bool> {
    let Some(proxy) = object.as_kind::<ProxyObject>() else { return Ok(false) };
    call::check_stack()?;
    match proxy.parts() {
        Some((target, _)) => crate::convert::is_array(target.into()),
        None => Err(throw_type_error("Cannot perform 'IsArray' on a proxy that has been revoked")),
    }
}
