//! What the report says: refusals, module state, environment variables, Convex functions; errors; the cache.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::sync::Mutex;

use convex_wasm_compiler::cache::{Cache, NoCache};
use convex_wasm_compiler::error::CompileError;
use convex_wasm_compiler::unit::{CompiledUnit, Finding, SourceModule};
use convex_wasm_compiler::{Options, compile_all, compile_module};

fn module(path: &str, source: &str) -> SourceModule {
    SourceModule { path: path.to_owned(), source: source.to_owned(), source_map: None }
}

fn compile(source: &str) -> CompiledUnit {
    compile_module(&module("module.js", source), &Options::default()).unwrap()
}

fn summary(findings: &[Finding]) -> Vec<String> {
    let line =
        |finding: &Finding| format!("{}:{} {}: {}", finding.line + 1, finding.column + 1, finding.name, finding.reason);
    findings.iter().map(line).collect()
}

#[test]
fn only_the_function_with_the_construct_is_refused() {
    let unit = compile(
        "export const fine = 1;\n\
         function evaluates(text) { return eval(text); }\n\
         const makes = (text) => new Function(text);\n\
         async function imports(name) {\n  return import(name);\n}\n\
         function shares() { return new SharedArrayBuffer(8); }\n\
         function probes() { return typeof WebAssembly === 'object' && WebAssembly.compile; }\n\
         class Decided { run() { return Atomics.load(null, 0); } }\n\
         const foreseen = () => new Function('a', 'return a');",
    );
    assert_eq!(
        summary(&unit.report.refusals),
        [
            "2:35 evaluates: it calls eval",
            "3:25 makes: it makes a function from text",
            "7:32 shares: it uses SharedArrayBuffer",
            "9:32 run: it uses Atomics",
        ]
    );
}

#[test]
fn top_level_await_is_compiled() {
    let unit = compile("const x = 1;\nawait x;");
    assert_eq!(summary(&unit.report.refusals), [""; 0]);
}

#[test]
fn state_that_functions_change_is_reported_where_it_changes() {
    let unit = compile(
        "let counter = 0;\n\
         const cache = new Map(), list = [], options = { a: 1 }, fixed = { b: 2 };\n\
         let setAtTopLevel = 1; setAtTopLevel = 2; list.push('top level');\n\
         export function next() { counter++; cache.set(counter, 1); return fixed.b; }\n\
         export const add = (item) => { list.push(item); };\n\
         export function configure() { options.a = 5; delete options.b; }\n\
         export function local() { let counter = 1; counter++; const cache = new Map(); cache.set(1, 2); }",
    );
    let end = "; the change does not last beyond the call";
    assert_eq!(
        summary(&unit.report.mutable_state),
        [
            format!("4:26 counter: it is assigned in 'next'{end}"),
            format!("4:37 cache: its method 'set' is called in 'next'{end}"),
            format!("5:32 list: its method 'push' is called in a function{end}"),
            format!("6:31 options: a property of it is assigned in 'configure'{end}"),
        ]
    );
}

#[test]
fn environment_variables_of_initialisation_are_reported() {
    let unit = compile(
        "const top = process.env.TOP;\n\
         const { DESTRUCTURED } = process.env;\n\
         function called() { return inner() + process.env['CALLED']; }\n\
         const inner = () => process.env.INNER;\n\
         function onlyInHandlers() { return process.env.HANDLER; }\n\
         export const value = called(), iife = (() => process.env.IIFE)();\n\
         export const handler = { run: () => onlyInHandlers() + process.env.TOP };",
    );
    let names: Vec<&str> = unit.report.init_environment.iter().map(|finding| finding.name.as_str()).collect();
    assert_eq!(names, ["TOP", "DESTRUCTURED", "CALLED", "INNER", "IIFE"]);
}

