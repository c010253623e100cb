//! Inline access to elements of typed arrays.

use convex_wasm_abi::layout::{kind, typed_array};
use convex_wasm_abi::value::{FIRST_TAGGED, NAN, TAG_INT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Code, Label, Local, at};
use super::helpers::Helper;
use crate::element::Element;

impl Element {
    /// Replaces the address on the stack by the element's word.
    pub fn load_boxed(self, code: &mut Code) {
        match self {
            Self::Int { shift: 0, signed: true } => code.emit(Instruction::I32Load8S(at(0, 0))).tag_i32(TAG_INT),
            Self::Int { shift: 0, .. } | Self::Clamped => code.emit(Instruction::I32Load8U(at(0, 0))).tag_i32(TAG_INT),
            Self::Int { shift: 1, signed: true } => code.emit(Instruction::I32Load16S(at(0, 1))).tag_i32(TAG_INT),
            Self::Int { shift: 1, .. } => code.emit(Instruction::I32Load16U(at(0, 1))).tag_i32(TAG_INT),
            Self::Int { .. } => code.emit(Instruction::I32Load(at(0, 2))).tag_i32(TAG_INT),
            Self::Uint32 => {
                let long = code.take_local(ValType::I64);
                code.emit(Instruction::I64Load32U(at(0, 2))).set(long).get(long).box_long(long);
                code.release_local(long);
                code
            }
            Self::Float32 => {
                code.emit(Instruction::F32Load(at(0, 2))).emit(Instruction::F64PromoteF32);
                canonical_box(code)
            }
            Self::Float64 => {
                code.emit(Instruction::F64Load(at(0, 3)));
                canonical_box(code)
            }
        };
    }

    /// Replaces the address on the stack by the element as f64; NaNs are those that words may hold.
    pub fn load_float(self, code: &mut Code) {
        match self {
            Self::Int { shift: 0, signed: true } => code.emit(Instruction::I32Load8S(at(0, 0))),
            Self::Int { shift: 0, .. } | Self::Clamped => code.emit(Instruction::I32Load8U(at(0, 0))),
            Self::Int { shift: 1, signed: true } => code.emit(Instruction::I32Load16S(at(0, 1))),
            Self::Int { shift: 1, .. } => code.emit(Instruction::I32Load16U(at(0, 1))),
            Self::Int { .. } | Self::Uint32 => code.emit(Instruction::I32Load(at(0, 2))),
            Self::Float32 => code.emit(Instruction::F32Load(at(0, 2))).emit(Instruction::F64PromoteF32),
            Self::Float64 => code.emit(Instruction::F64Load(at(0, 3))),
        };
        match self {
            Self::Int { .. } | Self::Clamped => {
                code.emit(Instruction::F64ConvertI32S);
            }
            Self::Uint32 => {
                code.emit(Instruction::F64ConvertI32U);
            }
            Self::Float32 | Self::Float64 => {
                let float = code.take_local(ValType::F64);
                code.tee(float).f64(f64::from_bits(NAN)).get(float).get(float).emit(Instruction::F64Eq);
                code.emit(Instruction::Select);
                code.release_local(float);
            }
        }
    }

    /// Stores the low bits of the i32 on the stack to the address below it, for types that do that with integers.
    pub fn store_low_bits(self, code: &mut Code) {
        match self.shift() {
            0 => code.emit(Instruction::I32Store8(at(0, 0))),
            1 => code.emit(Instruction::I32Store16(at(0, 1))),
            _ => code.emit(Instruction::I32Store(at(0, 2))),
        };
    }

