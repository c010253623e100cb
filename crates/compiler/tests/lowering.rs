//! The intermediate representation of small modules, as text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_compiler::unit::SourceModule;
use convex_wasm_compiler::{Options, lower_module};

fn lower(source: &str) -> String {
    let module = SourceModule { path: "module.js".to_owned(), source: source.to_owned(), source_map: None };
    lower_module(&module, &Options::default()).unwrap().module.to_string()
}

#[test]
fn known_calls_and_registers() {
    insta::assert_snapshot!(lower("export function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }"));
}

#[test]
fn captured_loop_variables_live_in_an_environment_for_each_iteration() {
    insta::assert_snapshot!(lower("export function f(xs) { for (let i = 0; i < 3; i++) xs.push(() => i); }"));
}

#[test]
fn finally_is_lowered_once_and_dispatches() {
    insta::assert_snapshot!(lower(
        "export function f(xs) { for (const x of xs) { try { if (x) return x; } finally { g(); } } } function g() {}"
    ));
}

#[test]
fn derived_constructors_bind_this_and_run_initialisers() {
    insta::assert_snapshot!(lower("export class B extends Object { #p = 1; constructor(x) { super(); this.x = x; } }"));
}

#[test]
fn checks_only_where_a_variable_may_be_uninitialised() {
    insta::assert_snapshot!(lower("const a = 1; a; { later; let later = a; later; } export const f = () => a;"));
}

#[test]
fn await_in_a_loop_over_an_async_iterator() {
    insta::assert_snapshot!(lower("export async function f(xs) { for await (const x of xs) if (x) break; }"));
}
