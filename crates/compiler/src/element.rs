//! Element types of typed arrays.

use convex_wasm_abi::layout::{kind, typed_array};

/// An element type that compiled code accesses itself (BigInt elements go through the guest).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Integers that fit an int: size as a power of two, and whether they are sign-extended.
    Int {
        /// Size in bytes as a power of two.
        shift: u32,
        /// Sign-extended.
        signed: bool,
    },
    /// Unsigned bytes that clamp what is stored.
    Clamped,
    /// Unsigned 32-bit integers.
    Uint32,
    /// 32-bit floats.
    Float32,
    /// 64-bit floats.
    Float64,
}

impl Element {
    /// The element type of a name of `typed_array::TYPES`; `None` for those left to the guest.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "Int8" => Self::Int { shift: 0, signed: true },
            "Uint8" => Self::Int { shift: 0, signed: false },
            "Uint8Clamped" => Self::Clamped,
            "Int16" => Self::Int { shift: 1, signed: true },
            "Uint16" => Self::Int { shift: 1, signed: false },
            "Int32" => Self::Int { shift: 2, signed: true },
            "Uint32" => Self::Uint32,
            "Float32" => Self::Float32,
            "Float64" => Self::Float64,
            _ => return None,
        })
    }

    /// All element types with the cell kinds of their arrays.
    pub fn all() -> impl Iterator<Item = (u8, Self)> {
        let kinds = kind::TYPED_ARRAY..;
        kinds.zip(typed_array::TYPES).filter_map(|(kind, name)| Some((kind, Self::of(name)?)))
    }

    /// The cell kind of arrays of this type.
    pub fn kind(self) -> u8 {
        Self::all().find(|&(_, element)| element == self).map_or(kind::TYPED_ARRAY, |(kind, _)| kind)
    }

    /// Size in bytes as a power of two.
    pub fn shift(self) -> u32 {
        match self {
            Self::Int { shift, .. } => shift,
            Self::Clamped => 0,
            Self::Uint32 | Self::Float32 => 2,
            Self::Float64 => 3,
        }
    }
}
