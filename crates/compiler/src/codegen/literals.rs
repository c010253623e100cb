//! Allocation of objects, arrays, environments and functions.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{array, env, kind, object};
use convex_wasm_abi::memory::{HEAP_LIMIT, HEAP_TOP};
use convex_wasm_abi::value::{self, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Label, Local};
use super::emitter::{DATA_BASE, Emitter, Operand, Repr};
use super::entry::env_slot;
use super::helpers::Helper;
use crate::ir::{Constant, Reg};

/// Literals with more properties than this are built by the guest; inline code for them would be long.
const LARGEST_INLINE_LITERAL: usize = 32;
/// Array literals with more elements than this are built by the guest.
const LARGEST_INLINE_ARRAY: usize = 32;
/// Environments with more slots than this are made by the guest.
const LARGEST_INLINE_ENV: u32 = 16;

impl Emitter<'_, '_> {
    /// Takes `size` bytes off the heap: the address is in `cell` then, or control goes to `full`.
    fn emit_bump(&mut self, size: u32, cell: Local, full: Label) {
        self.with_local(ValType::I32, |emitter, end| {
            emitter.code.load_cell_i32(HEAP_TOP).tee(cell).i32(size.cast_signed()).emit(Instruction::I32Add).tee(end);
            emitter.code.load_cell_i32(HEAP_LIMIT).emit(Instruction::I32GtU).br_if(full);
            emitter.code.i32(0).get(end).store_i32(HEAP_TOP);
        });
    }

    /// An object literal with static keys.
    pub fn emit_new_object(&mut self, properties: &[(Constant, Reg)], result: Option<Reg>) {
        let keys: Vec<Constant> = properties.iter().map(|(key, _)| *key).collect();
        let shape = self.unit.data.shape(&keys);
        if properties.len() > LARGEST_INLINE_LITERAL {
            let values: Vec<Option<Reg>> = properties.iter().map(|(_, value)| Some(*value)).collect();
            self.store_arguments(0, &values);
            self.code.emit(Instruction::GlobalGet(DATA_BASE)).load_i32(shape).i32(values.len() as i32);
            self.code.call_runtime(Runtime::NewLiteral);
            self.store(result, Repr::Boxed);
            return;
        }
        let count = properties.len() as u32;
        self.with_local(ValType::I32, |emitter, cell| {
            if emitter.hot {
                emitter.emit_inline_object(shape, count, cell);
            } else {
                emitter
                    .code
                    .i32(shape.cast_signed())
                    .i32(count.cast_signed())
                    .call_helper(Helper::NewLiteral)
                    .set(cell);
            }
            for (slot, (_, value)) in properties.iter().enumerate() {
                emitter.code.get(cell);
                emitter.push_boxed(*value);
                emitter.code.store_i64(object::INLINE_SLOTS + 8 * slot as u32);
            }
            emitter.code.get(cell).tag_i32(TAG_OBJECT);
        });
        self.store(result, Repr::Boxed);
    }

    /// Allocates an object with room for `count` properties, which are to be stored right after.
    fn emit_inline_object(&mut self, shape: u32, count: u32, cell: Local) {
        let capacity = object::MIN_INLINE_CAPACITY.max(count);
        let done = self.code.block(BlockType::Empty);
        let full = self.code.block(BlockType::Empty);
        self.emit_bump(object::INLINE_SLOTS + 8 * capacity, cell, full);
        self.code.get(cell).i32((u32::from(kind::OBJECT) | capacity << 16).cast_signed()).store_i32(0);
        self.code.get(cell).emit(Instruction::GlobalGet(DATA_BASE)).load_i32(shape).store_i32(object::SHAPE);
        self.code.get(cell).i32(0).store_i32(object::SLOTS);
        for slot in count..capacity {
            self.code.get(cell).word(value::UNDEFINED).store_i64(object::INLINE_SLOTS + 8 * slot);
        }
        self.code.br(done).end();
        self.code.i32(shape.cast_signed()).i32(count.cast_signed()).call_helper(Helper::NewLiteral).set(cell).end();
    }

    /// An array literal without spread.
    pub fn emit_new_array(&mut self, elements: &[Option<Reg>], result: Option<Reg>) {
        if elements.len() > LARGEST_INLINE_ARRAY {
            self.store_arguments(0, elements);
            self.code.i32(elements.len() as i32).call_runtime(Runtime::NewArray);
            self.store(result, Repr::Boxed);
            return;
        }
        self.with_local(ValType::I32, |emitter, cell| {
            emitter.code.i32(elements.len() as i32).call_helper(Helper::NewArray).set(cell);
            emitter.with_local(ValType::I32, |emitter, data| {
                if !elements.is_empty() {
                    emitter.code.get(cell).load_i32(array::ELEMENTS).set(data);
                }
                for (index, element) in elements.iter().enumerate() {
                    emitter.code.get(data);
                    match element {
                        Some(element) => emitter.push_boxed(*element),
                        None => {
                            emitter.code.word(value::EMPTY);
                        }
                    }
                    emitter.code.store_i64(8 * index as u32);
                }
            });
            emitter.code.get(cell).tag_i32(TAG_OBJECT);
        });
        self.store(result, Repr::Boxed);
    }

    /// A new environment, all slots EMPTY.
    pub fn emit_new_env(&mut self, parent: Option<Reg>, slots: u32, result: Option<Reg>) {
        let by_guest = [Operand::Env(parent), Operand::Int(slots.cast_signed())];
        if !self.hot || slots > LARGEST_INLINE_ENV {
            self.call_infallible(Runtime::NewEnv, &by_guest, Some((result, Repr::Env)));
            return;
        }
        let done = self.code.block(BlockType::Result(ValType::I32));
        let full = self.code.block(BlockType::Empty);
        self.with_local(ValType::I32, |emitter, cell| {
            emitter.emit_bump(env_slot(slots), cell, full);
            emitter.code.get(cell).i32(i32::from(kind::ENV) | (slots << 16).cast_signed()).store_i32(0);
            emitter.code.get(cell);
            emitter.push_operands(&by_guest[..1]);
            emitter.code.store_i32(env::PARENT);
            for slot in 0..slots {
                emitter.code.get(cell).word(value::EMPTY).store_i64(env_slot(slot));
            }
            emitter.code.get(cell).br(done);
        });
        self.code.end();
        self.push_operands(&by_guest);
        self.code.call_runtime(Runtime::NewEnv).end();
        self.store(result, Repr::Env);
    }
}
