//! Types across calls: parameters and results of functions all of whose callers are known.

use super::inference::infer;
use super::operands::op_uses;
use super::types::Type;
use crate::ir::{Arguments, Export, Function, FunctionId, Module, Op, Reg, RegKind, Terminator};

/// How often a parameter's or result's type may grow before its range is widened.
const STEPS_BEFORE_WIDENING: u32 = 3;

/// What is known of a function from all its calls.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Types of the arguments that calls pass.
    pub parameters: Vec<Type>,
    /// Type of what it returns.
    pub result: Type,
    /// How often this has grown.
    growth: u32,
}

impl Summary {
    /// Adds to one of the types; true if that changed it.
    fn grow(&mut self, place: Option<usize>, added: Type) -> bool {
        let widen = self.growth >= STEPS_BEFORE_WIDENING;
        let known = match place {
            Some(index) => &mut self.parameters[index],
            None => &mut self.result,
        };
        let joined = known.join(added);
        if joined == *known {
            return false;
        }
        *known = if widen { joined.widen(*known) } else { joined };
        self.growth += 1;
        true
    }
}

/// Types of all registers of all functions.
pub struct ModuleTypes {
    /// By function, then register.
    pub registers: Vec<Vec<Type>>,
    /// Summaries of the functions that only direct calls reach; `None` for those that may be called from anywhere.
    pub summaries: Vec<Option<Summary>>,
}

impl ModuleTypes {
    /// Infers types over the whole module. `functions` are simplified; those in `direct` have a direct entry.
    pub fn infer(module: &Module, functions: &[Function], direct: &[bool]) -> Self {
        let closed = closed_functions(module, functions, direct);
        let summaries = functions.iter().zip(&closed).map(|(function, &closed)| {
            let parameters = vec![Type::NEVER; function.parameters.len()];
            closed.then_some(Summary { parameters, result: Type::NEVER, growth: 0 })
        });
        let mut types = Self { registers: vec![Vec::new(); functions.len()], summaries: summaries.collect() };
        let callers = callers(functions, &closed);
        let mut queued = vec![true; functions.len()];
        let mut work: std::collections::VecDeque<usize> = (0..functions.len()).collect();
        while let Some(index) = work.pop_front() {
            queued[index] = false;
            let mut changed = Vec::new();
            types.visit(module, functions, index, &callers[index], &mut changed);
            for next in changed {
                if !std::mem::replace(&mut queued[next], true) {
                    work.push_back(next);
                }
            }
        }
        for (registers, function) in types.registers.iter_mut().zip(functions) {
            for (ty, kind) in registers.iter_mut().zip(&function.registers) {
                if *ty == Type::NEVER || *kind == RegKind::Env {
                    *ty = Type::ANY;
                }
            }
        }
        types
    }

    /// Infers one function and passes on what it says about its callees and callers; `changed` gets those affected.
    fn visit(
        &mut self,
        module: &Module,
        functions: &[Function],
        index: usize,
        callers: &[usize],
        changed: &mut Vec<usize>,
    ) {
        let function = &functions[index];
        if function.refused.is_some() {
            return;
        }
        let types = infer(module, function, FunctionId(index as u32), &self.summaries);
        if let Some(summary) = &mut self.summaries[index] {
            let returned = function.blocks.iter().filter_map(|block| match &block.terminator {
                Terminator::Return(reg) => Some(types[reg.0 as usize]),
                _ => None,
            });
            if summary.grow(None, returned.fold(Type::NEVER, Type::join)) {
                changed.extend(callers);
            }
        }
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let Op::Call { known: Some(callee), arguments: Arguments::List(list), .. } = &instruction.op
                && let Some(summary) = &mut self.summaries[callee.0 as usize]
            {
                for parameter in 0..summary.parameters.len() {
                    let passed = list.get(parameter).map_or(Type::UNDEFINED, |reg| types[reg.0 as usize]);
                    if summary.grow(Some(parameter), passed) {
                        changed.push(callee.0 as usize);
                    }
                }
            }
        }
        self.registers[index] = types;
    }
}

