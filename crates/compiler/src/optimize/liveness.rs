//! Backward liveness of registers at block boundaries, by bit sets.

use std::collections::{HashMap, HashSet};

use super::operands::{op_uses, successors, terminator_defs, terminator_uses};
use crate::ir::{Block, Function, Reg};

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// An empty set for numbers below `capacity`.
    pub fn new(capacity: usize) -> Self {
        Self { words: vec![0; capacity.div_ceil(64)] }
    }

    /// Adds a number.
    pub fn insert(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Removes a number.
    pub fn remove(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
    }

    /// Whether the number is in the set.
    pub fn contains(&self, index: usize) -> bool {
        self.words[index / 64] & (1 << (index % 64)) != 0
    }

    /// Adds all of `other`.
    pub fn union(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// All members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (bit < 64).then(|| {
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

/// Registers live at the start of each block.
///
/// Most registers are temporaries of one block; only the others ("global" registers, those read in some block before
/// they are written there) take part in the data flow, so the sets stay small.
pub struct Liveness {
    globals: Vec<Reg>,
    index: HashMap<Reg, usize>,
    live_in: Vec<BitSet>,
}

impl Liveness {
    /// Solves the data-flow equations. A register that an exception handler reads counts as live all through the blocks
    /// it handles, since each instruction there may go to it.
    pub fn compute(function: &Function) -> Self {
        let (globals, index) = global_registers(function);
        let count = globals.len();
        let mut uses = Vec::with_capacity(function.blocks.len());
        let mut defs = Vec::with_capacity(function.blocks.len());
        for block in &function.blocks {
            let (mut used, mut defined) = (BitSet::new(count), BitSet::new(count));
            let mut note = |reg: &Reg, defined: &BitSet| {
                if let Some(&index) = index.get(reg)
                    && !defined.contains(index)
                {
                    used.insert(index);
                }
            };
            for instruction in &block.instructions {
                op_uses(&instruction.op, &mut |reg| note(reg, &defined));
                if let Some(&index) = instruction.result.and_then(|reg| index.get(&reg)) {
                    defined.insert(index);
                }
            }
            terminator_uses(&block.terminator, &mut |reg| note(reg, &defined));
            uses.push(used);
            defs.push(defined);
        }
        let mut live_in = vec![BitSet::new(count); function.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (number, block) in function.blocks.iter().enumerate().rev() {
                let mut live = BitSet::new(count);
                for successor in successors(&block.terminator) {
                    live.union(&live_in[successor.0 as usize]);
                }
                for reg in terminator_defs(&block.terminator) {
                    if let Some(&index) = index.get(&reg) {
                        live.remove(index);
                    }
                }
                for index in defs[number].iter() {
                    live.remove(index);
                }
                live.union(&uses[number]);
                if let Some(handler) = block.handler {
                    let handler = live_in[handler.0 as usize].clone();
                    live.union(&handler);
                }
                if live != live_in[number] {
                    live_in[number] = live;
                    changed = true;
                }
            }
        }
        Self { globals, index, live_in }
    }

    /// Registers live at the start of `block`, ascending.
    pub fn live_in(&self, block: Block) -> impl Iterator<Item = Reg> {
        self.live_in[block.0 as usize].iter().map(|index| self.globals[index])
    }

    /// Whether `reg` is live at the start of `block`.
    pub fn is_live_in(&self, block: Block, reg: Reg) -> bool {
        self.index.get(&reg).is_some_and(|&index| self.live_in[block.0 as usize].contains(index))
    }

    /// Most registers that are live at once, of those that `counts` says take room.
    pub fn most_live(&self, function: &Function, counts: impl Fn(Reg) -> bool) -> usize {
        let mut most = 0;
        let mut live: HashSet<Reg> = HashSet::new();
        for block in &function.blocks {
            live.clear();
            for successor in successors(&block.terminator).into_iter().chain(block.handler) {
                live.extend(self.live_in(successor).filter(|&reg| counts(reg)));
            }
            let enter = |live: &mut HashSet<Reg>, reg: Reg| {
                if counts(reg) {
                    live.insert(reg);
                }
            };
            terminator_uses(&block.terminator, &mut |reg| enter(&mut live, *reg));
            most = most.max(live.len());
            for instruction in block.instructions.iter().rev() {
                if let Some(result) = instruction.result {
                    live.remove(&result);
                }
                op_uses(&instruction.op, &mut |reg| enter(&mut live, *reg));
                most = most.max(live.len());
            }
        }
        most
    }

    /// Whether `reg` is live across some block boundary.
    pub fn is_global(&self, reg: Reg) -> bool {
        self.index.contains_key(&reg)
    }
}

/// Registers read in some block before they are written there.
fn global_registers(function: &Function) -> (Vec<Reg>, HashMap<Reg, usize>) {
    let mut is_global = vec![false; function.registers.len()];
    let mut written_in = vec![u32::MAX; function.registers.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        let number = number as u32;
        for instruction in &block.instructions {
            op_uses(&instruction.op, &mut |reg| {
                is_global[reg.0 as usize] |= written_in[reg.0 as usize] != number;
            });
            if let Some(reg) = instruction.result {
                written_in[reg.0 as usize] = number;
            }
        }
        terminator_uses(&block.terminator, &mut |reg| {
            is_global[reg.0 as usize] |= written_in[reg.0 as usize] != number;
        });
    }
    let globals: Vec<Reg> =
        (0..function.registers.len() as u32).map(Reg).filter(|reg| is_global[reg.0 as usize]).collect();
    let index = globals.iter().enumerate().map(|(index, &reg)| (reg, index)).collect();
    (globals, index)
}
