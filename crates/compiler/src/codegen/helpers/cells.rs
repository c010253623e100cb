//! Allocation of literals, and calls of values that may be no functions.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{self, array, function, kind, object, storage};
use convex_wasm_abi::memory::{ARGUMENTS, ARRAY_SHAPE, HEAP_LIMIT, HEAP_TOP};
use convex_wasm_abi::value::{self, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::{A, STAND_IN_ELEMENT, data_address, key_address, return_inside};
use crate::codegen::code::{Code, Local};
use crate::codegen::data::STAND_IN;
use crate::codegen::emitter::{DATA_BASE, TABLE_BASE};

/// Bump allocation, or the guest with placeholders for the properties.
pub(super) fn new_literal(code: &mut Code) {
    let (shape, count) = (Local(0), Local(1));
    let (cell, end) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let capacity = code.take_local(ValType::I32);
    let smallest = object::MIN_INLINE_CAPACITY.cast_signed();
    data_address(code, shape);
    code.load_i32(0).set(shape);
    code.get(count)
        .i32(smallest)
        .get(count)
        .i32(smallest)
        .emit(Instruction::I32GtU)
        .emit(Instruction::Select)
        .set(capacity);
    let full = code.block(BlockType::Empty);
    code.load_cell_i32(HEAP_TOP).tee(cell).i32(object::INLINE_SLOTS.cast_signed()).emit(Instruction::I32Add);
    code.get(capacity).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add).tee(end);
    code.load_cell_i32(HEAP_LIMIT).emit(Instruction::I32GtU).br_if(full);
    code.i32(0).get(end).store_i32(HEAP_TOP);
    code.get(cell)
        .get(capacity)
        .i32(16)
        .emit(Instruction::I32Shl)
        .i32(i32::from(kind::OBJECT))
        .emit(Instruction::I32Or);
    code.store_i32(0).get(cell).get(shape).store_i32(object::SHAPE).get(cell).i32(0).store_i32(object::SLOTS);
    for slot in 0..object::MIN_INLINE_CAPACITY {
        code.get(cell).word(value::UNDEFINED).store_i64(object::INLINE_SLOTS + 8 * slot);
    }
    code.get(cell);
    return_inside(code);
    store_placeholders(code, count, end);
    code.get(shape).get(count).call_runtime(Runtime::NewLiteral).emit(Instruction::I32WrapI64);
}

/// Writes `count` operands for the guest; `left` is scratch memory.
fn store_placeholders(code: &mut Code, count: Local, left: Local) {
    code.get(count).set(left);
    let filled = code.block(BlockType::Empty);
    let fill = code.start_loop();
    code.get(left).emit(Instruction::I32Eqz).br_if(filled);
    code.get(left).i32(1).emit(Instruction::I32Sub).tee(left).i32(3).emit(Instruction::I32Shl);
    code.word(value::UNDEFINED).store_i64(ARGUMENTS).br(fill).end().end();
}

/// Bump allocation of an array and, behind it, its elements; or the guest with placeholders for them.
pub(super) fn new_array(code: &mut Code) {
    let count = Local(0);
    let (cell, end) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let size = code.take_local(ValType::I32);
    let full = code.block(BlockType::Empty);
    code.get(count).i32(3).emit(Instruction::I32Shl).set(size);
    code.load_cell_i32(HEAP_TOP).tee(cell).i32(array::SIZE.cast_signed()).emit(Instruction::I32Add).set(end);
    code.get(size).start_if(BlockType::Empty);
    code.get(end).get(size).emit(Instruction::I32Add).i32(storage::HEADER_SIZE.cast_signed());
    code.emit(Instruction::I32Add).set(end).end();
    code.get(end).load_cell_i32(HEAP_LIMIT).emit(Instruction::I32GtU).br_if(full);
    code.i32(0).get(end).store_i32(HEAP_TOP);
    code.get(cell).i32(i32::from(kind::ARRAY)).store_i32(0);
    code.get(cell).load_cell_i32(ARRAY_SHAPE).store_i32(object::SHAPE);
    code.get(cell).i64(0).store_i64(object::SLOTS);
    code.get(cell).get(count).store_i32(array::LENGTH).get(cell).get(count).store_i32(array::CAPACITY);
    code.get(size).start_if(BlockType::Empty);
    code.get(cell).get(end).get(size).emit(Instruction::I32Sub).store_i32(array::ELEMENTS);
    code.get(cell).i32(STORAGE_OF_VALUES).store_i32(array::SIZE);
    code.get(cell).get(size).store_i32(array::SIZE + 4).end();
    code.get(cell);
    return_inside(code);
    store_placeholders(code, count, end);
    code.get(count).call_runtime(Runtime::NewArray).emit(Instruction::I32WrapI64);
}

/// First word of a STORAGE cell that holds values.
const STORAGE_OF_VALUES: i32 = kind::STORAGE as i32 | (storage::VALUES as i32) << 8;

pub(super) fn function_cell(code: &mut Code) {
    let name = Local(1);
    let cell = code.take_local(ValType::I32);
    let other = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(other);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
    code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(other);
    code.get(cell);
    return_inside(code);
    code.emit(Instruction::GlobalGet(DATA_BASE)).i32(STAND_IN.cast_signed()).emit(Instruction::I32Add).set(cell);
    code.get(cell).emit(Instruction::GlobalGet(TABLE_BASE)).i32(STAND_IN_ELEMENT).emit(Instruction::I32Add);
    code.store_i32(function::CODE);
    code.get(cell).get(A).store_i64(function::HOME);
    code.get(cell).get(name).start_if(BlockType::Result(ValType::I32));
    key_address(code, name);
    code.start_else().i32(0).end().store_i32(function::INFO);
    code.get(cell);
}

/// Calls the callee that `function_cell` left in the stand-in, at once: nothing runs in between.
pub(super) fn call_any(code: &mut Code) {
    code.get(A).load_i64(function::HOME);
    for parameter in 1..6 {
        code.get(Local(parameter));
    }
    code.get(A).load_i32(function::INFO).call_runtime(Runtime::Call);
}
