//! Sequences outlined as functions of the unit itself: common cases inline, rare ones in the guest.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{self, array, function, inline_cache, kind, more_entry, object, string, typed_array};
use convex_wasm_abi::memory::{ARGUMENTS, HEAP_LIMIT, HEAP_TOP, PROTO_EPOCH};
use convex_wasm_abi::value::{self, FIRST_TAGGED, TAG_BIGINT, TAG_INT, TAG_OBJECT, TAG_SHIFT, TAG_STRING};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Code, Label, Local, at};
use super::data::STAND_IN;
use super::emitter::{DATA_BASE, TABLE_BASE};
use super::entry::uniform_signature;
use super::typed_arrays;

/// An outlined sequence. Values are words; `j` results may be EXCEPTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Helper {
    Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, UShr, Less, LessEqual, Greater, GreaterEqual, Inc, Dec,
    ToNumeric,
    /// `f64 % f64`, by integers where they are.
    FloatRem,
    /// ToInt32 of an f64.
    FloatToInt32,
    /// Truthiness as i32.
    ToBoolean,
    /// `===` as i32.
    StrictEqual,
    /// `o.key`: object, offsets of key constant and cache.
    Get,
    /// `o.length`: as `Get`.
    Length,
    /// A global variable: offsets of key constant and cache.
    GetGlobal,
    /// The cell to call for a callee: its own if it is a function, else the unit's stand-in, which calls it through the
    /// guest. Callee, offset of the name constant or 0.
    FunctionCell,
    /// Entry of the stand-in.
    CallAny,
    /// A literal's object, whose properties are to be stored right after: offset of the shape's address, number of
    /// properties. Answers the address of the cell.
    NewLiteral,
    /// `o.key = v`: object, value, offsets of key constant and cache. Status.
    Set,
    /// `o[k]`
    GetElement,
    /// `o[k] = v`. Status.
    SetElement,
}

/// Table element of [`Helper::CallAny`]: behind the module's body.
pub const STAND_IN_ELEMENT: i32 = 1;

const A: Local = Local(0);
const B: Local = Local(1);

impl Helper {
    /// The helper's code.
    pub fn code(self) -> Code {
        use ValType::{F64, I32, I64};
        let mut code = match self {
            Self::Inc | Self::Dec | Self::ToNumeric => Code::new(&[I64], &[I64]),
            Self::FloatRem => Code::new(&[F64, F64], &[F64]),
            Self::FloatToInt32 => Code::new(&[F64], &[I32]),
            Self::ToBoolean => Code::new(&[I64], &[I32]),
            Self::StrictEqual => Code::new(&[I64, I64], &[I32]),
            Self::Get | Self::Length => Code::new(&[I64, I32, I32], &[I64]),
            Self::GetGlobal => Code::new(&[I32, I32], &[I64]),
            Self::NewLiteral => Code::new(&[I32, I32], &[I32]),
            Self::FunctionCell => Code::new(&[I64, I32], &[I32]),
            Self::CallAny => {
                let (parameters, results) = uniform_signature();
                Code::new(&parameters, &results)
            }
            Self::Set => Code::new(&[I64, I64, I32, I32], &[I32]),
            Self::SetElement => Code::new(&[I64, I64, I64], &[I32]),
            _ => Code::new(&[I64, I64], &[I64]),
        };
        match self {
            Self::Add => arithmetic(&mut code, Some(Instruction::I64Add), Instruction::F64Add, Runtime::Add),
            Self::Sub => arithmetic(&mut code, Some(Instruction::I64Sub), Instruction::F64Sub, Runtime::Sub),
            Self::Mul => multiplication(&mut code),
            Self::Div => arithmetic(&mut code, None, Instruction::F64Div, Runtime::Div),
            Self::Rem => remainder(&mut code),
            Self::BitAnd => bitwise(&mut code, Instruction::I32And, Runtime::BitAnd),
            Self::BitOr => bitwise(&mut code, Instruction::I32Or, Runtime::BitOr),
            Self::BitXor => bitwise(&mut code, Instruction::I32Xor, Runtime::BitXor),
            Self::Shl => bitwise(&mut code, Instruction::I32Shl, Runtime::Shl),
            Self::Shr => bitwise(&mut code, Instruction::I32ShrS, Runtime::Shr),
            Self::UShr => unsigned_shift(&mut code),
            Self::Less => comparison(&mut code, Instruction::I32LtS, Instruction::F64Lt, Runtime::Less),
            Self::LessEqual => comparison(&mut code, Instruction::I32LeS, Instruction::F64Le, Runtime::LessEqual),
            Self::Greater => comparison(&mut code, Instruction::I32GtS, Instruction::F64Gt, Runtime::Greater),
            Self::GreaterEqual => comparison(&mut code, Instruction::I32GeS, Instruction::F64Ge, Runtime::GreaterEqual),
            Self::Inc => step(&mut code, 1, Runtime::Inc),
            Self::Dec => step(&mut code, -1, Runtime::Dec),
            Self::ToNumeric => to_numeric(&mut code),
            Self::FloatRem => float_remainder(&mut code),
            Self::FloatToInt32 => float_to_int32(&mut code),
            Self::ToBoolean => to_boolean(&mut code),
            Self::StrictEqual => strict_equal(&mut code),
            Self::Get => get(&mut code),
            Self::Length => length(&mut code),
            Self::GetGlobal => get_global(&mut code),
            Self::NewLiteral => new_literal(&mut code),
            Self::FunctionCell => function_cell(&mut code),
            Self::CallAny => call_any(&mut code),
            Self::Set => set(&mut code),
            Self::GetElement => get_element(&mut code),
            Self::SetElement => set_element(&mut code),
        }
        code
    }
}

