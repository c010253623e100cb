//! Conversions between representations of values.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::string;
use convex_wasm_abi::value::{self, TAG_INT, TAG_INTERNAL, TAG_SHIFT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Code, Local};
use super::emitter::{Emitter, Known, Repr};
use super::helpers::Helper;
use crate::ir::Reg;

/// Whether a number is an integer of 32 bits with sign and not −0.
pub fn as_int32(number: f64) -> Option<i32> {
    let integer = number as i32;
    (f64::from(integer).to_bits() == number.to_bits()).then_some(integer)
}

/// The word of a number constant.
pub fn number_word(number: f64) -> u64 {
    match as_int32(number) {
        Some(integer) => value::int(integer),
        None if number.is_nan() => value::NAN,
        None => number.to_bits(),
    }
}

impl Code {
    /// Replaces the word on the stack by whether it has the tag.
    pub fn has_tag(&mut self, tag: u64) -> &mut Self {
        self.i64(i64::from(TAG_SHIFT)).emit(Instruction::I64ShrU).word(tag).emit(Instruction::I64Eq)
    }

    /// Puts a tag on the i32 on the stack.
    pub fn tag_i32(&mut self, tag: u64) -> &mut Self {
        self.emit(Instruction::I64ExtendI32U).word(tag << TAG_SHIFT).emit(Instruction::I64Or)
    }

    /// Boxes the i32 boolean on the stack.
    pub fn box_bool(&mut self) -> &mut Self {
        self.emit(Instruction::I64ExtendI32U).word(value::FALSE).emit(Instruction::I64Or)
    }

    /// Boxes the f64 on the stack. Arithmetic only makes NaNs that are allowed in words.
    pub fn box_f64(&mut self) -> &mut Self {
        self.emit(Instruction::I64ReinterpretF64)
    }

    /// Boxes the integer on the stack: as an int if it fits, otherwise as a double. `local` holds it too.
    pub fn box_long(&mut self, local: Local) -> &mut Self {
        self.tee(local).get(local).emit(Instruction::I64Extend32S).emit(Instruction::I64Eq);
        self.start_if(BlockType::Result(ValType::I64));
        self.get(local).word(u64::from(u32::MAX)).emit(Instruction::I64And);
        self.word(TAG_INT << TAG_SHIFT).emit(Instruction::I64Or);
        self.start_else();
        self.get(local).emit(Instruction::F64ConvertI64S).box_f64();
        self.end()
    }

    /// The f64 of a word, held in `local`, that is known to be a number.
    pub fn unbox_number(&mut self, local: Local) -> &mut Self {
        self.get(local).has_tag(TAG_INT);
        self.start_if(BlockType::Result(ValType::F64));
        self.get(local).emit(Instruction::I32WrapI64).emit(Instruction::F64ConvertI32S);
        self.start_else();
        self.get(local).emit(Instruction::F64ReinterpretI64);
        self.end()
    }

    /// The length of the string whose word is on the stack.
    pub fn string_length(&mut self) -> &mut Self {
        self.emit(Instruction::I32WrapI64).load_i32(string::LENGTH)
    }
}

impl Emitter<'_, '_> {
    /// Pushes a register in its own representation.
    pub fn push(&mut self, reg: Reg) {
        let repr = self.repr(reg);
        match self.known(reg) {
            Some(Known::Special(word)) if repr == Repr::Bool => {
                self.code.i32(i32::from(word == value::TRUE));
            }
            Some(Known::Special(word)) => {
                self.code.word(word);
            }
            Some(Known::Number(number)) => {
                match repr {
                    Repr::Int32 => self.code.i32(number as i32),
                    Repr::Long => self.code.i64(number as i64),
                    Repr::Float => self.code.f64(number),
                    Repr::Boxed | Repr::Bool | Repr::Env => self.code.word(number_word(number)),
                };
            }
            Some(Known::Heap(constant)) => self.push_constant(constant),
            None => {
                let home = self.home(reg);
                self.code.get(home);
            }
        }
    }

