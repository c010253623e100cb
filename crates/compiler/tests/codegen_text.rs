//! The code of a few telling functions, as text: changes here are changes of what programs cost.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_compiler::compile::{Options, compile_module};
use convex_wasm_compiler::unit::SourceModule;

/// Text of the last Wasm function that belongs to the JavaScript function `name`: the direct entry or resume function if
/// there is one, else the uniform entry.
fn code_of(source: &str, name: &str) -> String {
    let module = SourceModule { path: "test.js".to_owned(), source: source.to_owned(), source_map: None };
    let unit = compile_module(&module, &Options::default()).expect("the module compiles");
    wasmparser::Validator::new().validate_all(&unit.wasm).expect("the unit is valid");
    let text = wasmprinter::print_bytes(&unit.wasm).unwrap();
    let defined: Vec<&str> = text.split("\n  (func ").skip(1).collect();
    let index = unit.functions.iter().rposition(|function| function.name == name).expect("the function exists");
    let body = defined[index].split("\n  (").next().unwrap();
    // Function numbers depend on which helpers the unit has; the text is about what this function does.
    body.trim_end().to_owned()
}

/// How often an instruction occurs.
fn count(code: &str, instruction: &str) -> usize {
    code.lines().filter(|line| line.trim_start().starts_with(instruction)).count()
}

#[test]
fn recursion_passes_unboxed_numbers() {
    let source = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } export const run = () => fib(30);";
    insta::assert_snapshot!(code_of(source, "fib"));
}

#[test]
fn a_property_loop_checks_shapes_inline() {
    let source = "export function total(docs) { let sum = 0; for (let i = 0; i < docs.length; i++) sum += docs[i].score; return sum; }";
    let code = code_of(source, "total");
    assert_eq!(count(&code, "call_indirect"), 0, "{code}");
    insta::assert_snapshot!(code);
}

#[test]
fn an_async_function_saves_what_is_live_only() {
    let source = "export async function add(a, b, unused) { const x = await a; return x + b; }";
    insta::assert_snapshot!(code_of(source, "add"));
}

#[test]
fn loops_over_typed_arrays_have_a_version_without_boxes() {
    let source = "const xs = new Float64Array(8); export function sum() { let s = 0; for (let i = 0; i < 8; i++) s += xs[i]; return s; }";
    let code = code_of(source, "sum");
    assert_eq!(count(&code, "f64.load"), 2, "{code}");
    let code: Vec<&str> = code.lines().map(str::trim).collect();
    let added = code.windows(2).any(|pair| pair[0] == "f64.add" && pair[1].starts_with("local.set"));
    assert!(added, "the sum stays in a local: {code:#?}");
}

#[test]
fn built_in_methods_are_compared_with_the_originals() {
    let source = "export function root(x) { return Math.sqrt(x); }";
    let code = code_of(source, "root");
    assert_eq!(count(&code, "f64.sqrt"), 1, "{code}");
    assert_eq!(count(&code, "call_indirect"), 1, "a replaced Math.sqrt is called: {code}");
}

#[test]
fn an_escaping_function_keeps_its_uniform_entry() {
    let source =
        "function twice(x) { return x * 2; } export const table = { twice }; export const four = () => twice(2);";
    let module = SourceModule { path: "test.js".to_owned(), source: source.to_owned(), source_map: None };
    let unit = compile_module(&module, &Options::default()).unwrap();
    let text = wasmprinter::print_bytes(&unit.wasm).unwrap();
    let index = unit.functions.iter().position(|function| function.name == "twice").unwrap();
    let uniform = text.split("\n  (func ").nth(index + 1).unwrap();
    assert!(uniform.contains("call "), "the uniform entry forwards to the direct one: {uniform}");
}
