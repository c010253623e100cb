//! What one call changes, the next does not see.

use crate::support::{answer, pool};

/// Calls every export of the source twice, on the same environment, and expects the same answer.
async fn forgets(source: &str, expected: &str) {
    let pool = pool(source).await;
    assert_eq!(answer(&pool, "change", "").await, expected);
    assert_eq!(answer(&pool, "change", "").await, expected);
    assert_eq!(pool.idle(), 1, "both calls ran in one environment");
}

#[tokio::test]
async fn module_variables() {
    forgets("let count = 0; export const change = { run() { return String(++count); } };", "1").await;
}

#[tokio::test]
async fn global_variables() {
    forgets("export const change = { run() { globalThis.seen = (globalThis.seen ?? 0) + 1; return String(globalThis.seen); } };", "1").await;
}

#[tokio::test]
async fn prototypes() {
    let source = "export const change = { run() {
        const patched = 'twice' in Array.prototype;
        Array.prototype.twice = function () { return this.length * 2; };
        return `${patched} ${[1, 2].twice()}`;
    } };";
    forgets(source, "false 4").await;
}

#[tokio::test]
async fn contents_of_objects_made_by_modules() {
    let source = "const list = [1]; const map = new Map(); const object = { inner: { n: 0 } };
    export const change = { run() {
        list.push(2); map.set(map.size, 1); object.inner.n++; object['k' + object.inner.n] = 1;
        return JSON.stringify([list, map.size, object]);
    } };";
    forgets(source, r#"[[1,2],1,{"inner":{"n":1},"k1":1}]"#).await;
}

#[tokio::test]
async fn classes_and_their_static_fields() {
    let source = "class Counter { static made = 0; constructor() { Counter.made++; } }
    export const change = { run() { new Counter(); new Counter(); return String(Counter.made); } };";
    forgets(source, "2").await;
}

#[tokio::test]
async fn large_changes() {
    let source = "const kept = [];
    export const change = { run() {
        for (let i = 0; i < 200000; i++) kept.push({ i });
        return String(kept.length);
    } };";
    forgets(source, "200000").await;
}

#[tokio::test]
async fn pending_timers_and_promises() {
    let source = "let settle; const waiting = new Promise((resolve) => { settle = resolve; });
    let seen = 0; waiting.then(() => { seen++; });
    export const change = { async run() { settle(); await null; await null; return String(seen); } };";
    forgets(source, "1").await;
}

#[tokio::test]
async fn changes_of_a_call_that_threw() {
    let pool = pool(
        "let count = 0;
        export const fail = { run() { count++; Object.prototype.bad = 1; throw new Error('no'); } };
        export const look = { run() { return `${count} ${({}).bad}`; } };",
    )
    .await;
    assert_eq!(answer(&pool, "fail", "").await, "Error: no");
    assert_eq!(answer(&pool, "look", "").await, "0 undefined");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_calls() {
    let pool = std::sync::Arc::new(
        pool("let count = 0; export const change = { async run(n) { count += Number(n); await null; return String(count); } };").await,
    );
    let calls: Vec<_> = (0..1000)
        .map(|number: u32| {
            let pool = pool.clone();
            tokio::spawn(async move { answer(&pool, "change", &number.to_string()).await == number.to_string() })
        })
        .collect();
    for call in calls {
        assert!(call.await.unwrap());
    }
}
