//! Splits registers into webs: the definitions and uses that can reach each other.
//!
//! A source variable that is assigned unrelated values in different places becomes several registers, each with a
//! narrower type. This is what SSA form would give after coalescing all its φ-functions, found directly: a union-find
//! over definitions, in which every block's live-in registers are joined with what its predecessors hold.

use std::collections::HashMap;

use super::liveness::Liveness;
use super::operands::{op_uses_mut, successors, terminator_defs, terminator_defs_mut, terminator_uses_mut};
use crate::ir::{Block, Function, Reg, RegKind};

/// Renames registers so that each web has its own.
pub fn split(function: &mut Function) {
    let liveness = Liveness::compute(function);
    drop_unread_incoming(function, &liveness);
    let registers = &std::mem::take(&mut function.registers);
    let mut webs = Webs { parents: Vec::new(), kinds: Vec::new() };
    let entries: Vec<HashMap<Reg, u32>> = (0..function.blocks.len())
        .map(|block| {
            liveness.live_in(Block(block as u32)).map(|reg| (reg, webs.add(registers[reg.0 as usize]))).collect()
        })
        .collect();
    for reg in incoming_registers(function) {
        // What the caller provides reaches block 0 like a definition before it.
        let web = match entries[0].get(reg) {
            Some(&web) => web,
            None => webs.add(registers[reg.0 as usize]),
        };
        *reg = Reg(web);
    }
    for (number, block) in function.blocks.iter_mut().enumerate() {
        let handler = block.handler.map(|handler| &entries[handler.0 as usize]);
        let mut current = entries[number].clone();
        if let Some(handler) = handler {
            for (reg, &web) in handler {
                webs.join(web, current[reg]);
            }
        }
        for instruction in &mut block.instructions {
            op_uses_mut(&mut instruction.op, &mut |reg| *reg = Reg(webs.current(&mut current, *reg, registers)));
            if let Some(result) = &mut instruction.result {
                let web = webs.add(registers[result.0 as usize]);
                if let Some(&entry) = handler.and_then(|handler| handler.get(result)) {
                    webs.join(entry, web);
                }
                current.insert(*result, web);
                *result = Reg(web);
            }
        }
        terminator_uses_mut(&mut block.terminator, &mut |reg| *reg = Reg(webs.current(&mut current, *reg, registers)));
        for reg in terminator_defs(&block.terminator) {
            let web = webs.add(registers[reg.0 as usize]);
            current.insert(reg, web);
        }
        terminator_defs_mut(&mut block.terminator, &mut |reg| *reg = Reg(current[reg]));
        for successor in successors(&block.terminator) {
            for (reg, &web) in &entries[successor.0 as usize] {
                let own = webs.current(&mut current, *reg, registers);
                webs.join(web, own);
            }
        }
    }
    renumber(function, &mut webs);
}

/// Forgets what a function receives but never reads (positional parameters keep their places).
fn drop_unread_incoming(function: &mut Function, liveness: &Liveness) {
    let unread = |reg: &mut Reg| !liveness.is_live_in(Block(0), *reg);
    function.rest.take_if(unread);
    function.this.take_if(unread);
    function.new_target.take_if(unread);
    function.arguments.take_if(unread);
    function.callee.take_if(unread);
    function.env.take_if(unread);
}

/// The registers that hold what a function receives.
fn incoming_registers(function: &mut Function) -> impl Iterator<Item = &mut Reg> {
    function
        .parameters
        .iter_mut()
        .chain(&mut function.rest)
        .chain(&mut function.this)
        .chain(&mut function.new_target)
        .chain(&mut function.arguments)
        .chain(&mut function.callee)
        .chain(&mut function.env)
}

/// Replaces web numbers by dense register numbers in order of first appearance.
fn renumber(function: &mut Function, webs: &mut Webs) {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut kinds = Vec::new();
    let mut rename = |reg: &mut Reg| {
        let root = webs.find(reg.0);
        let number = *numbers.entry(root).or_insert_with(|| {
            kinds.push(webs.kinds[root as usize]);
            kinds.len() as u32 - 1
        });
        *reg = Reg(number);
    };
    incoming_registers(function).for_each(&mut rename);
    for block in &mut function.blocks {
        for instruction in &mut block.instructions {
            op_uses_mut(&mut instruction.op, &mut rename);
            instruction.result.iter_mut().for_each(&mut rename);
        }
        terminator_uses_mut(&mut block.terminator, &mut rename);
        terminator_defs_mut(&mut block.terminator, &mut rename);
    }
    function.registers = kinds;
}

/// Union-find over definitions.
struct Webs {
    parents: Vec<u32>,
    kinds: Vec<RegKind>,
}

impl Webs {
    fn add(&mut self, kind: RegKind) -> u32 {
        self.parents.push(self.parents.len() as u32);
        self.kinds.push(kind);
        self.parents.len() as u32 - 1
    }

    /// The web `reg` belongs to here; a register read without a definition gets one of its own.
    fn current(&mut self, current: &mut HashMap<Reg, u32>, reg: Reg, kinds: &[RegKind]) -> u32 {
        match current.get(&reg) {
            Some(&web) => web,
            None => {
                let web = self.add(kinds[reg.0 as usize]);
                current.insert(reg, web);
                web
            }
        }
    }

    fn find(&mut self, web: u32) -> u32 {
        let mut root = web;
        while self.parents[root as usize] != root {
            root = self.parents[root as usize];
        }
        let mut next = web;
        while self.parents[next as usize] != root {
            next = std::mem::replace(&mut self.parents[next as usize], root);
        }
        root
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
