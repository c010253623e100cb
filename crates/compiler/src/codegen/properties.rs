//! Property and element access.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{self, inline_cache, kind, object};
use convex_wasm_abi::memory::PROTO_EPOCH;
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Code, Label, Local, at};
use super::emitter::{DATA_BASE, Emitter, Known, Operand, Repr};
use super::helpers::Helper;
use crate::ir::{Constant, Reg};

/// Address of the cache of sites that have none.
const NO_CACHE: i32 = 0;

impl Emitter<'_, '_> {
    /// Whether the constant is this string.
    pub fn is_string(&self, constant: Constant, text: &str) -> bool {
        self.unit.data.string_units(constant).is_some_and(|units| units.iter().copied().eq(text.encode_utf16()))
    }

    /// `o.key`
    pub fn emit_get(&mut self, object: Reg, key: Constant, result: Option<Reg>) {
        if self.type_of(object).is_string() && self.is_string(key, "length") {
            self.push(object);
            self.code.string_length();
            self.store(result, Repr::Int32);
            return;
        }
        if self.is_string(key, "length") {
            self.emit_length(object, key, result);
            return;
        }
        self.emit_cached_get(Helper::Get, object, key, result);
    }

    /// `o.#x`
    pub fn emit_get_private(&mut self, object: Reg, name: Reg, result: Option<Reg>) {
        self.by_private_name(
            name,
            |emitter, name| emitter.emit_cached_get(Helper::GetPrivate, object, name, result),
            |emitter| {
                let operands = [Operand::Value(object), Operand::Value(name), Operand::Int(NO_CACHE)];
                emitter.call_value(Runtime::GetPrivate, &operands, result);
            },
        );
    }

    /// Inline caches are for one name. A class that is evaluated again has others, which do without.
    fn by_private_name(
        &mut self,
        name: Reg,
        cached: impl FnOnce(&mut Self, Constant),
        uncached: impl FnOnce(&mut Self),
    ) {
        if let Some(Known::Heap(name)) = self.known(name) {
            return cached(self, name);
        }
        let Some(&first) = self.first_names.get(&name).filter(|_| self.hot) else {
            return uncached(self);
        };
        let done = self.code.block(BlockType::Empty);
        let other = self.code.block(BlockType::Empty);
        self.push_boxed(name);
        self.push_constant(first);
        self.code.emit(Instruction::I64Ne).br_if(other);
        cached(self, first);
        self.code.br(done).end();
        uncached(self);
        self.code.end();
    }

    /// Reads a property by an inline cache of own data properties, or the helper.
    fn emit_cached_get(&mut self, helper: Helper, object: Reg, name: Constant, result: Option<Reg>) {
        let cache = self.unit.data.add_cache();
        let key = self.unit.data.constant(name);
        if !self.hot {
            self.push_boxed(object);
            self.code.i32(key.cast_signed()).i32(cache.cast_signed());
            self.call_checked(Callee::Helper(helper), result);
            return;
        }
        self.with_boxed(object, |emitter, word| {
            let done = emitter.code.block(BlockType::Result(ValType::I64));
            let slow = emitter.code.block(BlockType::Empty);
            emitter.push_own_slot(object, word, cache, slow);
            emitter.code.load_i64(0).br(done).end();
            if helper == Helper::Get {
                emitter.emit_guessed_getter(word, object, name, cache, done);
            }
            emitter.code.get(word).i32(key.cast_signed()).i32(cache.cast_signed()).call_helper(helper);
            emitter.check_exception();
            emitter.code.end();
            emitter.store(result, Repr::Boxed);
        });
    }

    /// Pushes the address of the own slot that the cache knows for the object in `word`, or leaves.
    fn push_own_slot(&mut self, object: Reg, word: Local, cache: u32, slow: Label) {
        self.leave_unless_object(object, word, slow);
        self.code.get(word).emit(Instruction::I32WrapI64);
        self.with_local(ValType::I32, |emitter, shape| {
            emitter.code.get(word).emit(Instruction::I32WrapI64).load_i32(object::SHAPE).set(shape);
            emitter.push_cached_place(shape, cache, slow);
        });
        self.code.emit(Instruction::I32Add);
    }

