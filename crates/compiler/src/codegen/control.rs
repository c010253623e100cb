//! From blocks to nested Wasm blocks and loops.

use std::collections::{BTreeSet, HashMap};

use convex_wasm_abi::layout::frame;
use convex_wasm_abi::memory::{PENDING_EXCEPTION, STACK_DEPTH};
use convex_wasm_abi::value;
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Label, Local};
use super::emitter::{Emitter, Repr};
use super::structure::{Graph, Node, NodeId, NodeKind, Structure};
use super::suspend::{self, Suspensions};
use crate::ir::{Block, BlockData, Function, FunctionKind, Reg, Terminator};
use crate::optimize::operands::{never_throws, successors};

/// One step of structured emission. Steps are kept on an explicit stack: dominator trees can be deep.
enum Step {
    /// A node and all it dominates.
    Tree(NodeId),
    /// The node's own code, then its terminator.
    Own(NodeId),
    /// A branch along an edge.
    Edge(NodeId, NodeId),
    /// `else`
    Else,
    /// `end`
    End,
}

/// Emission of a whole body.
pub struct Body<'s> {
    graph: Graph,
    structure: Structure,
    forward: HashMap<NodeId, Label>,
    backward: HashMap<NodeId, Label>,
    /// Local of each dispatcher's choice.
    choices: HashMap<NodeId, Local>,
    suspensions: Option<&'s Suspensions>,
    function_throw: Label,
    /// Blocks that handle exceptions.
    handlers: BTreeSet<Block>,
    /// Whether code outside loops is worth inline fast paths too.
    runs_often: bool,
}

/// Functions with more instructions than this have inline fast paths in their loops only.
const LARGEST_HOT_FUNCTION: usize = 40;

/// Whether a function is small and may be called many times.
fn runs_often(function: &Function) -> bool {
    let size: usize = function.blocks.iter().map(|block| block.instructions.len()).sum();
    function.kind != FunctionKind::ModuleBody && size <= LARGEST_HOT_FUNCTION
}

/// Whether some instruction of the block can send control to its handler.
fn may_throw(block: &BlockData) -> bool {
    let terminator = matches!(
        block.terminator,
        Terminator::Throw(_) | Terminator::Await { .. } | Terminator::Yield { .. } | Terminator::YieldDelegate { .. }
    );
    terminator || block.instructions.iter().any(|instruction| !never_throws(&instruction.op))
}

/// The graph of an ordinary function: node numbers are block numbers.
fn plain_graph(blocks: &[BlockData]) -> Graph {
    let nodes =
        blocks.iter().enumerate().map(|(number, block)| block_node(number, block, successors(&block.terminator), 0));
    Graph { nodes: nodes.collect() }
}

/// The graph of a resume function: the dispatch on the state, the continuations, then the blocks.
fn resume_graph(blocks: &[BlockData], suspensions: &Suspensions) -> Graph {
    let states = suspensions.states.len();
    let first_block = 1 + states;
    let node_of = |block: &Block| first_block + block.0 as usize;
    let mut nodes = vec![Node::new(NodeKind::Resume, (1..first_block).collect())];
    for (state, suspension) in suspensions.states.iter().enumerate() {
        let mut node = Node::new(NodeKind::Continuation(state), suspension.targets.iter().map(node_of).collect());
        node.handler = suspension.handler.as_ref().map(node_of);
        nodes.push(node);
    }
    for (number, block) in blocks.iter().enumerate() {
        let suspended = suspensions.state_of(Block(number as u32)).is_some();
        let next = if suspended { Vec::new() } else { successors(&block.terminator) };
        nodes.push(block_node(number, block, next, first_block));
    }
    Graph { nodes }
}

fn block_node(number: usize, block: &BlockData, next: Vec<Block>, first: NodeId) -> Node {
    let mut node = Node::new(
        NodeKind::Block(Block(number as u32)),
        next.into_iter().map(|block| first + block.0 as usize).collect(),
    );
    node.by_table = matches!(block.terminator, Terminator::Dispatch { .. });
    node.handler = block.handler.filter(|_| may_throw(block)).map(|handler| first + handler.0 as usize);
    node
}

