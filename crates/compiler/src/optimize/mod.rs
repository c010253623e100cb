//! What is done to a function before code is generated, and the facts code generation asks for.

pub mod dead_code;
pub mod inference;
pub mod liveness;
pub mod operands;
pub mod types;
pub mod webs;

use crate::ir::Function;

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
