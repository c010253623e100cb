//! %TypedArray%, the eleven constructors, `from` and `of`.

use super::{ALL, ElementType, TypedArrayObject, prototype_of, view};
use crate::builtin::{
    CallContext, NativeCode, accessor, constants, constructor, methods, native, native_constructor, require_new,
};
use crate::builtins::array_buffer::{ArrayBufferObject, detached};
use crate::builtins::check::require_function;
use crate::call::{call, construct as construct_object, is_constructor};
use crate::cell::Gc;
use crate::convert::{get_method, species_constructor, to_index, to_object};
use crate::error::display;
use crate::iterate::{IteratorRecord, array_like};
use crate::key::PropertyKey;
use crate::object::Object;
use crate::realm::{Intrinsic, global, intrinsic, set_intrinsic};
use crate::state::State;
use crate::throw::{JsResult, throw_range_error, throw_type_error};
use crate::value::Value;

/// Prototypes and codes of the constructors, in the order of the element types.
const CLASSES: [(Intrinsic, NativeCode); 11] = [
    (Intrinsic::Int8ArrayPrototype, native_constructor(construct::<0>)),
    (Intrinsic::Uint8ArrayPrototype, native_constructor(construct::<1>)),
    (Intrinsic::Uint8ClampedArrayPrototype, native_constructor(construct::<2>)),
    (Intrinsic::Int16ArrayPrototype, native_constructor(construct::<3>)),
    (Intrinsic::Uint16ArrayPrototype, native_constructor(construct::<4>)),
    (Intrinsic::Int32ArrayPrototype, native_constructor(construct::<5>)),
    (Intrinsic::Uint32ArrayPrototype, native_constructor(construct::<6>)),
    (Intrinsic::Float32ArrayPrototype, native_constructor(construct::<7>)),
    (Intrinsic::Float64ArrayPrototype, native_constructor(construct::<8>)),
    (Intrinsic::BigInt64ArrayPrototype, native_constructor(construct::<9>)),
    (Intrinsic::BigUint64ArrayPrototype, native_constructor(construct::<10>)),
];

/// The constructors' function objects.
static CONSTRUCTORS: State<[Option<Object>; 11]> = State::new([None; 11]);

pub(super) fn install() {
    let abstract_prototype = intrinsic(Intrinsic::TypedArrayPrototype);
    let abstract_class = constructor("TypedArray", 0, native_constructor(refuse), abstract_prototype);
    if let Some(entry) = global().find(PropertyKey::from("TypedArray")) {
        // It is no global.
        global().remove_slot(entry);
    }
    set_intrinsic(Intrinsic::TypedArrayConstructor, abstract_class);
    methods(abstract_class, &[("from", 1, native(from)), ("of", 0, native(of))]);
    accessor(abstract_class, "@@species", native(|cx| Ok(cx.this)), None);
    for (element_type, (prototype, code)) in ALL.into_iter().zip(CLASSES) {
        let prototype = intrinsic(prototype);
        prototype.force_prototype(Some(abstract_prototype));
        let class = constructor(element_type.class_name(), 3, code, prototype);
        class.force_prototype(Some(abstract_class));
        let size = [("BYTES_PER_ELEMENT", Value::from(element_type.size()))];
        constants(class, &size);
        constants(prototype, &size);
        CONSTRUCTORS.with(|constructors| constructors[element_type as usize] = Some(class));
    }
}

fn refuse(_: &CallContext) -> JsResult {
    Err(throw_type_error("Abstract class TypedArray not directly constructable"))
}

/// A typed array of zeroes.
fn zeroed(element_type: ElementType, prototype: Object, length: u64) -> JsResult<Gc<TypedArrayObject>> {
    if length > u64::from(u32::MAX) / 8 {
        return Err(invalid_length(length as f64));
    }
    let buffer = ArrayBufferObject::zeroed(length * u64::from(element_type.size()))?;
    Ok(TypedArrayObject::new(element_type, prototype, buffer, 0, Some(length as u32)))
}

#[cold]
fn invalid_length(length: f64) -> crate::throw::Throw {
    throw_range_error(format!("Invalid typed array length: {length}"))
}

fn construct<const TYPE: usize>(cx: &CallContext) -> JsResult {
    let (element_type, prototype) = (ALL[TYPE], CLASSES[TYPE].0);
    require_new(cx, element_type.class_name())?;
    let Some(source) = cx.arg(0).as_object() else {
        let length = match cx.arg(0).as_int() {
            Some(length @ 0..) => length as u64,
            _ => to_index(cx.arg(0), format!("Invalid typed array length: {}", display(cx.arg(0))))?,
        };
        return Ok(zeroed(element_type, cx.new_prototype(prototype)?, length)?.into());
    };
    let prototype = cx.new_prototype(prototype)?;
    if let Some(buffer) = source.as_kind::<ArrayBufferObject>() {
        return Ok(over_buffer(element_type, prototype, buffer, cx.arg(1), cx.arg(2))?.into());
    }
    let values = match view(source) {
        Some(source) => {
            source.valid_length("Construct")?;
            if source.element_type().is_bigint() != element_type.is_bigint() {
                return Err(throw_type_error("Cannot mix BigInt and other types, use explicit conversions"));
            }
            if source.element_type() == element_type {
                let array = zeroed(element_type, prototype, u64::from(source.length()))?;
                array.write_bytes(&source.to_bytes());
                return Ok(array.into());
            }
            source.to_vec()
        }
        None => list_of(source.into())?,
    };
    let array = zeroed(element_type, prototype, values.len() as u64)?;
    for (index, value) in values.into_iter().enumerate() {
        array.set(index as u32, value)?;
    }
    Ok(array.into())
}

