//! Sequences outlined as functions of the unit itself: common cases inline, rare ones in the guest.

mod cells;
mod construct;
mod numbers;
mod properties;

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::set_mode;
use wasm_encoder::{Instruction, ValType};

use super::code::{Code, Local};
use super::emitter::DATA_BASE;
use super::entry::uniform_signature;
use cells::{call_any, function_cell, new_array, new_literal};
use numbers::{
    arithmetic, bitwise, comparison, float_remainder, float_to_int32, multiplication, remainder, step, strict_equal,
    to_boolean, to_numeric, unsigned_shift,
};
use properties::{
    Fallback, add, call_accessor, get, get_element, get_global, has_element_count, length, set, set_element,
};

/// An outlined sequence. Values are words; `j` results may be EXCEPTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Helper {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    UShr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Inc,
    Dec,
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
    /// Whether `length` of a typed array is its number of elements: the array, offset of the cache. As i32.
    HasElementCount,
    /// A global variable: offsets of key constant and cache.
    GetGlobal,
    /// The cell to call for a callee: its own if it is a function, else the unit's stand-in, which calls it through the
    /// guest. Callee, offset of the name constant or 0.
    FunctionCell,
    /// `new`: callee, argc, the first arguments, offset of the callee's name or 0.
    Construct,
    /// `super(…)`: the active function's cell, argc, the first arguments, `new.target`.
    SuperCall,
    /// Runs a constructor for the two above.
    EnterConstructor,
    /// Entry of the stand-in.
    CallAny,
    /// A literal's object, whose properties are to be stored right after: offset of the shape's address, number of
    /// properties. Answers the address of the cell.
    NewLiteral,
    /// An array whose elements are to be stored right after: their number. Answers the address of the cell.
    NewArray,
    /// `o.key = v`: object, value, offsets of key constant and cache. Status.
    Set,
    /// As `Set` where the property is new most of the time.
    SetNew,
    /// Calls a getter: object, address of the function.
    CallGetter,
    /// Calls a setter: object, address of the function, value. Status.
    CallSetter,
    /// `o.#x`: object, offsets of the private name and of the cache.
    GetPrivate,
    /// `o.#x = v`: object, value, offsets of the private name and of the cache. Status.
    SetPrivate,
    /// Adds a private field: as `SetPrivate`.
    AddPrivate,
    /// Adds a field to a new instance: as `DefineField`.
    AddField,
    /// Defines a property: object, value, offsets of key constant and cache. Status.
    DefineField,
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
            Self::Get | Self::GetPrivate | Self::Length => Code::new(&[I64, I32, I32], &[I64]),
            Self::CallGetter => Code::new(&[I64, I32], &[I64]),
            Self::CallSetter => Code::new(&[I64, I32, I64], &[I32]),
            Self::HasElementCount => Code::new(&[I64, I32], &[I32]),
            Self::GetGlobal => Code::new(&[I32, I32], &[I64]),
            Self::NewLiteral => Code::new(&[I32, I32], &[I32]),
            Self::NewArray => Code::new(&[I32], &[I32]),
            Self::FunctionCell => Code::new(&[I64, I32], &[I32]),
            Self::Construct => Code::new(&[I64, I32, I64, I64, I64, I32], &[I64]),
            Self::SuperCall => Code::new(&[I32, I32, I64, I64, I64, I64], &[I64]),
            Self::EnterConstructor => Code::new(&[I32, I32, I64, I64, I64, I64, I32], &[I64]),
            Self::CallAny => {
                let (parameters, results) = uniform_signature();
                Code::new(&parameters, &results)
            }
            Self::Set | Self::SetNew | Self::SetPrivate | Self::AddPrivate | Self::AddField | Self::DefineField => {
                Code::new(&[I64, I64, I32, I32], &[I32])
            }
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
            Self::Get => get(&mut code, Fallback::Key(Runtime::Get)),
            Self::GetPrivate => get(&mut code, Fallback::Private(Runtime::GetPrivate)),
            Self::Length => length(&mut code),
            Self::CallGetter => call_accessor(&mut code, None),
            Self::CallSetter => call_accessor(&mut code, Some(Local(2))),
            Self::HasElementCount => has_element_count(&mut code),
            Self::GetGlobal => get_global(&mut code),
            Self::NewLiteral => new_literal(&mut code),
            Self::NewArray => new_array(&mut code),
            Self::FunctionCell => function_cell(&mut code),
            Self::Construct => construct::construct(&mut code),
            Self::SuperCall => construct::super_call(&mut code),
            Self::EnterConstructor => construct::enter_constructor(&mut code),
            Self::CallAny => call_any(&mut code),
            Self::Set => set(&mut code, Fallback::Key(Runtime::Set), set_mode::STRICT),
            Self::SetNew => add(&mut code, Fallback::Key(Runtime::Set)),
            Self::SetPrivate => set(&mut code, Fallback::Private(Runtime::SetPrivate), set_mode::STRICT),
            Self::AddPrivate => add(&mut code, Fallback::Private(Runtime::AddPrivate)),
            Self::AddField => add(&mut code, Fallback::Private(Runtime::AddField)),
            Self::DefineField => set(&mut code, Fallback::Private(Runtime::DefineField), set_mode::STRICT),
            Self::GetElement => get_element(&mut code),
            Self::SetElement => set_element(&mut code),
        }
        code.end_with_tail_call();
        code
    }
}

/// Returns early, from within an `if`.
fn return_inside(code: &mut Code) {
    code.emit(Instruction::Return).end();
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