    /// Pushes the second word of the cache's entry whose first one is in `shape`, or leaves.
    pub fn push_cached_place(&mut self, shape: Local, cache: u32, slow: Label) {
        self.with_local(ValType::I32, |emitter, place| {
            let found = emitter.code.block(BlockType::Empty);
            for entry in [cache, cache + inline_cache::SECOND] {
                emitter.push_cache_word(entry + inline_cache::WHERE);
                emitter.code.set(place).get(shape);
                emitter.push_cache_word(entry + inline_cache::SHAPE);
                if entry == cache {
                    emitter.code.emit(Instruction::I32Eq).br_if(found);
                } else {
                    emitter.code.emit(Instruction::I32Ne).br_if(slow);
                }
            }
            emitter.code.end().get(place);
        });
    }

    /// `o.key = v`
    pub fn emit_set(&mut self, object: Reg, key: Constant, value: Reg) {
        if self.new_instances.contains(&object) {
            self.emit_addition(Helper::SetNew, object, key, value);
        } else {
            self.emit_cached_set(Helper::Set, object, key, value);
        }
    }

    /// `o.#x = v`
    pub fn emit_set_private(&mut self, object: Reg, name: Reg, value: Reg) {
        self.by_private_name(
            name,
            |emitter, name| emitter.emit_cached_set(Helper::SetPrivate, object, name, value),
            |emitter| emitter.call_private(Runtime::SetPrivate, object, name, value),
        );
    }

    /// A new private field.
    pub fn emit_add_private(&mut self, object: Reg, name: Reg, value: Reg) {
        self.by_private_name(
            name,
            |emitter, name| emitter.emit_addition(Helper::AddPrivate, object, name, value),
            |emitter| emitter.call_private(Runtime::AddPrivate, object, name, value),
        );
    }

    /// A property of a literal, or a field: by an inline cache if its key is a name.
    pub fn emit_define_field(&mut self, object: Reg, key: Reg, value: Reg) {
        match self.known(key) {
            Some(Known::Heap(name)) if !self.is_name(name) => {
                self.call_private(Runtime::DefineField, object, key, value);
            }
            Some(Known::Heap(name)) if self.new_instances.contains(&object) => {
                self.emit_addition(Helper::AddField, object, name, value);
            }
            Some(Known::Heap(name)) => self.emit_cached_set(Helper::DefineField, object, name, value),
            _ => self.call_private(Runtime::DefineField, object, key, value),
        }
    }

    /// Whether a constant is a string that surely is no array index.
    fn is_name(&self, constant: Constant) -> bool {
        let units = self.unit.data.string_units(constant);
        units.is_some_and(|units| units.first().is_none_or(|unit| !(0x30..0x3A).contains(unit)))
    }

    fn call_private(&mut self, function: Runtime, object: Reg, name: Reg, value: Reg) {
        self.call_status(
            function,
            &[Operand::Value(object), Operand::Value(name), Operand::Value(value), Operand::Int(NO_CACHE)],
        );
    }

    fn call_setting_helper(&mut self, helper: Helper, object: Reg, value: Reg, key: Constant, cache: u32) {
        let key = self.unit.data.constant(key);
        self.push_boxed(object);
        self.push_boxed(value);
        self.code.i32(key.cast_signed()).i32(cache.cast_signed()).call_helper(helper);
        self.check_status();
    }

    /// Writes a property by an inline cache of own data properties, or the helper.
    fn emit_cached_set(&mut self, helper: Helper, object: Reg, key: Constant, value: Reg) {
        self.emit_write(helper, object, key, value, |emitter, word, value, cache, slow| {
            emitter.push_own_slot(object, word, cache, slow);
            emitter.code.get(value).store_i64(0);
        });
    }

    /// Writes a property that is new most of the time: by an inline cache of additions, or the helper.
    fn emit_addition(&mut self, helper: Helper, object: Reg, key: Constant, value: Reg) {
        self.emit_write(helper, object, key, value, |emitter, word, value, cache, slow| {
            emitter.leave_unless_object(object, word, slow);
            emitter.with_local(ValType::I32, |emitter, cell| {
                emitter.code.get(word).emit(Instruction::I32WrapI64).set(cell);
                let base = |code: &mut Code| {
                    code.emit(Instruction::GlobalGet(DATA_BASE));
                };
                add_by_cache(&mut emitter.code, cell, value, &base, cache, slow);
            });
        });
    }

