//! An edit of a large module changes little of its Wasm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;

use convex_wasm_compiler::unit::SourceModule;
use convex_wasm_compiler::{Options, compile_module};
use wasmparser::{Operator, Parser, Payload};

const FUNCTIONS: usize = 1_000;
const EDITS: usize = 8;

/// A module of many functions, each with strings, properties, a literal and a closure of its own.
fn functions() -> Vec<String> {
    let function = |number: usize| {
        format!(
            "export function f{number}(value) {{\n  const made = {{ a{number}: value, b: 'text {number}' }};\n  return made.a{number}.method{number}(() => made.b.length);\n}}\n"
        )
    };
    (0..FUNCTIONS).map(function).collect()
}

/// Functions without the numbers of those that they call, which native code does not contain.
fn bodies(source: String) -> Vec<String> {
    let module = SourceModule { path: "large.js".to_owned(), source, source_map: None };
    let wasm = compile_module(&module, &Options::default()).unwrap().wasm;
    let code = Parser::new(0).parse_all(&wasm).filter_map(|payload| match payload.unwrap() {
        Payload::CodeSectionEntry(body) => Some(body),
        _ => None,
    });
    let text = |operator| match operator {
        Operator::Call { .. } => "call".to_owned(),
        Operator::ReturnCall { .. } => "return_call".to_owned(),
        other => format!("{other:?}"),
    };
    code.map(|body| body.get_operators_reader().unwrap().into_iter().map(|operator| text(operator.unwrap())).collect())
        .collect()
}

/// Share of the functions of the edited module that are not in the module as it was.
fn changed(edited: &[String]) -> f64 {
    let before: HashSet<String> = bodies(functions().concat()).into_iter().collect();
    let after = bodies(edited.concat());
    after.iter().filter(|body| !before.contains(*body)).count() as f64 / after.len() as f64
}

/// Edits one function at a time, and counts how often that changed much. Now and then it does: when a group of functions
/// needs more than it had places free.
fn edits_that_change_much(from: &str, to: &str) -> usize {
    let edit = |number: usize| {
        let mut edited = functions();
        edited[number] = edited[number].replacen(from, to, 1);
        edited
    };
    (0..EDITS).filter(|edits| changed(&edit((2 * edits + 1) * FUNCTIONS / (2 * EDITS))) > 0.2).count()
}

#[test]
fn a_new_statement_changes_few_functions() {
    let much = edits_that_change_much("return", "console.log('a new text', value.newProperty);\n  return");
    assert!(much < EDITS / 2, "{much} of {EDITS}");
}

#[test]
fn a_new_literal_and_a_new_closure_change_few_functions() {
    let much = edits_that_change_much("return", "value(() => ({ newKey: value }));\n  return");
    assert!(much < EDITS / 2, "{much} of {EDITS}");
}
