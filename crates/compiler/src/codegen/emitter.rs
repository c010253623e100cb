//! State of one function's code generation, and how its registers become Wasm locals.

use std::collections::{BTreeSet, HashMap};

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::memory::ARGUMENTS;
use convex_wasm_abi::value;
use wasm_encoder::{Instruction, ValType};

use super::code::{Callee, Code, Label, Local};
use super::data::Data;
use super::methods::Methods;
use crate::element::Element;
use crate::ir::{
    Binary, Constant, Function, FunctionId, Instruction as IrInstruction, Module, Op, Reg, RegKind, Unary,
};
use crate::optimize::element_hints as hints;
use crate::optimize::instances::new_instances;
use crate::optimize::liveness::Liveness;
use crate::optimize::operands::{op_uses, terminator_uses};
use crate::optimize::types::Type;
use crate::optimize::whole_module::ModuleTypes;

/// Wasm global: address of the unit's data.
pub const DATA_BASE: u32 = 0;
/// Wasm global: first element of the unit in the table.
pub const TABLE_BASE: u32 = 1;

/// How a register's value is held in its Wasm local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repr {
    /// A NaN-boxed word.
    Boxed,
    /// A number as f64.
    Float,
    /// An integer of 32 bits with sign, as i32.
    Int32,
    /// An integer within ±2⁵³, as i64.
    Long,
    /// A boolean as i32.
    Bool,
    /// An environment's address as i32.
    Env,
}

impl Repr {
    /// The best representation for values of a type.
    pub fn of(kind: RegKind, ty: Type) -> Self {
        match kind {
            RegKind::Env => Self::Env,
            RegKind::Value if ty.is_boolean() => Self::Bool,
            RegKind::Value if ty.is_int32() => Self::Int32,
            RegKind::Value if ty.is_integer() => Self::Long,
            RegKind::Value if ty.is_number() => Self::Float,
            RegKind::Value => Self::Boxed,
        }
    }

    /// Type of the local.
    pub fn val_type(self) -> ValType {
        match self {
            Self::Boxed | Self::Long => ValType::I64,
            Self::Float => ValType::F64,
            Self::Int32 | Self::Bool | Self::Env => ValType::I32,
        }
    }
}

/// A register whose only definition is a constant: it needs no local.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// `undefined`, `null`, a boolean, EMPTY.
    Special(u64),
    /// A number.
    Number(f64),
    /// A heap constant.
    Heap(Constant),
}

/// What code generation of all functions of a unit shares.
pub struct Unit<'a> {
    /// The module.
    pub module: &'a Module,
    /// Its data segment.
    pub data: Data,
    /// Types of all functions' registers.
    pub types: ModuleTypes,
    /// Functions that method calls may reach.
    pub methods: Methods,
    /// Functions that have a direct entry.
    pub direct: Vec<Option<DirectEntry>>,
    /// Element type of the typed array that each binding most probably holds.
    pub binding_hints: Vec<Option<Element>>,
}

/// A direct entry: what it receives, and in which representations.
#[derive(Clone, Debug)]
pub struct DirectEntry {
    /// The function object's word.
    pub callee: bool,
    /// The captured environment's address.
    pub env: bool,
    /// `this`.
    pub this: bool,
    /// Positional parameters.
    pub parameters: Vec<Repr>,
    /// What it returns: boxed, Float or Long, each of which has room for EXCEPTION.
    pub result: Repr,
    /// Nothing calls the function by its uniform entry.
    pub closed: bool,
}

/// Code generation of one function.
pub struct Emitter<'u, 'a> {
    /// The unit.
    pub unit: &'u mut Unit<'a>,
    /// The simplified function.
    pub function: &'u Function,
    /// Its number.
    pub id: FunctionId,
    /// Type of each register.
    pub types: Vec<Type>,
    /// Live registers at block boundaries.
    pub liveness: Liveness,
    /// Element type of the typed array that each register most probably holds.
    pub hints: Vec<Option<Element>>,
    /// The Wasm function.
    pub code: Code,
    /// Where exceptions go at this point.
    pub throw: Option<Label>,
    /// Whether the code at this point is worth inline fast paths.
    pub hot: bool,
    /// Whether it is in a loop.
    pub in_loop: bool,
    /// How results are returned.
    pub returns: Repr,
    /// Local with the stack depth to restore on exit, if this function counts itself.
    pub saved_depth: Option<Local>,
    /// Registers that hold an object under construction.
    pub new_instances: BTreeSet<Reg>,
    reprs: Vec<Repr>,
    known: Vec<Option<Known>>,
    /// Registers with a private name, and the one it is at the first evaluation of its class.
    pub first_names: HashMap<Reg, Constant>,
    homes: Vec<Option<Local>>,
    /// Registers whose last use is each instruction of the block being generated.
    last_uses: Vec<Vec<Reg>>,
}