    /// Pushes a register's boxed word. Environments get the internal tag.
    pub fn push_boxed(&mut self, reg: Reg) {
        match self.known(reg) {
            Some(Known::Special(word)) => {
                self.code.word(word);
                return;
            }
            Some(Known::Number(number)) => {
                self.code.word(number_word(number));
                return;
            }
            _ => self.push(reg),
        }
        match self.repr(reg) {
            Repr::Boxed => {}
            Repr::Float => {
                self.code.box_f64();
            }
            Repr::Int32 => {
                self.code.tag_i32(TAG_INT);
            }
            Repr::Long => self.with_local(ValType::I64, |emitter, local| {
                emitter.code.box_long(local);
            }),
            Repr::Bool => {
                self.code.box_bool();
            }
            Repr::Env => {
                self.code.tag_i32(TAG_INTERNAL);
            }
        }
    }

    /// Pushes a register in a representation that can hold all values of its type.
    pub fn push_as(&mut self, reg: Reg, repr: Repr) {
        match repr {
            Repr::Boxed => self.push_boxed(reg),
            Repr::Float => self.push_f64(reg),
            Repr::Long => self.push_long(reg),
            Repr::Int32 | Repr::Bool | Repr::Env => self.push(reg),
        }
    }

    /// A local that holds a register's boxed word; `body` must not change it.
    pub fn with_boxed<R>(&mut self, reg: Reg, body: impl FnOnce(&mut Self, Local) -> R) -> R {
        if self.repr(reg) == Repr::Boxed && self.known(reg).is_none() {
            let home = self.home(reg);
            return body(self, home);
        }
        self.with_local(ValType::I64, |emitter, local| {
            emitter.push_boxed(reg);
            emitter.code.set(local);
            body(emitter, local)
        })
    }

    /// Pushes a register whose type is a number as f64.
    pub fn push_f64(&mut self, reg: Reg) {
        if let Some(number) = self.known_number(reg) {
            self.code.f64(number);
            return;
        }
        match self.repr(reg) {
            Repr::Float => self.push(reg),
            Repr::Int32 => {
                self.push(reg);
                self.code.emit(Instruction::F64ConvertI32S);
            }
            Repr::Long => {
                self.push(reg);
                self.code.emit(Instruction::F64ConvertI64S);
            }
            Repr::Boxed | Repr::Bool | Repr::Env => self.with_boxed(reg, |emitter, local| {
                emitter.code.unbox_number(local);
            }),
        }
    }

    /// Pushes a register whose type is an integer as i64.
    pub fn push_long(&mut self, reg: Reg) {
        if let Some(number) = self.known_number(reg) {
            self.code.i64(number as i64);
            return;
        }
        self.push(reg);
        if self.repr(reg) == Repr::Int32 {
            self.code.emit(Instruction::I64ExtendI32S);
        }
    }

    /// Pushes ToInt32 of a register whose type is a number.
    pub fn push_int32(&mut self, reg: Reg) {
        match self.repr(reg) {
            Repr::Int32 => self.push(reg),
            Repr::Long => {
                self.push(reg);
                self.code.emit(Instruction::I32WrapI64);
            }
            _ => {
                self.push_f64(reg);
                self.code.call_helper(Helper::FloatToInt32);
            }
        }
    }