#[test]
fn convex_functions_are_found_through_chunks_with_short_names() {
    let modules = [
        module(
            "messages.js",
            "import { a as q, b as m, c as i } from './_deps/SERVER.js';\n\
             var list = q({ handler: () => 1 }), send = m(() => 2), notOne = Math.max(1);\n\
             var sweep = i({}); export { list, send as post, sweep, notOne }; export default q({});",
        ),
        module("again.js", "export { list as listed, post } from './messages.js';"),
        module(
            "_deps/SERVER.js",
            "import { g, h } from './LIBRARY.js'; var query = g, mutation = h, n = (f, s) => f;\n\
             var internal = /* @__PURE__ */ n((d) => d, 'internalActionGeneric');\n\
             export { query as a, mutation as b, internal as c };",
        ),
        module(
            "_deps/LIBRARY.js",
            "function x(d) { return d; } n(x, 'queryGeneric'); function n(f, s) { return f; }\n\
             var y = n(function (d) { return d; }, 'mutationGeneric'); export { x as g, y as h };",
        ),
    ];
    let units = compile_all(&modules, &Options::default(), &NoCache, &|_| {}).unwrap();
    let functions = |unit: usize| {
        let report = &units[unit].report;
        let text = report.convex_functions.iter();
        text.map(|found| format!("{} {} {}", found.name, found.kind, found.public)).collect::<Vec<_>>()
    };
    assert_eq!(functions(0), ["default query true", "list query true", "post mutation true", "sweep action false"]);
    assert_eq!(functions(1), ["listed query true", "post mutation true"]);
    assert!(functions(2).is_empty());
}

#[test]
fn syntax_errors_say_where() {
    let error = compile_module(&module("bad.js", "const a = 1;\nconst a = 2;"), &Options::default()).unwrap_err();
    assert!(matches!(&error, CompileError::Syntax { line: 1, column: 6, .. }), "{error}");
    assert!(error.to_string().starts_with("bad.js:2:7: SyntaxError: "), "{error}");
    let error = compile_module(&module("big.js", "1;"), &Options { max_source_bytes: 1, threads: 1 }).unwrap_err();
    assert_eq!(error.to_string(), "big.js: the module has 2 bytes; the compiler takes at most 1");
}

#[test]
fn deep_nesting_is_no_crash() {
    let depth = 20_000;
    let source = format!("export default {}1{};", "[".repeat(depth), "]".repeat(depth));
    assert!(compile(&source).report.refusals.is_empty());
}

#[derive(Default)]
struct MemoryCache(Mutex<HashMap<String, Vec<u8>>>);

impl Cache for MemoryCache {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.0.lock().unwrap().insert(key.to_owned(), bytes.to_vec());
    }
}

#[test]
fn the_cache_knows_a_module_by_its_text() {
    let cache = MemoryCache::default();
    let compile = |path: &str| {
        let cached = Mutex::new(Vec::new());
        let modules = [module(path, "export function f(x) { return x + 1; }")];
        let units = compile_all(&modules, &Options::default(), &cache, &|progress| {
            cached.lock().unwrap().push(progress.cached);
        });
        (units.unwrap().remove(0), cached.into_inner().unwrap())
    };
    let (first, from_cache) = compile("first.js");
    assert_eq!(from_cache, [false]);
    let (second, from_cache) = compile("second.js");
    assert_eq!(from_cache, [true]);
    assert_eq!(second.path, "second.js");
    assert_eq!(first.wasm, second.wasm);
}

#[test]
fn same_source_same_bytes() {
    let source = include_str!("../../../tests/differential/classes.js");
    let (first, second) = (compile(source), compile(source));
    assert_eq!(first.to_bytes(), second.to_bytes());
    assert_eq!(CompiledUnit::from_bytes(&first.to_bytes()).unwrap().to_bytes(), first.to_bytes());
    assert!(CompiledUnit::from_bytes(b"something else").is_none());
}

#[test]
fn scopes_and_frames_that_do_not_fit_are_refused() {
    let all = |line: fn(u32) -> String| (0..65_536).map(line).collect::<String>();
    let variables = all(|i| format!("var v{i} = 0;"));
    let used = all(|i| format!("v{i};"));
    let unit = compile(&format!("function captured() {{\n{variables}\nreturn () => {{ {used} }}; }}"));
    assert_eq!(
        summary(&unit.report.refusals),
        ["1:1 captured: it has a scope with 65536 variables that inner functions use, too many"]
    );
    let uses = all(|i| format!("use(v{i});"));
    let unit =
        compile(&format!("const f = 1, use = () => f;\nasync function waits() {{\n{variables}\nawait 0; {uses} }}"));
    let [refusal] = unit.report.refusals.as_slice() else { panic!("{:?}", unit.report.refusals) };
    assert_eq!((refusal.line, refusal.name.as_str()), (1, "waits"));
    assert!(refusal.reason.contains("values while it waits, too many"), "{}", refusal.reason);
}
