//! Operators on values of unknown type: ints and doubles here, the rest in the guest.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{self, string};
use convex_wasm_abi::value::{self, FIRST_TAGGED, TAG_BIGINT, TAG_INT, TAG_OBJECT, TAG_SHIFT, TAG_STRING};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::{A, B, Helper, return_inside};
use crate::codegen::code::{Code, Label, Local};

/// Opens an `if` for two ints in `A` and `B`.
pub(super) fn if_both_ints(code: &mut Code) -> Label {
    code.get(A).has_tag(TAG_INT).get(B).has_tag(TAG_INT).emit(Instruction::I32And);
    code.start_if(BlockType::Empty)
}

/// Puts the f64 of a word into a local; leaves for `other` if it is no number.
pub(super) fn float_or_leave(code: &mut Code, word: Local, float: Local, other: Label) {
    code.get(word).has_tag(TAG_INT);
    code.start_if(BlockType::Empty);
    code.get(word).emit(Instruction::I32WrapI64).emit(Instruction::F64ConvertI32S).set(float);
    code.start_else();
    code.get(word).word(FIRST_TAGGED).emit(Instruction::I64GeU).br_if(other);
    code.get(word).emit(Instruction::F64ReinterpretI64).set(float);
    code.end();
}

/// Puts both numbers as f64 into locals; leaves for `other` if one is no number.
pub(super) fn floats_or_leave(code: &mut Code, other: Label) -> (Local, Local) {
    let (a, b) = (code.take_local(ValType::F64), code.take_local(ValType::F64));
    float_or_leave(code, A, a, other);
    float_or_leave(code, B, b, other);
    (a, b)
}

/// Sign-extends the payload of an int.
pub(super) fn int_payload(code: &mut Code, word: Local) {
    code.get(word).emit(Instruction::I64Extend32S);
}

/// Returns the integer in `local` boxed, if it fits 32 bits.
pub(super) fn return_if_int32(code: &mut Code, local: Local) {
    code.get(local).get(local).emit(Instruction::I64Extend32S).emit(Instruction::I64Eq);
    code.start_if(BlockType::Empty);
    code.get(local).word(u64::from(u32::MAX)).emit(Instruction::I64And);
    code.word(TAG_INT << TAG_SHIFT).emit(Instruction::I64Or);
    return_inside(code);
}

/// Ints by `integer` if that does not overflow, numbers by `float`, others by the guest.
pub(super) fn arithmetic(
    code: &mut Code,
    integer: Option<Instruction<'static>>,
    float: Instruction<'static>,
    slow: Runtime,
) {
    if let Some(integer) = integer {
        let result = code.take_local(ValType::I64);
        if_both_ints(code);
        int_payload(code, A);
        int_payload(code, B);
        code.emit(integer).set(result);
        return_if_int32(code, result);
        code.end();
    }
    let other = code.block(BlockType::Empty);
    let (a, b) = floats_or_leave(code, other);
    code.get(a).get(b).emit(float).box_f64();
    return_inside(code);
    code.get(A).get(B).call_runtime(slow);
}

/// Ints whose product fits and is not a zero (which may be −0), then as other arithmetic.
pub(super) fn multiplication(code: &mut Code) {
    let result = code.take_local(ValType::I64);
    if_both_ints(code);
    int_payload(code, A);
    int_payload(code, B);
    code.emit(Instruction::I64Mul).tee(result).i64(0).emit(Instruction::I64Ne).start_if(BlockType::Empty);
    return_if_int32(code, result);
    code.end().end();
    arithmetic(code, None, Instruction::F64Mul, Runtime::Mul);
}

/// Ints with a positive divisor and no negative dividend, then doubles, then the guest.
pub(super) fn remainder(code: &mut Code) {
    if_both_ints(code);
    code.get(A).emit(Instruction::I32WrapI64).i32(0).emit(Instruction::I32GeS);
    code.get(B).emit(Instruction::I32WrapI64).i32(0).emit(Instruction::I32GtS);
    code.emit(Instruction::I32And).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I32WrapI64).get(B).emit(Instruction::I32WrapI64);
    code.emit(Instruction::I32RemU).tag_i32(TAG_INT);
    return_inside(code);
    code.end();
    let other = code.block(BlockType::Empty);
    let (a, b) = floats_or_leave(code, other);
    code.get(a).get(b).call_helper(Helper::FloatRem).box_f64();
    return_inside(code);
    code.get(A).get(B).call_runtime(Runtime::Rem);
}

