//! Calls and constructions.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{self, function, kind};
use convex_wasm_abi::value::{self, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Local};
use super::emitter::{Emitter, Operand};
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
                let operands = [Operand::Value(callee), Operand::Value(this), Operand::Value(*array), Operand::Name(name)];
                self.call_value(Runtime::CallArray, &operands, result);
            }
            Arguments::List(list) => match known {
                Some(function) if self.unit.direct[function.0 as usize].is_some() => {
                    self.emit_direct_call(function, callee, this, list, result);
                }
                _ => self.with_boxed(callee, |emitter, word| {
                    emitter.emit_indirect_call(word, this, list, name, result);
                }),
            },
        }
    }

    /// A call of a function of this unit by its direct entry.
    fn emit_direct_call(&mut self, id: FunctionId, callee: Reg, this: Reg, list: &[Reg], result: Option<Reg>) {
        let Some(entry) = self.unit.direct[id.0 as usize] else { return };
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
        for index in 0..entry.parameters as usize {
            match list.get(index) {
                Some(argument) => self.push_boxed(*argument),
                None => {
                    self.code.word(value::UNDEFINED);
                }
            }
        }
        self.call_checked(Callee::Direct(id), result);
    }

    /// A call of whatever is in the local `callee`: function cells through the table, the rest by the guest.
    fn emit_indirect_call(
        &mut self,
        callee: Local,
        this: Reg,
        list: &[Reg],
        name: Option<Constant>,
        result: Option<Reg>,
    ) {
        self.store_further_arguments(list);
        let done = self.code.block(BlockType::Result(ValType::I64));
        let slow = self.code.block(BlockType::Empty);
        self.with_local(ValType::I32, |emitter, cell| {
            emitter.code.get(callee).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
            emitter.code.get(callee).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
            emitter.code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(slow);
            emitter.code.get(cell).i32(list.len() as i32);
            emitter.push_boxed(this);
            emitter.push_argument_words(list);
            emitter.code.get(cell).load_i32(function::CODE);
            emitter.code.call_indirect(uniform_signature()).br(done);
        });
        self.code.end();
        self.code.get(callee).i32(list.len() as i32);
        self.push_boxed(this);
        self.push_argument_words(list);
        self.push_string_address(name);
        self.code.call_runtime(Runtime::Call).end();
        self.finish_call(result);
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

    /// `o.key(…)`
    pub fn emit_call_method(
        &mut self,
        object: Reg,
        key: Constant,
        arguments: &Arguments,
        name: Option<Constant>,
        result: Option<Reg>,
    ) {
        let cache = self.unit.data.add_cache();
        let key = self.unit.data.constant(key);
        self.with_word(|emitter, method| {
            emitter.push_boxed(object);
            emitter.code.i32(key.cast_signed()).i32(cache.cast_signed()).call_helper(Helper::Get);
            emitter.code.tee(method).word(value::EXCEPTION).emit(Instruction::I64Eq);
            emitter.check_status();
            match arguments {
                Arguments::List(list) => emitter.emit_indirect_call(method, object, list, name, result),
                Arguments::Array(array) => {
                    emitter.code.get(method);
                    let operands = [Operand::Value(object), Operand::Value(*array), Operand::Name(name)];
                    emitter.call_value(Runtime::CallArray, &operands, result);
                }
            }
        });
    }

    /// `new`
    pub fn emit_construct(
        &mut self,
        callee: Reg,
        arguments: &Arguments,
        new_target: Option<Reg>,
        name: Option<Constant>,
        result: Option<Reg>,
    ) {
        let new_target = new_target.unwrap_or(callee);
        match arguments {
            Arguments::List(list) => {
                self.store_further_arguments(list);
                self.push_operands(&[Operand::Value(callee), Operand::Int(list.len() as i32)]);
                self.push_argument_words(list);
                self.push_operands(&[Operand::Value(new_target), Operand::Name(name)]);
                self.code.call_runtime(Runtime::Construct);
                self.finish_call(result);
            }
            Arguments::Array(array) => {
                let operands =
                    [Operand::Value(callee), Operand::Value(*array), Operand::Value(new_target), Operand::Name(name)];
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
                self.code.call_runtime(Runtime::SuperCall);
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