impl<'u, 'a> Emitter<'u, 'a> {
    /// Starts a Wasm function with the given signature for (a part of) an IR function.
    pub fn new(unit: &'u mut Unit<'a>, function: &'u Function, id: FunctionId, code: Code) -> Self {
        let types = unit.types.registers[id.0 as usize].clone();
        Self {
            reprs: representations(function, &types),
            types,
            liveness: Liveness::compute(function),
            hints: hints::of_registers(unit.module, function, &unit.binding_hints),
            code,
            throw: None,
            hot: false,
            in_loop: false,
            returns: Repr::Boxed,
            saved_depth: None,
            new_instances: new_instances(function),
            known: known_registers(function),
            first_names: first_names(function),
            homes: vec![None; function.registers.len()],
            last_uses: Vec::new(),
            unit,
            function,
            id,
        }
    }

    // ---- registers ----

    /// The type of a register.
    pub fn type_of(&self, reg: Reg) -> Type {
        self.types[reg.0 as usize]
    }

    /// The representation of a register.
    pub fn repr(&self, reg: Reg) -> Repr {
        self.reprs[reg.0 as usize]
    }

    /// The constant a register always holds.
    pub fn known(&self, reg: Reg) -> Option<Known> {
        self.known[reg.0 as usize]
    }