/// Bitwise operators on numbers.
pub(super) fn bitwise(code: &mut Code, operation: Instruction<'static>, slow: Runtime) {
    if_both_ints(code);
    code.get(A).emit(Instruction::I32WrapI64).get(B).emit(Instruction::I32WrapI64);
    code.emit(operation.clone()).tag_i32(TAG_INT);
    return_inside(code);
    let other = code.block(BlockType::Empty);
    let (a, b) = floats_or_leave(code, other);
    code.get(a).call_helper(Helper::FloatToInt32).get(b).call_helper(Helper::FloatToInt32);
    code.emit(operation).tag_i32(TAG_INT);
    return_inside(code);
    code.get(A).get(B).call_runtime(slow);
}

pub(super) fn unsigned_shift(code: &mut Code) {
    let result = code.take_local(ValType::I64);
    let other = code.block(BlockType::Empty);
    let (a, b) = floats_or_leave(code, other);
    code.get(a).call_helper(Helper::FloatToInt32).get(b).call_helper(Helper::FloatToInt32);
    code.emit(Instruction::I32ShrU).emit(Instruction::I64ExtendI32U).set(result);
    code.get(result).box_long(result);
    return_inside(code);
    code.get(A).get(B).call_runtime(Runtime::UShr);
}

/// Comparison of numbers; the result is a boolean word.
pub(super) fn comparison(code: &mut Code, integer: Instruction<'static>, float: Instruction<'static>, slow: Runtime) {
    if_both_ints(code);
    code.get(A).emit(Instruction::I32WrapI64).get(B).emit(Instruction::I32WrapI64).emit(integer).box_bool();
    return_inside(code);
    let other = code.block(BlockType::Empty);
    let (a, b) = floats_or_leave(code, other);
    code.get(a).get(b).emit(float).box_bool();
    return_inside(code);
    code.get(A).get(B).call_runtime(slow);
}

/// `++` and `--`.
pub(super) fn step(code: &mut Code, by: i64, slow: Runtime) {
    let result = code.take_local(ValType::I64);
    let float = code.take_local(ValType::F64);
    code.get(A).has_tag(TAG_INT).start_if(BlockType::Empty);
    int_payload(code, A);
    code.i64(by).emit(Instruction::I64Add).set(result);
    return_if_int32(code, result);
    code.end();
    let other = code.block(BlockType::Empty);
    float_or_leave(code, A, float, other);
    code.get(float).f64(by as f64).emit(Instruction::F64Add).box_f64();
    return_inside(code);
    code.get(A).call_runtime(slow);
}

/// Numbers are numeric already.
pub(super) fn to_numeric(code: &mut Code) {
    code.get(A).word(TAG_INT << TAG_SHIFT | u64::from(u32::MAX)).emit(Instruction::I64LeU);
    code.start_if(BlockType::Empty);
    code.get(A);
    return_inside(code);
    code.get(A).call_runtime(Runtime::ToNumeric);
}

/// Non-negative integral dividends and positive integral divisors below 2⁶³ as integers; everything else in the guest.
pub(super) fn float_remainder(code: &mut Code) {
    let (a, b) = (code.take_local(ValType::I64), code.take_local(ValType::I64));
    code.get(A).emit(Instruction::I64TruncSatF64S).tee(a).emit(Instruction::F64ConvertI64S);
    code.get(A).emit(Instruction::F64Eq);
    code.get(B).emit(Instruction::I64TruncSatF64S).tee(b).emit(Instruction::F64ConvertI64S);
    code.get(B).emit(Instruction::F64Eq).emit(Instruction::I32And);
    code.get(A).emit(Instruction::I64ReinterpretF64).i64(0).emit(Instruction::I64GeS).emit(Instruction::I32And);
    code.get(b).i64(0).emit(Instruction::I64GtS).emit(Instruction::I32And);
    code.get(A).f64(9.0e18).emit(Instruction::F64Lt).emit(Instruction::I32And);
    code.start_if(BlockType::Empty);
    code.get(a).get(b).emit(Instruction::I64RemU).emit(Instruction::F64ConvertI64S);
    return_inside(code);
    code.get(A).get(B).call_runtime(Runtime::FloatRem);
}

