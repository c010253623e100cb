//! Entries of functions: how arguments reach registers.
//!
//! Every function has a uniform entry, which the table holds and which any caller can use. A function that callers know
//! by name also has a direct entry, whose parameters are just what it reads; then the uniform entry only forwards to it.

use convex_wasm_abi::functions::Runtime;
use convex_wasm_abi::layout::{env, frame, function};
use convex_wasm_abi::memory::{ARGUMENTS, NEW_TARGET, STACK_DEPTH, STACK_LIMIT};
use convex_wasm_abi::value::{self, TAG_INTERNAL, TAG_OBJECT};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::code::{Callee, Code, Label, Local, Signature};
use super::emitter::{DirectEntry, Emitter, Repr, TABLE_BASE, Unit};
use super::suspend::{Suspensions, slot_offset};
use crate::ir::{Function, FunctionId, Op, Reg, RegKind};
use crate::optimize::whole_module::Summary;

/// Parameters of a uniform entry.
const CALLEE: Local = Local(0);
const ARGC: Local = Local(1);
const THIS: Local = Local(2);
const FIRST_ARGUMENT: Local = Local(3);
/// How many arguments the uniform entry receives in Wasm parameters.
const ARGUMENT_LOCALS: usize = 3;

/// Type of every uniform entry.
pub fn uniform_signature() -> Signature {
    use ValType::{I32, I64};
    (vec![I32, I32, I64, I64, I64, I64], vec![I64])
}

/// Type of every resume function.
pub fn resume_signature() -> Signature {
    (vec![ValType::I32, ValType::I32, ValType::I64], vec![ValType::I64])
}

impl DirectEntry {
    /// Whether a function can have a direct entry.
    pub fn suits(original: &Function) -> bool {
        let needs_arguments = original.rest.is_some() || original.arguments.is_some() || original.new_target.is_some();
        !original.is_async && !original.is_generator && !needs_arguments && original.refused.is_none()
    }

    /// The direct entry of a function that suits. With a summary of all its calls, values travel unboxed.
    pub fn of(simple: &Function, summary: Option<&Summary>) -> Self {
        let boxed = vec![Repr::Boxed; simple.parameters.len()];
        let parameters = summary
            .map_or(boxed, |summary| summary.parameters.iter().map(|&ty| Repr::of(RegKind::Value, ty)).collect());
        let result = match summary.map(|summary| Repr::of(RegKind::Value, summary.result)) {
            Some(Repr::Float) => Repr::Float,
            Some(Repr::Int32 | Repr::Long) => Repr::Long,
            _ => Repr::Boxed,
        };
        Self {
            callee: simple.callee.is_some(),
            env: simple.env.is_some(),
            this: simple.this.is_some(),
            parameters,
            result,
            closed: summary.is_some(),
        }
    }

    /// Its Wasm type.
    pub fn signature(&self) -> Signature {
        let mut parameters = Vec::new();
        if self.callee {
            parameters.push(ValType::I64);
        }
        if self.env {
            parameters.push(ValType::I32);
        }
        if self.this {
            parameters.push(ValType::I64);
        }
        parameters.extend(self.parameters.iter().map(|repr| repr.val_type()));
        (parameters, vec![self.result.val_type()])
    }
}

/// All Wasm functions of one IR function.
pub struct FunctionCode {
    /// The uniform entry.
    pub uniform: Code,
    /// The direct entry.
    pub direct: Option<Code>,
    /// The resume function.
    pub resume: Option<Code>,
    /// Byte offsets in the source: the function's start, then its suspension points by state.
    pub points: Vec<u32>,
}

