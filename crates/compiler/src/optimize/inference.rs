//! Type inference: transfer functions of all operations and the fixpoint over a function.

use super::types::{EXACT, Type};
use super::whole_module::Summary;
use crate::ir::{
    Arguments, Binary, ConstantValue, Function, FunctionId, Instruction, Module, Op, Reg, Terminator, Unary,
};

/// How often a register's range may grow by small steps before it is widened.
const STEPS_BEFORE_WIDENING: u8 = 3;

/// Largest constant step of a counter, see [`counted`].
const LARGEST_STEP: i64 = 256;

/// The type of every register of a function; NEVER for those that are not written as far as is known. What `summaries` say of it and of the functions it calls is taken for granted.
pub fn infer(module: &Module, function: &Function, id: FunctionId, summaries: &[Option<Summary>]) -> Vec<Type> {
    let mut types = vec![Type::NEVER; function.registers.len()];
    let mut growth = vec![0u8; function.registers.len()];
    for reg in incoming(function) {
        types[reg.0 as usize] = Type::ANY;
    }
    if let Some(summary) = &summaries[id.0 as usize] {
        for (reg, &ty) in function.parameters.iter().zip(&summary.parameters) {
            types[reg.0 as usize] = ty;
        }
    }
    if let Some(rest) = function.rest {
        types[rest.0 as usize] = Type::OBJECT;
    }
    let mut changed = true;
    while changed {
        changed = false;
        let mut define = |types: &mut Vec<Type>, reg: Reg, defined: Type| {
            let before = types[reg.0 as usize];
            let mut joined = before.join(defined);
            if joined != before {
                let steps = &mut growth[reg.0 as usize];
                *steps = steps.saturating_add(1);
                if *steps > STEPS_BEFORE_WIDENING {
                    joined = joined.widen(before);
                }
                types[reg.0 as usize] = joined;
                changed = true;
            }
        };
        for block in &function.blocks {
            for instruction in &block.instructions {
                if let Some(result) = instruction.result {
                    let defined = match known_callee(&instruction.op, summaries) {
                        Some(summary) => summary.result,
                        None => result_type(module, &types, instruction),
                    };
                    define(&mut types, result, defined);
                }
            }
            match &block.terminator {
                Terminator::Await { result, .. } | Terminator::Yield { result, .. } => {
                    define(&mut types, *result, Type::ANY)
                }
                Terminator::YieldDelegate { mode, result, .. } => {
                    define(&mut types, *mode, Type::integer(0, 2));
                    define(&mut types, *result, Type::ANY);
                }
                _ => {}
            }
        }
    }
    types
}

/// The summary of the function that an operation certainly calls.
fn known_callee<'s>(op: &Op, summaries: &'s [Option<Summary>]) -> Option<&'s Summary> {
    match op {
        Op::Call { known: Some(callee), arguments: Arguments::List(_), .. } => summaries[callee.0 as usize].as_ref(),
        _ => None,
    }
}

fn incoming(function: &Function) -> impl Iterator<Item = Reg> {
    let optional = [function.this, function.new_target, function.arguments, function.callee];
    function.parameters.iter().copied().chain(optional.into_iter().flatten())
}

