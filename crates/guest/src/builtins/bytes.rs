//! Bytes in and out of buffers, for the built-ins that take or make them.

use super::array_buffer::ArrayBufferObject;
use super::data_view::DataViewObject;
use super::typed_array::{ElementType, TypedArrayObject, view};
use crate::object::Object;
use crate::throw::JsResult;
use crate::value::Value;

/// The bytes of a typed array, `DataView` or `ArrayBuffer`, copied; `None` for anything else.
pub fn bytes_of(value: Value) -> Option<Vec<u8>> {
    let object = value.as_object()?;
    if let Some(buffer) = object.as_kind::<ArrayBufferObject>() {
        return Some(buffer.to_bytes());
    }
    if let Some(array) = view(object) {
        return Some(array.to_bytes());
    }
    object.as_kind::<DataViewObject>().map(|view| view.to_bytes())
}

/// A fresh `Uint8Array` of these bytes.
pub fn new_uint8_array(bytes: &[u8]) -> JsResult<Object> {
    let buffer = ArrayBufferObject::from_bytes(bytes)?;
    Ok(TypedArrayObject::over(ElementType::Uint8, buffer).object())
}

/// Writes to the beginning of a typed array; answers how many bytes it took.
pub fn write_bytes(array: Object, bytes: &[u8]) -> usize {
    view(array).map_or(0, |array| array.write_bytes(bytes))
}