/// Generates a function. `original` still names everything the function was declared to receive.
pub fn emit_function(unit: &mut Unit<'_>, id: FunctionId, original: &Function, simple: &Function) -> FunctionCode {
    if let Some(reason) = &original.refused {
        return FunctionCode {
            uniform: hand_over(unit, reason),
            direct: None,
            resume: None,
            points: vec![original.source.0],
        };
    }
    let takes_new_target = original.new_target.is_some();
    if original.is_async || original.is_generator {
        return emit_suspending(unit, id, simple, takes_new_target);
    }
    let (parameters, results) = uniform_signature();
    if let Some(entry) = unit.direct[id.0 as usize].clone() {
        let uniform = forward(id, &entry);
        let (parameters, results) = entry.signature();
        let mut emitter = Emitter::new(unit, simple, id, Code::new(&parameters, &results));
        emitter.bind_direct(&entry);
        emitter.emit_body(None);
        return FunctionCode { uniform, direct: Some(emitter.code), resume: None, points: vec![original.source.0] };
    }
    let mut emitter = Emitter::new(unit, simple, id, Code::new(&parameters, &results));
    emitter.bind_uniform(takes_new_target);
    emitter.emit_body(None);
    FunctionCode { uniform: emitter.code, direct: None, resume: None, points: vec![original.source.0] }
}

/// An async function or generator: an entry that makes the frame, and the resume function.
fn emit_suspending(unit: &mut Unit<'_>, id: FunctionId, simple: &Function, takes_new_target: bool) -> FunctionCode {
    let (parameters, results) = resume_signature();
    let mut emitter = Emitter::new(unit, simple, id, Code::new(&parameters, &results));
    let suspensions = Suspensions::of(simple, &emitter.liveness);
    emitter.emit_body(Some(&suspensions));
    let resume = emitter.code;
    let (parameters, results) = uniform_signature();
    let mut emitter = Emitter::new(unit, simple, id, Code::new(&parameters, &results));
    emitter.emit_frame_entry(&suspensions, takes_new_target);
    let points = suspensions.states.iter().map(|state| state.position.unwrap_or(simple.source.0)).collect();
    FunctionCode { uniform: emitter.code, direct: None, resume: Some(resume), points }
}

/// The uniform entry of a function that was refused.
fn hand_over(unit: &mut Unit<'_>, reason: &str) -> Code {
    let (parameters, results) = uniform_signature();
    let mut code = Code::new(&parameters, &results);
    code.emit(Instruction::GlobalGet(super::emitter::DATA_BASE)).load_i32(unit.data.string(reason));
    code.call_runtime(Runtime::HandOver).emit(Instruction::Unreachable);
    code
}

/// The uniform entry of a function with a direct one.
fn forward(id: FunctionId, entry: &DirectEntry) -> Code {
    let (parameters, results) = uniform_signature();
    let mut code = Code::new(&parameters, &results);
    if entry.closed {
        code.emit(Instruction::Unreachable);
        return code;
    }
    if entry.callee {
        code.get(CALLEE).tag_i32(TAG_OBJECT);
    }
    if entry.env {
        code.get(CALLEE).load_i32(function::ENV);
    }
    if entry.this {
        code.get(THIS);
    }
    for index in 0..entry.parameters.len() {
        push_argument(&mut code, index);
    }
    code.call(Callee::Direct(id));
    code
}

/// Pushes a positional argument of a uniform entry.
fn push_argument(code: &mut Code, index: usize) {
    if index < ARGUMENT_LOCALS {
        code.get(Local(FIRST_ARGUMENT.0 + index as u32));
        return;
    }
    code.get(ARGC).i32(index as i32).emit(Instruction::I32GtU);
    code.start_if(BlockType::Result(ValType::I64));
    code.i32(0).load_i64(ARGUMENTS + 8 * index as u32);
    code.start_else().word(value::UNDEFINED).end();
}

impl Emitter<'_, '_> {
    /// Makes the parameters of a direct entry the homes of the registers they are for.
    fn bind_direct(&mut self, entry: &DirectEntry) {
        self.returns = entry.result;
        let mut next = 0;
        let mut parameter = || {
            next += 1;
            Local(next - 1)
        };
        if let Some(reg) = self.function.callee.filter(|_| entry.callee) {
            self.set_home(reg, parameter());
        }
        if let Some(reg) = self.function.env.filter(|_| entry.env) {
            self.set_home(reg, parameter());
        }
        if let Some(reg) = self.function.this.filter(|_| entry.this) {
            let local = parameter();
            self.set_home(reg, local);
            self.coerce_this(local);
        }
        for (&reg, &repr) in self.function.parameters.iter().zip(&entry.parameters) {
            let local = parameter();
            if self.repr(reg) == repr {
                self.set_home(reg, local);
            } else {
                self.code.get(local);
                self.store(Some(reg), repr);
            }
        }
    }

