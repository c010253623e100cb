//! From the intermediate representation to a Wasm unit.
//!
//! [`emit`] plans the data segment, generates every function, then puts the module together:
//! - [`emitter`], [`values`]: a function under way; registers, locals, representations;
//! - [`structure`], [`control`]: blocks to nested Wasm control flow;
//! - [`entry`], [`suspend`]: how calls enter functions; async functions and generators;
//! - [`operations`] and what it calls ([`arithmetic`], [`numeric`], [`properties`], [`calls`], [`literals`]): instructions;
//! - [`helpers`]: sequences outlined once for each unit;
//! - [`data`], [`code`], [`assemble`]: bytes.

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
mod hints;
mod intrinsics;
mod literals;
mod numeric;
mod operations;
mod properties;
mod structure;
mod suspend;
mod typed_arrays;
mod values;

use crate::ir::{Function, FunctionId, Module, Op};
use crate::optimize;
use crate::unit::{CodePosition, FunctionMeta};

use assemble::Assembly;
use data::Data;
use emitter::{DirectEntry, Unit};

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
}

/// Generates the Wasm unit of a module. The same module gives the same bytes.
pub fn emit(module: &Module, source: &SourceInfo<'_>) -> EmittedUnit {
    let simplified: Vec<Function> = module.functions.iter().map(optimize::simplify).collect();
    let mut unit = Unit {
        module,
        data: Data::plan(module),
        direct: direct_entries(module, &simplified),
        binding_hints: hints::of_bindings(module, &simplified),
        resume_elements: resume_elements(module),
    };
    let mut assembly = Assembly::default();
    for (index, (original, simple)) in module.functions.iter().zip(&simplified).enumerate() {
        let id = FunctionId(index as u32);
        assembly.add(id, entry::emit_function(&mut unit, id, original, simple));
    }
    assembly.finish(&unit, source)
}

/// Direct entries of the functions that some call knows.
fn direct_entries(module: &Module, simplified: &[Function]) -> Vec<Option<DirectEntry>> {
    let mut called = vec![false; module.functions.len()];
    for block in simplified.iter().flat_map(|function| &function.blocks) {
        for instruction in &block.instructions {
            if let Op::Call { known: Some(known), .. } = &instruction.op {
                called[known.0 as usize] = true;
            }
        }
    }
    let functions = module.functions.iter().zip(simplified);
    functions
        .zip(called)
        .map(|((original, simple), called)| if called { DirectEntry::of(original, simple) } else { None })
        .collect()
}

/// Table elements of resume functions: behind all uniform entries.
fn resume_elements(module: &Module) -> Vec<Option<u32>> {
    let mut next = data::element(FunctionId(module.functions.len() as u32));
    let suspending = |function: &Function| (function.is_async || function.is_generator) && function.refused.is_none();
    module
        .functions
        .iter()
        .map(|function| {
            suspending(function).then(|| {
                next += 1;
                next - 1
            })
        })
        .collect()
}
