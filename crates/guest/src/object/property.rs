//! Properties and property descriptors.

use core::cell::Cell;

use convex_wasm_abi::layout::accessor;

use crate::cell::{Gc, Header};
use crate::value::Value;

/// Attributes of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Attributes(u8);

impl Attributes {
    /// Data: may be assigned.
    pub const WRITABLE: Attributes = Attributes(1);
    /// Is enumerated.
    pub const ENUMERABLE: Attributes = Attributes(2);
    /// May be deleted and redefined.
    pub const CONFIGURABLE: Attributes = Attributes(4);
    /// Is an accessor: its slot holds an [`AccessorCell`].
    pub const ACCESSOR: Attributes = Attributes(8);
    /// None.
    pub const NONE: Attributes = Attributes(0);
    /// Of what assignment creates.
    pub const ALL: Attributes = Attributes(7);
    /// Of built-in methods: writable, configurable.
    pub const HIDDEN: Attributes = Attributes(5);

    /// From bits.
    pub const fn from_bits(bits: u8) -> Attributes {
        Attributes(bits)
    }

    /// As bits.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether all of `other` are set.
    #[inline(always)]
    pub const fn has(self, other: Attributes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Union.
    pub const fn with(self, other: Attributes) -> Attributes {
        Attributes(self.0 | other.0)
    }

    /// Difference.
    pub const fn without(self, other: Attributes) -> Attributes {
        Attributes(self.0 & !other.0)
    }

    /// Writable data.
    #[inline(always)]
    pub const fn is_writable(self) -> bool {
        self.0 & 1 != 0
    }

    /// Enumerable.
    #[inline(always)]
    pub const fn is_enumerable(self) -> bool {
        self.0 & 2 != 0
    }

    /// Configurable.
    #[inline(always)]
    pub const fn is_configurable(self) -> bool {
        self.0 & 4 != 0
    }

    /// Accessor.
    #[inline(always)]
    pub const fn is_accessor(self) -> bool {
        self.0 & 8 != 0
    }
}

/// Getter and setter; each a function or undefined.
#[repr(C)]
pub struct AccessorCell {
    header: Header,
    /// The getter.
    pub get: Cell<Value>,
    /// The setter.
    pub set: Cell<Value>,
}

const _: () = assert!(core::mem::offset_of!(AccessorCell, get) == accessor::GET as usize);
const _: () = assert!(core::mem::offset_of!(AccessorCell, set) == accessor::SET as usize);

impl AccessorCell {
    /// A fresh pair.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(get: Value, set: Value) -> Gc<AccessorCell> {
        Gc::new(AccessorCell { header: Header::internal::<AccessorCell>(), get: Cell::new(get), set: Cell::new(set) })
    }
}

/// What an own property holds.
#[derive(Clone, Copy)]
pub enum Content {
    /// A value.
    Data(Value),
    /// Getter and setter, each a function or undefined.
    Accessor {
        /// Getter.
        get: Value,
        /// Setter.
        set: Value,
    },
}

/// An own property, completely described.
#[derive(Clone, Copy)]
pub struct Property {
    /// What it holds.
    pub content: Content,
    /// Its attributes.
    pub attributes: Attributes,
}

impl Property {
    /// A data property.
    pub fn data(value: Value, attributes: Attributes) -> Property {
        Property { content: Content::Data(value), attributes }
    }

    /// An accessor property; `attributes` need not say so.
    pub fn accessor(get: Value, set: Value, attributes: Attributes) -> Property {
        let attributes = attributes.without(Attributes::WRITABLE).with(Attributes::ACCESSOR);
        Property { content: Content::Accessor { get, set }, attributes }
    }
}

/// A property descriptor as `Object.defineProperty` takes it: what is `None` is not mentioned.
#[derive(Clone, Copy, Default)]
pub struct PropertyDescriptor {
    /// `value`
    pub value: Option<Value>,
    /// `get`: a function or undefined.
    pub get: Option<Value>,
    /// `set`: a function or undefined.
    pub set: Option<Value>,
    /// `writable`
    pub writable: Option<bool>,
    /// `enumerable`
    pub enumerable: Option<bool>,
    /// `configurable`
    pub configurable: Option<bool>,
}

impl PropertyDescriptor {
    /// Of a data property with all attributes given.
    pub fn data(value: Value, attributes: Attributes) -> PropertyDescriptor {
        PropertyDescriptor {
            value: Some(value),
            writable: Some(attributes.is_writable()),
            enumerable: Some(attributes.is_enumerable()),
            configurable: Some(attributes.is_configurable()),
            ..PropertyDescriptor::default()
        }
    }

    /// Of an accessor property; `None` leaves that half as it is.
    pub fn accessor(get: Option<Value>, set: Option<Value>, attributes: Attributes) -> PropertyDescriptor {
        PropertyDescriptor {
            get,
            set,
            enumerable: Some(attributes.is_enumerable()),
            configurable: Some(attributes.is_configurable()),
            ..PropertyDescriptor::default()
        }
    }

    /// Whether it mentions a getter or setter.
    pub fn is_accessor(&self) -> bool {
        self.get.is_some() || self.set.is_some()
    }

    /// Whether it mentions a value or writability.
    pub fn is_data(&self) -> bool {
        self.value.is_some() || self.writable.is_some()
    }

    /// The property it creates where there was none.
    pub fn complete(&self) -> Property {
        let flag = |set: Option<bool>, flag| if set == Some(true) { flag } else { Attributes::NONE };
        let attributes =
            flag(self.enumerable, Attributes::ENUMERABLE).with(flag(self.configurable, Attributes::CONFIGURABLE));
        if self.is_accessor() {
            let get = self.get.unwrap_or(Value::UNDEFINED);
            let set = self.set.unwrap_or(Value::UNDEFINED);
            Property::accessor(get, set, attributes)
        } else {
            let attributes = attributes.with(flag(self.writable, Attributes::WRITABLE));
            Property::data(self.value.unwrap_or(Value::UNDEFINED), attributes)
        }
    }
}

impl From<Property> for PropertyDescriptor {
    fn from(property: Property) -> PropertyDescriptor {
        match property.content {
            Content::Data(value) => PropertyDescriptor::data(value, property.attributes),
            Content::Accessor { get, set } => PropertyDescriptor::accessor(Some(get), Some(set), property.attributes),
        }
    }
}
