//! Guesses which functions of the module a method call or a getter reaches: those that have its name.
//!
//! Most methods of classes and object literals have few namesakes. A call compares the function it found with them and,
//! if it is one, enters it directly; a wrong guess costs a comparison.

use std::collections::HashMap;

use convex_wasm_abi::layout::{self, accessor, function, inline_cache, kind};
use convex_wasm_abi::value::{TAG_OBJECT, UNDEFINED};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Label, Local};
use super::emitter::{DirectEntry, Emitter, TABLE_BASE};
use crate::ir::{Constant, ConstantValue, FunctionId, FunctionKind, Module, Reg};

/// With more namesakes than this a guess is not worth its comparisons.
const MOST_NAMESAKES: usize = 3;

/// Functions by the name of the methods they may be, and getters by that of the property.
pub struct Methods {
    methods: HashMap<Constant, Vec<FunctionId>>,
    getters: HashMap<Constant, Vec<FunctionId>>,
}

/// What a getter's name begins with.
const GETTER: &str = "get ";

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
        let mut found = Self { methods: HashMap::new(), getters: HashMap::new() };
        let prefix: Vec<u16> = GETTER.encode_utf16().collect();
        for (constant, value) in (0..).zip(&module.constants) {
            let ConstantValue::String(units) = value else { continue };
            let methods = by_name.get(units).cloned();
            found.methods.extend(methods.map(|methods| (Constant(constant), methods)));
            let getters = by_name.get(&[&prefix[..], units].concat()).cloned();
            found.getters.extend(getters.map(|getters| (Constant(constant), getters)));
        }
        found
    }

    /// Functions that a method of this name may be.
    pub fn named(&self, key: Constant) -> &[FunctionId] {
        self.methods.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Functions that may be the getter of a property of this name.
    pub fn getters(&self, key: Constant) -> &[FunctionId] {
        self.getters.get(&key).map_or(&[], Vec::as_slice)
    }
}

impl Emitter<'_, '_> {
    /// If the method found is one of those that the name suggests, calls it and branches to `done` with the result.
    pub fn emit_guessed_call(&mut self, method: Local, object: Reg, key: Constant, list: &[Reg], done: Label) {
        let candidates = self.unit.methods.named(key).to_vec();
        self.call_if_guessed(&candidates, method, object, list, |emitter| {
            emitter.code.br(done);
        });
    }

    /// If the cache knows a getter for the object in `word` and it is one of those that the name suggests, calls it and
    /// branches to `done` with the result.
    pub fn emit_guessed_getter(&mut self, word: Local, object: Reg, key: Constant, cache: u32, done: Label) {
        let candidates = self.unit.methods.getters(key).to_vec();
        if candidates.is_empty() {
            return;
        }
        let other = self.code.block(BlockType::Empty);
        self.leave_unless_object(object, word, other);
        self.with_word(|emitter, getter| {
            emitter.push_prototype_place(word, inline_cache::ACCESSOR, cache, other);
            emitter.code.load_i64(accessor::GET).set(getter);
            emitter.call_if_guessed(&candidates, getter, object, &[], |emitter| {
                emitter.check_exception();
                emitter.code.br(done);
            });
        });
        self.code.end();
    }

    /// If `callee` is one of the candidates, calls it and goes on with `then`, which must leave with the result.
    fn call_if_guessed(
        &mut self,
        candidates: &[FunctionId],
        callee: Local,
        object: Reg,
        list: &[Reg],
        then: impl Fn(&mut Self),
    ) {
        if candidates.is_empty() {
            return;
        }
        let other = self.code.block(BlockType::Empty);
        self.code.get(callee).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(other);
        self.with_local(ValType::I32, |emitter, element| {
            let code = &mut emitter.code;
            code.get(callee).emit(Instruction::I32WrapI64).load_u8(layout::KIND);
            code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(other);
            code.get(callee).emit(Instruction::I32WrapI64).load_i32(function::CODE);
            code.emit(Instruction::GlobalGet(TABLE_BASE)).emit(Instruction::I32Sub).set(element);
            for &id in candidates {
                // Nothing but direct calls reaches a closed function.
                let Some(entry) = emitter.unit.direct[id.0 as usize].clone().filter(|entry| !entry.closed) else {
                    continue;
                };
                let next = emitter.code.block(BlockType::Empty);
                let expected = emitter.unit.data.element(id).cast_signed();
                emitter.code.get(element).i32(expected).emit(Instruction::I32Ne).br_if(next);
                emitter.call_method_directly(id, &entry, callee, object, list);
                then(emitter);
                emitter.code.end();
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
