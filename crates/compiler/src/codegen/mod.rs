//! From the intermediate representation to a Wasm unit.
//!
//! [`emit`] plans the data segment, generates every function, then puts the module together:
//! - [`emitter`], [`values`]: a function under way; registers, locals, representations;
//! - [`structure`], [`control`]: blocks to nested Wasm control flow;
//! - [`entry`], [`suspend`]: how calls enter functions; async functions and generators;
//! - [`operations`] and what it calls ([`arithmetic`], [`numeric`], [`properties`], [`calls`], [`literals`]): instructions;
//! - [`helpers`]: sequences outlined once for each unit;
//! - [`data`], [`places`], [`code`], [`assemble`]: bytes.

mod arithmetic;
mod assemble;
mod calls;
mod code;
mod control;
mod data;
mod elements;
mod emitter;
mod entry;
mod helpers;
mod intrinsics;
mod literals;
mod methods;
mod numeric;
mod operations;
mod places;
mod properties;
mod structure;
mod suspend;
mod typed_arrays;
mod typed_loops;
mod values;

use crate::ir::{Arguments, Function, FunctionId, Module, Op};
use crate::optimize::{self, whole_module::ModuleTypes};
use crate::unit::{CodePoint, CodePosition, FunctionMeta};

use assemble::Assembly;
use data::Data;
use emitter::{DirectEntry, Unit};
use methods::Methods;

/// The source text of a module, for positions.
pub struct SourceInfo<'a> {
    /// JavaScript source.
    pub text: &'a str,
}

/// A generated unit.
pub struct EmittedUnit {
    /// The Wasm module (see `convex_wasm_abi::unit`).
    pub wasm: Vec<u8>,
    /// Bytes of linear memory the data segment needs.
    pub data_size: u32,
    /// Elements of the function table it needs.
    pub table_size: u32,
    /// Byte offset in the data of the first module binding.
    pub bindings_offset: u32,
    /// Byte offset in the data of the first import slot.
    pub imports_offset: u32,
    /// Functions, sorted by code offset.
    pub functions: Vec<FunctionMeta>,
    /// Source positions, sorted by offset.
    pub positions: Vec<CodePosition>,
    /// Starts and suspension points of functions.
    pub points: Vec<CodePoint>,
}

/// Slots that the frame of an async function or generator needs.
pub fn frame_slots(function: &Function) -> usize {
    let simple = optimize::simplify(function);
    suspend::Suspensions::of(&simple, &optimize::liveness::Liveness::compute(&simple)).slots.len()
}

/// Generates the Wasm unit of a module. The same module gives the same bytes.
pub fn emit(module: &Module, source: &SourceInfo<'_>) -> EmittedUnit {
    let mut simplified: Vec<Function> = module.functions.iter().map(optimize::simplify).collect();
    optimize::typed_loops::version(module, &mut simplified);
    let methods = Methods::of(module);
    let direct = directly_called(module, &simplified, &methods);
    let passes: Vec<(bool, bool)> = simplified.iter().map(passed_operands).collect();
    for function in simplified.iter_mut().filter(|function| function.refused.is_none()) {
        optimize::drop_unpassed_operands(function, |callee| direct[callee as usize].then_some(passes[callee as usize]));
    }
    let types = ModuleTypes::infer(module, &simplified, &direct);
    let entries = simplified.iter().zip(&types.summaries).zip(&direct);
    let entries = entries.map(|((simple, summary), direct)| direct.then(|| DirectEntry::of(simple, summary.as_ref())));
    let mut unit = Unit {
        module,
        data: Data::plan(module, source.text),
        direct: entries.collect(),
        binding_hints: optimize::element_hints::of_bindings(module, &simplified),
        methods,
        types,
    };
    let mut assembly = Assembly::default();
    for (index, (original, simple)) in module.functions.iter().zip(&simplified).enumerate() {
        let id = FunctionId(index as u32);
        unit.data.begin_function(index);
        assembly.add(id, entry::emit_function(&mut unit, id, original, simple));
    }
    unit.data.end_functions();
    assembly.finish(&unit, source)
}

/// Functions that some call knows, or guesses by a method's or getter's name, and that can have a direct entry.
fn directly_called(module: &Module, simplified: &[Function], methods: &Methods) -> Vec<bool> {
    let mut called = vec![false; module.functions.len()];
    for block in simplified.iter().flat_map(|function| &function.blocks) {
        for instruction in &block.instructions {
            match &instruction.op {
                Op::Call { known: Some(known), arguments: Arguments::List(_), .. } => called[known.0 as usize] = true,
                Op::CallMethod { key, arguments: Arguments::List(_), .. } => {
                    methods.named(*key).iter().for_each(|method| called[method.0 as usize] = true);
                }
                Op::Get(_, key) => methods.getters(*key).iter().for_each(|getter| called[getter.0 as usize] = true),
                _ => {}
            }
        }
    }
    module.functions.iter().zip(called).map(|(original, called)| called && DirectEntry::suits(original)).collect()
}

/// Whether a function's direct entry takes its function object (or what that captured), and `this`.
fn passed_operands(simple: &Function) -> (bool, bool) {
    (simple.callee.is_some() || simple.env.is_some(), simple.this.is_some())
}
