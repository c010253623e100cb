//! `DataView`.

use super::array_buffer::{ArrayBufferObject, detached};
use super::check::incompatible;
use super::math::float16;
use super::typed_array::ElementType;
use crate::builtin::{
    CallContext, Method, constructor, getters, methods, native, native_constructor, require_new, to_string_tag,
};
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{to_boolean, to_index, to_number};
use crate::error::display;
use crate::object::ObjectHeader;
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

/// A view of bytes.
#[repr(C)]
pub struct DataViewObject {
    header: ObjectHeader,
    buffer: Gc<ArrayBufferObject>,
    byte_offset: u32,
    /// `None` if it follows the length of a resizable buffer.
    byte_length: Option<u32>,
}

// SAFETY: only `construct` makes cells of this kind.
unsafe impl ObjectKind for DataViewObject {
    const KIND: u8 = kind::DATA_VIEW;
}

impl DataViewObject {
    /// Length in bytes; `None` if the buffer is detached or too short.
    fn length_in_bounds(&self) -> Option<u32> {
        let available = self.buffer.byte_length().checked_sub(self.byte_offset)?;
        if self.buffer.is_detached() {
            return None;
        }
        match self.byte_length {
            Some(length) => (length <= available).then_some(length),
            None => Some(available),
        }
    }

    /// A copy of the bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.buffer.read(self.byte_offset, self.length_in_bounds().unwrap_or(0))
    }
}

/// The methods of one element type: `getX` and `setX`.
macro_rules! element_methods {
    ($($name:literal $element_type:ident,)*) => {
        &[$(
            (concat!("get", $name), 1, native(|cx| get(cx, concat!("get", $name), ElementType::$element_type))),
            (concat!("set", $name), 2, native(|cx| set(cx, concat!("set", $name), ElementType::$element_type))),
        )*]
    };
}

const METHODS: &[Method] = element_methods! {
    "Int8" Int8,
    "Uint8" Uint8,
    "Int16" Int16,
    "Uint16" Uint16,
    "Int32" Int32,
    "Uint32" Uint32,
    "Float32" Float32,
    "Float64" Float64,
    "BigInt64" BigInt64,
    "BigUint64" BigUint64,
};

const FLOAT16_METHODS: &[Method] = &[("getFloat16", 1, native(get_float16)), ("setFloat16", 2, native(set_float16))];

/// Builds `DataView`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::DataViewPrototype);
    constructor("DataView", 1, native_constructor(construct), prototype);
    methods(prototype, METHODS);
    methods(prototype, FLOAT16_METHODS);
    getters(
        prototype,
        &[
            ("buffer", native(|cx| Ok(this(cx, "buffer")?.buffer.into()))),
            (
                "byteLength",
                native(|cx| {
                    Ok(Value::from(valid_length(this(cx, "byteLength")?, "get DataView.prototype.byteLength")?))
                }),
            ),
            ("byteOffset", native(byte_offset)),
        ],
    );
    to_string_tag(prototype, "DataView");
}

fn this(cx: &CallContext, method: &str) -> JsResult<Gc<DataViewObject>> {
    cx.this.as_kind().ok_or_else(|| incompatible(&format!("DataView.prototype.{method}"), cx.this))
}

fn valid_length(view: Gc<DataViewObject>, method: impl core::fmt::Display) -> JsResult<u32> {
    view.length_in_bounds().ok_or_else(|| detached(method))
}

