//! Inline fast paths of operators on operands of unknown type: ints and doubles here, the rest in helpers.

use convex_wasm_abi::value::{FIRST_TAGGED, TAG_INT, TAG_SHIFT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Label, Local};
use super::emitter::{Emitter, Repr};
use super::helpers::Helper;
use crate::ir::{Binary, Reg};

/// 2⁵³: up to here doubles hold all integers.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// What an operator does with ints and with doubles.
struct FastPath {
    /// On sign-extended i64 operands for arithmetic, on i32 operands otherwise.
    integer: Option<Instruction<'static>>,
    float: Option<Instruction<'static>>,
    helper: Helper,
}

impl FastPath {
    fn of(operator: Binary) -> Option<Self> {
        use Instruction as I;
        let (integer, float, helper) = match operator {
            Binary::Add => (Some(I::I64Add), Some(I::F64Add), Helper::Add),
            Binary::Sub => (Some(I::I64Sub), Some(I::F64Sub), Helper::Sub),
            Binary::Mul => (Some(I::I64Mul), Some(I::F64Mul), Helper::Mul),
            Binary::Div => (None, Some(I::F64Div), Helper::Div),
            Binary::Rem => (Some(I::I32RemU), None, Helper::Rem),
            Binary::BitAnd => (Some(I::I32And), None, Helper::BitAnd),
            Binary::BitOr => (Some(I::I32Or), None, Helper::BitOr),
            Binary::BitXor => (Some(I::I32Xor), None, Helper::BitXor),
            Binary::Shl => (Some(I::I32Shl), None, Helper::Shl),
            Binary::Shr => (Some(I::I32ShrS), None, Helper::Shr),
            Binary::Less => (Some(I::I32LtS), Some(I::F64Lt), Helper::Less),
            Binary::LessEqual => (Some(I::I32LeS), Some(I::F64Le), Helper::LessEqual),
            Binary::Greater => (Some(I::I32GtS), Some(I::F64Gt), Helper::Greater),
            Binary::GreaterEqual => (Some(I::I32GeS), Some(I::F64Ge), Helper::GreaterEqual),
            _ => return None,
        };
        Some(Self { integer, float, helper })
    }
}

/// Whether the operator's result is a boolean.
fn compares(operator: Binary) -> bool {
    matches!(operator, Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual)
}

/// Whether the operator keeps the low 32 bits of its operands only, so that int results need no check.
fn is_bitwise(operator: Binary) -> bool {
    matches!(operator, Binary::BitAnd | Binary::BitOr | Binary::BitXor | Binary::Shl | Binary::Shr)
}

impl Emitter<'_, '_> {
    /// Emits an operator with inline paths for ints and doubles; false if that would not pay here.
    pub fn emit_numeric_fast_path(&mut self, operator: Binary, left: Reg, right: Reg, result: Option<Reg>) -> bool {
        let Some(path) = FastPath::of(operator).filter(|_| self.hot) else { return false };
        let Some(result) = result else { return false };
        let string = |reg: Reg| self.type_of(reg).is_string();
        if string(left) || string(right) {
            return false;
        }
        let to = if compares(operator) {
            Repr::Bool
        } else if self.repr(result) == Repr::Float {
            Repr::Float
        } else {
            Repr::Boxed
        };
        let done = self.code.block(BlockType::Result(to.val_type()));
        let slow = self.code.block(BlockType::Empty);
        if let Some(integer) = path.integer.filter(|_| self.may_be_int(left) && self.may_be_int(right)) {
            let floats = self.code.block(BlockType::Empty);
            self.leave_unless_int(left, floats);
            self.leave_unless_int(right, floats);
            self.emit_int_path(operator, integer, left, right, to, slow);
            self.code.br(done).end();
        }
        if let Some(float) = path.float.filter(|_| self.in_loop || to == Repr::Float) {
            self.push_float_or_leave(left, slow);
            self.push_float_or_leave(right, slow);
            self.code.emit(float);
            if to == Repr::Boxed {
                self.code.box_f64();
            }
            self.code.br(done);
        } else if let Some(divisor) = self.remainder_divisor(operator, right).filter(|_| self.in_loop) {
            self.push_float_or_leave(left, slow);
            self.emit_float_remainder(divisor, slow);
            if to == Repr::Float {
                self.code.emit(Instruction::F64ConvertI64S);
            } else {
                self.code.emit(Instruction::I32WrapI64).tag_i32(TAG_INT);
            }
            self.code.br(done);
        } else {
            self.code.br(slow);
        }
        self.code.end();
        self.push_boxed(left);
        self.push_boxed(right);
        self.code.call(Callee::Helper(path.helper));
        self.check_exception();
        match to {
            Repr::Bool => {
                self.code.emit(Instruction::I32WrapI64).i32(1).emit(Instruction::I32And);
            }
            Repr::Float => self.with_local(ValType::I64, |emitter, word| {
                emitter.code.set(word).unbox_number(word);
            }),
            _ => {}
        }
        self.code.end();
        self.store(Some(result), to);
        true
    }

