//! Calls and constructions.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{self, function, inline_cache, kind, object};
use convex_wasm_abi::memory::PROTO_EPOCH;
use convex_wasm_abi::value::{self, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Label, Local};
use super::emitter::{Emitter, Operand, Repr};
use super::entry::uniform_signature;
use super::helpers::Helper;
use crate::ir::{Arguments, Constant, FunctionId, Reg};

/// Positional arguments that calls pass as Wasm parameters.
const ARGUMENT_LOCALS: usize = 3;

impl Emitter<'_, '_> {
    /// A call of a value.
    pub fn emit_call(
        &mut self,
        callee: Reg,
        this: Reg,
        arguments: &Arguments,
        known: Option<FunctionId>,
        name: Option<Constant>,
        result: Option<Reg>,
    ) {
        match arguments {
            Arguments::Array(array) => {
                let operands =
                    [Operand::Value(callee), Operand::Value(this), Operand::Value(*array), Operand::Name(name)];
                self.call_value(Runtime::CallArray, &operands, result);
            }
            Arguments::List(list) => match known {
                Some(function) if self.unit.direct[function.0 as usize].is_some() => {
                    self.emit_direct_call(function, callee, this, list, result);
                }
                _ => {
                    self.with_boxed(callee, |emitter, word| emitter.push_indirect_call(word, this, list, name));
                    self.finish_call(result);
                }
            },
        }
    }

    /// A call of a function of this unit by its direct entry.
    fn emit_direct_call(&mut self, id: FunctionId, callee: Reg, this: Reg, list: &[Reg], result: Option<Reg>) {
        let Some(entry) = self.unit.direct[id.0 as usize].clone() else { return };
        if entry.callee {
            self.push_boxed(callee);
        }
        if entry.env {
            self.push_boxed(callee);
            self.code.emit(Instruction::I32WrapI64).load_i32(function::ENV);
        }
        if entry.this {
            self.push_boxed(this);
        }
        for (index, &repr) in entry.parameters.iter().enumerate() {
            match list.get(index) {
                Some(argument) => self.push_as(*argument, repr),
                None => {
                    self.code.word(value::UNDEFINED);
                }
            }
        }
        self.code.call(Callee::Direct(id));
        match entry.result {
            Repr::Float => self.finish_float_call(result),
            Repr::Long => {
                self.check_exception();
                self.store(result, Repr::Long);
            }
            _ => self.finish_call(result),
        }
    }

    /// As `finish_call` for a result that is an f64. EXCEPTION as f64 is a NaN that no computation makes.
    fn finish_float_call(&mut self, result: Option<Reg>) {
        self.with_local(ValType::F64, |emitter, float| {
            emitter.code.tee(float).get(float).emit(Instruction::F64Ne).start_if(BlockType::Empty);
            emitter
                .code
                .get(float)
                .emit(Instruction::I64ReinterpretF64)
                .word(value::EXCEPTION)
                .emit(Instruction::I64Eq);
            emitter.check_status();
            emitter.code.end().get(float);
        });
        self.store(result, Repr::Float);
    }

    /// Pushes the result of a call of whatever is in the local `callee`, through the table. Values that are no function
    /// cells are called by the unit's stand-in.
    fn push_indirect_call(&mut self, callee: Local, this: Reg, list: &[Reg], name: Option<Constant>) {
        let name = name.map_or(0, |name| self.unit.data.constant(name).cast_signed());
        self.with_local(ValType::I32, |emitter, cell| {
            emitter.push_function_cell(callee, cell, name);
            emitter.store_further_arguments(list);
            emitter.code.get(cell).i32(list.len() as i32);
            emitter.push_boxed(this);
            emitter.push_argument_words(list);
            emitter.code.get(cell).load_i32(function::CODE).call_indirect(uniform_signature());
        });
    }