/// Functions that call each function.
fn callers(functions: &[Function], closed: &[bool]) -> Vec<Vec<usize>> {
    let mut callers = vec![Vec::new(); functions.len()];
    for (index, function) in functions.iter().enumerate() {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let Op::Call { known: Some(callee), .. } = &instruction.op
                && closed[callee.0 as usize]
                && callers[callee.0 as usize].last() != Some(&index)
            {
                callers[callee.0 as usize].push(index);
            }
        }
    }
    callers
}

/// Which functions nothing but direct calls of this module can reach: their function objects are only stored in
/// bindings that are not exported, and what is read from there is only called.
fn closed_functions(module: &Module, functions: &[Function], direct: &[bool]) -> Vec<bool> {
    let mut closed = direct.to_vec();
    let mut escaping_bindings = vec![false; module.bindings.len()];
    for export in &module.exports {
        if let Export::Local { binding, .. } = export {
            escaping_bindings[*binding as usize] = true;
        }
    }
    let mut stored_in: Vec<Vec<u32>> = vec![Vec::new(); functions.len()];
    for &(binding, function) in &module.hoisted {
        stored_in[function.0 as usize].push(binding);
    }
    for (index, function) in functions.iter().enumerate() {
        let origins = Origins::of(FunctionId(index as u32), function);
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            origins.note_uses(instruction, &mut closed, &mut escaping_bindings, &mut stored_in);
        }
        for block in &function.blocks {
            super::operands::terminator_uses(&block.terminator, &mut |reg| {
                origins.escape(*reg, &mut closed, &mut escaping_bindings);
            });
        }
    }
    for (closed, bindings) in closed.iter_mut().zip(stored_in) {
        *closed &= bindings.iter().all(|&binding| !escaping_bindings[binding as usize]);
    }
    closed
}

/// Where the function objects in a function's registers come from.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Other,
    Function(FunctionId),
    Binding(u32),
}

struct Origins(Vec<Origin>);

impl Origins {
    fn of(id: FunctionId, function: &Function) -> Self {
        let mut origins = vec![Origin::Other; function.registers.len()];
        if let Some(callee) = function.callee {
            origins[callee.0 as usize] = Origin::Function(id);
        }
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let Some(result) = instruction.result {
                origins[result.0 as usize] = match &instruction.op {
                    Op::NewFunction { function, .. } => Origin::Function(*function),
                    Op::LoadBinding(binding) => Origin::Binding(*binding),
                    _ => Origin::Other,
                };
            }
        }
        Self(origins)
    }

    /// The register's value is used in a way that is not followed.
    fn escape(&self, reg: Reg, closed: &mut [bool], escaping_bindings: &mut [bool]) {
        match self.0[reg.0 as usize] {
            Origin::Other => {}
            Origin::Function(function) => closed[function.0 as usize] = false,
            Origin::Binding(binding) => escaping_bindings[binding as usize] = true,
        }
    }

    fn note_uses(
        &self,
        instruction: &crate::ir::Instruction,
        closed: &mut [bool],
        escaping_bindings: &mut [bool],
        stored_in: &mut [Vec<u32>],
    ) {
        match &instruction.op {
            Op::CheckInitialized { .. } => {}
            Op::StoreBinding(binding, value) => match self.0[value.0 as usize] {
                Origin::Function(function) => stored_in[function.0 as usize].push(*binding),
                _ => self.escape(*value, closed, escaping_bindings),
            },
            Op::Call { this, arguments: Arguments::List(list), known: Some(_), .. } => {
                for reg in list.iter().chain([this]) {
                    self.escape(*reg, closed, escaping_bindings);
                }
            }
            op => op_uses(op, &mut |reg| self.escape(*reg, closed, escaping_bindings)),
        }
    }
}
