//! `ArrayBuffer`.

use core::cell::Cell;

use super::check::incompatible;
use super::typed_array::TypedArrayObject;
use crate::builtin::{
    CallContext, accessor, constructor, getters, methods, native, native_constructor, require_new, to_string_tag,
};
use crate::call::construct as construct_object;
use crate::cell::{Gc, ObjectKind, kind};
use crate::convert::{species_constructor, to_index, to_relative_index};
use crate::heap::{self, Contents};
use crate::key::PropertyKey;
use crate::object::{Object, ObjectHeader};
use crate::realm::{Intrinsic, intrinsic};
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

/// Largest buffer in bytes: more would never fit the guest's heap.
const MAX_BYTE_LENGTH: u64 = 1 << 30;

/// An array buffer.
#[repr(C)]
pub struct ArrayBufferObject {
    header: ObjectHeader,
    /// Payload address of the bytes; they move when a resizable buffer outgrows its storage.
    data: Cell<u32>,
    length: Cell<u32>,
    /// Limit of a resizable buffer.
    max_length: Option<u32>,
    detached: Cell<bool>,
    /// Its bytes never change again.
    immutable: Cell<bool>,
    /// Typed arrays over it, linked through their `next_view`.
    views: Cell<Option<Gc<TypedArrayObject>>>,
}

// SAFETY: only `ArrayBufferObject::with_prototype` makes cells of this kind.
unsafe impl ObjectKind for ArrayBufferObject {
    const KIND: u8 = kind::ARRAY_BUFFER;
}

impl ArrayBufferObject {
    /// A buffer of zeroes. RangeError if it is too large.
    pub fn zeroed(length: u64) -> JsResult<Gc<ArrayBufferObject>> {
        ArrayBufferObject::with_prototype(intrinsic(Intrinsic::ArrayBufferPrototype), length, None)
    }

    /// A buffer with these bytes.
    pub fn from_bytes(bytes: &[u8]) -> JsResult<Gc<ArrayBufferObject>> {
        let buffer = ArrayBufferObject::zeroed(bytes.len() as u64)?;
        buffer.write(0, bytes);
        Ok(buffer)
    }

    fn with_prototype(prototype: Object, length: u64, max: Option<u64>) -> JsResult<Gc<ArrayBufferObject>> {
        if max.is_some_and(|max| length > max) {
            return Err(throw_range_error("Invalid array buffer max length"));
        }
        if max.unwrap_or(length) > MAX_BYTE_LENGTH {
            return Err(throw_range_error("Array buffer allocation failed"));
        }
        let length = length as u32;
        let data = heap::allocate_storage(length, Contents::Bytes);
        // SAFETY: the storage has at least `length` bytes.
        unsafe { core::ptr::write_bytes(data as usize as *mut u8, 0, length as usize) };
        Ok(Gc::new(ArrayBufferObject {
            header: ObjectHeader::new::<ArrayBufferObject>(prototype),
            data: Cell::new(data),
            length: Cell::new(length),
            max_length: max.map(|max| max as u32),
            detached: Cell::new(false),
            immutable: Cell::new(false),
            views: Cell::new(None),
        }))
    }

    /// Length in bytes; 0 when detached.
    #[inline]
    pub fn byte_length(&self) -> u32 {
        self.length.get()
    }

    /// Whether its bytes were transferred away.
    pub fn is_detached(&self) -> bool {
        self.detached.get()
    }

    /// Whether its bytes never change again.
    pub fn is_immutable(&self) -> bool {
        self.immutable.get()
    }

    /// TypeError if its bytes never change.
    pub fn require_mutable(&self, method: impl core::fmt::Display) -> JsResult<()> {
        if self.is_immutable() {
            return Err(throw_type_error(format!("Cannot perform {method} on an immutable ArrayBuffer")));
        }
        Ok(())
    }

    /// Whether its length may change.
    pub fn is_resizable(&self) -> bool {
        self.max_length.is_some()
    }

    /// Address of its first byte, for as long as it is neither resized nor detached.
    #[inline]
    pub fn data(&self) -> u32 {
        self.data.get()
    }

