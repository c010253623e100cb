//! Operators: typed operands compute inline, others call helpers or the guest.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::value::{self, TAG_SHIFT, TAG_STRING, TAG_SYMBOL};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::Callee;
use super::emitter::{Emitter, Operand, Repr};
use super::helpers::Helper;
use crate::ir::{Binary, Reg, Unary};
use crate::optimize::types::Type;

impl Emitter<'_, '_> {
    /// A binary operator.
    pub fn emit_binary(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) {
        match operator {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem | Binary::Exp => {
                self.emit_arithmetic(operator, left, right, result);
            }
            Binary::BitAnd | Binary::BitOr | Binary::BitXor | Binary::Shl | Binary::Shr | Binary::UShr => {
                self.emit_bitwise(operator, left, right, result);
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                self.emit_comparison(operator, left, right, result);
            }
            Binary::StrictEqual | Binary::StrictNotEqual => {
                self.push_strict_equal(left, right);
                self.store_equality(operator == Binary::StrictNotEqual, result);
            }
            Binary::LooseEqual | Binary::LooseNotEqual => {
                self.push_loose_equal(left, right);
                self.store_equality(operator == Binary::LooseNotEqual, result);
            }
            Binary::In => self.call_value(Runtime::In, &[Operand::Value(left), Operand::Value(right)], result),
            Binary::InstanceOf => {
                self.call_value(Runtime::InstanceOf, &[Operand::Value(left), Operand::Value(right)], result);
            }
        }
    }

    fn both(&self, left: Reg, right: Reg, holds: impl Fn(Type) -> bool) -> bool {
        holds(self.type_of(left)) && holds(self.type_of(right))
    }

    fn emit_arithmetic(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) {
        let integers = self.both(left, right, |ty| ty.is_integer());
        let integer_result = result.is_some_and(|result| self.type_of(result).is_integer());
        if integers && integer_result {
            self.emit_integer_arithmetic(operator, left, right, result);
        } else if self.both(left, right, |ty| ty.is_number()) {
            self.emit_float_arithmetic(operator, left, right, result);
        } else if !self.emit_numeric_fast_path(operator, left, right, result) {
            self.emit_generic_arithmetic(operator, left, right, result);
        }
    }

    /// Integer arithmetic whose result is known to be exact and in range.
    fn emit_integer_arithmetic(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) {
        let narrow =
            result.is_some_and(|result| self.repr(result) == Repr::Int32) && self.both(left, right, |ty| ty.is_int32());
        if narrow {
            self.push(left);
            self.push(right);
        } else {
            self.push_long(left);
            self.push_long(right);
        }
        self.code.emit(match (operator, narrow) {
            (Binary::Add, true) => Instruction::I32Add,
            (Binary::Sub, true) => Instruction::I32Sub,
            (Binary::Mul, true) => Instruction::I32Mul,
            (_, true) => Instruction::I32RemS,
            (Binary::Add, false) => Instruction::I64Add,
            (Binary::Sub, false) => Instruction::I64Sub,
            (Binary::Mul, false) => Instruction::I64Mul,
            (_, false) => Instruction::I64RemS,
        });
        self.store(result, if narrow { Repr::Int32 } else { Repr::Long });
    }

    fn emit_float_arithmetic(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) {
        if let Some(divisor) = self.remainder_divisor(operator, right).filter(|_| self.in_loop) {
            let done = self.code.block(BlockType::Result(ValType::F64));
            let slow = self.code.block(BlockType::Empty);
            self.push_f64(left);
            self.emit_float_remainder(divisor, slow);
            self.code.emit(Instruction::F64ConvertI64S).br(done).end();
            self.push_f64(left);
            self.push_f64(right);
            self.code.call_helper(Helper::FloatRem).end();
            self.store(result, Repr::Float);
            return;
        }
        self.push_f64(left);
        self.push_f64(right);
        match operator {
            Binary::Add => self.code.emit(Instruction::F64Add),
            Binary::Sub => self.code.emit(Instruction::F64Sub),
            Binary::Mul => self.code.emit(Instruction::F64Mul),
            Binary::Div => self.code.emit(Instruction::F64Div),
            Binary::Rem => self.code.call_helper(Helper::FloatRem),
            _ => self.code.call_runtime(Runtime::FloatPow),
        };
        self.store(result, Repr::Float);
    }