/// The type of an instruction's result, given those of the registers. NEVER while an operand has no type yet.
fn result_type(module: &Module, types: &[Type], instruction: &Instruction) -> Type {
    let of = |reg: &Reg| types[reg.0 as usize];
    match &instruction.op {
        Op::Special(word) => Type::of_special(*word),
        Op::Number(number) => Type::of_number(*number),
        Op::Int(number) => Type::integer(i64::from(*number), i64::from(*number)),
        Op::Constant(constant) => match &module.constants[constant.0 as usize] {
            ConstantValue::String(_) => Type::STRING,
            ConstantValue::BigInt(_) => Type::BIGINT,
            ConstantValue::PrivateName(_) | ConstantValue::WellKnownSymbol(_) => Type::SYMBOL,
            ConstantValue::Template(..) | ConstantValue::RegExp(..) => Type::OBJECT,
        },
        Op::Copy(source) => of(source),
        Op::Binary(operator, left, right) => binary_type(*operator, of(left), of(right)),
        Op::Unary(operator, operand) => unary_type(*operator, of(operand)),
        Op::Concat(_) => Type::STRING,
        Op::IsNullish(_)
        | Op::IsUndefined(_)
        | Op::IsEmpty(_)
        | Op::IsObject(_)
        | Op::Delete(..)
        | Op::HasPrivate(..)
        | Op::IsTypedArray { .. }
        | Op::DelegateReturned(_) => Type::BOOLEAN,
        Op::Get(object, key) => match &module.constants[key.0 as usize] {
            ConstantValue::String(name)
                if of(object).is_string() && name.iter().copied().eq("length".encode_utf16()) =>
            {
                Type::integer(0, i64::from(i32::MAX))
            }
            _ => Type::ANY,
        },
        Op::Construct { .. }
        | Op::SuperCall { .. }
        | Op::NewObject(_)
        | Op::NewArray(_)
        | Op::ObjectRest(..)
        | Op::NewFunction { .. }
        | Op::NewClass { .. }
        | Op::ClassPrototype(_)
        | Op::NewRegExp(..)
        | Op::IteratorRest(_)
        | Op::ImportDynamic(_)
        | Op::ImportMeta => Type::OBJECT,
        Op::IteratorOpen(..)
        | Op::AsyncIteratorOpen(..)
        | Op::ForInOpen(_)
        | Op::DelegateOpen { .. }
        | Op::NewDisposables => Type::INTERNAL,
        Op::ElementCount(_) => Type::integer(0, i64::from(i32::MAX)),
        Op::LoadElement { absent_is_nan: true, .. } => Type::NUMBER,
        Op::LoadElement { .. } => Type::NUMBER.join(Type::UNDEFINED),
        Op::ForInNext(_) => Type::STRING.join(Type::INTERNAL),
        _ => Type::ANY,
    }
}

fn unary_type(operator: Unary, operand: Type) -> Type {
    if operand == Type::NEVER {
        return Type::NEVER;
    }
    let numeric = if operand.is_plain_primitive() { Type::NUMBER } else { Type::NUMERIC };
    match operator {
        Unary::Not => Type::BOOLEAN,
        Unary::TypeOf => Type::STRING,
        Unary::ForConcat if operand.is_plain_primitive() => operand,
        Unary::ForConcat => Type::TEXT,
        Unary::ToObject => Type::OBJECT,
        Unary::ToPropertyKey => Type::STRING.join(Type::SYMBOL).join(Type::INT32),
        Unary::Plus if operand.is_number() => operand,
        Unary::Plus => Type::NUMBER,
        Unary::ToNumeric if operand.is_number() => operand,
        Unary::ToNumeric => numeric,
        Unary::Inc => counted(operand, 1).unwrap_or(numeric),
        Unary::Dec => counted(operand, -1).unwrap_or(numeric),
        Unary::BitNot if operand.is_plain_primitive() => Type::INT32,
        Unary::BitNot => Type::INT32.join(Type::BIGINT),
        Unary::Neg => match operand.range() {
            Some((low, high)) if low > 0 || high < 0 => Type::integer(-high, -low),
            _ => numeric,
        },
    }
}

/// The type of a counter after a step by a small constant: integers stay within ±2⁵³.
///
/// A loop that only ever adds constants of at most 256 to an integer would need 2⁴⁵ rounds, hours, to leave that range.
/// Every faster growth (multiplication, adding variables) leaves the ranges that the fixpoint allows and becomes a double.
fn counted(operand: Type, step: i64) -> Option<Type> {
    let (low, high) = operand.range()?;
    (step.abs() <= LARGEST_STEP).then(|| Type::integer((low + step).max(-EXACT), (high + step).min(EXACT)))
}

