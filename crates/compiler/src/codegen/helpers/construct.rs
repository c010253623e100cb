//! `new` and `super(…)` of classes that have made an instance before; all else is the guest's.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{self, function, kind, object, shape};
use convex_wasm_abi::memory::{HEAP_LIMIT, HEAP_TOP, NEW_TARGET, STACK_DEPTH, STACK_LIMIT};
use convex_wasm_abi::unit::function_info;
use convex_wasm_abi::value::{self, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::{A, Helper, key_address};
use crate::codegen::code::{Code, Label, Local, at};
use crate::codegen::entry::uniform_signature;

/// Native stack that a constructor is counted with, beside what it counts itself.
const CONSTRUCTOR_FRAME: i32 = 256;
/// `function_info::UNIT` of built-in functions.
const NATIVE: i32 = -1;

/// `new callee(…)`: callee, argc, the first arguments, offset of the callee's name or 0.
pub(super) fn construct(code: &mut Code) {
    let name = Local(5);
    let (cell, shape) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let slow = code.block(BlockType::Empty);
    instances_or_leave(code, A, cell, shape, slow);
    code.get(cell);
    enter_or_leave(code, Local(1), A, shape, slow);
    code.end();
    code.get(A);
    push_locals(code, 1..5);
    code.get(A).get(name).start_if(BlockType::Result(ValType::I32));
    key_address(code, name);
    code.start_else().i32(0).end().call_runtime(Runtime::Construct);
}

/// `super(…)`: the active function's cell, argc, the first arguments, `new.target`.
pub(super) fn super_call(code: &mut Code) {
    let (active, new_target) = (Local(0), Local(5));
    let (cell, shape) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let parent = code.take_local(ValType::I32);
    let slow = code.block(BlockType::Empty);
    instances_or_leave(code, new_target, cell, shape, slow);
    code.get(active)
        .load_i32(object::SHAPE)
        .load_i32(shape::PROTOTYPE)
        .tee(parent)
        .emit(Instruction::I32Eqz)
        .br_if(slow);
    code.get(parent).load_u8(layout::KIND).i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(slow);
    code.get(parent).load_u8(layout::FLAGS).i32(i32::from(function::CLASS)).emit(Instruction::I32And);
    code.emit(Instruction::I32Eqz).br_if(slow);
    code.get(parent).load_i32(function::INFO).load_i32(function_info::UNIT).i32(NATIVE);
    code.emit(Instruction::I32Eq).br_if(slow);
    code.get(parent);
    enter_or_leave(code, Local(1), new_target, shape, slow);
    code.end();
    push_locals(code, 0..6);
    code.call_runtime(Runtime::SuperCall);
}

/// Finds the cell of a class and the shape of its instances, or leaves.
fn instances_or_leave(code: &mut Code, class: Local, cell: Local, shape: Local, slow: Label) {
    code.get(class).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    code.get(class).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
    code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(slow);
    code.get(cell).load_i32(function::INSTANCES).tee(shape).emit(Instruction::I32Eqz).br_if(slow);
}

/// Returns what the constructor on the stack makes of argc and arguments, which begin with the local `argc`, or leaves.
fn enter_or_leave(code: &mut Code, argc: Local, new_target: Local, shape: Local, slow: Label) {
    let result = code.take_local(ValType::I64);
    push_locals(code, argc.0..argc.0 + 4);
    code.get(new_target).get(shape).call_helper(Helper::EnterConstructor).tee(result);
    code.word(value::EMPTY).emit(Instruction::I64Eq).br_if(slow);
    code.get(result).emit(Instruction::Return);
}

/// Runs a constructor: its cell, argc, the first arguments, `new.target`, the shape of instances. The instance, EXCEPTION, or
/// EMPTY if nothing has been done since memory or stack are short.
pub(super) fn enter_constructor(code: &mut Code) {
    let (cell, new_target, shape) = (Local(0), Local(5), Local(6));
    let (this, result) = (code.take_local(ValType::I64), code.take_local(ValType::I64));
    let (info, depth) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let is_short = code.block(BlockType::Empty);
    code.load_cell_i32(STACK_DEPTH).tee(depth).load_cell_i32(STACK_LIMIT).emit(Instruction::I32GtU).br_if(is_short);
    code.get(cell).load_i32(function::INFO).set(info);
    code.get(cell).load_u8(layout::FLAGS).i32(i32::from(function::DERIVED)).emit(Instruction::I32And);
    code.start_if(BlockType::Empty);
    code.word(value::EMPTY).set(this).start_else();
    new_instance(code, shape, this, is_short);
    code.end();
    code.get(info).load_i32(function_info::FLAGS).i32(function_info::USES_NEW_TARGET.cast_signed());
    code.emit(Instruction::I32And).start_if(BlockType::Empty);
    code.i32(0).get(new_target).store_i64(NEW_TARGET).end();
    code.i32(0).get(depth).i32(CONSTRUCTOR_FRAME).emit(Instruction::I32Add).store_i32(STACK_DEPTH);
    code.get(cell).get(Local(1)).get(this);
    push_locals(code, 2..5);
    // A class's own CODE refuses plain calls; its record has the real one.
    code.get(info).load_i32(function_info::CODE).call_indirect(uniform_signature()).set(result);
    code.i32(0).get(depth).store_i32(STACK_DEPTH);
    code.get(result).has_tag(TAG_OBJECT).start_if(BlockType::Empty);
    code.get(result).set(this).start_else();
    code.get(result).word(value::EXCEPTION).emit(Instruction::I64Eq).start_if(BlockType::Empty);
    code.get(result).emit(Instruction::Return).end().end();
    // The guest gives later instances more room.
    code.get(this).emit(Instruction::I32WrapI64).load_i32(object::SLOTS).start_if(BlockType::Empty);
    code.get(new_target).emit(Instruction::I32WrapI64).i32(0).store_i32(function::INSTANCES).end();
    code.get(this).emit(Instruction::Return).end();
    code.word(value::EMPTY);
}

/// Allocates an object of the shape, without properties, or leaves.
fn new_instance(code: &mut Code, shape: Local, this: Local, full: Label) {
    let (address, capacity) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let (slot, end) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    code.get(shape).emit(Instruction::I32Load16U(at(shape::INLINE_CAPACITY, 1))).set(capacity);
    code.load_cell_i32(HEAP_TOP).tee(address).i32(object::INLINE_SLOTS.cast_signed()).emit(Instruction::I32Add);
    code.tee(slot).get(capacity).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add).tee(end);
    code.load_cell_i32(HEAP_LIMIT).emit(Instruction::I32GtU).br_if(full);
    code.i32(0).get(end).store_i32(HEAP_TOP);
    code.get(address).get(capacity).i32(16).emit(Instruction::I32Shl).i32(i32::from(kind::OBJECT));
    code.emit(Instruction::I32Or).store_i32(0).get(address).get(shape).store_i32(object::SHAPE);
    code.get(address).i64(0).store_i64(object::SLOTS);
    let filled = code.block(BlockType::Empty);
    let fill = code.start_loop();
    code.get(slot).get(end).emit(Instruction::I32Eq).br_if(filled);
    code.get(slot).word(value::UNDEFINED).store_i64(0);
    code.get(slot).i32(8).emit(Instruction::I32Add).set(slot).br(fill).end().end();
    code.get(address).tag_i32(TAG_OBJECT).set(this);
}

fn push_locals(code: &mut Code, locals: std::ops::Range<u32>) {
    locals.for_each(|local| {
        code.get(Local(local));
    });
}