    fn emit_generic_arithmetic(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) {
        let callee = match operator {
            Binary::Add if self.type_of(left).is_string() || self.type_of(right).is_string() => {
                Callee::Runtime(Runtime::Add)
            }
            Binary::Add => Callee::Helper(Helper::Add),
            Binary::Sub => Callee::Helper(Helper::Sub),
            Binary::Mul => Callee::Helper(Helper::Mul),
            Binary::Div => Callee::Helper(Helper::Div),
            Binary::Rem => Callee::Helper(Helper::Rem),
            _ => Callee::Runtime(Runtime::Exp),
        };
        self.push_boxed(left);
        self.push_boxed(right);
        self.call_checked(callee, result);
    }

    fn emit_bitwise(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) {
        if self.both(left, right, |ty| ty.is_number()) {
            self.push_int32(left);
            self.push_int32(right);
            self.code.emit(match operator {
                Binary::BitAnd => Instruction::I32And,
                Binary::BitOr => Instruction::I32Or,
                Binary::BitXor => Instruction::I32Xor,
                Binary::Shl => Instruction::I32Shl,
                Binary::Shr => Instruction::I32ShrS,
                _ => Instruction::I32ShrU,
            });
            if operator == Binary::UShr {
                self.code.emit(Instruction::I64ExtendI32U);
                self.store(result, Repr::Long);
            } else {
                self.store(result, Repr::Int32);
            }
            return;
        }
        if self.emit_numeric_fast_path(operator, left, right, result) {
            return;
        }
        self.push_boxed(left);
        self.push_boxed(right);
        let helper = match operator {
            Binary::BitAnd => Helper::BitAnd,
            Binary::BitOr => Helper::BitOr,
            Binary::BitXor => Helper::BitXor,
            Binary::Shl => Helper::Shl,
            Binary::Shr => Helper::Shr,
            _ => Helper::UShr,
        };
        self.call_checked(Callee::Helper(helper), result);
    }

    fn emit_comparison(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) {
        if self.both(left, right, |ty| ty.is_int32()) {
            self.push(left);
            self.push(right);
            self.code.emit(match operator {
                Binary::Less => Instruction::I32LtS,
                Binary::LessEqual => Instruction::I32LeS,
                Binary::Greater => Instruction::I32GtS,
                _ => Instruction::I32GeS,
            });
        } else if self.both(left, right, |ty| ty.is_integer()) {
            self.push_long(left);
            self.push_long(right);
            self.code.emit(match operator {
                Binary::Less => Instruction::I64LtS,
                Binary::LessEqual => Instruction::I64LeS,
                Binary::Greater => Instruction::I64GtS,
                _ => Instruction::I64GeS,
            });
        } else if self.both(left, right, |ty| ty.is_number()) {
            self.push_f64(left);
            self.push_f64(right);
            self.code.emit(match operator {
                Binary::Less => Instruction::F64Lt,
                Binary::LessEqual => Instruction::F64Le,
                Binary::Greater => Instruction::F64Gt,
                _ => Instruction::F64Ge,
            });
        } else if self.emit_numeric_fast_path(operator, left, right, result) {
            return;
        } else {
            self.push_boxed(left);
            self.push_boxed(right);
            let helper = match operator {
                Binary::Less => Helper::Less,
                Binary::LessEqual => Helper::LessEqual,
                Binary::Greater => Helper::Greater,
                _ => Helper::GreaterEqual,
            };
            self.call_checked(Callee::Helper(helper), result);
            return;
        }
        self.store(result, Repr::Bool);
    }

    /// Stores the i32 on the stack (1: equal).
    fn store_equality(&mut self, negate: bool, result: Option<Reg>) {
        if negate {
            self.code.emit(Instruction::I32Eqz);
        }
        self.store(result, Repr::Bool);
    }

    /// Pushes `left === right` as i32.
    fn push_strict_equal(&mut self, left: Reg, right: Reg) {
        let (left_type, right_type) = (self.type_of(left), self.type_of(right));
        if left_type.is_integer() && right_type.is_integer() {
            self.push_long(left);
            self.push_long(right);
            self.code.emit(Instruction::I64Eq);
        } else if left_type.is_number() && right_type.is_number() {
            self.push_f64(left);
            self.push_f64(right);
            self.code.emit(Instruction::F64Eq);
        } else if left_type.compares_by_word(right_type) {
            self.push_boxed(left);
            self.push_boxed(right);
            self.code.emit(Instruction::I64Eq);
        } else if left_type.is_number() {
            self.push_equals_number(right, left);
        } else if right_type.is_number() {
            self.push_equals_number(left, right);
        } else if self.hot && (left_type.is_string() || right_type.is_string()) {
            self.push_equals_string(left, right);
        } else {
            self.push_boxed(left);
            self.push_boxed(right);
            self.code.call_helper(Helper::StrictEqual);
        }
    }