    /// Stores the f64 on the stack, converted to the element type, to the address below it.
    pub fn store_float(self, code: &mut Code) {
        match self {
            Self::Float64 => code.emit(Instruction::F64Store(at(0, 3))),
            Self::Float32 => code.emit(Instruction::F32DemoteF64).emit(Instruction::F32Store(at(0, 2))),
            // Round half to even, NaN to 0, clamp: what saturating truncation after `nearest` does, but for the upper end.
            Self::Clamped => code
                .f64(255.0)
                .emit(Instruction::F64Min)
                .emit(Instruction::F64Nearest)
                .emit(Instruction::I32TruncSatF64U)
                .emit(Instruction::I32Store8(at(0, 0))),
            Self::Int { shift: 0, .. } => code.call_helper(Helper::FloatToInt32).emit(Instruction::I32Store8(at(0, 0))),
            Self::Int { shift: 1, .. } => {
                code.call_helper(Helper::FloatToInt32).emit(Instruction::I32Store16(at(0, 1)))
            }
            Self::Int { .. } | Self::Uint32 => {
                code.call_helper(Helper::FloatToInt32).emit(Instruction::I32Store(at(0, 2)))
            }
        };
    }
}

/// Boxes the f64 on the stack that may be any NaN.
fn canonical_box(code: &mut Code) -> &mut Code {
    let float = code.take_local(ValType::F64);
    code.tee(float).emit(Instruction::I64ReinterpretF64).word(NAN);
    code.get(float).get(float).emit(Instruction::F64Eq).emit(Instruction::Select);
    code.release_local(float);
    code
}

/// Leaves if the index is not below the length.
pub fn check_bounds(code: &mut Code, cell: Local, index: Local, slow: Label) {
    code.get(index).get(cell).load_i32(typed_array::LENGTH).emit(Instruction::I32GeU).br_if(slow);
}

/// Pushes the address of an element.
pub fn push_address(code: &mut Code, cell: Local, index: Local, shift: u32) {
    code.get(cell).load_i32(typed_array::DATA).get(index);
    if shift > 0 {
        code.i32(shift.cast_signed()).emit(Instruction::I32Shl);
    }
    code.emit(Instruction::I32Add);
}

/// Opens one block for each inline element type and branches by kind: what follows is the code of the first type, then,
/// after `end`, that of the next. Other kinds go to `slow`.
fn dispatch_by_kind(code: &mut Code, cell_kind: Local, slow: Label) -> Vec<Element> {
    let elements: Vec<(u8, Element)> = Element::all().collect();
    let labels: Vec<Label> = elements.iter().map(|_| code.block(BlockType::Empty)).collect();
    code.get(cell_kind).i32(i32::from(kind::TYPED_ARRAY)).emit(Instruction::I32Sub);
    let innermost_first: Vec<Label> = labels.iter().rev().copied().collect();
    code.br_table(&innermost_first, slow);
    code.end();
    elements.into_iter().map(|(_, element)| element).collect()
}

/// Returns the element as a word, from a helper with a boxed result; falls out at the end for other kinds.
pub fn emit_boxed_get(code: &mut Code, cell: Local, cell_kind: Local, index: Local, slow: Label) {
    let elements = dispatch_by_kind(code, cell_kind, slow);
    let last = elements.len() - 1;
    for (number, element) in elements.into_iter().enumerate() {
        check_bounds(code, cell, index, slow);
        push_address(code, cell, index, element.shift());
        element.load_boxed(code);
        code.emit(Instruction::Return);
        if number < last {
            code.end();
        }
    }
}

/// Stores a number to the element and returns status 0; values that are no numbers go to `slow`.
pub fn emit_boxed_set(code: &mut Code, cell: Local, cell_kind: Local, index: Local, word: Local, slow: Label) {
    let float = code.take_local(ValType::F64);
    code.get(word).has_tag(TAG_INT).start_if(BlockType::Empty);
    code.get(word).emit(Instruction::I32WrapI64).emit(Instruction::F64ConvertI32S).set(float);
    code.start_else();
    code.get(word).word(FIRST_TAGGED).emit(Instruction::I64GeU).br_if(slow);
    code.get(word).emit(Instruction::F64ReinterpretI64).set(float);
    code.end();
    let elements = dispatch_by_kind(code, cell_kind, slow);
    let last = elements.len() - 1;
    for (number, element) in elements.into_iter().enumerate() {
        check_bounds(code, cell, index, slow);
        push_address(code, cell, index, element.shift());
        code.get(float);
        element.store_float(code);
        code.i32(0).emit(Instruction::Return);
        if number < last {
            code.end();
        }
    }
    code.release_local(float);
}
