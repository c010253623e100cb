//! Bytes in and out of buffers, for the built-ins that take or make them.

use convex_wasm_abi::layout::typed_array as abi;

use crate::call::construct;
use crate::cell::kind;
use crate::names::keys;
use crate::object::Object;
use crate::realm::typed_array_prototype;
use crate::throw::JsResult;
use crate::value::Value;

/// Bytes of an element, in the order of [`abi::TYPES`].
const SIZES: [usize; 11] = [1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8];
/// Position of `Uint8` in [`abi::TYPES`].
const UINT8: usize = 1;

/// The memory of a typed array: address and length in bytes.
fn memory(object: Object) -> Option<(usize, usize)> {
    let size = *SIZES.get(object.kind.get().checked_sub(kind::TYPED_ARRAY)? as usize)?;
    let word = |offset: u32| {
        // SAFETY: typed array cells have these words (see `abi`).
        unsafe { core::ptr::read((object.address() + offset) as usize as *const u32) as usize }
    };
    Some((word(abi::DATA), word(abi::LENGTH) * size))
}

/// The bytes of a typed array, `DataView` or `ArrayBuffer`, copied; `None` for anything else.
pub fn bytes_of(value: Value) -> Option<Vec<u8>> {
    let object = value.as_object()?;
    if let Some((address, length)) = memory(object) {
        // SAFETY: `length` bytes at `address` are the array's memory.
        return Some(unsafe { core::slice::from_raw_parts(address as *const u8, length) }.to_vec());
    }
    let get = |name: &str| object.get(name.into()).map_err(|thrown| thrown.take()).ok();
    let (buffer, offset, length) = match object.kind.get() {
        kind::ARRAY_BUFFER | kind::SHARED_ARRAY_BUFFER => (value, Value::int(0), get("byteLength")?),
        kind::DATA_VIEW => (get("buffer")?, get("byteOffset")?, get("byteLength")?),
        _ => return None,
    };
    let array = construct_uint8(&[buffer, offset, length]).map_err(|thrown| thrown.take()).ok()?;
    bytes_of(array.into())
}

fn construct_uint8(arguments: &[Value]) -> JsResult<Object> {
    let constructor = typed_array_prototype(UINT8).get(keys::constructor())?;
    construct(constructor, arguments, constructor)
}

/// A fresh `Uint8Array` of these bytes.
pub fn new_uint8_array(bytes: &[u8]) -> JsResult<Object> {
    let array = construct_uint8(&[Value::from(bytes.len())])?;
    write_bytes(array, bytes);
    Ok(array)
}

/// Writes to the beginning of a typed array; answers how many bytes it took.
pub fn write_bytes(array: Object, bytes: &[u8]) -> usize {
    let Some((address, length)) = memory(array) else { return 0 };
    let count = length.min(bytes.len());
    // SAFETY: `length` bytes at `address` are the array's memory; `bytes` are elsewhere, as Rust owns them.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, count) };
    count
}
