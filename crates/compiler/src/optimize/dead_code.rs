//! Removes blocks that cannot be reached and pure instructions whose results nobody reads.

use std::collections::HashSet;

use super::liveness::Liveness;
use super::operands::{is_pure, op_uses, successors, terminator_uses};
use crate::ir::{Block, BlockData, Function, Reg, Terminator};

/// Empties unreachable blocks, so that they define and read nothing. Numbers stay.
pub fn clear_unreachable_blocks(function: &mut Function) {
    let mut reached = vec![false; function.blocks.len()];
    let mut work = vec![Block(0)];
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reached[block.0 as usize], true) {
            let data = &function.blocks[block.0 as usize];
            work.extend(successors(&data.terminator));
            work.extend(data.handler);
        }
    }
    for (block, reached) in function.blocks.iter_mut().zip(reached) {
        if !reached {
            *block = BlockData { instructions: Vec::new(), terminator: Terminator::Unreachable, handler: None };
        }
    }
}

/// Removes pure instructions whose results are dead; repeats until nothing changes.
pub fn eliminate_dead_code(function: &mut Function) {
    loop {
        let liveness = Liveness::compute(function);
        let mut removed = false;
        for block in &mut function.blocks {
            removed |= eliminate_in_block(block, &liveness);
        }
        if !removed {
            return;
        }
    }
}

fn eliminate_in_block(block: &mut BlockData, liveness: &Liveness) -> bool {
    let mut live: HashSet<Reg> = HashSet::new();
    for successor in successors(&block.terminator).into_iter().chain(block.handler) {
        live.extend(liveness.live_in(successor));
    }
    terminator_uses(&block.terminator, &mut |reg| {
        live.insert(*reg);
    });
    let before = block.instructions.len();
    let mut kept = Vec::with_capacity(before);
    while let Some(instruction) = block.instructions.pop() {
        if let Some(result) = instruction.result {
            let needed = block.handler.is_some_and(|handler| liveness.is_live_in(handler, result));
            if !live.contains(&result) && is_pure(&instruction.op) {
                continue;
            }
            if !needed {
                live.remove(&result);
            }
        }
        op_uses(&instruction.op, &mut |reg| {
            live.insert(*reg);
        });
        kept.push(instruction);
    }
    kept.reverse();
    block.instructions = kept;
    block.instructions.len() != before
}