    /// Sloppy functions see an object as `this`.
    fn coerce_this(&mut self, local: Local) {
        if !self.function.strict {
            self.code.get(local).call_runtime(Runtime::SloppyThis).set(local);
        }
    }

    /// Takes arguments as the uniform entry receives them. Those in the argument buffer come first: the next call of
    /// anything overwrites it.
    fn bind_uniform(&mut self, takes_new_target: bool) {
        let function = self.function;
        for (index, &reg) in function.parameters.iter().enumerate() {
            if index < ARGUMENT_LOCALS {
                self.set_home(reg, Local(FIRST_ARGUMENT.0 + index as u32));
            } else {
                push_argument(&mut self.code, index);
                self.store(Some(reg), Repr::Boxed);
            }
        }
        if let Some(reg) = function.rest {
            self.push_rest();
            self.store(Some(reg), Repr::Boxed);
        }
        if let Some(reg) = function.arguments {
            self.push_arguments_object();
            self.store(Some(reg), Repr::Boxed);
        }
        if takes_new_target {
            if let Some(reg) = function.new_target {
                self.code.i32(0).load_i64(NEW_TARGET);
                self.store(Some(reg), Repr::Boxed);
            }
            self.code.i32(0).word(value::UNDEFINED).store_i64(NEW_TARGET);
        }
        if let Some(reg) = function.callee {
            self.code.get(CALLEE).tag_i32(TAG_OBJECT);
            self.store(Some(reg), Repr::Boxed);
        }
        if let Some(reg) = function.env {
            self.code.get(CALLEE).load_i32(function::ENV);
            self.store(Some(reg), Repr::Env);
        }
        if let Some(reg) = function.this {
            self.set_home(reg, THIS);
            self.coerce_this(THIS);
        }
    }

    fn push_rest(&mut self) {
        self.code.i32(self.function.parameters.len() as i32).get(ARGC);
        self.push_argument_locals();
        self.code.call_runtime(Runtime::NewRest);
    }

    fn push_arguments_object(&mut self) {
        self.code.get(CALLEE).get(ARGC);
        self.push_argument_locals();
        self.code.call_runtime(Runtime::NewArguments);
    }

    fn push_argument_locals(&mut self) {
        for index in 0..ARGUMENT_LOCALS as u32 {
            self.code.get(Local(FIRST_ARGUMENT.0 + index));
        }
    }