/// Returns early, from within an `if`.
fn return_inside(code: &mut Code) {
    code.emit(Instruction::Return).end();
}

/// Opens an `if` for two ints in `A` and `B`.
fn if_both_ints(code: &mut Code) -> Label {
    code.get(A).has_tag(TAG_INT).get(B).has_tag(TAG_INT).emit(Instruction::I32And);
    code.start_if(BlockType::Empty)
}

/// Puts the f64 of a word into a local; leaves for `other` if it is no number.
fn float_or_leave(code: &mut Code, word: Local, float: Local, other: Label) {
    code.get(word).has_tag(TAG_INT);
    code.start_if(BlockType::Empty);
    code.get(word).emit(Instruction::I32WrapI64).emit(Instruction::F64ConvertI32S).set(float);
    code.start_else();
    code.get(word).word(FIRST_TAGGED).emit(Instruction::I64GeU).br_if(other);
    code.get(word).emit(Instruction::F64ReinterpretI64).set(float);
    code.end();
}

/// Puts both numbers as f64 into locals; leaves for `other` if one is no number.
fn floats_or_leave(code: &mut Code, other: Label) -> (Local, Local) {
    let (a, b) = (code.take_local(ValType::F64), code.take_local(ValType::F64));
    float_or_leave(code, A, a, other);
    float_or_leave(code, B, b, other);
    (a, b)
}

/// Sign-extends the payload of an int.
fn int_payload(code: &mut Code, word: Local) {
    code.get(word).emit(Instruction::I64Extend32S);
}

/// Returns the integer in `local` boxed, if it fits 32 bits.
fn return_if_int32(code: &mut Code, local: Local) {
    code.get(local).get(local).emit(Instruction::I64Extend32S).emit(Instruction::I64Eq);
    code.start_if(BlockType::Empty);
    code.get(local).word(u64::from(u32::MAX)).emit(Instruction::I64And);
    code.word(TAG_INT << TAG_SHIFT).emit(Instruction::I64Or);
    return_inside(code);
}

