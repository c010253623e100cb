//! Operations of the fast versions of loops over typed arrays (see [`crate::optimize::typed_loops`]).

use convex_wasm_abi::layout::{self, typed_array};
use convex_wasm_abi::value::{TAG_OBJECT, UNDEFINED};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::Label;
use super::emitter::{Emitter, Repr};
use super::helpers::Helper;
use crate::element::Element;
use crate::ir::Reg;

impl Emitter<'_, '_> {
    /// Whether an object is a typed array of this element type with a fixed buffer and, if asked, the original `length`.
    pub fn emit_is_typed_array(&mut self, object: Reg, element: Element, length: bool, result: Option<Reg>) {
        let cache = length.then(|| self.unit.data.add_cache());
        self.with_boxed(object, |emitter, word| {
            emitter.with_local(ValType::I32, |emitter, cell| {
                let code = &mut emitter.code;
                let done = code.block(BlockType::Result(ValType::I32));
                let no = code.block(BlockType::Empty);
                code.get(word).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(no);
                code.get(word).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
                code.i32(i32::from(element.kind())).emit(Instruction::I32Ne).br_if(no);
                code.get(cell).load_i32(typed_array::LENGTH).emit(Instruction::I32Eqz).br_if(no);
                match cache {
                    Some(cache) => code.get(word).i32(cache.cast_signed()).call_helper(Helper::HasElementCount),
                    None => code.i32(1),
                };
                code.br(done).end().i32(0).end();
            });
        });
        self.store(result, Repr::Bool);
    }

    /// Number of elements of a typed array.
    pub fn emit_element_count(&mut self, array: Reg, result: Option<Reg>) {
        self.push_boxed(array);
        self.code.emit(Instruction::I32WrapI64).load_i32(typed_array::LENGTH);
        self.store(result, Repr::Int32);
    }

    /// Address of a typed array's elements.
    pub fn emit_element_data(&mut self, array: Reg, result: Option<Reg>) {
        self.push_boxed(array);
        self.code.emit(Instruction::I32WrapI64).load_i32(typed_array::DATA);
        self.store(result, Repr::Env);
    }

    /// The element at an integer; absent ones are undefined or NaN.
    pub fn emit_load_element(
        &mut self,
        [data, count, index]: [Reg; 3],
        element: Element,
        absent_is_nan: bool,
        result: Option<Reg>,
    ) {
        let (ty, repr) = if absent_is_nan { (ValType::F64, Repr::Float) } else { (ValType::I64, Repr::Boxed) };
        let done = self.code.block(BlockType::Result(ty));
        let absent = self.code.block(BlockType::Empty);
        self.push_element_address(data, count, index, element, absent);
        if absent_is_nan {
            element.load_float(&mut self.code);
            self.code.br(done).end().f64(f64::NAN).end();
        } else {
            element.load_boxed(&mut self.code);
            self.code.br(done).end().word(UNDEFINED).end();
        }
        self.store(result, repr);
    }

    /// Stores a number at an integer, if there is such an element.
    pub fn emit_store_element(&mut self, [data, count, index]: [Reg; 3], element: Element, value: Reg) {
        let absent = self.code.block(BlockType::Empty);
        self.push_element_address(data, count, index, element, absent);
        if stores_low_bits(self.repr(value), element) {
            self.push_int32(value);
            element.store_low_bits(&mut self.code);
        } else {
            self.push_f64(value);
            element.store_float(&mut self.code);
        }
        self.code.end();
    }

    /// Pushes the address of an element; leaves if there is none.
    fn push_element_address(&mut self, data: Reg, count: Reg, index: Reg, element: Element, absent: Label) {
        self.push(index);
        let long = self.repr(index) == Repr::Long;
        self.push(count);
        if long {
            self.code.emit(Instruction::I64ExtendI32U).emit(Instruction::I64GeU).br_if(absent);
        } else {
            self.code.emit(Instruction::I32GeU).br_if(absent);
        }
        self.push(data);
        self.push(index);
        if long {
            self.code.emit(Instruction::I32WrapI64);
        }
        self.code.i32(element.shift().cast_signed()).emit(Instruction::I32Shl).emit(Instruction::I32Add);
    }
}

/// Whether a number held like this is stored by its low bits.
fn stores_low_bits(repr: Repr, element: Element) -> bool {
    matches!(repr, Repr::Int32 | Repr::Long) && matches!(element, Element::Int { .. } | Element::Uint32)
}