    /// The entry of a suspending function: arguments go to the slots of the frame from which the resume function's
    /// start reads them.
    fn emit_frame_entry(&mut self, suspensions: &Suspensions, takes_new_target: bool) {
        let function = self.function;
        let frame = self.code.take_local(ValType::I32);
        // Rest and `arguments` read the argument buffer, which making the frame must not be expected to keep.
        let rest = function.rest.map(|reg| (reg, self.code.take_local(ValType::I64)));
        if let Some((_, local)) = rest {
            self.push_rest();
            self.code.set(local);
        }
        let arguments = function.arguments.map(|reg| (reg, self.code.take_local(ValType::I64)));
        if let Some((_, local)) = arguments {
            self.push_arguments_object();
            self.code.set(local);
        }
        let element = self.unit.data.resume_element(self.id);
        self.code.get(CALLEE).i32(suspensions.slots.len() as i32);
        self.code.emit(Instruction::GlobalGet(TABLE_BASE)).i32(element.cast_signed()).emit(Instruction::I32Add);
        self.code.call_runtime(Runtime::NewFrame).set(frame);
        let save = |code: &mut Code, reg: Reg, push: &dyn Fn(&mut Code)| {
            if let Some(&slot) = suspensions.slots.get(&reg) {
                code.get(frame);
                push(code);
                code.store_i64(slot_offset(slot));
            }
        };
        for (index, &reg) in function.parameters.iter().enumerate() {
            save(&mut self.code, reg, &|code| push_argument(code, index));
        }
        for (reg, local) in rest.into_iter().chain(arguments) {
            save(&mut self.code, reg, &|code| {
                code.get(local);
            });
        }
        if let Some(reg) = function.new_target {
            save(&mut self.code, reg, &|code| {
                code.i32(0).load_i64(NEW_TARGET);
            });
        }
        if takes_new_target {
            self.code.i32(0).word(value::UNDEFINED).store_i64(NEW_TARGET);
        }
        if let Some(reg) = function.callee {
            save(&mut self.code, reg, &|code| {
                code.get(CALLEE).tag_i32(TAG_OBJECT);
            });
        }
        if let Some(reg) = function.env {
            save(&mut self.code, reg, &|code| {
                code.get(CALLEE).load_i32(function::ENV).tag_i32(TAG_INTERNAL);
            });
        }
        if let Some(reg) = function.this {
            let strict = function.strict;
            save(&mut self.code, reg, &|code| {
                code.get(THIS);
                if !strict {
                    code.call_runtime(Runtime::SloppyThis);
                }
            });
        }
        self.start_frame(frame, suspensions.starts_at_once);
    }

    /// Starts an async function, or wraps a generator's frame after what runs before its first suspension.
    fn start_frame(&mut self, frame: Local, starts_at_once: bool) {
        if !self.function.is_generator {
            self.code.get(frame).call_runtime(Runtime::AsyncStart);
            return;
        }
        if starts_at_once {
            self.code.get(frame).i32(frame::NEXT).word(value::UNDEFINED).call(Callee::Resume(self.id));
            self.code.word(value::EXCEPTION).emit(Instruction::I64Eq).start_if(BlockType::Empty);
            self.code.word(value::EXCEPTION).emit(Instruction::Return).end();
        }
        self.code.get(frame).call_runtime(Runtime::NewGenerator);
    }

    /// Counts this function's stack use, if it calls others that could call it.
    pub fn emit_stack_check(&mut self, throw: Label) {
        let function = self.function;
        let methods = &self.unit.methods;
        let calls =
            function.blocks.iter().flat_map(|block| &block.instructions).any(|instruction| match instruction.op {
                Op::Call { .. } | Op::CallMethod { .. } | Op::Construct { .. } | Op::SuperCall { .. } => true,
                Op::Get(_, key) => !methods.getters(key).is_empty(),
                _ => false,
            });
        if !calls {
            return;
        }
        let saved = self.code.take_local(ValType::I32);
        self.saved_depth = Some(saved);
        self.code.position(function.source.0);
        self.code.load_cell_i32(STACK_DEPTH).set(saved);
        self.with_local(ValType::I32, |emitter, depth| {
            let weight = emitter.stack_weight();
            emitter.code.get(saved).i32(weight).emit(Instruction::I32Add).tee(depth);
            emitter.code.load_cell_i32(STACK_LIMIT).emit(Instruction::I32GtU).start_if(BlockType::Empty);
            emitter.code.call_runtime(Runtime::ThrowStackOverflow).emit(Instruction::Drop).br(throw).end();
            emitter.code.i32(0).get(depth).store_i32(STACK_DEPTH);
        });
    }

    /// Bytes of native stack the function may use: its call frame, and a word for each register that can be live during a
    /// call, with something added for what the register allocator cannot share.
    pub fn stack_weight(&self) -> i32 {
        let live = self.liveness.most_live(self.function, |reg| self.known(reg).is_none());
        160 + 10 * live as i32
    }
}

/// Offset of an environment's slot.
pub fn env_slot(slot: u32) -> u32 {
    env::SLOTS + 8 * slot
}