    /// The number a register always holds.
    pub fn known_number(&self, reg: Reg) -> Option<f64> {
        match self.known(reg) {
            Some(Known::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// The local of a register that is no known constant.
    pub fn home(&mut self, reg: Reg) -> Local {
        if let Some(local) = self.homes[reg.0 as usize] {
            return local;
        }
        let local = self.code.take_local(self.repr(reg).val_type());
        self.homes[reg.0 as usize] = Some(local);
        local
    }

    /// Makes an existing local (a Wasm parameter) the home of a boxed register.
    pub fn set_home(&mut self, reg: Reg, local: Local) {
        self.homes[reg.0 as usize] = Some(local);
    }

    /// Prepares the reuse of locals by registers that live within one block only.
    pub fn begin_block(&mut self, instructions: &[IrInstruction], terminator: &crate::ir::Terminator) {
        let mut last: std::collections::BTreeMap<Reg, usize> = std::collections::BTreeMap::new();
        for (index, instruction) in instructions.iter().enumerate() {
            op_uses(&instruction.op, &mut |reg| {
                last.insert(*reg, index);
            });
            if let Some(result) = instruction.result {
                last.entry(result).or_insert(index);
            }
        }
        terminator_uses(terminator, &mut |reg| {
            last.remove(reg);
        });
        self.last_uses = vec![Vec::new(); instructions.len()];
        for (reg, index) in last {
            if !self.liveness.is_global(reg) {
                self.last_uses[index].push(reg);
            }
        }
    }

    /// Gives back the locals of registers that instruction `index` of the block was the last to use.
    pub fn end_instruction(&mut self, index: usize) {
        for reg in std::mem::take(&mut self.last_uses[index]) {
            if let Some(local) = self.homes[reg.0 as usize].take() {
                self.code.release_local(local);
            }
        }
    }

    /// A scratch local for the time of `body`.
    pub fn with_local<R>(&mut self, ty: ValType, body: impl FnOnce(&mut Self, Local) -> R) -> R {
        let local = self.code.take_local(ty);
        let result = body(self, local);
        self.code.release_local(local);
        result
    }

    // ---- constants and addresses ----

    /// Pushes the word of a heap constant.
    pub fn push_constant(&mut self, constant: Constant) {
        let offset = self.unit.data.constant(constant);
        self.code.emit(Instruction::GlobalGet(DATA_BASE)).load_i64(offset);
    }

    /// Pushes the address of a string constant, 0 for none.
    pub fn push_string_address(&mut self, constant: Option<Constant>) {
        match constant {
            Some(constant) => {
                let offset = self.unit.data.constant(constant);
                self.code.emit(Instruction::GlobalGet(DATA_BASE)).load_i32(offset);
            }
            None => {
                self.code.i32(0);
            }
        }
    }

    /// Pushes the absolute address of a part of the unit's data.
    pub fn push_data_address(&mut self, offset: u32) {
        self.code.emit(Instruction::GlobalGet(DATA_BASE)).i32(offset.cast_signed()).emit(Instruction::I32Add);
    }

    // ---- exceptions ----

    /// Leaves for the handler (or the function) without looking at anything.
    pub fn branch_to_throw(&mut self) {
        if let Some(label) = self.throw {
            self.code.br(label);
        }
    }

    /// Leaves for the handler if the status on the stack is not 0.
    pub fn check_status(&mut self) {
        if let Some(label) = self.throw {
            self.code.br_if(label);
        }
    }

    /// Leaves for the handler if the word on the stack is EXCEPTION; keeps it otherwise.
    pub fn check_exception(&mut self) {
        self.with_local(ValType::I64, |emitter, word| {
            emitter.code.tee(word).word(value::EXCEPTION).emit(Instruction::I64Eq);
            emitter.check_status();
            emitter.code.get(word);
        });
    }

    /// Stores the boxed result on the stack into `result` (or drops it) after checking that nothing was thrown.
    pub fn finish_call(&mut self, result: Option<Reg>) {
        match result {
            Some(result) if self.repr(result) == Repr::Boxed => {
                let local = self.home(result);
                // A handler may still read the register's old value, so it is only written after the check.
                if !self.liveness.is_global(result) {
                    self.code.tee(local).word(value::EXCEPTION).emit(Instruction::I64Eq);
                    self.check_status();
                } else {
                    self.check_exception();
                    self.code.set(local);
                }
            }
            Some(result) => {
                self.check_exception();
                self.store(Some(result), Repr::Boxed);
            }
            None => {
                self.code.word(value::EXCEPTION).emit(Instruction::I64Eq);
                self.check_status();
            }
        }
    }

    // ---- calls of the guest ----

    /// Pushes operands.
    pub fn push_operands(&mut self, operands: &[Operand]) {
        for operand in operands {
            match *operand {
                Operand::Value(reg) => self.push_boxed(reg),
                Operand::Env(Some(reg)) => self.push(reg),
                Operand::Env(None) => {
                    self.code.i32(0);
                }
                Operand::Int(number) => {
                    self.code.i32(number);
                }
                Operand::Word(word) => {
                    self.code.word(word);
                }
                Operand::Key(constant) => self.push_string_address(Some(constant)),
                Operand::Name(constant) => self.push_string_address(constant),
                Operand::Data(offset) => self.push_data_address(offset),
                Operand::Cell(reg) => {
                    self.push_boxed(reg);
                    self.code.emit(Instruction::I32WrapI64);
                }
            }
        }
    }

    /// Calls a guest function that answers a value or EXCEPTION.
    pub fn call_value(&mut self, function: Runtime, operands: &[Operand], result: Option<Reg>) {
        self.push_operands(operands);
        self.code.call_runtime(function);
        self.finish_call(result);
    }

    /// Calls a guest function that answers a status.
    pub fn call_status(&mut self, function: Runtime, operands: &[Operand]) {
        self.push_operands(operands);
        self.code.call_runtime(function);
        self.check_status();
    }

    /// Calls a guest function that never throws; its result, of the given representation, goes to `result`.
    pub fn call_infallible(&mut self, function: Runtime, operands: &[Operand], result: Option<(Option<Reg>, Repr)>) {
        self.push_operands(operands);
        self.code.call_runtime(function);
        if let Some((reg, repr)) = result {
            self.store(reg, repr);
        }
    }

    /// Writes values to the argument buffer, from `first` on; holes as EMPTY.
    pub fn store_arguments(&mut self, first: u32, values: &[Option<Reg>]) {
        for (index, value) in values.iter().enumerate() {
            self.code.i32(0);
            match value {
                Some(reg) => self.push_boxed(*reg),
                None => {
                    self.code.word(value::EMPTY);
                }
            }
            self.code.store_i64(ARGUMENTS + 8 * (first + index as u32));
        }
    }

    /// Calls a helper or function that answers a value or EXCEPTION.
    pub fn call_checked(&mut self, callee: Callee, result: Option<Reg>) {
        self.code.call(callee);
        self.finish_call(result);
    }
}

/// An operand of a guest function.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// A register's boxed value.
    Value(Reg),
    /// An environment's address, 0 for none.
    Env(Option<Reg>),
    /// An i32.
    Int(i32),
    /// A constant word.
    Word(u64),
    /// The address of a string constant.
    Key(Constant),
    /// The address of a string constant, 0 for none.
    Name(Option<Constant>),
    /// An absolute address in the unit's data.
    Data(u32),
    /// The address of the cell a register's value points to.
    Cell(Reg),
}

/// Representations of all registers. A number that only comes from arithmetic on boxed operands stays boxed: it is an
/// int most often, and unboxing it to f64 would make later ints doubles.
fn representations(function: &Function, types: &[Type]) -> Vec<Repr> {
    let kinds = function.registers.iter().zip(types);
    let mut reprs: Vec<Repr> = kinds.map(|(&kind, &ty)| Repr::of(kind, ty)).collect();
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    let mut unboxed = vec![false; reprs.len()];
    loop {
        unboxed.fill(false);
        for instruction in instructions() {
            let Some(result) = instruction.result else { continue };
            let of = |reg: &Reg| reprs[reg.0 as usize];
            let boxed = match &instruction.op {
                Op::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Rem, left, right) => {
                    let compatible = |repr| matches!(repr, Repr::Boxed | Repr::Int32);
                    of(left) != of(right) && compatible(of(left)) && compatible(of(right))
                        || (of(left) == Repr::Boxed && of(right) == Repr::Boxed)
                }
                Op::Unary(Unary::Inc | Unary::Dec | Unary::ToNumeric, operand) | Op::Copy(operand) => {
                    of(operand) == Repr::Boxed
                }
                _ => false,
            };
            unboxed[result.0 as usize] |= !boxed;
        }
        let mut changed = false;
        for (repr, unboxed) in reprs.iter_mut().zip(&unboxed) {
            if *repr == Repr::Float && !unboxed {
                *repr = Repr::Boxed;
                changed = true;
            }
        }
        if !changed {
            return reprs;
        }
    }
}

fn first_names(function: &Function) -> HashMap<Reg, Constant> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions
        .filter_map(|instruction| match (&instruction.op, instruction.result) {
            (Op::PrivateName { first, .. }, Some(result)) => Some((result, *first)),
            _ => None,
        })
        .collect()
}

/// Registers whose only definition is a constant.
fn known_registers(function: &Function) -> Vec<Option<Known>> {
    let mut definitions = vec![0u32; function.registers.len()];
    let mut known = vec![None; function.registers.len()];
    let incoming =
        [function.rest, function.this, function.new_target, function.arguments, function.callee, function.env];
    for reg in function.parameters.iter().copied().chain(incoming.into_iter().flatten()) {
        definitions[reg.0 as usize] += 1;
    }
    for block in &function.blocks {
        for instruction in &block.instructions {
            let Some(result) = instruction.result else { continue };
            definitions[result.0 as usize] += 1;
            known[result.0 as usize] = match instruction.op {
                Op::Special(word) => Some(Known::Special(word)),
                Op::Number(number) => Some(Known::Number(number)),
                Op::Int(number) => Some(Known::Number(f64::from(number))),
                Op::Constant(constant) => Some(Known::Heap(constant)),
                _ => None,
            };
        }
        for reg in crate::optimize::operands::terminator_defs(&block.terminator) {
            definitions[reg.0 as usize] += 1;
        }
    }
    for (known, count) in known.iter_mut().zip(definitions) {
        if count != 1 {
            *known = None;
        }
    }
    known
}
