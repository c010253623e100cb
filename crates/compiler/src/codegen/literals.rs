//! Allocation of objects, arrays, environments and functions.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{env, kind, object};
use convex_wasm_abi::memory::{HEAP_LIMIT, HEAP_TOP};
use convex_wasm_abi::value::{self, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Label, Local};
use super::emitter::{DATA_BASE, Emitter, Operand, Repr};
use super::entry::env_slot;
use crate::ir::{Constant, Reg};

/// Literals with more properties than this are built by the guest; inline code for them would be long.
const LARGEST_INLINE_LITERAL: usize = 32;
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
        let values: Vec<Option<Reg>> = properties.iter().map(|(_, value)| Some(*value)).collect();
        let shape = self.unit.data.shape(&keys);
        if properties.len() > LARGEST_INLINE_LITERAL {
            self.push_literal_by_guest(shape, &values);
            self.store(result, Repr::Boxed);
            return;
        }
        let capacity = object::MIN_INLINE_CAPACITY.max(properties.len() as u32);
        let done = self.code.block(BlockType::Result(ValType::I64));
        let full = self.code.block(BlockType::Empty);
        self.with_local(ValType::I32, |emitter, cell| {
            emitter.emit_bump(object::INLINE_SLOTS + 8 * capacity, cell, full);
            let header = i64::from(kind::OBJECT) | i64::from(capacity) << 16;
            emitter.code.get(cell).i64(header);
            emitter.code.emit(Instruction::GlobalGet(DATA_BASE)).emit(Instruction::I64Load32U(super::code::at(shape, 2)));
            emitter.code.i64(32).emit(Instruction::I64Shl).emit(Instruction::I64Or).store_i64(0);
            emitter.code.get(cell).i64(0).store_i64(object::SLOTS);
            for (slot, value) in values.iter().enumerate() {
                if let Some(value) = value {
                    emitter.code.get(cell);
                    emitter.push_boxed(*value);
                    emitter.code.store_i64(object::INLINE_SLOTS + 8 * slot as u32);
                }
            }
            for slot in values.len() as u32..capacity {
                emitter.code.get(cell).word(value::UNDEFINED).store_i64(object::INLINE_SLOTS + 8 * slot);
            }
            emitter.code.get(cell).tag_i32(TAG_OBJECT).br(done);
        });
        self.code.end();
        self.push_literal_by_guest(shape, &values);
        self.code.end();
        self.store(result, Repr::Boxed);
    }

    fn push_literal_by_guest(&mut self, shape: u32, values: &[Option<Reg>]) {
        self.store_arguments(0, values);
        self.code.emit(Instruction::GlobalGet(DATA_BASE)).load_i32(shape).i32(values.len() as i32);
        self.code.call_runtime(Runtime::NewLiteral);
    }

    /// An array literal without spread.
    pub fn emit_new_array(&mut self, elements: &[Option<Reg>], result: Option<Reg>) {
        self.store_arguments(0, elements);
        self.code.i32(elements.len() as i32).call_runtime(Runtime::NewArray);
        self.store(result, Repr::Boxed);
    }

    /// A new environment, all slots EMPTY.
    pub fn emit_new_env(&mut self, parent: Option<Reg>, slots: u32, result: Option<Reg>) {
        if slots > LARGEST_INLINE_ENV {
            self.push_operands(&[Operand::Env(parent), Operand::Int(slots.cast_signed())]);
            self.code.call_runtime(Runtime::NewEnv);
            self.store(result, Repr::Env);
            return;
        }
        let done = self.code.block(BlockType::Result(ValType::I32));
        let full = self.code.block(BlockType::Empty);
        self.with_local(ValType::I32, |emitter, cell| {
            emitter.emit_bump(env_slot(slots), cell, full);
            emitter.code.get(cell).i32(i32::from(kind::ENV) | (slots << 16).cast_signed()).store_i32(0);
            emitter.code.get(cell);
            emitter.push_operands(&[Operand::Env(parent)]);
            emitter.code.store_i32(env::PARENT);
            for slot in 0..slots {
                emitter.code.get(cell).word(value::EMPTY).store_i64(env_slot(slot));
            }
            emitter.code.get(cell).br(done);
        });
        self.code.end();
        self.push_operands(&[Operand::Env(parent), Operand::Int(slots.cast_signed())]);
        self.code.call_runtime(Runtime::NewEnv).end();
        self.store(result, Repr::Env);
    }
}