/// The values of an iterable or array-like.
fn list_of(source: Value) -> JsResult<Vec<Value>> {
    if crate::iterate::iterates_plainly(source) {
        return crate::iterate::collect(source);
    }
    let Some(method) = get_method(source, crate::symbol::iterator().into())? else { return array_like(source) };
    let record = IteratorRecord::from_method(source, method.into())?;
    let mut values = vec![];
    while let Some(value) = record.step()? {
        values.push(value);
    }
    Ok(values)
}

/// InitializeTypedArrayFromArrayBuffer.
fn over_buffer(
    element_type: ElementType,
    prototype: Object,
    buffer: Gc<ArrayBufferObject>,
    offset: Value,
    length: Value,
) -> JsResult<Gc<TypedArrayObject>> {
    let (name, size) = (element_type.class_name(), u64::from(element_type.size()));
    let offset = to_index(offset, "Start offset is too large:")?;
    if offset % size != 0 {
        return Err(throw_range_error(format!("start offset of {name} should be a multiple of {size}")));
    }
    let wanted = if length.is_undefined() {
        None
    } else {
        Some(to_index(length, &format!("Invalid typed array length: {}", display(length)))?)
    };
    if buffer.is_detached() {
        return Err(detached("Construct"));
    }
    let available = u64::from(buffer.byte_length());
    let length = match wanted {
        Some(wanted) if offset + wanted * size > available => return Err(invalid_length(wanted as f64)),
        Some(wanted) => Some(wanted as u32),
        None if buffer.is_resizable() && offset <= available => None,
        None if available % size != 0 => {
            return Err(throw_range_error(format!("byte length of {name} should be a multiple of {size}")));
        }
        None if offset > available => {
            return Err(throw_range_error(format!("Start offset {offset} is outside the bounds of the buffer")));
        }
        None => Some(((available - offset) / size) as u32),
    };
    Ok(TypedArrayObject::new(element_type, prototype, buffer, offset as u32, length))
}

/// TypedArrayCreateFromCtor with a length.
fn create(class: Value, length: u64, method: &str) -> JsResult<Gc<TypedArrayObject>> {
    let array = create_with(class, &[Value::number(length as f64)], method)?;
    array.buffer().require_mutable(method)?;
    if u64::from(array.length()) < length {
        return Err(throw_type_error("Derived TypedArray constructor created an array which was too small"));
    }
    Ok(array)
}

fn create_with(class: Value, arguments: &[Value], method: &str) -> JsResult<Gc<TypedArrayObject>> {
    let object = construct_object(class, arguments, class)?;
    let array = view(object).ok_or_else(|| throw_type_error("this is not a typed array."))?;
    array.valid_length(method)?;
    Ok(array)
}

/// TypedArraySpeciesCreate with the constructor's arguments.
pub(super) fn species_create(
    exemplar: Gc<TypedArrayObject>,
    arguments: &[Value],
    method: &str,
) -> JsResult<Gc<TypedArrayObject>> {
    let element_type = exemplar.element_type();
    let Some(default) = CONSTRUCTORS.with(|constructors| constructors[element_type as usize]) else {
        return Err(throw_type_error("this is not a typed array."));
    };
    let class = species_constructor(exemplar.object(), default)?;
    let array = create_with(class.into(), arguments, method)?;
    if let [length] = arguments {
        array.buffer().require_mutable(method)?;
        if f64::from(array.length()) < crate::convert::to_number(*length)? {
            return Err(throw_type_error("Derived TypedArray constructor created an array which was too small"));
        }
    }
    if array.element_type().is_bigint() != element_type.is_bigint() {
        return Err(throw_type_error("Content type of source and created typed arrays differ"));
    }
    Ok(array)
}

/// A typed array like `exemplar`, by the usual constructor.
pub(super) fn same_type(exemplar: Gc<TypedArrayObject>, length: u32) -> JsResult<Gc<TypedArrayObject>> {
    let element_type = exemplar.element_type();
    zeroed(element_type, prototype_of(element_type), u64::from(length))
}

fn require_class(cx: &CallContext) -> JsResult<Value> {
    if is_constructor(cx.this) {
        return Ok(cx.this);
    }
    Err(throw_type_error(format!("{} is not a constructor", display(cx.this))))
}

fn of(cx: &CallContext) -> JsResult {
    let array = create(require_class(cx)?, cx.arguments.len() as u64, "%TypedArray%.of")?;
    for (index, &value) in cx.arguments.iter().enumerate() {
        array.set(index as u32, value)?;
    }
    Ok(array.into())
}

fn from(cx: &CallContext) -> JsResult {
    let class = require_class(cx)?;
    let mapper = if cx.arg(1).is_undefined() { None } else { Some(require_function(cx.arg(1))?) };
    let source = cx.arg(0);
    let values = if source.is_object() { list_of(source)? } else { list_of(to_object(source)?.into())? };
    let array = create(class, values.len() as u64, "%TypedArray%.from")?;
    for (index, value) in values.into_iter().enumerate() {
        let value = match mapper {
            Some(mapper) => call(mapper, cx.arg(2), &[value, Value::from(index)])?,
            None => value,
        };
        array.object().set(PropertyKey::index(index as u32), value)?;
    }
    Ok(array.into())
}
