//! Inline versions of built-in methods, behind a check that the method called is the original one.

use convex_wasm_abi::layout::{self, array, kind, string};
use convex_wasm_abi::memory::{INTRINSIC_TABLE, INTRINSICS};
use convex_wasm_abi::value::{TAG_INT, TAG_OBJECT, TAG_STRING};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Label, Local, at};
use super::emitter::{Emitter, Repr};
use crate::ir::{Constant, Reg};

/// What is done inline.
#[derive(Clone, Copy)]
enum Intrinsic {
    /// A function of one number whose integral results become ints.
    Round(&'static Instruction<'static>),
    /// A function of one number.
    Float(&'static Instruction<'static>),
    /// Minimum or maximum of two numbers.
    Extreme(&'static Instruction<'static>),
    Imul,
    CharCodeAt,
    Push,
    IsArray,
}

/// Intrinsics by path and number of arguments.
const SUPPORTED: &[(&str, usize, Intrinsic)] = &[
    ("Math.floor", 1, Intrinsic::Round(&Instruction::F64Floor)),
    ("Math.ceil", 1, Intrinsic::Round(&Instruction::F64Ceil)),
    ("Math.trunc", 1, Intrinsic::Round(&Instruction::F64Trunc)),
    ("Math.abs", 1, Intrinsic::Round(&Instruction::F64Abs)),
    ("Math.sqrt", 1, Intrinsic::Float(&Instruction::F64Sqrt)),
    ("Math.min", 2, Intrinsic::Extreme(&Instruction::F64Min)),
    ("Math.max", 2, Intrinsic::Extreme(&Instruction::F64Max)),
    ("Math.imul", 2, Intrinsic::Imul),
    ("String.prototype.charCodeAt", 1, Intrinsic::CharCodeAt),
    ("Array.prototype.push", 1, Intrinsic::Push),
    ("Array.isArray", 1, Intrinsic::IsArray),
];

/// Address of the word of the original function.
fn table_word(path: &str) -> Option<u32> {
    let index = INTRINSICS.iter().position(|known| *known == path)?;
    Some(INTRINSIC_TABLE + 8 * index as u32)
}

impl Emitter<'_, '_> {
    /// The inline version of methods of this name called with so many arguments, and where the original function is.
    fn intrinsic(&self, key: Constant, arguments: usize) -> Option<(u32, Intrinsic)> {
        let (path, _, intrinsic) = SUPPORTED.iter().find(|(path, expected, _)| {
            let name = path.rsplit('.').next().unwrap_or(path);
            *expected == arguments && self.is_string(key, name)
        })?;
        Some((table_word(path)?, *intrinsic))
    }

    /// Whether methods of this name called with so many arguments have an inline version.
    pub fn has_intrinsic(&self, key: Constant, arguments: usize) -> bool {
        self.intrinsic(key, arguments).is_some()
    }

    /// The inline version: leaves to `generic` unless `method` is the original function and the operands suit, else
    /// branches to `done` with the result's word.
    pub fn emit_intrinsic(
        &mut self,
        method: Local,
        object: Reg,
        key: Constant,
        list: &[Reg],
        generic: Label,
        done: Label,
    ) {
        let Some((address, intrinsic)) = self.intrinsic(key, list.len()) else { return };
        self.code.get(method).i32(0).load_i64(address).emit(Instruction::I64Ne).br_if(generic);
        match intrinsic {
            Intrinsic::Round(operation) => self.emit_round(operation, list[0], generic),
            Intrinsic::Float(operation) => {
                self.push_float_or_leave(list[0], generic);
                self.code.emit(operation.clone()).box_f64();
            }
            Intrinsic::Extreme(operation) => self.emit_extreme(operation, list[0], list[1], generic),
            Intrinsic::Imul => {
                self.push_int_or_leave(list[0], generic);
                self.push_int_or_leave(list[1], generic);
                self.code.emit(Instruction::I32Mul).tag_i32(TAG_INT);
            }
            Intrinsic::CharCodeAt => self.emit_char_code_at(object, list[0], generic),
            Intrinsic::Push => self.emit_push(object, list[0], generic),
            Intrinsic::IsArray => self.emit_is_array(list[0], generic),
        }
        self.code.br(done);
    }

    /// Pushes an int operand as i32; leaves for anything else.
    fn push_int_or_leave(&mut self, reg: Reg, generic: Label) {
        match self.repr(reg) {
            Repr::Int32 => self.push(reg),
            Repr::Boxed => {
                self.push(reg);
                self.code.has_tag(TAG_INT).emit(Instruction::I32Eqz).br_if(generic);
                self.push(reg);
                self.code.emit(Instruction::I32WrapI64);
            }
            Repr::Long => {
                self.push(reg);
                self.push(reg);
                self.code.emit(Instruction::I64Extend32S).emit(Instruction::I64Ne).br_if(generic);
                self.push(reg);
                self.code.emit(Instruction::I32WrapI64);
            }
            Repr::Float | Repr::Bool | Repr::Env => {
                self.code.i32(0).br(generic);
            }
        }
    }