impl Emitter<'_, '_> {
    /// Emits the whole body, to the function's end. Exceptions nobody handles leave with EXCEPTION.
    pub fn emit_body(&mut self, suspensions: Option<&Suspensions>) {
        let function_throw = self.code.block(BlockType::Empty);
        self.emit_stack_check(function_throw);
        let mut graph = match suspensions {
            Some(suspensions) => resume_graph(&self.function.blocks, suspensions),
            None => plain_graph(&self.function.blocks),
        };
        let structure = Structure::of(&mut graph);
        let mut body = Body {
            graph,
            structure,
            forward: HashMap::new(),
            backward: HashMap::new(),
            choices: HashMap::new(),
            suspensions,
            function_throw,
            handlers: self.function.blocks.iter().filter_map(|block| block.handler).collect(),
            runs_often: runs_often(self.function),
        };
        let mut steps = vec![Step::Tree(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Tree(node) => self.open_tree(&mut body, node, &mut steps),
                Step::Own(node) => self.emit_node(&mut body, node, &mut steps),
                Step::Edge(from, to) => self.emit_edge(&body, from, to, &mut steps),
                Step::Else => {
                    self.code.start_else();
                }
                Step::End => {
                    self.code.end();
                }
            }
        }
        // The stack depth is put back by who handles the exception: a way out that needs no register is short.
        self.code.emit(Instruction::Unreachable).end();
        self.code.word(value::EXCEPTION);
        if self.returns == Repr::Float {
            self.code.emit(Instruction::F64ReinterpretI64);
        }
    }

    /// Opens the Wasm loop and blocks around a node; their ends and what comes behind them are steps for later.
    fn open_tree(&mut self, body: &mut Body<'_>, node: NodeId, steps: &mut Vec<Step>) {
        if body.structure.is_loop(node) {
            let label = self.code.start_loop();
            body.backward.insert(node, label);
            steps.push(Step::End);
        }
        let merges = body.structure.merges(node).to_vec();
        for &merge in merges.iter().rev() {
            let label = self.code.block(BlockType::Empty);
            body.forward.insert(merge, label);
            steps.push(Step::Tree(merge));
            steps.push(Step::End);
        }
        // The first merge is innermost, so its end comes off the stack first.
        steps.push(Step::Own(node));
    }

    fn emit_edge(&mut self, body: &Body<'_>, from: NodeId, to: NodeId, steps: &mut Vec<Step>) {
        if body.structure.is_back_edge(from, to) {
            self.code.br(body.backward[&to]);
        } else if body.structure.is_merge(to) {
            self.code.br(body.forward[&to]);
        } else {
            steps.push(Step::Tree(to));
        }
    }

    /// The label of an edge that has one.
    fn edge_label(body: &Body<'_>, from: NodeId, to: NodeId) -> Label {
        if body.structure.is_back_edge(from, to) { body.backward[&to] } else { body.forward[&to] }
    }

    fn emit_node(&mut self, body: &mut Body<'_>, node: NodeId, steps: &mut Vec<Step>) {
        let data = body.graph.nodes[node].clone();
        self.in_loop = body.structure.is_in_loop(node);
        self.hot = self.in_loop || body.runs_often;
        self.throw = Some(match data.handler {
            Some(handler) => Self::edge_label(body, node, handler),
            None => body.function_throw,
        });
        match data.kind {
            NodeKind::Block(block) => self.emit_block(body, node, block, &data.successors, steps),
            NodeKind::Resume => {
                self.code.get(suspend::FRAME).load_i32(frame::STATE);
                self.emit_table(body, node, &data.successors);
            }
            NodeKind::Continuation(state) => self.emit_continuation(body, node, state, &data.successors, steps),
            NodeKind::Select { dispatcher, choice } => {
                let local = *body.choices.entry(dispatcher).or_insert_with(|| self.code.take_local(ValType::I32));
                self.code.i32(choice.cast_signed()).set(local);
                steps.push(Step::Edge(node, data.successors[0]));
            }
            NodeKind::Dispatcher => {
                let local = *body.choices.entry(node).or_insert_with(|| self.code.take_local(ValType::I32));
                self.code.get(local);
                self.emit_table(body, node, &data.successors);
            }
        }
    }

    /// `br_table` over all successors; the last one is the default.
    fn emit_table(&mut self, body: &Body<'_>, node: NodeId, successors: &[NodeId]) {
        let mut labels: Vec<Label> = successors.iter().map(|&to| Self::edge_label(body, node, to)).collect();
        if let Some(otherwise) = labels.pop() {
            self.code.br_table(&labels, otherwise);
        }
    }

