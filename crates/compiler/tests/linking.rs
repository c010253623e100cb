//! Linking of compiled modules: targets, order, namespaces, errors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_compiler::error::LinkError;
use convex_wasm_compiler::link::{LinkPlan, Target, link, resolve_path};
use convex_wasm_compiler::unit::{CompiledUnit, SourceModule};
use convex_wasm_compiler::{Options, compile_module};

fn compile(path: &str, source: &str) -> CompiledUnit {
    let module = SourceModule { path: path.to_owned(), source: source.to_owned(), source_map: None };
    compile_module(&module, &Options::default()).unwrap()
}

fn compile_all(modules: &[(&str, &str)]) -> Vec<CompiledUnit> {
    modules.iter().map(|(path, source)| compile(path, source)).collect()
}

fn linked(modules: &[(&str, &str)]) -> LinkPlan {
    link(&compile_all(modules), &[0]).unwrap()
}

fn link_error(modules: &[(&str, &str)]) -> LinkError {
    link(&compile_all(modules), &[0]).unwrap_err()
}

#[test]
fn imports_follow_reexports_to_the_binding() {
    let plan = linked(&[
        ("main.js", "import { renamed, viaStar } from './middle.js'; renamed + viaStar;"),
        ("middle.js", "export { original as renamed } from './leaf.js'; export * from './leaf.js';"),
        ("leaf.js", "export const original = 1; export let viaStar = 2;"),
    ]);
    assert_eq!(plan.imports[0], [Target::Binding { unit: 2, index: 0 }, Target::Binding { unit: 2, index: 1 }]);
    assert_eq!(plan.order, [2, 1, 0]);
}

#[test]
fn an_import_that_is_exported_again_is_the_same_binding() {
    let plan = linked(&[
        ("main.js", "import { x } from './again.js'; x;"),
        ("again.js", "import { y } from './leaf.js'; export { y as x };"),
        ("leaf.js", "export let y = 1;"),
    ]);
    assert_eq!(plan.imports[0], [Target::Binding { unit: 2, index: 0 }]);
}

#[test]
fn cycles_are_evaluated_once_from_the_deepest_request() {
    let plan = linked(&[
        ("a.js", "import './b.js'; export function f() {}"),
        ("b.js", "import { f } from './a.js'; import './c.js'; f;"),
        ("c.js", "import './a.js';"),
    ]);
    assert_eq!(plan.order, [2, 1, 0]);
    assert_eq!(plan.imports[1], [Target::Binding { unit: 0, index: 0 }]);
}

#[test]
fn namespaces_are_sorted_and_leave_out_what_is_ambiguous() {
    let plan = linked(&[
        ("main.js", "import * as ns from './stars.js'; ns;"),
        ("stars.js", "export * from './one.js'; export * from './two.js'; export const own = 1;"),
        ("one.js", "export const both = 1, zebra = 2; export default 3;"),
        ("two.js", "export const both = 4, apple = 5;"),
    ]);
    let namespace = plan.namespaces.iter().find(|namespace| namespace.unit == 1).unwrap();
    let names: Vec<&str> = namespace.names.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["apple", "own", "zebra"]);
    assert_eq!(plan.imports[0], [Target::Namespace { unit: 1 }]);
}

#[test]
fn a_namespace_in_a_namespace_comes_first() {
    let plan = linked(&[
        ("main.js", "import { inner } from './outer.js'; import * as all from './outer.js'; inner; all;"),
        ("outer.js", "export * as inner from './leaf.js';"),
        ("leaf.js", "export const x = 1;"),
    ]);
    assert_eq!(plan.imports[0], [Target::Namespace { unit: 2 }, Target::Namespace { unit: 1 }]);
    let order: Vec<usize> = plan.namespaces.iter().map(|namespace| namespace.unit).collect();
    assert_eq!(order, [0, 2, 1]);
}

#[test]
fn dynamic_imports_come_last_and_may_be_missing() {
    let plan = linked(&[
        ("main.js", "export const load = () => [import('./lazy'), import('node:fs')];"),
        ("lazy.js", "import './leaf.js';"),
        ("leaf.js", ""),
        ("unreached.js", ""),
    ]);
    assert_eq!((plan.order, plan.requested), (vec![0, 2, 1], 1));
    assert_eq!(plan.importable, [1]);
    assert_eq!(plan.imports[0], [Target::Namespace { unit: 1 }, Target::Missing]);
}

#[test]
fn a_dynamic_import_that_does_not_link_spoils_only_itself() {
    let plan = linked(&[
        ("main.js", "export const load = () => [import('./broken.js'), import('./leaf.js')];"),
        ("broken.js", "import { nope } from './leaf.js'; nope;"),
        ("leaf.js", ""),
    ]);
    assert_eq!(plan.order, [0, 2]);
    assert_eq!(plan.imports[0], [Target::Unlinkable, Target::Namespace { unit: 2 }]);
}

#[test]
fn missing_modules_and_names_are_errors_with_v8s_texts() {
    let missing_module = link_error(&[("dir/a.js", "import './b.js';")]);
    assert_eq!(missing_module.to_string(), "Cannot find module './b.js' imported from dir/a.js");
    let missing_name = link_error(&[("a.js", "import { nope } from './b.js'; nope;"), ("b.js", "")]);
    assert_eq!(
        missing_name.to_string(),
        "SyntaxError: The requested module './b.js' does not provide an export named 'nope' (a.js)"
    );
    let ambiguous = link_error(&[
        ("a.js", "import { x } from './b.js'; x;"),
        ("b.js", "export * from './c.js'; export * from './d.js';"),
        ("c.js", "export const x = 1;"),
        ("d.js", "export const x = 2;"),
    ]);
    assert!(matches!(ambiguous, LinkError::AmbiguousExport { name, .. } if name == "x"));
    let circular = link_error(&[
        ("a.js", "import { x } from './b.js'; x;"),
        ("b.js", "export { x } from './c.js';"),
        ("c.js", "export { x } from './b.js';"),
    ]);
    assert!(matches!(circular, LinkError::MissingExport { .. }));
}

#[test]
fn paths_are_relative_to_the_importing_module() {
    assert_eq!(resolve_path("a/b/c.js", "../_deps/X.js").as_deref(), Some("a/_deps/X.js"));
    assert_eq!(resolve_path("c.js", "./d.js").as_deref(), Some("d.js"));
    assert_eq!(resolve_path("c.js", "../d.js"), None);
    assert_eq!(resolve_path("c.js", "convex/server"), None);
}