/// Ints by `integer` if that does not overflow, numbers by `float`, others by the guest.
fn arithmetic(code: &mut Code, integer: Option<Instruction<'static>>, float: Instruction<'static>, slow: Runtime) {
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
fn multiplication(code: &mut Code) {
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
fn remainder(code: &mut Code) {
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
fn bitwise(code: &mut Code, operation: Instruction<'static>, slow: Runtime) {
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

fn unsigned_shift(code: &mut Code) {
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
fn comparison(code: &mut Code, integer: Instruction<'static>, float: Instruction<'static>, slow: Runtime) {
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
fn step(code: &mut Code, by: i64, slow: Runtime) {
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
fn to_numeric(code: &mut Code) {
    code.get(A).word(TAG_INT << TAG_SHIFT | u64::from(u32::MAX)).emit(Instruction::I64LeU);
    code.start_if(BlockType::Empty);
    code.get(A);
    return_inside(code);
    code.get(A).call_runtime(Runtime::ToNumeric);
}

/// Non-negative integral dividends and positive integral divisors below 2⁶³ as integers; everything else in the guest.
fn float_remainder(code: &mut Code) {
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

fn float_to_int32(code: &mut Code) {
    let integer = code.take_local(ValType::I64);
    code.get(A).emit(Instruction::F64Abs).f64(9.0e18).emit(Instruction::F64Lt).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I64TruncSatF64S).tee(integer).emit(Instruction::I32WrapI64);
    return_inside(code);
    code.get(A).call_runtime(Runtime::FloatToInt32);
}

fn to_boolean(code: &mut Code) {
    // true and false differ in the lowest bit only.
    code.get(A).i64(-2).emit(Instruction::I64And).word(value::FALSE).emit(Instruction::I64Eq).start_if(BlockType::Empty);
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

fn strict_equal(code: &mut Code) {
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

/// Pushes the absolute address of a part of the data whose offset is in a local.
fn data_address(code: &mut Code, offset: Local) {
    code.emit(Instruction::GlobalGet(DATA_BASE)).get(offset).emit(Instruction::I32Add);
}

/// Pushes the key's address.
fn key_address(code: &mut Code, offset: Local) {
    data_address(code, offset);
    code.load_i32(0);
}

/// Property read: own hits, prototype hits, then the guest.
fn get(code: &mut Code) {
    let (key, cache) = (Local(1), Local(2));
    let absolute = code.take_local(ValType::I32);
    let shape = code.take_local(ValType::I32);
    data_address(code, cache);
    code.set(absolute);
    let slow = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    code.get(A).emit(Instruction::I32WrapI64).load_i32(object::SHAPE).tee(shape);
    code.get(absolute).load_i32(inline_cache::OWN_SHAPE).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I32WrapI64).get(absolute).load_i32(inline_cache::OWN_OFFSET);
    code.emit(Instruction::I32Add).load_i64(0);
    return_inside(code);
    let further = code.block(BlockType::Empty);
    holder_hit(code, shape, absolute, further);
    return_inside(code);
    find_more(code, shape, absolute, slow, |code, entry| {
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::INLINE.cast_signed()).emit(Instruction::I32Eq);
        code.start_if(BlockType::Empty);
        code.get(A).emit(Instruction::I32WrapI64).get(entry).load_i32(more_entry::WHERE);
        code.emit(Instruction::I32Add).load_i64(0);
        return_inside(code);
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::HOLDER.cast_signed()).emit(Instruction::I32Ne);
        code.br_if(slow).get(entry).load_i32(more_entry::WHERE).load_i64(0).emit(Instruction::Return);
    });
    code.end();
    code.get(A);
    key_address(code, key);
    code.get(absolute).call_runtime(Runtime::Get);
}

/// `length` of strings, arrays and typed arrays, then as any property.
fn length(code: &mut Code) {
    let (cell, shape) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let absolute = code.take_local(ValType::I32);
    code.get(A).has_tag(TAG_STRING).start_if(BlockType::Empty);
    code.get(A).string_length().tag_i32(TAG_INT);
    return_inside(code);
    code.get(A).has_tag(TAG_OBJECT).start_if(BlockType::Empty);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
    code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(cell).load_u8(layout::FLAGS).i32(i32::from(array::SPARSE)).emit(Instruction::I32And);
    code.emit(Instruction::I32Eqz).start_if(BlockType::Empty);
    code.get(cell).load_i32(array::LENGTH).tag_i32(TAG_INT);
    return_inside(code);
    code.end();
    let other = code.block(BlockType::Empty);
    data_address(code, Local(2));
    code.set(absolute).get(cell).load_i32(object::SHAPE).set(shape);
    find_more(code, shape, absolute, other, |code, entry| {
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::ELEMENT_COUNT.cast_signed());
        code.emit(Instruction::I32Ne).br_if(other);
        code.get(cell).load_i32(typed_array::LENGTH).tee(shape).emit(Instruction::I32Eqz).br_if(other);
        code.get(shape).tag_i32(TAG_INT).emit(Instruction::Return);
    });
    code.end().end();
    code.get(A).get(Local(1)).get(Local(2)).call_helper(Helper::Get);
}

/// Pushes the word in the cached slot of a holder, or leaves.
fn holder_hit(code: &mut Code, shape: Local, cache: Local, slow: Label) {
    code.get(shape).get(cache).load_i32(inline_cache::HOLDER_SHAPE).emit(Instruction::I32Ne).br_if(slow);
    code.load_cell_i32(PROTO_EPOCH).get(cache).load_i32(inline_cache::EPOCH).emit(Instruction::I32Ne).br_if(slow);
    code.get(cache).load_i32(inline_cache::HOLDER_SLOT).load_i64(0);
}

fn get_global(code: &mut Code) {
    let (key, cache) = (Local(0), Local(1));
    let absolute = code.take_local(ValType::I32);
    let slot = code.take_local(ValType::I32);
    data_address(code, cache);
    code.set(absolute);
    let slow = code.block(BlockType::Empty);
    code.load_cell_i32(PROTO_EPOCH).get(absolute).load_i32(inline_cache::EPOCH).emit(Instruction::I32Ne).br_if(slow);
    code.get(absolute).load_i32(inline_cache::HOLDER_SLOT).tee(slot).emit(Instruction::I32Eqz).br_if(slow);
    code.get(slot).load_i64(0);
    return_inside(code);
    key_address(code, key);
    code.get(absolute).call_runtime(Runtime::GetGlobal);
}

/// Bump allocation, or the guest with placeholders for the properties.
fn new_literal(code: &mut Code) {
    let (shape, count) = (Local(0), Local(1));
    let (cell, end) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let capacity = code.take_local(ValType::I32);
    let smallest = object::MIN_INLINE_CAPACITY.cast_signed();
    data_address(code, shape);
    code.load_i32(0).set(shape);
    code.get(count).i32(smallest).get(count).i32(smallest).emit(Instruction::I32GtU).emit(Instruction::Select).set(capacity);
    let full = code.block(BlockType::Empty);
    code.load_cell_i32(HEAP_TOP).tee(cell).i32(object::INLINE_SLOTS.cast_signed()).emit(Instruction::I32Add);
    code.get(capacity).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add).tee(end);
    code.load_cell_i32(HEAP_LIMIT).emit(Instruction::I32GtU).br_if(full);
    code.i32(0).get(end).store_i32(HEAP_TOP);
    code.get(cell).get(capacity).i32(16).emit(Instruction::I32Shl).i32(i32::from(kind::OBJECT)).emit(Instruction::I32Or);
    code.store_i32(0).get(cell).get(shape).store_i32(object::SHAPE).get(cell).i32(0).store_i32(object::SLOTS);
    for slot in 0..object::MIN_INLINE_CAPACITY {
        code.get(cell).word(value::UNDEFINED).store_i64(object::INLINE_SLOTS + 8 * slot);
    }
    code.get(cell);
    return_inside(code);
    code.get(count).set(end);
    let filled = code.block(BlockType::Empty);
    let fill = code.start_loop();
    code.get(end).emit(Instruction::I32Eqz).br_if(filled);
    code.get(end).i32(1).emit(Instruction::I32Sub).tee(end).i32(3).emit(Instruction::I32Shl);
    code.word(value::UNDEFINED).store_i64(ARGUMENTS).br(fill).end().end();
    code.get(shape).get(count).call_runtime(Runtime::NewLiteral).emit(Instruction::I32WrapI64);
}

fn function_cell(code: &mut Code) {
    let name = Local(1);
    let cell = code.take_local(ValType::I32);
    let other = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(other);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND);
    code.i32(i32::from(kind::FUNCTION)).emit(Instruction::I32Ne).br_if(other);
    code.get(cell);
    return_inside(code);
    code.emit(Instruction::GlobalGet(DATA_BASE)).i32(STAND_IN.cast_signed()).emit(Instruction::I32Add).set(cell);
    code.get(cell).emit(Instruction::GlobalGet(TABLE_BASE)).i32(STAND_IN_ELEMENT).emit(Instruction::I32Add);
    code.store_i32(function::CODE);
    code.get(cell).get(A).store_i64(function::HOME);
    code.get(cell).get(name).start_if(BlockType::Result(ValType::I32));
    key_address(code, name);
    code.start_else().i32(0).end().store_i32(function::INFO);
    code.get(cell);
}

/// Calls the callee that `function_cell` left in the stand-in, at once: nothing runs in between.
fn call_any(code: &mut Code) {
    code.get(A).load_i64(function::HOME);
    for parameter in 1..6 {
        code.get(Local(parameter));
    }
    code.get(A).load_i32(function::INFO).call_runtime(Runtime::Call);
}

/// Runs `found` with the entry for further shapes that holds for `shape`; leaves if there is none. `found` must not fall
/// through.
fn find_more(code: &mut Code, shape: Local, cache: Local, slow: Label, found: impl FnOnce(&mut Code, Local)) {
    let entry = code.take_local(ValType::I32);
    let epoch = code.take_local(ValType::I32);
    code.get(cache).load_i32(inline_cache::MORE).tee(entry).emit(Instruction::I32Eqz).br_if(slow);
    let matching = code.block(BlockType::Empty);
    for number in 0..more_entry::COUNT {
        if number > 0 {
            code.get(entry).i32(more_entry::SIZE.cast_signed()).emit(Instruction::I32Add).set(entry);
        }
        code.get(entry).load_i32(more_entry::SHAPE).get(shape).emit(Instruction::I32Eq).br_if(matching);
    }
    code.br(slow).end();
    code.get(entry).load_i32(more_entry::EPOCH).tee(epoch).load_cell_i32(PROTO_EPOCH).emit(Instruction::I32Ne);
    code.get(epoch).i32(0).emit(Instruction::I32Ne).emit(Instruction::I32And).br_if(slow);
    found(code, entry);
    code.release_local(entry);
    code.release_local(epoch);
}

/// Property write: own hits, further shapes, additions in an inline slot, then the guest.
fn set(code: &mut Code) {
    let (key, cache) = (Local(2), Local(3));
    let (absolute, shape) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    let (cell, slot) = (code.take_local(ValType::I32), code.take_local(ValType::I32));
    data_address(code, cache);
    code.set(absolute);
    let slow = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_i32(object::SHAPE).tee(shape);
    code.get(absolute).load_i32(inline_cache::OWN_SHAPE).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(cell).get(absolute).load_i32(inline_cache::OWN_OFFSET).emit(Instruction::I32Add);
    code.get(B).store_i64(0).i32(0);
    return_inside(code);
    find_more(code, shape, absolute, slow, |code, entry| {
        // Kind and flags: an ordinary object that is neither restricted nor a prototype.
        code.get(cell).emit(Instruction::I32Load16U(at(layout::KIND, 1))).i32(i32::from(kind::OBJECT));
        code.emit(Instruction::I32Ne).br_if(slow);
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::INLINE.cast_signed()).emit(Instruction::I32Eq);
        code.start_if(BlockType::Empty);
        code.get(cell).get(entry).load_i32(more_entry::WHERE).emit(Instruction::I32Add).get(B).store_i64(0).i32(0);
        return_inside(code);
        code.get(entry).load_i32(more_entry::FOUND).i32(more_entry::ADDITION.cast_signed()).emit(Instruction::I32Ne);
        code.br_if(slow);
        code.get(entry).load_i32(more_entry::SLOT).tee(slot);
        code.get(cell).emit(Instruction::I32Load16U(at(object::INLINE_CAPACITY, 1))).emit(Instruction::I32GeU).br_if(slow);
        code.get(cell).get(slot).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add);
        code.get(B).store_i64(object::INLINE_SLOTS);
        code.get(cell).get(entry).load_i32(more_entry::WHERE).store_i32(object::SHAPE);
        code.i32(0).emit(Instruction::Return);
    });
    code.end();
    code.get(A);
    key_address(code, key);
    code.get(B).get(absolute).i32(1).call_runtime(Runtime::Set);
}

/// Pushes the element index that the key in `B` is, or leaves: ints and integral doubles.
fn index_or_leave(code: &mut Code, index: Local, other: Label) {
    let float = code.take_local(ValType::F64);
    code.get(B).has_tag(TAG_INT).start_if(BlockType::Empty);
    code.get(B).emit(Instruction::I32WrapI64).set(index);
    code.start_else();
    code.get(B).word(FIRST_TAGGED).emit(Instruction::I64GeU).br_if(other);
    code.get(B).emit(Instruction::F64ReinterpretI64).tee(float);
    code.get(float).emit(Instruction::I32TruncSatF64U).tee(index).emit(Instruction::F64ConvertI32U);
    code.emit(Instruction::F64Ne).br_if(other);
    code.end();
    code.release_local(float);
}

fn get_element(code: &mut Code) {
    let (index, cell, cell_kind) =
        (code.take_local(ValType::I32), code.take_local(ValType::I32), code.take_local(ValType::I32));
    let word = code.take_local(ValType::I64);
    let slow = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    index_or_leave(code, index, slow);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND).tee(cell_kind);
    code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(index).get(cell).load_i32(array::LENGTH).emit(Instruction::I32GeU).br_if(slow);
    code.get(cell).load_i32(array::ELEMENTS).get(index).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add);
    code.load_i64(0).tee(word).word(value::EMPTY).emit(Instruction::I64Eq).br_if(slow);
    code.get(word);
    return_inside(code);
    typed_arrays::emit_boxed_get(code, cell, cell_kind, index, slow);
    code.end();
    code.get(A).get(B).call_runtime(Runtime::GetElement);
}

