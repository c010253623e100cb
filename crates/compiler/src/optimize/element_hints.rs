//! Guesses which registers and module bindings hold typed arrays: those that only get `new Float64Array(…)` and the like.
//!
//! A guess only chooses which check is made inline; a wrong one costs time, not correctness.

use crate::element::Element;
use crate::ir::{ConstantValue, Function, Module, Op};

/// What definitions seen so far say.
#[derive(Clone, Copy, PartialEq)]
enum Guess {
    Unknown,
    Typed(Element),
    Mixed,
}

impl Guess {
    fn join(&mut self, other: Self) {
        if *self == Self::Unknown {
            *self = other;
        } else if other != Self::Unknown && *self != other {
            *self = Self::Mixed;
        }
    }

    fn element(self) -> Option<Element> {
        match self {
            Self::Typed(element) => Some(element),
            Self::Unknown | Self::Mixed => None,
        }
    }
}

/// Guesses for module bindings.
pub fn of_bindings(module: &Module, functions: &[Function]) -> Vec<Option<Element>> {
    let mut guesses = vec![Guess::Unknown; module.bindings.len()];
    let none = vec![None; module.bindings.len()];
    for function in functions {
        let registers = guess_registers(module, function, &none);
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let Op::StoreBinding(binding, value) = &instruction.op {
                guesses[*binding as usize].join(registers[value.0 as usize]);
            }
        }
    }
    guesses.into_iter().map(Guess::element).collect()
}

/// Guesses for the registers of a function.
pub fn of_registers(module: &Module, function: &Function, bindings: &[Option<Element>]) -> Vec<Option<Element>> {
    guess_registers(module, function, bindings).into_iter().map(Guess::element).collect()
}

fn guess_registers(module: &Module, function: &Function, bindings: &[Option<Element>]) -> Vec<Guess> {
    let mut guesses = vec![Guess::Unknown; function.registers.len()];
    let mut constructors = vec![None; function.registers.len()];
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let Some(result) = instruction.result else { continue };
        let guess = match &instruction.op {
            Op::LoadGlobal(name) => {
                constructors[result.0 as usize] = constructed_element(&module.constants[name.0 as usize]);
                Guess::Mixed
            }
            Op::Construct { callee, .. } => constructors[callee.0 as usize].map_or(Guess::Mixed, Guess::Typed),
            Op::LoadBinding(binding) => bindings[*binding as usize].map_or(Guess::Mixed, Guess::Typed),
            // Variables may be undefined first.
            Op::Special(_) => Guess::Unknown,
            Op::Copy(source) => guesses[source.0 as usize],
            _ => Guess::Mixed,
        };
        guesses[result.0 as usize].join(guess);
    }
    guesses
}

/// The element type of what a global constructor of this name makes.
fn constructed_element(name: &ConstantValue) -> Option<Element> {
    match name {
        ConstantValue::String(units) => Element::of(String::from_utf16_lossy(units).strip_suffix("Array")?),
        _ => None,
    }
}