pub(super) fn float_to_int32(code: &mut Code) {
    let integer = code.take_local(ValType::I64);
    code.get(A).emit(Instruction::F64Abs).f64(9.0e18).emit(Instruction::F64Lt).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I64TruncSatF64S).tee(integer).emit(Instruction::I32WrapI64);
    return_inside(code);
    code.get(A).call_runtime(Runtime::FloatToInt32);
}

pub(super) fn to_boolean(code: &mut Code) {
    // true and false differ in the lowest bit only.
    code.get(A)
        .i64(-2)
        .emit(Instruction::I64And)
        .word(value::FALSE)
        .emit(Instruction::I64Eq)
        .start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I32WrapI64).i32(1).emit(Instruction::I32And);
    return_inside(code);
    code.get(A).has_tag(TAG_OBJECT).start_if(BlockType::Empty);
    code.i32(1);
    return_inside(code);
    code.get(A).has_tag(TAG_STRING).start_if(BlockType::Empty);
    code.get(A).string_length().i32(0).emit(Instruction::I32Ne);
    return_inside(code);
    code.get(A).has_tag(TAG_INT).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I32WrapI64).i32(0).emit(Instruction::I32Ne);
    return_inside(code);
    code.get(A).word(FIRST_TAGGED).emit(Instruction::I64LtU).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::F64ReinterpretI64).emit(Instruction::F64Abs).f64(0.0).emit(Instruction::F64Gt);
    return_inside(code);
    code.get(A).call_runtime(Runtime::ToBoolean);
}

pub(super) fn strict_equal(code: &mut Code) {
    // Equal words are equal values, but for NaN.
    code.get(A).get(B).emit(Instruction::I64Eq).start_if(BlockType::Empty);
    code.get(A).word(FIRST_TAGGED).emit(Instruction::I64GeU);
    code.get(A).emit(Instruction::F64ReinterpretI64).get(A).emit(Instruction::F64ReinterpretI64);
    code.emit(Instruction::F64Eq).emit(Instruction::I32Or);
    return_inside(code);
    // Two strings: interned ones are equal only if their addresses are.
    let not_strings = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_STRING).get(B).has_tag(TAG_STRING).emit(Instruction::I32And);
    code.emit(Instruction::I32Eqz).br_if(not_strings);
    code.get(A).emit(Instruction::I32WrapI64).load_u8(layout::FLAGS);
    code.get(B).emit(Instruction::I32WrapI64).load_u8(layout::FLAGS);
    code.emit(Instruction::I32And).i32(i32::from(string::INTERNED)).emit(Instruction::I32And);
    code.start_if(BlockType::Empty);
    code.i32(0);
    return_inside(code);
    code.get(A).string_length().get(B).string_length().emit(Instruction::I32Ne).start_if(BlockType::Empty);
    code.i32(0);
    return_inside(code);
    code.get(A).get(B).call_runtime(Runtime::StrictEqual);
    return_inside(code);
    // Different words of which none is a double, and not two BigInts, differ; with a double, numbers decide.
    let other = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_BIGINT).br_if(other);
    let (a, b) = (code.take_local(ValType::F64), code.take_local(ValType::F64));
    let unequal = code.block(BlockType::Empty);
    float_or_leave(code, A, a, unequal);
    float_or_leave(code, B, b, unequal);
    code.get(a).get(b).emit(Instruction::F64Eq);
    return_inside(code);
    code.i32(0);
    return_inside(code);
    code.get(A).get(B).call_runtime(Runtime::StrictEqual);
}