    /// A copy of the bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.read(0, self.length.get())
    }

    /// A copy of `length` bytes from `start` on; less if there are not so many.
    pub fn read(&self, start: u32, length: u32) -> Vec<u8> {
        let start = start.min(self.length.get());
        let length = length.min(self.length.get() - start);
        let data = (self.data.get() + start) as usize as *const u8;
        // SAFETY: within the buffer's storage, as clamped above; the copy is taken at once.
        unsafe { core::slice::from_raw_parts(data, length as usize) }.to_vec()
    }

    /// Overwrites bytes from `start` on, as far as the buffer goes; none of an immutable buffer.
    pub fn write(&self, start: u32, bytes: &[u8]) {
        if self.is_immutable() {
            return;
        }
        let start = start.min(self.length.get());
        let count = bytes.len().min((self.length.get() - start) as usize);
        let target = (self.data.get() + start) as usize as *mut u8;
        // SAFETY: within the buffer's storage, as clamped above. `bytes` are Rust's own memory or a copy.
        unsafe { core::ptr::copy(bytes.as_ptr(), target, count) };
    }

    /// Remembers a typed array, to be told when the buffer is detached; answers the one remembered before.
    pub(super) fn add_view(&self, view: Gc<TypedArrayObject>) -> Option<Gc<TypedArrayObject>> {
        self.views.replace(Some(view))
    }

    /// DetachArrayBuffer.
    pub fn detach(&self) {
        self.detached.set(true);
        self.length.set(0);
        let mut view = self.views.take();
        while let Some(current) = view {
            view = current.buffer_detached();
        }
    }
}

/// Builds `ArrayBuffer`.
pub(crate) fn install() {
    let prototype = intrinsic(Intrinsic::ArrayBufferPrototype);
    let class = constructor("ArrayBuffer", 1, native_constructor(construct), prototype);
    methods(class, &[("isView", 1, native(is_view))]);
    accessor(class, "@@species", native(|cx| Ok(cx.this)), None);
    methods(
        prototype,
        &[
            ("slice", 2, native(slice)),
            ("resize", 1, native(resize)),
            ("transfer", 0, native(|cx| transfer(cx, "transfer", Transferred::Like))),
            ("transferToFixedLength", 0, native(|cx| transfer(cx, "transferToFixedLength", Transferred::Fixed))),
            ("transferToImmutable", 0, native(|cx| transfer(cx, "transferToImmutable", Transferred::Immutable))),
            ("sliceToImmutable", 2, native(slice_to_immutable)),
        ],
    );
    getters(
        prototype,
        &[
            ("byteLength", native(|cx| Ok(Value::from(this(cx, "byteLength")?.byte_length())))),
            ("maxByteLength", native(max_byte_length)),
            ("resizable", native(|cx| Ok(this(cx, "resizable")?.is_resizable().into()))),
            ("immutable", native(|cx| Ok(this(cx, "immutable")?.is_immutable().into()))),
            ("detached", native(|cx| Ok(this(cx, "detached")?.is_detached().into()))),
        ],
    );
    to_string_tag(prototype, "ArrayBuffer");
}

fn this(cx: &CallContext, method: &str) -> JsResult<Gc<ArrayBufferObject>> {
    cx.this.as_kind().ok_or_else(|| incompatible(&format!("ArrayBuffer.prototype.{method}"), cx.this))
}

/// The TypeError of an operation on a detached buffer.
#[cold]
pub fn detached(method: impl core::fmt::Display) -> crate::throw::Throw {
    throw_type_error(format!("Cannot perform {method} on a detached ArrayBuffer"))
}

fn construct(cx: &CallContext) -> JsResult {
    require_new(cx, "ArrayBuffer")?;
    let length = to_index(cx.arg(0), "Invalid array buffer length")?;
    let max = match cx.arg(1).as_object() {
        Some(options) => options.get(PropertyKey::from("maxByteLength"))?,
        None => Value::UNDEFINED,
    };
    let max = if max.is_undefined() { None } else { Some(to_index(max, "Invalid array buffer max length")?) };
    let prototype = cx.new_prototype(Intrinsic::ArrayBufferPrototype)?;
    Ok(ArrayBufferObject::with_prototype(prototype, length, max)?.into())
}

fn is_view(cx: &CallContext) -> JsResult {
    let object = cx.arg(0).as_object();
    let is_view =
        object.is_some_and(|object| super::typed_array::view(object).is_some() || object.kind.get() == kind::DATA_VIEW);
    Ok(is_view.into())
}

fn max_byte_length(cx: &CallContext) -> JsResult {
    let buffer = this(cx, "maxByteLength")?;
    let length = if buffer.is_detached() { 0 } else { buffer.max_length.unwrap_or(buffer.byte_length()) };
    Ok(Value::from(length))
}