    /// The divisor of a remainder by a positive int that is known: such a division is a multiplication.
    pub fn remainder_divisor(&self, operator: Binary, right: Reg) -> Option<i32> {
        let divisor = self.known_number(right).filter(|_| operator == Binary::Rem)?;
        let is_positive_int = divisor.fract() == 0.0 && (1.0..=f64::from(i32::MAX)).contains(&divisor);
        is_positive_int.then_some(divisor as i32)
    }

    /// Turns the f64 on the stack into its remainder by the divisor, as i64, if it is an integer from +0 to 2⁵³; else leaves.
    pub fn emit_float_remainder(&mut self, divisor: i32, slow: Label) {
        self.with_local(ValType::F64, |emitter, float| {
            emitter.with_local(ValType::I64, |emitter, integer| {
                let code = &mut emitter.code;
                code.tee(float).f64(LARGEST_EXACT).emit(Instruction::F64Gt).br_if(slow);
                code.get(float).emit(Instruction::I64ReinterpretF64).i64(0).emit(Instruction::I64LtS).br_if(slow);
                code.get(float).emit(Instruction::I64TruncSatF64S).tee(integer).emit(Instruction::F64ConvertI64S);
                code.get(float).emit(Instruction::F64Ne).br_if(slow);
                code.get(integer).i64(divisor.into()).emit(Instruction::I64RemU);
            });
        });
    }

    /// `++` or `--` of a boxed operand, with an inline path for ints.
    pub fn emit_boxed_step(&mut self, up: bool, operand: Reg, result: Option<Reg>) {
        let done = self.code.block(BlockType::Result(ValType::I64));
        let slow = self.code.block(BlockType::Empty);
        self.leave_unless_int(operand, slow);
        self.push_int_extended(operand);
        self.code.i64(if up { 1 } else { -1 }).emit(Instruction::I64Add);
        self.with_local(ValType::I64, |emitter, sum| {
            emitter.code.set(sum);
            emitter.push_long_result(sum, Repr::Boxed, slow);
        });
        self.code.br(done).end();
        self.push_boxed(operand);
        self.code.call_helper(if up { Helper::Inc } else { Helper::Dec });
        self.check_exception();
        self.code.end();
        self.store(result, Repr::Boxed);
    }

    /// Whether an operand can take the int path: it is boxed, or an i32 already.
    fn may_be_int(&self, reg: Reg) -> bool {
        match self.repr(reg) {
            Repr::Boxed => self.type_of(reg).may_be_number(),
            repr => repr == Repr::Int32,
        }
    }

    fn leave_unless_int(&mut self, reg: Reg, other: Label) {
        if self.repr(reg) == Repr::Boxed {
            self.push(reg);
            self.code.has_tag(TAG_INT).emit(Instruction::I32Eqz).br_if(other);
        }
    }

    /// Pushes an int operand as i32.
    fn push_int(&mut self, reg: Reg) {
        self.push(reg);
        if self.repr(reg) == Repr::Boxed {
            self.code.emit(Instruction::I32WrapI64);
        }
    }

