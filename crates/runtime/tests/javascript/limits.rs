//! Runaway programs end with the right error, and their environment serves the next call.

use convex_wasm_runtime::{ProgramError, RunError, SilentHost};

use crate::support::{answer, call, pool, program};

const SOURCE: &str = "
let dirty = 0;
export const ok = { run() { return `ok ${dirty}`; } };
export const spin = { run() { dirty = 1; for (;;) {} } };
export const spinMicrotasks = { async run() { dirty = 1; for (;;) await null; } };
export const spinSort = { run() { dirty = 1; [3, 2, 1].sort(() => { for (;;) {} }); } };
export const hoard = { run() { dirty = 1; const all = []; for (;;) all.push(new Array(1000).fill(dirty)); } };
export const recurse = { run() { dirty = 1; const f = (n) => 1 + f(n + 1); return String(f(0)); } };
export const recurseSafely = { run() {
    dirty = 1;
    const f = (n) => { depth = n; return 1 + f(n + 1); };
    let depth = 0;
    try { f(0); } catch (error) { return `${error instanceof RangeError} ${error.message} ${depth > 5000}`; }
} };
export const recurseInBuiltIn = { run() {
    dirty = 1;
    const f = () => [1].map(f);
    try { f(); } catch (error) { return String(error); }
} };
export const recurseInJson = { run() {
    dirty = 1;
    let deep = []; for (let i = 0; i < 100000; i++) deep = [deep];
    try { return JSON.stringify(deep).length + ''; } catch (error) { return String(error); }
} };
export const stuck = { run() { return new Promise(() => {}); } };
";

#[tokio::test]
async fn endless_loops_time_out() {
    let pool = pool(SOURCE).await;
    for name in ["spin", "spinMicrotasks", "spinSort"] {
        assert_eq!(answer(&pool, name, "").await, "Function execution timed out (maximum duration: 1s)", "{name}");
        assert_eq!(answer(&pool, "ok", "").await, "ok 0", "after {name}");
    }
}

#[tokio::test]
async fn runaway_allocation_runs_out_of_memory() {
    let pool = pool(SOURCE).await;
    let expected = "JavaScript execution ran out of memory (maximum memory usage: 64 MB)";
    assert_eq!(answer(&pool, "hoard", "").await, expected);
    assert_eq!(answer(&pool, "ok", "").await, "ok 0");
}

#[tokio::test]
async fn deep_recursion_is_a_range_error_that_can_be_caught() {
    let pool = pool(SOURCE).await;
    let text = "RangeError: Maximum call stack size exceeded";
    assert_eq!(answer(&pool, "recurse", "").await, text);
    assert_eq!(answer(&pool, "recurseSafely", "").await, "true Maximum call stack size exceeded true");
    assert_eq!(answer(&pool, "recurseInBuiltIn", "").await, text);
    assert_eq!(answer(&pool, "recurseInJson", "").await, text);
    assert_eq!(answer(&pool, "ok", "").await, "ok 0");
}

#[tokio::test]
async fn a_promise_nobody_settles_is_stuck() {
    let pool = pool(SOURCE).await;
    assert_eq!(answer(&pool, "stuck", "").await, "Returned promise will never resolve");
}

#[tokio::test]
async fn an_uncaught_error_says_where_it_was_made() {
    let pool =
        pool("function inner() {\n  throw new TypeError('wrong');\n}\nexport const fail = { run() { inner(); } };")
            .await;
    let error = call(&pool, "fail", "", SilentHost::default()).await.result.unwrap_err();
    let RunError::Thrown(thrown) = error else { panic!("{error}") };
    assert_eq!((thrown.name.as_str(), thrown.message.as_str()), ("TypeError", "wrong"));
    let frames: Vec<_> = thrown
        .stack
        .iter()
        .map(|frame| (frame.path.as_str(), frame.function.as_str(), frame.line, frame.column))
        .collect();
    assert_eq!(frames, [("app.js", "inner", 1, 8), ("app.js", "run", 3, 30)]);
}

#[tokio::test]
async fn an_error_of_module_evaluation_names_the_module() {
    let error = program(&[("good.js", "export {};"), ("bad.js", "export const n = null.x;")]).await.err().unwrap();
    let ProgramError::Evaluate { path, error } = error else { panic!("{error}") };
    assert_eq!(path, "bad.js");
    assert_eq!(error.to_string(), "TypeError: Cannot read properties of null (reading 'x')");
}

#[tokio::test]
async fn module_evaluation_has_limits_too() {
    let error = program(&[("slow.js", "for (;;) {}")]).await.err().unwrap();
    assert!(matches!(error, ProgramError::Evaluate { error: RunError::Timeout { .. }, .. }), "{error}");
    let error = program(&[("big.js", "const all = []; for (;;) all.push({});")]).await.err().unwrap();
    assert!(matches!(error, ProgramError::Evaluate { error: RunError::OutOfMemory { .. }, .. }), "{error}");
}