    /// Pushes whether two registers are equal of which one is a string: most often the same interned one, or no string.
    fn push_equals_string(&mut self, left: Reg, right: Reg) {
        let (string, other) = if self.type_of(left).is_string() { (left, right) } else { (right, left) };
        let other_is_string = self.type_of(other).is_string();
        self.with_boxed(other, |emitter, other| {
            emitter.with_boxed(string, |emitter, string| {
                emitter.code.get(other).get(string).emit(Instruction::I64Eq).start_if(BlockType::Result(ValType::I32));
                emitter.code.i32(1).start_else();
                if other_is_string {
                    emitter.code.get(other).get(string).call_helper(Helper::StrictEqual);
                } else {
                    emitter.code.get(other).has_tag(TAG_STRING).start_if(BlockType::Result(ValType::I32));
                    emitter.code.get(other).get(string).call_helper(Helper::StrictEqual);
                    emitter.code.start_else().i32(0).end();
                }
                emitter.code.end();
            });
        });
    }

    /// Pushes whether a boxed register equals a register that is a number. Reinterpreted as a double, every word that is
    /// not one is NaN and equal to nothing; so only ints need a look at the tag.
    fn push_equals_number(&mut self, boxed: Reg, number: Reg) {
        let int = self.known_number(number).and_then(super::values::as_int32);
        if let Some(int) = int {
            self.with_boxed(boxed, |emitter, word| {
                emitter.code.get(word).word(value::int(int)).emit(Instruction::I64Eq);
                emitter
                    .code
                    .get(word)
                    .emit(Instruction::F64ReinterpretI64)
                    .f64(f64::from(int))
                    .emit(Instruction::F64Eq);
                emitter.code.emit(Instruction::I32Or);
            });
            return;
        }
        self.with_boxed(boxed, |emitter, word| {
            emitter.code.unbox_number(word);
            emitter.push_f64(number);
            emitter.code.emit(Instruction::F64Eq);
        });
    }

    /// Pushes `left == right` as i32.
    fn push_loose_equal(&mut self, left: Reg, right: Reg) {
        let (left_type, right_type) = (self.type_of(left), self.type_of(right));
        if left_type.is_nullish() || right_type.is_nullish() {
            let other = if left_type.is_nullish() { right } else { left };
            self.push_is_nullish(other);
        } else if self.have_same_type(left, right) {
            self.push_strict_equal(left, right);
        } else {
            self.push_boxed(left);
            self.push_boxed(right);
            self.code.call_runtime(Runtime::LooseEqual);
            self.check_exception();
            self.code.emit(Instruction::I32WrapI64).i32(1).emit(Instruction::I32And);
        }
    }

    /// Whether both are certainly of one language type, so that loose equality is strict equality.
    fn have_same_type(&self, left: Reg, right: Reg) -> bool {
        let tests: [fn(Type) -> bool; 4] = [Type::is_number, Type::is_boolean, Type::is_object, Type::is_string];
        tests.into_iter().any(|test| self.both(left, right, test))
    }

    /// Pushes whether a register is undefined or null, as i32. Their words differ in the lowest bit only.
    pub fn push_is_nullish(&mut self, reg: Reg) {
        self.push_boxed(reg);
        self.code.i64(-2).emit(Instruction::I64And).word(value::UNDEFINED).emit(Instruction::I64Eq);
    }

    /// A unary operator.
    pub fn emit_unary(&mut self, operator: Unary, operand: Reg, result: Option<Reg>) {
        let ty = self.type_of(operand);
        match operator {
            Unary::Not => {
                self.push_condition(operand);
                self.code.emit(Instruction::I32Eqz);
                self.store(result, Repr::Bool);
            }
            Unary::Neg if ty.is_number() => self.emit_negation(operand, result),
            Unary::BitNot if ty.is_number() => {
                self.push_int32(operand);
                self.code.i32(-1).emit(Instruction::I32Xor);
                self.store(result, Repr::Int32);
            }
            Unary::Inc | Unary::Dec if ty.is_number() && self.repr(operand) != Repr::Boxed => {
                self.emit_step(operator == Unary::Inc, operand, result)
            }
            Unary::Plus | Unary::ToNumeric if ty.is_number() => self.emit_copy(operand, result),
            Unary::Plus if ty.is_plain_primitive() => {
                self.push_plain_primitive_as_f64(operand);
                self.store(result, Repr::Float);
            }
            Unary::ForConcat if ty.is_plain_primitive() => self.emit_copy(operand, result),
            Unary::ForConcat if self.hot => self.emit_for_concat(operand, result),
            Unary::ToObject if ty.is_object() => self.emit_copy(operand, result),
            Unary::TypeOf => {
                self.call_infallible(Runtime::TypeOf, &[Operand::Value(operand)], Some((result, Repr::Boxed)));
            }
            Unary::Inc | Unary::Dec | Unary::ToNumeric | Unary::ToPropertyKey => {
                self.emit_with_fast_path(operator, operand, result);
            }
            Unary::Neg | Unary::BitNot | Unary::Plus | Unary::ForConcat | Unary::ToObject => {
                let function = match operator {
                    Unary::Neg => Runtime::Neg,
                    Unary::BitNot => Runtime::BitNot,
                    Unary::Plus => Runtime::ToNumber,
                    Unary::ForConcat => Runtime::ToString,
                    _ => Runtime::ToObject,
                };
                self.call_value(function, &[Operand::Value(operand)], result);
            }
        }
    }