    /// Pushes an int operand as i64.
    fn push_int_extended(&mut self, reg: Reg) {
        if self.repr(reg) == Repr::Boxed {
            self.push(reg);
            self.code.emit(Instruction::I64Extend32S);
        } else {
            self.push_long(reg);
        }
    }

    /// Pushes the result for two ints in the representation `to`; leaves for `slow` where it is no int.
    fn emit_int_path(
        &mut self,
        operator: Binary,
        integer: Instruction<'static>,
        left: Reg,
        right: Reg,
        to: Repr,
        slow: Label,
    ) {
        if compares(operator) || is_bitwise(operator) {
            self.push_int(left);
            self.push_int(right);
            self.code.emit(integer);
            if !compares(operator) {
                self.push_int_result(to);
            }
        } else if operator == Binary::Rem {
            self.leave_unless_positive_remainder(left, right, slow);
            self.push_int(left);
            self.push_int(right);
            self.code.emit(integer);
            self.push_int_result(to);
        } else {
            self.push_int_extended(left);
            self.push_int_extended(right);
            self.code.emit(integer);
            self.with_local(ValType::I64, |emitter, sum| {
                emitter.code.set(sum);
                if operator == Binary::Mul {
                    // A zero may be −0.
                    emitter.code.get(sum).emit(Instruction::I64Eqz).br_if(slow);
                }
                emitter.push_long_result(sum, to, slow);
            });
        }
    }

    /// Dividends that are not negative and divisors that are positive have no special results.
    fn leave_unless_positive_remainder(&mut self, left: Reg, right: Reg, slow: Label) {
        self.push_int(left);
        self.code.i32(0).emit(Instruction::I32LtS).br_if(slow);
        if !self.known_number(right).is_some_and(|number| number > 0.0) {
            self.push_int(right);
            self.code.i32(0).emit(Instruction::I32LeS).br_if(slow);
        }
    }

    /// Converts the i32 on the stack.
    fn push_int_result(&mut self, to: Repr) {
        if to == Repr::Float {
            self.code.emit(Instruction::F64ConvertI32S);
        } else {
            self.code.tag_i32(TAG_INT);
        }
    }

    /// Pushes the integer in a local, leaving if it does not fit an int.
    fn push_long_result(&mut self, long: Local, to: Repr, slow: Label) {
        if to == Repr::Float {
            self.code.get(long).emit(Instruction::F64ConvertI64S);
            return;
        }
        self.code.get(long).get(long).emit(Instruction::I64Extend32S).emit(Instruction::I64Ne).br_if(slow);
        self.code.get(long).word(u64::from(u32::MAX)).emit(Instruction::I64And);
        self.code.word(TAG_INT << TAG_SHIFT).emit(Instruction::I64Or);
    }

    /// Pushes an operand as f64; leaves if it is boxed and no number.
    pub fn push_float_or_leave(&mut self, reg: Reg, slow: Label) {
        if self.repr(reg) != Repr::Boxed {
            if self.type_of(reg).is_number() {
                self.push_f64(reg);
            } else {
                self.code.f64(0.0).br(slow);
            }
            return;
        }
        let number = self.type_of(reg).is_number();
        self.with_boxed(reg, |emitter, word| {
            if number {
                emitter.code.unbox_number(word);
                return;
            }
            let converted = emitter.code.block(BlockType::Result(ValType::F64));
            let double = emitter.code.block(BlockType::Empty);
            emitter.code.get(word).has_tag(TAG_INT).emit(Instruction::I32Eqz).br_if(double);
            emitter.code.get(word).emit(Instruction::I32WrapI64).emit(Instruction::F64ConvertI32S).br(converted).end();
            emitter.code.get(word).word(FIRST_TAGGED).emit(Instruction::I64GeU).br_if(slow);
            emitter.code.get(word).emit(Instruction::F64ReinterpretI64).end();
        });
    }
}