    fn emit_block(&mut self, body: &Body<'_>, node: NodeId, block: Block, next: &[NodeId], steps: &mut Vec<Step>) {
        let function = self.function;
        let data = &function.blocks[block.0 as usize];
        if body.handlers.contains(&block) {
            self.take_back_depth();
        }
        self.begin_block(&data.instructions, &data.terminator);
        for (index, instruction) in data.instructions.iter().enumerate() {
            self.code.position(instruction.position);
            self.emit_instruction(instruction);
            self.end_instruction(index);
        }
        match &data.terminator {
            Terminator::Branch { condition, .. } => {
                self.push_condition(*condition);
                self.emit_branch(body, node, next, steps);
            }
            Terminator::Dispatch { index, .. } => {
                self.push_int32(*index);
                self.emit_table(body, node, next);
            }
            Terminator::Return(reg) => self.emit_return(*reg),
            Terminator::Throw(reg) => {
                self.code.i32(0);
                self.push_boxed(*reg);
                self.code.store_i64(PENDING_EXCEPTION);
                self.branch_to_throw();
            }
            Terminator::Unreachable => {
                self.code.emit(Instruction::Unreachable);
            }
            terminator => match body.suspensions.and_then(|suspensions| suspensions.state_of(block)) {
                Some(state) => self.emit_suspension(terminator, body.suspensions, state),
                None => steps.push(Step::Edge(node, next[0])),
            },
        }
    }

    /// Two-way branch on the i32 on the stack.
    fn emit_branch(&mut self, body: &Body<'_>, node: NodeId, next: &[NodeId], steps: &mut Vec<Step>) {
        let (then, otherwise) = (next[0], next[1]);
        let has_label = |to| body.structure.is_back_edge(node, to) || body.structure.is_merge(to);
        if has_label(then) {
            self.code.br_if(Self::edge_label(body, node, then));
            steps.push(Step::Edge(node, otherwise));
        } else if has_label(otherwise) {
            self.code.emit(Instruction::I32Eqz).br_if(Self::edge_label(body, node, otherwise));
            steps.push(Step::Edge(node, then));
        } else {
            self.code.start_if(BlockType::Empty);
            steps.push(Step::End);
            steps.push(Step::Edge(node, otherwise));
            steps.push(Step::Else);
            steps.push(Step::Edge(node, then));
        }
    }

    fn emit_return(&mut self, reg: Reg) {
        let returns = self.returns;
        self.push_as(reg, returns);
        self.restore_depth();
        self.code.emit(Instruction::Return);
    }

    /// Puts the stack depth back, if this function changed it.
    pub fn restore_depth(&mut self) {
        if let Some(saved) = self.saved_depth {
            self.code.i32(0).get(saved).store_i32(STACK_DEPTH);
        }
    }

    /// Puts the stack depth to what it is in this function, after a function that it called was left by an exception.
    fn take_back_depth(&mut self) {
        if let Some(saved) = self.saved_depth {
            let weight = self.stack_weight();
            self.code.i32(0).get(saved).i32(weight).emit(Instruction::I32Add).store_i32(STACK_DEPTH);
        }
    }

    /// After a resumption: reloads live registers, then goes on as the mode says.
    fn emit_continuation(
        &mut self,
        body: &Body<'_>,
        node: NodeId,
        state: usize,
        next: &[NodeId],
        steps: &mut Vec<Step>,
    ) {
        let Some(suspensions) = body.suspensions else { return };
        let suspension = &suspensions.states[state];
        self.reload(suspensions, suspension);
        if let Some(mode) = suspension.mode {
            self.code.get(suspend::MODE);
            self.store(Some(mode), Repr::Int32);
            self.store_received(suspension);
            steps.push(Step::Edge(node, next[0]));
            return;
        }
        self.code.get(suspend::MODE).i32(frame::THROW).emit(Instruction::I32Eq);
        self.code.start_if(BlockType::Empty);
        self.code.i32(0).get(suspend::VALUE).store_i64(PENDING_EXCEPTION);
        self.branch_to_throw();
        self.code.end();
        self.store_received(suspension);
        if suspension.returns_at_once {
            self.code.get(suspend::MODE).i32(frame::RETURN).emit(Instruction::I32Eq);
            self.code.start_if(BlockType::Empty);
            self.code.get(suspend::VALUE);
            self.restore_depth();
            self.code.emit(Instruction::Return).end();
        }
        if next.len() > 1 {
            self.code.get(suspend::MODE).emit(Instruction::I32Eqz);
            self.emit_branch(body, node, next, steps);
        } else {
            steps.push(Step::Edge(node, next[0]));
        }
    }
}