    /// Pushes the word of a rounded number: an int where it is one, since it is most often used as an index.
    fn emit_round(&mut self, operation: &Instruction<'static>, operand: Reg, generic: Label) {
        self.push_float_or_leave(operand, generic);
        self.code.emit(operation.clone());
        self.with_local(ValType::F64, |emitter, float| {
            emitter.with_local(ValType::I32, |emitter, integer| {
                let code = &mut emitter.code;
                code.tee(float).emit(Instruction::I32TruncSatF64S).tee(integer).emit(Instruction::F64ConvertI32S);
                // Equal bits, so that −0 stays a double.
                code.emit(Instruction::I64ReinterpretF64).get(float).emit(Instruction::I64ReinterpretF64);
                code.emit(Instruction::I64Eq).start_if(BlockType::Result(ValType::I64));
                code.get(integer).tag_i32(TAG_INT).start_else().get(float).box_f64().end();
            });
        });
    }

    fn emit_extreme(&mut self, operation: &Instruction<'static>, left: Reg, right: Reg, generic: Label) {
        let both_ints = self.repr(left) == Repr::Int32 && self.repr(right) == Repr::Int32;
        if both_ints {
            self.push_boxed(left);
            self.push_boxed(right);
            self.push(left);
            self.push(right);
            let smaller = matches!(operation, Instruction::F64Min);
            self.code.emit(if smaller { Instruction::I32LtS } else { Instruction::I32GtS }).emit(Instruction::Select);
            return;
        }
        self.push_float_or_leave(left, generic);
        self.push_float_or_leave(right, generic);
        self.code.emit(operation.clone()).box_f64();
    }

    /// Latin-1 strings that are no ropes have a byte for each unit.
    fn emit_char_code_at(&mut self, object: Reg, index: Reg, generic: Label) {
        self.with_boxed(object, |emitter, word| {
            if !emitter.type_of(object).is_string() {
                emitter.code.get(word).has_tag(TAG_STRING).emit(Instruction::I32Eqz).br_if(generic);
            }
            emitter.with_local(ValType::I32, |emitter, cell| {
                emitter.with_local(ValType::I32, |emitter, at_index| {
                    emitter.push_int_or_leave(index, generic);
                    let code = &mut emitter.code;
                    code.set(at_index).get(word).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::FLAGS);
                    code.i32(i32::from(string::TWO_BYTE | string::ROPE)).emit(Instruction::I32And).br_if(generic);
                    code.get(at_index).get(cell).load_i32(string::LENGTH).emit(Instruction::I32GeU).br_if(generic);
                    code.get(cell).load_i32(string::DATA).get(at_index).emit(Instruction::I32Add);
                    code.emit(Instruction::I32Load8U(at(0, 0))).tag_i32(TAG_INT);
                });
            });
        });
    }

    /// Arrays without flags and with room behind the last element.
    fn emit_push(&mut self, object: Reg, value: Reg, generic: Label) {
        self.with_boxed(object, |emitter, word| {
            emitter.leave_unless_object(object, word, generic);
            emitter.with_local(ValType::I32, |emitter, cell| {
                emitter.with_local(ValType::I32, |emitter, length| {
                    let code = &mut emitter.code;
                    code.get(word)
                        .emit(Instruction::I32WrapI64)
                        .tee(cell)
                        .emit(Instruction::I32Load16U(at(layout::KIND, 1)));
                    code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Ne).br_if(generic);
                    code.get(cell).load_i32(array::LENGTH).tee(length);
                    code.get(cell).load_i32(array::CAPACITY).emit(Instruction::I32GeU).br_if(generic);
                    code.get(cell).load_i32(array::ELEMENTS).get(length).i32(3).emit(Instruction::I32Shl);
                    code.emit(Instruction::I32Add);
                    emitter.push_boxed(value);
                    let code = &mut emitter.code;
                    code.store_i64(0).get(cell).get(length).i32(1).emit(Instruction::I32Add).tee(length);
                    code.store_i32(array::LENGTH).get(length).tag_i32(TAG_INT);
                });
            });
        });
    }

    /// Arrays and primitives; proxies are for the guest.
    fn emit_is_array(&mut self, operand: Reg, generic: Label) {
        self.with_boxed(operand, |emitter, word| {
            let code = &mut emitter.code;
            code.get(word).has_tag(TAG_OBJECT).start_if(BlockType::Empty);
            code.get(word).emit(Instruction::I32WrapI64).load_u8(layout::KIND);
            code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Ne).br_if(generic).end();
            code.get(word).has_tag(TAG_OBJECT).box_bool();
        });
    }
}
