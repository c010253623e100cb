//! What cells look like to the collector: how long they are and where they hold references.

use core::ptr::with_exposed_provenance;

use convex_wasm_abi::layout::{array, env, frame, function, kind, object, string};

use super::marks::Marker;
use crate::bigint::BigIntCell;
use crate::heap::{Contents, STORAGE_HEADER};
use crate::shape::ShapeCell;
use crate::symbol::SymbolCell;
use crate::value::Value;

/// A cell's address and the first word of its header.
#[derive(Clone, Copy)]
pub(super) struct CellRef {
    pub(super) address: u32,
    header: u32,
}

/// Reads a word of a cell.
#[inline(always)]
pub(super) fn word(address: u32) -> u32 {
    // SAFETY: callers pass 4-aligned addresses inside of the linear memory, all of which is readable.
    unsafe { core::ptr::read(with_exposed_provenance(address as usize)) }
}

#[inline(always)]
fn value(address: u32) -> Value {
    // SAFETY: as above, 8-aligned.
    unsafe { core::ptr::read(with_exposed_provenance(address as usize)) }
}

impl CellRef {
    /// The cell at this address.
    #[inline(always)]
    pub(super) fn at(address: u32) -> CellRef {
        CellRef { address, header: word(address) }
    }

    #[inline(always)]
    pub(super) fn kind(self) -> u8 {
        self.header as u8
    }

    #[inline(always)]
    fn flags(self) -> u8 {
        (self.header >> 8) as u8
    }

    /// The u16 at 2.
    #[inline(always)]
    fn extra(self) -> u32 {
        self.header >> 16
    }

    /// Bytes of the cell, a multiple of 8.
    #[inline]
    pub(super) fn size(self) -> u32 {
        match self.kind() {
            kind::OBJECT => object::INLINE_SLOTS + self.extra() * 8,
            kind::STRING => string::SIZE + self.extra() * 8,
            kind::STORAGE => STORAGE_HEADER + word(self.address + 4),
            kind::FREE => word(self.address + 4),
            kind::ARRAY => array::SIZE,
            kind::FUNCTION => function::SIZE,
            kind::ENV => env::SLOTS + self.extra() * 8,
            kind::FRAME => frame::SLOTS + self.extra() * 8,
            kind::SYMBOL => size_of::<SymbolCell>().next_multiple_of(8) as u32,
            kind::BIGINT => size_of::<BigIntCell>().next_multiple_of(8) as u32,
            kind::SHAPE => size_of::<ShapeCell>().next_multiple_of(8) as u32,
            // INTERNAL, and the guest's own kinds of objects.
            _ => self.extra() * 8,
        }
    }

    /// Whether [`CellRef::trace`] would find nothing.
    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        match self.kind() {
            kind::STORAGE => self.flags() == Contents::Bytes as u8,
            kind::STRING => {
                self.flags() & string::ROPE == 0 && word(self.address + string::DATA) == self.address + string::SIZE
            }
            _ => false,
        }
    }

    /// Visits all references of the cell. Kinds that are not named here, which are those of INTERNAL cells and the guest's own
    /// objects, are read word by word: their fields are what Rust makes of them.
    #[inline]
    pub(super) fn trace(self, marker: &mut Marker) {
        let address = self.address;
        match self.kind() {
            kind::OBJECT => {
                marker.visit(word(address + object::SHAPE));
                marker.visit(word(address + object::SLOTS));
                visit_values(marker, address + object::INLINE_SLOTS, self.extra());
            }
            kind::ARRAY => {
                marker.visit(word(address + object::SHAPE));
                marker.visit(word(address + object::SLOTS));
                if self.flags() & array::SPARSE == 0 {
                    marker.visit(word(address + array::ELEMENTS));
                }
            }
            kind::FUNCTION => {
                for field in [object::SHAPE, object::SLOTS, function::ENV, function::INFO, function::INSTANCES] {
                    marker.visit(word(address + field));
                }
                visit_values(marker, address + function::HOME, 1);
            }
            kind::STRING => {
                if self.flags() & string::ROPE != 0 {
                    marker.visit(word(address + string::HASH));
                }
                marker.visit(word(address + string::DATA));
            }
            kind::ENV => {
                marker.visit(word(address + env::PARENT));
                visit_values(marker, address + env::SLOTS, self.extra());
            }
            kind::FRAME => {
                marker.visit(word(address + frame::FUNCTION));
                visit_values(marker, address + frame::OWNER, 1);
                visit_values(marker, address + frame::SLOTS, self.extra());
            }
            kind::STORAGE if self.flags() == Contents::Values as u8 => {
                visit_values(marker, address + STORAGE_HEADER, word(address + 4) / 8);
            }
            _ => marker.visit_words(address + 4, address + self.size()),
        }
    }
}

/// Visits `count` values.
#[inline(always)]
fn visit_values(marker: &mut Marker, start: u32, count: u32) {
    for index in 0..count {
        let value = value(start + index * 8);
        if value.is_reference() {
            marker.visit(value.payload());
        }
    }
}

/// Writes the header of a FREE cell, after which the memory can be walked.
#[inline]
pub(super) fn write_free(address: u32, size: u32) {
    // SAFETY: free memory of at least 8 bytes, which belongs to nobody.
    unsafe {
        core::ptr::write(address as usize as *mut u32, kind::FREE as u32);
        core::ptr::write((address + 4) as usize as *mut u32, size);
    }
}