    /// Writes a property where `fast` does, in hot code, unless it leaves for its block; then by the helper. `fast` is given the
    /// words of object and value, the cache, and that block.
    fn emit_write(
        &mut self,
        helper: Helper,
        object: Reg,
        key: Constant,
        value: Reg,
        fast: impl FnOnce(&mut Self, Local, Local, u32, Label),
    ) {
        let cache = self.unit.data.add_cache();
        if !self.hot {
            return self.call_setting_helper(helper, object, value, key, cache);
        }
        self.with_boxed(object, |emitter, word| {
            emitter.with_boxed(value, |emitter, value| {
                let done = emitter.code.block(BlockType::Empty);
                let slow = emitter.code.block(BlockType::Empty);
                fast(emitter, word, value, cache, slow);
                emitter.code.br(done).end();
                let key = emitter.unit.data.constant(key);
                emitter.code.get(word).get(value).i32(key.cast_signed()).i32(cache.cast_signed());
                emitter.code.call_helper(helper);
                emitter.check_status();
                emitter.code.end();
            });
        });
    }

    /// A global variable: its slot, if the cache knows where the global object keeps it.
    pub fn emit_load_global(&mut self, name: Constant, or_undefined: bool, result: Option<Reg>) {
        let cache = self.unit.data.add_cache();
        if or_undefined {
            self.call_value(Runtime::GetGlobalOrUndefined, &[Operand::Key(name), Operand::Data(cache)], result);
            return;
        }
        let key = self.unit.data.constant(name);
        if !self.hot {
            self.code.i32(key.cast_signed()).i32(cache.cast_signed());
            self.call_checked(Callee::Helper(Helper::GetGlobal), result);
            return;
        }
        let done = self.code.block(BlockType::Result(ValType::I64));
        let slow = self.code.block(BlockType::Empty);
        self.code.load_cell_i32(PROTO_EPOCH);
        self.push_cache_word(cache + inline_cache::EPOCH);
        self.code.emit(Instruction::I32Ne).br_if(slow);
        self.with_local(ValType::I32, |emitter, slot| {
            emitter.push_cache_word(cache + inline_cache::WHERE);
            emitter.code.tee(slot).emit(Instruction::I32Eqz).br_if(slow);
            emitter.code.get(slot).load_i64(0).br(done).end();
        });
        self.code.i32(key.cast_signed()).i32(cache.cast_signed()).call_helper(Helper::GetGlobal);
        self.check_exception();
        self.code.end();
        self.store(result, Repr::Boxed);
    }

    /// Pushes a word of an inline cache.
    pub fn push_cache_word(&mut self, offset: u32) {
        self.code.emit(Instruction::GlobalGet(DATA_BASE)).load_i32(offset);
    }
}

/// Adds a property to the object at `cell` as the cache's entries say, which are `offset` bytes from what `base` pushes,
/// or leaves.
pub fn add_by_cache(code: &mut Code, cell: Local, value: Local, base: &dyn Fn(&mut Code), offset: u32, slow: Label) {
    let word = |code: &mut Code, place: u32| {
        base(code);
        code.load_i32(offset + place);
    };
    code.load_cell_i32(PROTO_EPOCH);
    word(code, inline_cache::EPOCH);
    code.emit(Instruction::I32Ne).br_if(slow);
    code.get(cell).load_i32(object::SHAPE).i32(inline_cache::ADDITION.cast_signed()).emit(Instruction::I32Or);
    word(code, inline_cache::SHAPE);
    code.emit(Instruction::I32Ne).br_if(slow);
    // Kind and flags: an ordinary object that is neither restricted nor a prototype.
    code.get(cell).emit(Instruction::I32Load16U(at(layout::KIND, 1))).i32(i32::from(kind::OBJECT));
    code.emit(Instruction::I32Ne).br_if(slow);
    code.get(cell);
    word(code, inline_cache::SECOND + inline_cache::WHERE);
    code.emit(Instruction::I32Add).get(value).store_i64(0).get(cell);
    word(code, inline_cache::WHERE);
    code.store_i32(object::SHAPE);
}