fn construct(cx: &CallContext) -> JsResult {
    require_new(cx, "DataView")?;
    let Some(buffer) = cx.arg(0).as_kind::<ArrayBufferObject>() else {
        return Err(throw_type_error("First argument to DataView constructor must be an ArrayBuffer"));
    };
    let out_of_bounds = format!("Start offset {} is outside the bounds of the buffer", display(cx.arg(1)));
    let offset = to_index(cx.arg(1), &out_of_bounds)?;
    if buffer.is_detached() {
        return Err(detached("DataView"));
    }
    let available = u64::from(buffer.byte_length());
    if offset > available {
        return Err(throw_range_error(out_of_bounds));
    }
    let length = if cx.arg(2).is_undefined() {
        if buffer.is_resizable() { None } else { Some(available - offset) }
    } else {
        let invalid = format!("Invalid DataView length {}", display(cx.arg(2)));
        let length = to_index(cx.arg(2), &invalid)?;
        if offset + length > available {
            return Err(throw_range_error(invalid));
        }
        Some(length)
    };
    let header = ObjectHeader::new::<DataViewObject>(cx.new_prototype(Intrinsic::DataViewPrototype)?);
    // Getting the prototype may have changed the buffer.
    if buffer.is_detached() {
        return Err(detached("DataView"));
    }
    if offset + length.unwrap_or(0) > u64::from(buffer.byte_length()) {
        return Err(throw_range_error(out_of_bounds));
    }
    let byte_length = length.map(|length| length as u32);
    Ok(Gc::new(DataViewObject { header, buffer, byte_offset: offset as u32, byte_length }).into())
}

fn byte_offset(cx: &CallContext) -> JsResult {
    let view = this(cx, "byteOffset")?;
    valid_length(view, "get DataView.prototype.byteOffset")?;
    Ok(Value::from(view.byte_offset))
}

/// Where the element begins in the buffer; RangeError if it is not within the view.
fn locate(view: Gc<DataViewObject>, index: u64, method: &str, element_type: ElementType) -> JsResult<u32> {
    let length = u64::from(valid_length(view, format_args!("DataView.prototype.{method}"))?);
    if index + u64::from(element_type.size()) > length {
        return Err(throw_range_error(OUT_OF_BOUNDS));
    }
    Ok(view.byte_offset + index as u32)
}

const OUT_OF_BOUNDS: &str = "Offset is outside the bounds of the DataView";

fn get(cx: &CallContext, method: &str, element_type: ElementType) -> JsResult {
    let view = this(cx, method)?;
    let index = to_index(cx.arg(0), OUT_OF_BOUNDS)?;
    let little_endian = to_boolean(cx.arg(1));
    let start = locate(view, index, method, element_type)?;
    let mut found = view.buffer.read(start, element_type.size());
    if !little_endian {
        found.reverse();
    }
    let mut bytes = [0; 8];
    bytes[..found.len()].copy_from_slice(&found);
    Ok(element_type.read(bytes))
}

fn set(cx: &CallContext, method: &str, element_type: ElementType) -> JsResult {
    let view = this(cx, method)?;
    view.buffer.require_mutable(format_args!("DataView.prototype.{method}"))?;
    let index = to_index(cx.arg(0), OUT_OF_BOUNDS)?;
    let element = element_type.convert(cx.arg(1))?;
    let little_endian = to_boolean(cx.arg(2));
    let start = locate(view, index, method, element_type)?;
    let mut bytes = element_type.bytes(element);
    let bytes = &mut bytes[..element_type.size() as usize];
    if !little_endian {
        bytes.reverse();
    }
    view.buffer.write(start, bytes);
    Ok(Value::UNDEFINED)
}

/// No typed array has elements of half precision: they are read as integers of the same size.
fn get_float16(cx: &CallContext) -> JsResult {
    let bits = get(cx, "getFloat16", ElementType::Uint16)?;
    Ok(float16::to_f64(bits.as_int().unwrap_or(0) as u16).into())
}

fn set_float16(cx: &CallContext) -> JsResult {
    let view = this(cx, "setFloat16")?;
    view.buffer.require_mutable("DataView.prototype.setFloat16")?;
    let index = to_index(cx.arg(0), OUT_OF_BOUNDS)?;
    let bits = float16::from_f64(to_number(cx.arg(1))?);
    let little_endian = to_boolean(cx.arg(2));
    let start = locate(view, index, "setFloat16", ElementType::Uint16)?;
    view.buffer.write(start, &if little_endian { bits.to_le_bytes() } else { bits.to_be_bytes() });
    Ok(Value::UNDEFINED)
}