    /// Puts the cell to call into `cell`, with an inline check where that pays.
    fn push_function_cell(&mut self, callee: Local, cell: Local, name: i32) {
        if !self.hot {
            self.code.get(callee).i32(name).call_helper(Helper::FunctionCell).set(cell);
            return;
        }
        let found = self.code.block(BlockType::Empty);
        let other = self.code.block(BlockType::Empty);
        self.code.get(callee).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(other);
        self.code.get(callee).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
        self.code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Eq).br_if(found);
        self.code.end();
        self.code.get(callee).i32(name).call_helper(Helper::FunctionCell).set(cell).end();
    }

    /// Pushes the arguments that travel as Wasm parameters.
    fn push_argument_words(&mut self, list: &[Reg]) {
        for index in 0..ARGUMENT_LOCALS {
            match list.get(index) {
                Some(argument) => self.push_boxed(*argument),
                None => {
                    self.code.word(value::UNDEFINED);
                }
            }
        }
    }

    /// `o.key(…)` of the method that was read before the arguments were evaluated.
    pub fn emit_call_method(
        &mut self,
        object: Reg,
        key: Constant,
        method: Reg,
        arguments: &Arguments,
        name: Option<Constant>,
        result: Option<Reg>,
    ) {
        match arguments {
            Arguments::List(list) => self.with_boxed(method, |emitter, word| {
                emitter.emit_method_call(word, object, key, list, name, result);
            }),
            Arguments::Array(array) => {
                let operands =
                    [Operand::Value(method), Operand::Value(object), Operand::Value(*array), Operand::Name(name)];
                self.call_value(Runtime::CallArray, &operands, result);
            }
        }
    }

    /// The call of a method that was read: inline if it is a built-in one that is done so, else through the table.
    fn emit_method_call(
        &mut self,
        method: Local,
        object: Reg,
        key: Constant,
        list: &[Reg],
        name: Option<Constant>,
        result: Option<Reg>,
    ) {
        if self.hot && self.has_intrinsic(key, list.len()) {
            let done = self.code.block(BlockType::Result(ValType::I64));
            let generic = self.code.block(BlockType::Empty);
            self.emit_intrinsic(method, object, key, list, generic, done);
            self.code.end();
            self.push_indirect_call(method, object, list, name);
            self.check_exception();
            self.code.end();
            self.store(result, Repr::Boxed);
        } else if self.hot {
            let done = self.code.block(BlockType::Result(ValType::I64));
            self.emit_guessed_call(method, object, key, list, done);
            self.push_indirect_call(method, object, list, name);
            self.code.end();
            self.finish_call(result);
        } else {
            self.push_indirect_call(method, object, list, name);
            self.finish_call(result);
        }
    }

    /// `o.key` that is about to be called.
    pub fn emit_get_method(&mut self, object: Reg, key: Constant, result: Option<Reg>) {
        self.push_method(object, key);
        self.store(result, Repr::Boxed);
    }

    fn push_method(&mut self, object: Reg, key: Constant) {
        let cache = self.unit.data.add_cache();
        let key = self.unit.data.constant(key);
        if !self.hot {
            self.push_boxed(object);
            self.code.i32(key.cast_signed()).i32(cache.cast_signed()).call_helper(Helper::Get);
            self.check_exception();
            return;
        }
        self.with_boxed(object, |emitter, word| {
            let done = emitter.code.block(BlockType::Result(ValType::I64));
            let slow = emitter.code.block(BlockType::Empty);
            emitter.leave_unless_object(object, word, slow);
            emitter.push_prototype_place(word, inline_cache::HOLDER, cache, slow);
            emitter.code.load_i64(0).br(done).end();
            emitter.code.get(word).i32(key.cast_signed()).i32(cache.cast_signed()).call_helper(Helper::Get);
            emitter.check_exception();
            emitter.code.end();
        });
    }

    /// Pushes what the cache knows about a prototype of the object in `word`, under a tag, or leaves.
    pub fn push_prototype_place(&mut self, word: Local, tag: u32, cache: u32, slow: Label) {
        self.code.load_cell_i32(PROTO_EPOCH);
        self.push_cache_word(cache + inline_cache::EPOCH);
        self.code.emit(Instruction::I32Ne).br_if(slow);
        self.with_local(ValType::I32, |emitter, shape| {
            emitter.code.get(word).emit(Instruction::I32WrapI64).load_i32(object::SHAPE);
            emitter.code.i32(tag.cast_signed()).emit(Instruction::I32Or).set(shape);
            emitter.push_cached_place(shape, cache, slow);
        });
    }

    /// `new`
    pub fn emit_construct(&mut self, callee: Reg, arguments: &Arguments, name: Option<Constant>, result: Option<Reg>) {
        match arguments {
            Arguments::List(list) => {
                self.store_further_arguments(list);
                self.push_operands(&[Operand::Value(callee), Operand::Int(list.len() as i32)]);
                self.push_argument_words(list);
                let name = name.map_or(0, |name| self.unit.data.constant(name).cast_signed());
                self.code.i32(name).call_helper(Helper::Construct);
                self.finish_call(result);
            }
            Arguments::Array(array) => {
                let operands =
                    [Operand::Value(callee), Operand::Value(*array), Operand::Value(callee), Operand::Name(name)];
                self.call_value(Runtime::ConstructArray, &operands, result);
            }
        }
    }

    /// `super(…)`
    pub fn emit_super_call(&mut self, callee: Reg, arguments: &Arguments, new_target: Reg, result: Option<Reg>) {
        match arguments {
            Arguments::List(list) => {
                self.store_further_arguments(list);
                self.push_operands(&[Operand::Cell(callee), Operand::Int(list.len() as i32)]);
                self.push_argument_words(list);
                self.push_operands(&[Operand::Value(new_target)]);
                self.code.call_helper(Helper::SuperCall);
                self.finish_call(result);
            }
            Arguments::Array(array) => {
                let operands = [Operand::Cell(callee), Operand::Value(*array), Operand::Value(new_target)];
                self.call_value(Runtime::SuperCallArray, &operands, result);
            }
        }
    }

    /// Writes the arguments from the fourth on to the argument buffer.
    fn store_further_arguments(&mut self, list: &[Reg]) {
        let rest: Vec<Option<Reg>> = list.iter().skip(ARGUMENT_LOCALS).copied().map(Some).collect();
        self.store_arguments(ARGUMENT_LOCALS as u32, &rest);
    }
}
