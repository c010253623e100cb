//! Function objects, compiled and built in (see [`convex_wasm_abi::layout::function`]).

use core::cell::Cell;

use convex_wasm_abi::layout::function as abi;
use convex_wasm_abi::unit::function_info as info;

use super::{Attributes, Object, ObjectHeader};
use crate::cell::{Gc, ObjectKind, kind};
use crate::heap::{self, Contents};
use crate::names::{self, keys};
use crate::realm::{Intrinsic, intrinsic};
use crate::realm_shapes;
use crate::shape::{Shape, root_shape};
use crate::string::{JsString, intern_str};
use crate::value::Value;

/// A function object.
#[repr(C)]
pub struct FunctionCell {
    /// Shared header.
    pub header: ObjectHeader,
    padding: Cell<u32>,
    /// Index in the function table.
    pub code: Cell<u32>,
    /// Address of the captured environment, or 0.
    pub env: Cell<u32>,
    /// Static facts.
    pub info: Cell<Gc<FunctionRecord>>,
    /// Shape of fresh instances, of class constructors that have made one.
    pub instances: Cell<Option<Shape>>,
    /// Home object, or whatever the built-in keeps; UNDEFINED if nothing.
    pub home: Cell<Value>,
}

// SAFETY: only this file makes cells of kind FUNCTION, besides compiled code, which follows the same layout.
unsafe impl ObjectKind for FunctionCell {
    const KIND: u8 = kind::FUNCTION;
}

const _: () = assert!(core::mem::size_of::<FunctionCell>() == abi::SIZE as usize);
const _: () = assert!(core::mem::offset_of!(FunctionCell, instances) == abi::INSTANCES as usize);
const _: () = assert!(core::mem::offset_of!(FunctionCell, home) == abi::HOME as usize);

/// Static facts of a function (see [`convex_wasm_abi::unit::function_info`]).
#[repr(C)]
pub struct FunctionRecord {
    /// Address of the name.
    pub name: Cell<JsString>,
    /// The `length` property.
    pub length: Cell<u32>,
    /// Flags.
    pub flags: Cell<u32>,
    /// Table index of the code.
    pub code: Cell<u32>,
    /// Byte range of the source text.
    pub source: Cell<(u32, u32)>,
    /// Index of the unit; [`FunctionRecord::NATIVE`] for built-ins.
    pub unit: Cell<u32>,
    /// Number of its first point in the unit.
    pub first_point: Cell<u32>,
}

const _: () = assert!(core::mem::size_of::<FunctionRecord>() == info::SIZE as usize);

impl FunctionRecord {
    /// `unit` of built-in functions.
    pub const NATIVE: u32 = u32::MAX;

    /// Record of a built-in.
    pub fn native(name: JsString, length: u32, flags: u32, code: u32) -> Gc<FunctionRecord> {
        let record = FunctionRecord {
            name: Cell::new(name),
            length: Cell::new(length),
            flags: Cell::new(flags),
            code: Cell::new(code),
            source: Cell::new((0, 0)),
            unit: Cell::new(FunctionRecord::NATIVE),
            first_point: Cell::new(0),
        };
        let address = heap::allocate_storage(info::SIZE, Contents::Words);
        // SAFETY: fresh memory of the record's size.
        unsafe {
            core::ptr::write(address as usize as *mut FunctionRecord, record);
            Gc::from_address(address)
        }
    }

    /// Makes the record of a unit's data usable: `name` holds the index of a constant until now, `code` is relative.
    pub fn link(&self, constant: impl Fn(u32) -> JsString, table_base: u32, unit: u32) {
        // SAFETY: `JsString` is a word; until it is linked, the word is a constant's index.
        let index = unsafe { core::ptr::read(self.name.as_ptr().cast::<u32>()) };
        self.name.set(constant(index));
        self.code.set(self.code.get() + table_base);
        self.unit.set(unit);
    }

    /// How many properties it probably gives to `this`, as a constructor.
    pub fn expected_properties(&self) -> u32 {
        self.flags.get() >> info::PROPERTIES_SHIFT
    }

    /// Whether all these flags are set.
    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.flags.get() & flag != 0
    }
}