    /// Pushes the truthiness of a register as i32.
    pub fn push_condition(&mut self, reg: Reg) {
        let ty = self.type_of(reg);
        match self.repr(reg) {
            Repr::Bool | Repr::Int32 => self.push(reg),
            Repr::Long => {
                self.push(reg);
                self.code.i64(0).emit(Instruction::I64Ne);
            }
            Repr::Float => {
                self.push(reg);
                self.code.emit(Instruction::F64Abs).f64(0.0).emit(Instruction::F64Gt);
            }
            _ if ty.is_object() => {
                self.code.i32(1);
            }
            _ if ty.is_string() => {
                self.push(reg);
                self.code.string_length();
            }
            _ if self.hot => self.with_boxed(reg, |emitter, word| {
                // true and false differ in the lowest bit only.
                emitter.code.get(word).i64(-2).emit(Instruction::I64And).word(value::FALSE).emit(Instruction::I64Eq);
                emitter.code.start_if(BlockType::Result(ValType::I32));
                emitter.code.get(word).emit(Instruction::I32WrapI64).i32(1).emit(Instruction::I32And);
                emitter.code.start_else().get(word).call_helper(Helper::ToBoolean).end();
            }),
            _ => {
                self.push_boxed(reg);
                self.code.call_helper(Helper::ToBoolean);
            }
        }
    }

    /// Stores what is on the stack, in representation `from`, into `result`, or drops it.
    pub fn store(&mut self, result: Option<Reg>, from: Repr) {
        let Some(result) = result else {
            self.code.emit(Instruction::Drop);
            return;
        };
        if self.known(result).is_some() {
            self.code.emit(Instruction::Drop);
            return;
        }
        let to = self.repr(result);
        self.convert(from, to);
        let home = self.home(result);
        self.code.set(home);
    }

    /// Converts what is on the stack; the value must be one that the target representation can hold.
    fn convert(&mut self, from: Repr, to: Repr) {
        match (from, to) {
            (Repr::Float, Repr::Float) | (Repr::Long, Repr::Long) | (Repr::Boxed, Repr::Boxed) => {}
            (Repr::Float, Repr::Boxed) => {
                self.code.box_f64();
            }
            (Repr::Int32, Repr::Boxed) => {
                self.code.tag_i32(TAG_INT);
            }
            (Repr::Bool, Repr::Boxed) => {
                self.code.box_bool();
            }
            (Repr::Env, Repr::Boxed) => {
                self.code.tag_i32(TAG_INTERNAL);
            }
            (Repr::Long, Repr::Boxed) => self.with_local(ValType::I64, |emitter, local| {
                emitter.code.box_long(local);
            }),
            (Repr::Int32, Repr::Float) => {
                self.code.emit(Instruction::F64ConvertI32S);
            }
            (Repr::Long, Repr::Float) => {
                self.code.emit(Instruction::F64ConvertI64S);
            }
            (Repr::Int32, Repr::Long) => {
                self.code.emit(Instruction::I64ExtendI32S);
            }
            (Repr::Long, Repr::Int32 | Repr::Env | Repr::Bool) | (Repr::Boxed, Repr::Env) => {
                self.code.emit(Instruction::I32WrapI64);
            }
            (Repr::Boxed, Repr::Bool) => {
                self.code.emit(Instruction::I32WrapI64).i32(1).emit(Instruction::I32And);
            }
            (Repr::Float, Repr::Long) => {
                self.code.emit(Instruction::I64TruncSatF64S);
            }
            (Repr::Float, Repr::Int32 | Repr::Bool | Repr::Env) => {
                self.code.emit(Instruction::I32TruncSatF64S);
            }
            (Repr::Boxed, to) => self.with_local(ValType::I64, |emitter, local| {
                emitter.code.set(local).unbox_number(local);
                emitter.convert(Repr::Float, to);
            }),
            (Repr::Int32 | Repr::Bool | Repr::Env, _) => {}
        }
    }

    /// Calls `primitive_to_float` or converts directly, for a register that is a plain primitive.
    pub fn push_plain_primitive_as_f64(&mut self, reg: Reg) {
        let ty = self.type_of(reg);
        if ty.is_number() {
            self.push_f64(reg);
        } else if ty.is_boolean() {
            self.push(reg);
            self.code.emit(Instruction::F64ConvertI32S);
        } else {
            self.push_boxed(reg);
            self.code.call_runtime(Runtime::PrimitiveToFloat);
        }
    }
}
