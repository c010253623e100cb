//! Inline access to elements and lengths.

use convex_wasm_abi::layout::{self, array, kind};
use convex_wasm_abi::value::{EMPTY, TAG_INT, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Label, Local, at};
use super::emitter::{Emitter, Repr};
use super::helpers::Helper;
use crate::element::Element;
use crate::ir::{Constant, Reg};

/// Kind and flags of an array whose LENGTH is its `length`, and the bits to compare.
const DENSE_ARRAY: i32 = kind::ARRAY as i32;
const DENSE_MASK: i32 = 0xFF | (array::SPARSE as i32) << 8;
/// Bits of kind and all flags.
const PLAIN_MASK: i32 = 0xFFFF;

impl Emitter<'_, '_> {
    /// `o[k]`
    pub fn emit_get_element(&mut self, object: Reg, key: Reg, result: Option<Reg>) {
        if !self.hot || !self.may_index(key) {
            self.push_boxed(object);
            self.push_boxed(key);
            self.call_checked(Callee::Helper(Helper::GetElement), result);
            return;
        }
        let hint = self.hints[object.0 as usize];
        self.with_boxed(object, |emitter, word| {
            let done = emitter.code.block(BlockType::Result(ValType::I64));
            let slow = emitter.code.block(BlockType::Empty);
            emitter.with_cell_and_index(word, object, key, slow, |emitter, cell, index| match hint {
                Some(element) => {
                    emitter.push_typed_address(element, cell, index, slow);
                    element.load_boxed(&mut emitter.code);
                }
                None => {
                    emitter.code.get(cell).load_u8(layout::KIND).i32(DENSE_ARRAY).emit(Instruction::I32Ne).br_if(slow);
                    emitter.push_array_address(cell, index, slow);
                    emitter.with_word(|emitter, value| {
                        emitter.code.load_i64(0).tee(value).word(EMPTY).emit(Instruction::I64Eq).br_if(slow);
                        emitter.code.get(value);
                    });
                }
            });
            emitter.code.br(done).end();
            emitter.code.get(word);
            emitter.push_boxed(key);
            emitter.code.call_helper(Helper::GetElement);
            emitter.check_exception();
            emitter.code.end();
        });
        self.store(result, Repr::Boxed);
    }

    /// `o[k] = v`
    pub fn emit_set_element(&mut self, object: Reg, key: Reg, value: Reg) {
        if !self.hot || !self.may_index(key) {
            self.push_boxed(object);
            self.push_boxed(key);
            self.push_boxed(value);
            self.code.call_helper(Helper::SetElement);
            self.check_status();
            return;
        }
        let hint = self.hints[object.0 as usize];
        self.with_boxed(object, |emitter, word| {
            let done = emitter.code.block(BlockType::Empty);
            let slow = emitter.code.block(BlockType::Empty);
            emitter.with_cell_and_index(word, object, key, slow, |emitter, cell, index| match hint {
                Some(element) => {
                    emitter.push_typed_address(element, cell, index, slow);
                    emitter.push_element_value(value, slow);
                    element.store_float(&mut emitter.code);
                }
                None => emitter.store_array_element(cell, index, value, slow),
            });
            emitter.code.br(done).end();
            emitter.code.get(word);
            emitter.push_boxed(key);
            emitter.push_boxed(value);
            emitter.code.call_helper(Helper::SetElement);
            emitter.check_status();
            emitter.code.end();
        });
    }

    /// `o.length` of arrays and strings, others by the property's cache.
    pub fn emit_length(&mut self, object: Reg, key: Constant, result: Option<Reg>) {
        let cache = self.unit.data.add_cache();
        let key = self.unit.data.constant(key);
        if !self.hot {
            self.push_boxed(object);
            self.code.i32(key.cast_signed()).i32(cache.cast_signed());
            self.call_checked(Callee::Helper(Helper::Length), result);
            return;
        }
        self.with_boxed(object, |emitter, word| {
            let done = emitter.code.block(BlockType::Result(ValType::I64));
            let slow = emitter.code.block(BlockType::Empty);
            emitter.leave_unless_object(object, word, slow);
            emitter.code.get(word).emit(Instruction::I32WrapI64).emit(Instruction::I32Load16U(at(layout::KIND, 1)));
            emitter
                .code
                .i32(DENSE_MASK)
                .emit(Instruction::I32And)
                .i32(DENSE_ARRAY)
                .emit(Instruction::I32Ne)
                .br_if(slow);
            emitter
                .code
                .get(word)
                .emit(Instruction::I32WrapI64)
                .load_i32(array::LENGTH)
                .tag_i32(TAG_INT)
                .br(done)
                .end();
            emitter.code.get(word).i32(key.cast_signed()).i32(cache.cast_signed()).call_helper(Helper::Length);
            emitter.check_exception();
            emitter.code.end();
        });
        self.store(result, Repr::Boxed);
    }

