//! Guesses which functions of the module a method call reaches: those that have the method's name.
//!
//! Most methods of classes and object literals have few namesakes. A call compares the function it found with them and,
//! if it is one, enters it directly; a wrong guess costs a comparison.

use std::collections::HashMap;

use convex_wasm_abi::layout::{self, function, kind};
use convex_wasm_abi::value::{TAG_OBJECT, UNDEFINED};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Label, Local};
use super::data;
use super::emitter::{DirectEntry, Emitter, TABLE_BASE};
use crate::ir::{Constant, ConstantValue, FunctionId, FunctionKind, Module, Reg};

/// With more namesakes than this a guess is not worth its comparisons.
const MOST_NAMESAKES: usize = 3;

/// Functions by the name of the methods they may be.
pub struct Methods(HashMap<Constant, Vec<FunctionId>>);

impl Methods {
    /// The named methods, arrows and functions of a module that can have a direct entry.
    pub fn of(module: &Module) -> Self {
        let mut by_name: HashMap<Vec<u16>, Vec<FunctionId>> = HashMap::new();
        for (id, function) in (0..).zip(&module.functions) {
            let is_method = matches!(function.kind, FunctionKind::Method | FunctionKind::Arrow | FunctionKind::Normal);
            if is_method && !function.name.is_empty() && DirectEntry::suits(function) {
                by_name.entry(function.name.encode_utf16().collect()).or_default().push(FunctionId(id));
            }
        }
        by_name.retain(|_, functions| functions.len() <= MOST_NAMESAKES);
        let keys = (0..).zip(&module.constants).filter_map(|(constant, value)| match value {
            ConstantValue::String(units) => Some((Constant(constant), by_name.get(units)?.clone())),
            _ => None,
        });
        Self(keys.collect())
    }

    /// Functions that a method of this name may be.
    pub fn named(&self, key: Constant) -> &[FunctionId] {
        self.0.get(&key).map_or(&[], Vec::as_slice)
    }
}

impl Emitter<'_, '_> {
    /// If the method found is one of those that the name suggests, calls it and branches to `done` with the result.
    pub fn emit_guessed_call(&mut self, method: Local, object: Reg, key: Constant, list: &[Reg], done: Label) {
        let candidates: Vec<FunctionId> = self.unit.methods.named(key).to_vec();
        if candidates.is_empty() {
            return;
        }
        let other = self.code.block(BlockType::Empty);
        self.code.get(method).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(other);
        self.with_local(ValType::I32, |emitter, element| {
            let code = &mut emitter.code;
            code.get(method).emit(Instruction::I32WrapI64).load_u8(layout::KIND);
            code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(other);
            code.get(method).emit(Instruction::I32WrapI64).load_i32(function::CODE);
            code.emit(Instruction::GlobalGet(TABLE_BASE)).emit(Instruction::I32Sub).set(element);
            for id in candidates {
                // Nothing but direct calls reaches a closed function.
                let Some(entry) = emitter.unit.direct[id.0 as usize].clone().filter(|entry| !entry.closed) else {
                    continue;
                };
                let next = emitter.code.block(BlockType::Empty);
                emitter.code.get(element).i32(data::element(id).cast_signed()).emit(Instruction::I32Ne).br_if(next);
                emitter.call_method_directly(id, &entry, method, object, list);
                emitter.code.br(done).end();
            }
        });
        self.code.end();
    }

    fn call_method_directly(&mut self, id: FunctionId, entry: &DirectEntry, method: Local, object: Reg, list: &[Reg]) {
        if entry.callee {
            self.code.get(method);
        }
        if entry.env {
            self.code.get(method).emit(Instruction::I32WrapI64).load_i32(function::ENV);
        }
        if entry.this {
            self.push_boxed(object);
        }
        for index in 0..entry.parameters.len() {
            match list.get(index) {
                Some(argument) => self.push_boxed(*argument),
                None => {
                    self.code.word(UNDEFINED);
                }
            }
        }
        self.code.call(Callee::Direct(id));
    }
}