    /// Leaves strings, numbers and special values as they are; the tags of all others are greater.
    fn emit_for_concat(&mut self, operand: Reg, result: Option<Reg>) {
        let done = self.code.block(BlockType::Result(ValType::I64));
        self.with_boxed(operand, |emitter, word| {
            emitter.code.get(word).get(word).word(TAG_SYMBOL << TAG_SHIFT).emit(Instruction::I64LtU).br_if(done);
        });
        self.code.call(Callee::Runtime(Runtime::ToString));
        self.check_exception();
        self.code.end();
        self.store(result, Repr::Boxed);
    }

    /// Operators that mostly see numbers, as helpers.
    fn emit_with_fast_path(&mut self, operator: Unary, operand: Reg, result: Option<Reg>) {
        if self.hot && matches!(operator, Unary::Inc | Unary::Dec) {
            self.emit_boxed_step(operator == Unary::Inc, operand, result);
            return;
        }
        let callee = match operator {
            Unary::Inc => Callee::Helper(Helper::Inc),
            Unary::Dec => Callee::Helper(Helper::Dec),
            Unary::ToNumeric => Callee::Helper(Helper::ToNumeric),
            _ => Callee::Runtime(Runtime::ToPropertyKey),
        };
        self.push_boxed(operand);
        self.call_checked(callee, result);
    }

    fn emit_negation(&mut self, operand: Reg, result: Option<Reg>) {
        if result.is_some_and(|result| self.type_of(result).is_integer()) {
            self.code.i64(0);
            self.push_long(operand);
            self.code.emit(Instruction::I64Sub);
            self.store(result, Repr::Long);
        } else {
            self.push_f64(operand);
            self.code.emit(Instruction::F64Neg);
            self.store(result, Repr::Float);
        }
    }

    /// `++` or `--` of a number.
    fn emit_step(&mut self, up: bool, operand: Reg, result: Option<Reg>) {
        if result.is_some_and(|result| self.type_of(result).is_integer()) {
            self.push_long(operand);
            self.code.i64(if up { 1 } else { -1 }).emit(Instruction::I64Add);
            self.store(result, Repr::Long);
        } else {
            self.push_f64(operand);
            self.code.f64(if up { 1.0 } else { -1.0 }).emit(Instruction::F64Add);
            self.store(result, Repr::Float);
        }
    }

    /// A register copy.
    pub fn emit_copy(&mut self, source: Reg, result: Option<Reg>) {
        let Some(result) = result else { return };
        if self.repr(result) == Repr::Boxed {
            self.push_boxed(source);
            self.store(Some(result), Repr::Boxed);
        } else {
            self.push(source);
            let repr = self.repr(source);
            self.store(Some(result), repr);
        }
    }

    /// Pushes whether a boxed register holds an object, as i32.
    pub fn push_is_object(&mut self, reg: Reg) {
        self.push_boxed(reg);
        self.code.i64(i64::from(TAG_SHIFT)).emit(Instruction::I64ShrU);
        self.code.word(value::TAG_OBJECT).emit(Instruction::I64Eq);
    }

    /// Pushes whether a register holds exactly this word, as i32.
    pub fn push_is_word(&mut self, reg: Reg, word: u64) {
        self.push_boxed(reg);
        self.code.word(word).emit(Instruction::I64Eq);
    }

    /// A scratch i64 for code that needs one (see [`Emitter::with_local`]).
    pub fn with_word<R>(&mut self, body: impl FnOnce(&mut Self, super::code::Local) -> R) -> R {
        self.with_local(ValType::I64, body)
    }
}