    /// Whether a key can be an element index without conversion.
    fn may_index(&self, key: Reg) -> bool {
        match self.repr(key) {
            Repr::Int32 | Repr::Long => true,
            Repr::Boxed => self.type_of(key).may_be_number(),
            Repr::Float | Repr::Bool | Repr::Env => false,
        }
    }

    /// Leaves unless the word is an object.
    pub fn leave_unless_object(&mut self, object: Reg, word: Local, slow: Label) {
        if !self.type_of(object).is_object() {
            self.code.get(word).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
        }
    }

    /// Runs `body` with the object's address and the index in i32 locals; leaves if they are not an object and an int.
    /// Negative indices become large, above any length.
    fn with_cell_and_index(
        &mut self,
        word: Local,
        object: Reg,
        key: Reg,
        slow: Label,
        body: impl FnOnce(&mut Self, Local, Local),
    ) {
        self.leave_unless_object(object, word, slow);
        self.with_local(ValType::I32, |emitter, cell| {
            emitter.code.get(word).emit(Instruction::I32WrapI64).set(cell);
            emitter.with_local(ValType::I32, |emitter, index| {
                emitter.push_index_or_leave(key, slow);
                emitter.code.set(index);
                body(emitter, cell, index);
            });
        });
    }

    fn push_index_or_leave(&mut self, key: Reg, slow: Label) {
        match self.repr(key) {
            Repr::Long => {
                self.push(key);
                self.code.word(u64::from(u32::MAX)).emit(Instruction::I64GtU).br_if(slow);
                self.push(key);
                self.code.emit(Instruction::I32WrapI64);
            }
            Repr::Boxed => {
                self.push(key);
                self.code.has_tag(TAG_INT).emit(Instruction::I32Eqz).br_if(slow);
                self.push(key);
                self.code.emit(Instruction::I32WrapI64);
            }
            _ => self.push(key),
        }
    }

    /// Pushes the address of an array's element; leaves if there is none.
    fn push_array_address(&mut self, cell: Local, index: Local, slow: Label) {
        self.code.get(index).get(cell).load_i32(array::LENGTH).emit(Instruction::I32GeU).br_if(slow);
        self.code.get(cell).load_i32(array::ELEMENTS).get(index).i32(3).emit(Instruction::I32Shl);
        self.code.emit(Instruction::I32Add);
    }

    /// Stores over an existing element of an array without restrictions.
    fn store_array_element(&mut self, cell: Local, index: Local, value: Reg, slow: Label) {
        self.code.get(cell).emit(Instruction::I32Load16U(at(layout::KIND, 1)));
        self.code.i32(PLAIN_MASK).emit(Instruction::I32And).i32(DENSE_ARRAY).emit(Instruction::I32Ne).br_if(slow);
        self.with_local(ValType::I32, |emitter, place| {
            emitter.push_array_address(cell, index, slow);
            emitter.code.tee(place).load_i64(0).word(EMPTY).emit(Instruction::I64Eq).br_if(slow);
            emitter.code.get(place);
            emitter.push_boxed(value);
            emitter.code.store_i64(0);
        });
    }

    /// Pushes the address of a typed array's element; leaves if the object is no such array or has no such element.
    fn push_typed_address(&mut self, element: Element, cell: Local, index: Local, slow: Label) {
        let kind = element.kind();
        self.code.get(cell).load_u8(layout::KIND).i32(i32::from(kind)).emit(Instruction::I32Ne).br_if(slow);
        super::typed_arrays::check_bounds(&mut self.code, cell, index, slow);
        super::typed_arrays::push_address(&mut self.code, cell, index, element.shift());
    }

    /// Pushes a number to store in a typed array as f64; leaves for other values.
    fn push_element_value(&mut self, value: Reg, slow: Label) {
        self.push_float_or_leave(value, slow);
    }
}
