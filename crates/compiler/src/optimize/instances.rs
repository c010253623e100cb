//! How many properties a constructor gives to new instances, so that the first instance is as large as the later ones.

use std::collections::BTreeSet;

use crate::ir::{Function, FunctionKind, Instruction, Module, Op, Reg};

/// Number of properties that the function adds to its `this`, as far as its text tells: assignments and fields, but not
/// what methods add that it calls, nor what superclasses do.
pub fn properties(module: &Module, function: &Function) -> u32 {
    let is_constructor = matches!(
        function.kind,
        FunctionKind::Normal | FunctionKind::BaseConstructor | FunctionKind::DerivedConstructor
    );
    if is_constructor { added(module, function) } else { 0 }
}

fn added(module: &Module, function: &Function) -> u32 {
    let receivers = receivers(function);
    let (mut keys, mut fields) = (BTreeSet::new(), 0);
    for Instruction { op, .. } in instructions(function) {
        match op {
            Op::Set(object, key, _) if receivers.contains(object) => {
                keys.insert(*key);
            }
            Op::DefineField(object, ..) | Op::AddPrivate(object, ..) | Op::AddPrivateMethod { object, .. }
                if receivers.contains(object) =>
            {
                fields += 1;
            }
            Op::Call { known: Some(known), this, .. } if receivers.contains(this) => {
                let initializer = &module.functions[known.0 as usize];
                if initializer.kind == FunctionKind::Initializer {
                    fields += added(module, initializer);
                }
            }
            _ => {}
        }
    }
    keys.len() as u32 + fields
}

fn instructions(function: &Function) -> impl Iterator<Item = &Instruction> {
    function.blocks.iter().flat_map(|block| &block.instructions)
}

/// Registers that hold the new instance in a constructor or what initialises its fields; none in other functions.
pub fn new_instances(function: &Function) -> BTreeSet<Reg> {
    match function.kind {
        FunctionKind::BaseConstructor | FunctionKind::DerivedConstructor | FunctionKind::Initializer => {
            receivers(function)
        }
        _ => BTreeSet::new(),
    }
}

/// Registers that hold what `this` is.
fn receivers(function: &Function) -> BTreeSet<Reg> {
    let mut receivers: BTreeSet<Reg> = function.this.into_iter().collect();
    for Instruction { result, op, .. } in instructions(function) {
        let holds = match op {
            Op::SuperCall { .. } => true,
            Op::Copy(from) => receivers.contains(from),
            _ => false,
        };
        receivers.extend(result.filter(|_| holds));
    }
    receivers
}