fn slice(cx: &CallContext) -> JsResult {
    let buffer = this(cx, "slice")?;
    if buffer.is_detached() {
        return Err(detached("ArrayBuffer.prototype.slice"));
    }
    let length = u64::from(buffer.byte_length());
    let start = to_relative_index(cx.arg(0), length, 0)?;
    let end = to_relative_index(cx.arg(1), length, length)?.max(start);
    let default = intrinsic(Intrinsic::ArrayBufferPrototype).get(PropertyKey::from("constructor"))?;
    let Some(default) = default.as_object() else { return Err(throw_type_error("ArrayBuffer is not a constructor")) };
    let class = Value::from(species_constructor(buffer.object(), default)?);
    let result = construct_object(class, &[Value::number((end - start) as f64)], class)?;
    let Some(target) = result.as_kind::<ArrayBufferObject>() else {
        return Err(incompatible("ArrayBuffer.prototype.slice", result.into()));
    };
    if target.is_detached() || buffer.is_detached() {
        return Err(detached("ArrayBuffer.prototype.slice"));
    }
    target.require_mutable("ArrayBuffer.prototype.slice")?;
    if target == buffer {
        return Err(throw_type_error("ArrayBuffer subclass returned this from species constructor"));
    }
    if u64::from(target.byte_length()) < end - start {
        return Err(throw_type_error("Species constructor returned a too small ArrayBuffer"));
    }
    target.write(0, &buffer.read(start as u32, (end - start) as u32));
    Ok(result.into())
}

fn resize(cx: &CallContext) -> JsResult {
    let buffer = this(cx, "resize")?;
    let Some(max) = buffer.max_length else { return Err(incompatible("ArrayBuffer.prototype.resize", cx.this)) };
    let message = "ArrayBuffer.prototype.resize: Invalid length parameter";
    let length = to_index(cx.arg(0), message)?;
    if buffer.is_detached() {
        return Err(detached("ArrayBuffer.prototype.resize"));
    }
    if length > u64::from(max) {
        return Err(throw_range_error(message));
    }
    let (old, new) = (buffer.byte_length(), length as u32);
    if new > heap::storage_size(buffer.data()) {
        buffer.data.set(heap::grow_storage(buffer.data(), new, Contents::Bytes));
    }
    // Bytes that come, or come back, are zero.
    if new > old {
        let fresh = (buffer.data() + old) as usize as *mut u8;
        // SAFETY: the storage has at least `new` bytes.
        unsafe { core::ptr::write_bytes(fresh, 0, (new - old) as usize) };
    }
    buffer.length.set(new);
    Ok(Value::UNDEFINED)
}

/// What kind of buffer the bytes are transferred to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transferred {
    /// Resizable if the old one is.
    Like,
    Fixed,
    Immutable,
}

fn transfer(cx: &CallContext, method: &str, how: Transferred) -> JsResult {
    let buffer = this(cx, method)?;
    let length = match cx.arg(0) {
        Value::UNDEFINED => u64::from(buffer.byte_length()),
        length => to_index(length, "Invalid array buffer length")?,
    };
    if buffer.is_detached() {
        return Err(detached(&format!("ArrayBuffer.prototype.{method}")));
    }
    buffer.require_mutable(format_args!("ArrayBuffer.prototype.{method}"))?;
    let max = buffer.max_length.filter(|_| how == Transferred::Like).map(u64::from);
    let result = ArrayBufferObject::with_prototype(intrinsic(Intrinsic::ArrayBufferPrototype), length, max)?;
    result.write(0, &buffer.to_bytes());
    result.immutable.set(how == Transferred::Immutable);
    buffer.detach();
    Ok(result.into())
}

fn slice_to_immutable(cx: &CallContext) -> JsResult {
    const METHOD: &str = "ArrayBuffer.prototype.sliceToImmutable";
    let buffer = this(cx, "sliceToImmutable")?;
    if buffer.is_detached() {
        return Err(detached(METHOD));
    }
    let length = u64::from(buffer.byte_length());
    let start = to_relative_index(cx.arg(0), length, 0)?;
    let end = to_relative_index(cx.arg(1), length, length)?.max(start);
    if buffer.is_detached() {
        return Err(detached(METHOD));
    }
    if end > u64::from(buffer.byte_length()) {
        return Err(throw_range_error(format!("{METHOD}: the buffer has become too short")));
    }
    let result = ArrayBufferObject::from_bytes(&buffer.read(start as u32, (end - start) as u32))?;
    result.immutable.set(true);
    Ok(result.into())
}
