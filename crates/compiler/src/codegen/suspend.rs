//! Async functions and generators: state machines whose live registers wait in a heap frame.
//!
//! The function's body becomes a resume function. It stops at a suspension point by writing the registers that are live
//! behind it, and the number of the point, to the frame; when it is resumed it goes to that point's continuation, which
//! reads them back.

use std::collections::{BTreeSet, HashMap};

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::frame;
use convex_wasm_abi::memory::YIELD_VALUE;
use convex_wasm_abi::value;

use super::code::Local;
use super::emitter::{Emitter, Operand, Repr};
use crate::ir::{Block, Function, Reg, Terminator};
use crate::optimize::liveness::Liveness;
use crate::optimize::operands::{is_pure, successors, suspends, terminator_defs};

/// Parameters of a resume function.
pub const FRAME: Local = Local(0);
/// How to go on, see `convex_wasm_abi::layout::frame`.
pub const MODE: Local = Local(1);
/// The value received.
pub const VALUE: Local = Local(2);

/// A point where a function can be resumed.
pub struct Suspension {
    /// Where it goes on: after `next`, and after `return` if that is different.
    pub targets: Vec<Block>,
    /// Where a throw at this point goes.
    pub handler: Option<Block>,
    /// Register that receives the value.
    pub result: Option<Reg>,
    /// Register that receives the mode (`yield*`); then nothing else depends on the mode.
    pub mode: Option<Reg>,
    /// `return` completes the function here.
    pub returns_at_once: bool,
    /// Registers to reload.
    pub live: BTreeSet<Reg>,
    /// Where it is in the source, if it is an `await`.
    pub position: Option<u32>,
}

/// All suspension points of a function; the first is its start.
pub struct Suspensions {
    /// By state number.
    pub states: Vec<Suspension>,
    /// Frame slot of each register that is live at some point.
    pub slots: HashMap<Reg, u32>,
    /// Whether the part before the initial yield runs when the function is called, since it can have effects.
    pub starts_at_once: bool,
    by_block: HashMap<Block, usize>,
}

impl Suspensions {
    /// Finds the suspension points of a simplified function.
    pub fn of(function: &Function, liveness: &Liveness) -> Self {
        let starts_at_once = starts_at_once(function);
        let start = Suspension {
            targets: vec![Block(0)],
            handler: None,
            result: None,
            mode: None,
            returns_at_once: function.is_generator,
            live: liveness.live_in(Block(0)).collect(),
            position: None,
        };
        let mut states = vec![start];
        let mut by_block = HashMap::new();
        for (number, block) in function.blocks.iter().enumerate() {
            let initial = matches!(block.terminator, Terminator::InitialYield(_));
            if !suspends(&block.terminator) || (initial && !starts_at_once) {
                continue;
            }
            let targets = successors(&block.terminator);
            let defined: Vec<Reg> = terminator_defs(&block.terminator).collect();
            let live = targets
                .iter()
                .flat_map(|&target| liveness.live_in(target))
                .filter(|reg| !defined.contains(reg))
                .chain(block.handler.into_iter().flat_map(|handler| liveness.live_in(handler)))
                .collect();
            by_block.insert(Block(number as u32), states.len());
            states.push(Suspension {
                targets,
                handler: block.handler.filter(|_| !initial),
                result: match &block.terminator {
                    Terminator::Await { result, .. }
                    | Terminator::Yield { result, .. }
                    | Terminator::YieldDelegate { result, .. } => Some(*result),
                    _ => None,
                },
                mode: match &block.terminator {
                    Terminator::YieldDelegate { mode, .. } => Some(*mode),
                    _ => None,
                },
                returns_at_once: initial,
                live,
                position: match &block.terminator {
                    Terminator::Await { position, .. } => Some(*position),
                    _ => None,
                },
            });
        }
        let live: BTreeSet<Reg> = states.iter().flat_map(|state| state.live.iter().copied()).collect();
        let slots = live.into_iter().enumerate().map(|(slot, reg)| (reg, slot as u32)).collect();
        Self { states, slots, starts_at_once, by_block }
    }

    /// The state in which the block's terminator leaves the function.
    pub fn state_of(&self, block: Block) -> Option<usize> {
        self.by_block.get(&block).copied()
    }
}

/// Whether a generator does anything before its initial yield that the caller could notice.
fn starts_at_once(function: &Function) -> bool {
    let first = &function.blocks[0];
    let trivial = matches!(first.terminator, Terminator::InitialYield(_))
        && first.instructions.iter().all(|instruction| is_pure(&instruction.op));
    function.is_generator && !trivial
}

/// Byte offset of a slot in a frame.
pub fn slot_offset(slot: u32) -> u32 {
    frame::SLOTS + 8 * slot
}

impl Emitter<'_, '_> {
    /// Leaves the function at a suspension point.
    pub fn emit_suspension(&mut self, terminator: &Terminator, suspensions: Option<&Suspensions>, state: usize) {
        let Some(suspensions) = suspensions else { return };
        if let Terminator::Await { value, position, .. } = terminator {
            self.code.position(*position);
            self.code.get(FRAME);
            self.call_status(Runtime::Await, &[Operand::Value(*value)]);
        }
        self.save(suspensions, state);
        match terminator {
            Terminator::Yield { value, .. } if self.function.is_async => {
                self.code.get(FRAME);
                self.call_infallible(Runtime::AsyncYield, &[Operand::Value(*value)], None);
            }
            Terminator::Yield { value, .. } => {
                self.code.i32(0);
                self.push_boxed(*value);
                self.code.store_i64(YIELD_VALUE);
            }
            Terminator::YieldDelegate { .. } if self.function.is_async => {
                self.code.get(FRAME).i32(0).load_i64(YIELD_VALUE).call_runtime(Runtime::AsyncYield);
            }
            _ => {}
        }
        self.code.word(value::SUSPENDED);
        self.restore_depth();
        self.code.emit(wasm_encoder::Instruction::Return);
    }

    /// Writes what is live behind a suspension point, and its number, to the frame.
    fn save(&mut self, suspensions: &Suspensions, state: usize) {
        for &reg in &suspensions.states[state].live {
            if self.known(reg).is_none() {
                self.code.get(FRAME);
                self.push_boxed(reg);
                self.code.store_i64(slot_offset(suspensions.slots[&reg]));
            }
        }
        self.code.get(FRAME).i32(state as i32).store_i32(frame::STATE);
    }

    /// Reads the live registers back.
    pub fn reload(&mut self, suspensions: &Suspensions, suspension: &Suspension) {
        for &reg in &suspension.live {
            if self.known(reg).is_none() {
                self.code.get(FRAME).load_i64(slot_offset(suspensions.slots[&reg]));
                self.store(Some(reg), Repr::Boxed);
            }
        }
    }

    /// Stores the received value in the suspension's result register.
    pub fn store_received(&mut self, suspension: &Suspension) {
        if let Some(result) = suspension.result {
            self.code.get(VALUE);
            self.store(Some(result), Repr::Boxed);
        }
    }
}
