//! Building one function's control-flow graph: registers, blocks, instructions.

use convex_wasm_abi::value;

use crate::ir::{Block, BlockData, Instruction, Op, Reg, RegKind, Terminator};

/// A function's graph under construction. Instructions go to the current block, which belongs to the current handler.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) registers: Vec<RegKind>,
    blocks: Vec<BlockData>,
    current: Block,
    /// Where exceptions of blocks begun from now on go.
    handler: Option<Block>,
    /// Byte offset that instructions from now on come from.
    pub(super) position: u32,
}

impl Builder {
    pub(super) fn new() -> Builder {
        let mut builder =
            Builder { registers: Vec::new(), blocks: Vec::new(), current: Block(0), handler: None, position: 0 };
        builder.new_block();
        builder
    }

    pub(super) fn new_register(&mut self) -> Reg {
        self.registers.push(RegKind::Value);
        Reg(self.registers.len() as u32 - 1)
    }

    pub(super) fn new_env_register(&mut self) -> Reg {
        self.registers.push(RegKind::Env);
        Reg(self.registers.len() as u32 - 1)
    }

    /// A block to be filled later, in the handler that is current then.
    pub(super) fn new_block(&mut self) -> Block {
        self.blocks.push(BlockData { instructions: Vec::new(), terminator: Terminator::Unreachable, handler: None });
        Block(self.blocks.len() as u32 - 1)
    }

    /// Goes on in `block`, which must be empty.
    pub(super) fn switch_to(&mut self, block: Block) {
        self.current = block;
        self.blocks[block.0 as usize].handler = self.handler;
    }

    pub(super) fn handler(&self) -> Option<Block> {
        self.handler
    }

    /// Changes the handler from here on: goes on in a new block.
    pub(super) fn set_handler(&mut self, handler: Option<Block>) {
        if self.handler != handler {
            let next = self.new_block();
            self.terminate(Terminator::Jump(next));
            self.handler = handler;
            self.switch_to(next);
        }
    }

    /// Changes the handler without touching the current block, which must have ended.
    pub(super) fn set_handler_for_next(&mut self, handler: Option<Block>) {
        self.handler = handler;
    }

    pub(super) fn emit(&mut self, op: Op) -> Reg {
        let result = match op {
            Op::NewEnv { .. } | Op::ParentEnv(_) => self.new_env_register(),
            _ => self.new_register(),
        };
        self.emit_into(result, op);
        result
    }

    pub(super) fn emit_into(&mut self, result: Reg, op: Op) {
        self.push(Some(result), op);
    }

    /// For operations without a result.
    pub(super) fn perform(&mut self, op: Op) {
        self.push(None, op);
    }

    fn push(&mut self, result: Option<Reg>, op: Op) {
        let instruction = Instruction { result, op, position: self.position };
        self.blocks[self.current.0 as usize].instructions.push(instruction);
    }

    /// Makes `target` hold `value`. If `value` is the temporary that the last instruction defined, the instruction
    /// defines `target` instead.
    pub(super) fn assign(&mut self, target: Reg, value: Reg, value_is_temporary: bool) {
        if value == target {
            return;
        }
        let last = self.blocks[self.current.0 as usize].instructions.last_mut();
        match last {
            Some(last) if value_is_temporary && last.result == Some(value) => last.result = Some(target),
            _ => self.emit_into(target, Op::Copy(value)),
        }
    }

    /// Inserts instructions before everything else in the function.
    pub(super) fn prepend(&mut self, instructions: Vec<Instruction>) {
        self.blocks[0].instructions.splice(0..0, instructions);
    }

    /// Ends the current block; what follows without `switch_to` cannot be reached.
    pub(super) fn terminate(&mut self, terminator: Terminator) {
        self.blocks[self.current.0 as usize].terminator = terminator;
        let unreachable = self.new_block();
        self.switch_to(unreachable);
    }

    pub(super) fn jump(&mut self, block: Block) {
        self.terminate(Terminator::Jump(block));
    }

    /// Ends the current block with a branch and goes on in `then`.
    pub(super) fn branch(&mut self, condition: Reg, then: Block, otherwise: Block) {
        self.terminate(Terminator::Branch { condition, then, otherwise });
        self.switch_to(then);
    }

    /// Jumps to `block` and goes on there.
    pub(super) fn fall_into(&mut self, block: Block) {
        self.jump(block);
        self.switch_to(block);
    }

    pub(super) fn undefined(&mut self) -> Reg {
        self.emit(Op::Special(value::UNDEFINED))
    }

    pub(super) fn boolean(&mut self, truth: bool) -> Reg {
        self.emit(Op::Special(if truth { value::TRUE } else { value::FALSE }))
    }

    /// The finished blocks, those that cannot be reached left out.
    pub(super) fn finish(self) -> Vec<BlockData> {
        let reachable = reachable_blocks(&self.blocks);
        let mut renumbered = vec![Block(0); self.blocks.len()];
        let mut next = 0;
        for (index, reached) in reachable.iter().enumerate() {
            if *reached {
                renumbered[index] = Block(next);
                next += 1;
            }
        }
        let mut blocks = Vec::with_capacity(next as usize);
        for (mut block, reached) in self.blocks.into_iter().zip(reachable) {
            if reached {
                block.handler = block.handler.map(|handler| renumbered[handler.0 as usize]);
                block.terminator.for_each_target_mut(|target| *target = renumbered[target.0 as usize]);
                blocks.push(block);
            }
        }
        blocks
    }
}

fn reachable_blocks(blocks: &[BlockData]) -> Vec<bool> {
    let mut reached = vec![false; blocks.len()];
    let mut pending = vec![Block(0)];
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut reached[block.0 as usize], true) {
            continue;
        }
        let data = &blocks[block.0 as usize];
        pending.extend(data.handler);
        data.terminator.for_each_target(|target| pending.push(target));
    }
    reached
}

impl Terminator {
    /// Calls `visit` with every block that this terminator may go to; handlers are not among them.
    pub fn for_each_target(&self, mut visit: impl FnMut(Block)) {
        match self {
            Terminator::Jump(block) | Terminator::InitialYield(block) => visit(*block),
            Terminator::Branch { then, otherwise, .. } => {
                visit(*then);
                visit(*otherwise);
            }
            Terminator::Dispatch { targets, otherwise, .. } => {
                targets.iter().copied().for_each(&mut visit);
                visit(*otherwise);
            }
            Terminator::Await { resume, .. } | Terminator::YieldDelegate { resume, .. } => visit(*resume),
            Terminator::Yield { resume, on_return, .. } => {
                visit(*resume);
                visit(*on_return);
            }
            Terminator::Return(_) | Terminator::Throw(_) | Terminator::Unreachable => {}
        }
    }

    fn for_each_target_mut(&mut self, mut visit: impl FnMut(&mut Block)) {
        match self {
            Terminator::Jump(block) | Terminator::InitialYield(block) => visit(block),
            Terminator::Branch { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            Terminator::Dispatch { targets, otherwise, .. } => {
                targets.iter_mut().for_each(&mut visit);
                visit(otherwise);
            }
            Terminator::Await { resume, .. } | Terminator::YieldDelegate { resume, .. } => visit(resume),
            Terminator::Yield { resume, on_return, .. } => {
                visit(resume);
                visit(on_return);
            }
            Terminator::Return(_) | Terminator::Throw(_) | Terminator::Unreachable => {}
        }
    }
}