impl FunctionCell {
    /// A fresh function object of a function that is no class.
    pub fn closure(record: Gc<FunctionRecord>, env: u32) -> Gc<FunctionCell> {
        let flags = record.flags.get();
        let shape = if flags & (info::ASYNC | info::GENERATOR) == 0 {
            realm_shapes::function_shape()
        } else {
            realm_shapes::suspending_function_shape(flags & info::ASYNC != 0, flags & info::GENERATOR != 0)
        };
        FunctionCell::with_shape(shape, record, env)
    }

    /// A fresh function object of that shape.
    #[inline]
    pub fn with_shape(shape: Shape, record: Gc<FunctionRecord>, env: u32) -> Gc<FunctionCell> {
        let flags = record.flags.get();
        let mut own = 0;
        if flags & info::CONSTRUCTOR != 0 {
            own |= abi::CONSTRUCTOR;
        }
        if flags & info::CLASS != 0 {
            own |= abi::CLASS;
        }
        if flags & info::DERIVED != 0 {
            own |= abi::DERIVED;
        }
        let function = Gc::new(FunctionCell {
            header: ObjectHeader::with_shape::<FunctionCell>(shape),
            padding: Cell::new(0),
            code: Cell::new(record.code.get()),
            env: Cell::new(env),
            info: Cell::new(record),
            instances: Cell::new(None),
            home: Cell::new(Value::UNDEFINED),
        });
        function.header.flags.set(own);
        function.header.extra.set(0);
        function
    }

    /// Whether it is built in.
    pub fn is_native(&self) -> bool {
        self.info.get().unit.get() == FunctionRecord::NATIVE
    }
}

/// The shape of fresh functions with that prototype: `length` and `name`, whose slots are filled when somebody looks.
pub(crate) fn function_shape(prototype: Object) -> Shape {
    root_shape(kind::FUNCTION, Some(prototype), 0)
        .add(keys::length(), Attributes::CONFIGURABLE)
        .add(keys::name_(), Attributes::CONFIGURABLE)
}

/// `Function.prototype`, which is a function that does nothing.
pub fn new_function_prototype() -> Object {
    let code = crate::builtin::native(|_| Ok(Value::UNDEFINED));
    let record = FunctionRecord::native(JsString::empty(), 0, 0, code.index());
    FunctionCell::with_shape(function_shape(intrinsic(Intrinsic::ObjectPrototype)), record, 0).object()
}

/// A built-in function.
pub fn new_native_function(name: &str, length: u32, code: crate::builtin::NativeCode, flags: u32) -> Gc<FunctionCell> {
    let record = FunctionRecord::native(intern_str(name), length, flags, code.index());
    FunctionCell::with_shape(crate::realm_shapes::function_shape(), record, 0)
}

impl Object {
    /// Fills `length`, `name` and, if it has one, `prototype` of a function. The shape has the first two already.
    #[cold]
    pub(super) fn materialize_function(self) {
        let Some(function) = self.as_function() else { return };
        let record = function.info.get();
        self.reserve_slot(2);
        self.set_slot(0, Value::from(record.length.get()));
        self.set_slot(1, record.name.get().into());
        let is_native = function.is_native();
        if record.has(info::GENERATOR) || record.has(info::CONSTRUCTOR) && !is_native {
            // EMPTY: made when it is read first.
            let attributes = if record.has(info::CLASS) { Attributes::NONE } else { Attributes::WRITABLE };
            self.add_slot(keys::prototype(), Value::EMPTY, attributes);
        }
    }

    /// The `prototype` object of an ordinary function or generator, when it is read first.
    pub(super) fn lazy_function_prototype(self) -> Value {
        let Some(function) = self.as_function() else { return Value::UNDEFINED };
        let record = function.info.get();
        if record.has(info::GENERATOR) {
            let parent = if record.has(info::ASYNC) {
                Intrinsic::AsyncGeneratorPrototype
            } else {
                Intrinsic::GeneratorPrototype
            };
            return Object::ordinary(Some(intrinsic(parent))).into();
        }
        let prototype = Object::new();
        prototype.define(names::constructor(), self.into(), Attributes::HIDDEN);
        prototype.into()
    }

    /// `name` of a function as an own data property, else the empty string; for messages.
    pub fn function_name(self) -> String {
        let own = self.ordinary_get_own(keys::name_());
        match own.map(|property| property.content) {
            Some(super::Content::Data(name)) => name.as_string().map(JsString::to_text).unwrap_or_default(),
            _ => String::new(),
        }
    }
}