fn binary_type(operator: Binary, left: Type, right: Type) -> Type {
    if left == Type::NEVER || right == Type::NEVER {
        return Type::NEVER;
    }
    // Arithmetic of a BigInt and a number throws, so one number (or plain primitive) makes the result a number.
    let plain = left.is_plain_primitive() || right.is_plain_primitive();
    let numeric = if plain { Type::NUMBER } else { Type::NUMERIC };
    let bits = if plain { Type::INT32 } else { Type::INT32.join(Type::BIGINT) };
    match operator {
        Binary::Add => add_type(left, right),
        Binary::Sub => integer_difference(left, right).unwrap_or(numeric),
        Binary::Mul => integer_product(left, right).unwrap_or(numeric),
        Binary::Rem => integer_remainder(left, right).unwrap_or(numeric),
        Binary::Div | Binary::Exp => numeric,
        Binary::BitAnd => match (left.range(), right.range()) {
            (_, Some((mask, high))) | (Some((mask, high)), _) if mask >= 0 && high <= i64::from(i32::MAX) && plain => {
                Type::integer(0, high)
            }
            _ => bits,
        },
        Binary::BitOr | Binary::BitXor | Binary::Shl | Binary::Shr => bits,
        Binary::UShr => Type::integer(0, i64::from(u32::MAX)),
        Binary::Less
        | Binary::LessEqual
        | Binary::Greater
        | Binary::GreaterEqual
        | Binary::StrictEqual
        | Binary::StrictNotEqual
        | Binary::LooseEqual
        | Binary::LooseNotEqual
        | Binary::In
        | Binary::InstanceOf => Type::BOOLEAN,
    }
}

fn add_type(left: Type, right: Type) -> Type {
    if left.is_string() || right.is_string() {
        return Type::STRING;
    }
    match (left.range(), right.range()) {
        (_, Some((step, high))) if step == high && step.abs() <= LARGEST_STEP => {
            if let Some(counted) = counted(left, step) {
                return counted;
            }
        }
        (Some((left_low, left_high)), Some((right_low, right_high))) => {
            return Type::integer(left_low + right_low, left_high + right_high);
        }
        _ => {}
    }
    if left.is_number() && right.is_number() {
        return Type::NUMBER;
    }
    let may_concatenate =
        left.may_be_string() || right.may_be_string() || left.may_be_object() || right.may_be_object();
    match (may_concatenate, left.is_plain_primitive() || right.is_plain_primitive()) {
        (false, true) => Type::NUMBER,
        (false, false) => Type::NUMERIC,
        (true, true) => Type::NUMBER.join(Type::STRING),
        (true, false) => Type::NUMERIC.join(Type::STRING),
    }
}

fn integer_difference(left: Type, right: Type) -> Option<Type> {
    let (right_low, right_high) = right.range()?;
    if right_low == right_high
        && let Some(counted) = counted(left, -right_low)
    {
        return Some(counted);
    }
    let (left_low, left_high) = left.range()?;
    Some(Type::integer(left_low - right_high, left_high - right_low))
}

/// The product of integers, unless it can be −0 (zero times a negative number).
fn integer_product(left: Type, right: Type) -> Option<Type> {
    let ((left_low, left_high), (right_low, right_high)) = (left.range()?, right.range()?);
    let minus_zero =
        (left_low <= 0 && left_high >= 0 && right_low < 0) || (right_low <= 0 && right_high >= 0 && left_low < 0);
    if minus_zero {
        return None;
    }
    let corners = [left_low, left_high]
        .into_iter()
        .flat_map(|left| [right_low, right_high].map(|right| i128::from(left) * i128::from(right)));
    let (low, high) = corners.fold((i128::MAX, i128::MIN), |(low, high), corner| (low.min(corner), high.max(corner)));
    Some(Type::integer(i64::try_from(low).ok()?, i64::try_from(high).ok()?))
}

/// The remainder of integers: no −0 for a non-negative dividend, no NaN for a positive divisor.
fn integer_remainder(left: Type, right: Type) -> Option<Type> {
    let ((left_low, left_high), (right_low, right_high)) = (left.range()?, right.range()?);
    (left_low >= 0 && right_low > 0).then(|| Type::integer(0, left_high.min(right_high - 1)))
}
