//! What is done to a function before code is generated, and the facts code generation asks for.

pub mod dead_code;
pub mod element_hints;
pub mod inference;
pub mod instances;
pub mod liveness;
pub mod loops;
pub mod operands;
pub mod typed_loops;
pub mod types;
pub mod webs;
pub mod whole_module;

use crate::ir::{Arguments, Function, Instruction, Op, Reg, RegKind};

/// Simplifies a function: nothing unreachable or unused is left, and each register is one web. Refused functions have
/// no body to simplify.
pub fn simplify(function: &Function) -> Function {
    let mut function = function.clone();
    if function.refused.is_some() {
        function.blocks.clear();
        return function;
    }
    dead_code::clear_unreachable_blocks(&mut function);
    dead_code::eliminate_dead_code(&mut function);
    webs::split(&mut function);
    function
}

/// Takes the callee and `this` off direct calls that do not pass them, so that what made them may go too. `passes` says
/// for a function number whether its direct entry takes the function object (or what it captured) and `this`.
pub fn drop_unpassed_operands(function: &mut Function, passes: impl Fn(u32) -> Option<(bool, bool)>) {
    let nothing = Reg(function.registers.len() as u32);
    let mut dropped = false;
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if let Op::Call { callee, this, arguments: Arguments::List(_), known: Some(known), .. } = &mut instruction.op
            && let Some((takes_callee, takes_this)) = passes(known.0)
        {
            for (reg, takes) in [(callee, takes_callee), (this, takes_this)] {
                if !takes {
                    *reg = nothing;
                    dropped = true;
                }
            }
        }
    }
    if dropped {
        function.registers.push(RegKind::Value);
        let undefined = Op::Special(convex_wasm_abi::value::UNDEFINED);
        let instruction = Instruction { result: Some(nothing), op: undefined, position: function.source.0 };
        function.blocks[0].instructions.insert(0, instruction);
        dead_code::eliminate_dead_code(function);
    }
}
