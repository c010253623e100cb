//! Modules.

use crate::promise::PromiseObject;
use crate::value::Value;

#[unsafe(no_mangle)]
extern "C" fn rt_import_dynamic(namespace: u32) -> Value {
    let promise = PromiseObject::pending();
    // SAFETY: the host put the namespace's word at this address (an import slot points there).
    promise.fulfill(unsafe { core::ptr::read(namespace as usize as *const Value) });
    promise.into()
}

#[unsafe(no_mangle)]
extern "C" fn rt_import_meta(unit: u32) -> Value {
    crate::link::import_meta(unit).into()
}