fn set_element(code: &mut Code) {
    let v = Local(2);
    let (index, cell, cell_kind) =
        (code.take_local(ValType::I32), code.take_local(ValType::I32), code.take_local(ValType::I32));
    let slow = code.block(BlockType::Empty);
    code.get(A).has_tag(TAG_OBJECT).emit(Instruction::I32Eqz).br_if(slow);
    index_or_leave(code, index, slow);
    code.get(A).emit(Instruction::I32WrapI64).tee(cell).load_u8(layout::KIND).tee(cell_kind);
    code.i32(i32::from(kind::ARRAY)).emit(Instruction::I32Eq).start_if(BlockType::Empty);
    code.get(cell).load_u8(layout::FLAGS).br_if(slow);
    code.get(index).get(cell).load_i32(array::LENGTH).emit(Instruction::I32GeU).br_if(slow);
    code.get(cell).load_i32(array::ELEMENTS).get(index).i32(3).emit(Instruction::I32Shl).emit(Instruction::I32Add);
    code.tee(cell).load_i64(0).word(value::EMPTY).emit(Instruction::I64Eq).br_if(slow);
    code.get(cell).get(v).store_i64(0).i32(0);
    return_inside(code);
    typed_arrays::emit_boxed_set(code, cell, cell_kind, index, v, slow);
    code.end();
    code.get(A).get(B).get(v).i32(1).call_runtime(Runtime::SetElement);
}
