//! Executions end in the ways they should, and leave nothing behind.

use std::sync::Arc;

use crate::support::{GatedHost, answer, call, pool};
use convex_wasm_runtime::{LogLevel, Operation, RunError, SilentHost};
use tokio::sync::{Semaphore, mpsc};

/// 64 KiB more than an idle environment keeps resident.
const MANY_PAGES: usize = 80;

#[tokio::test]
async fn nothing_a_call_writes_is_seen_by_the_next() {
    let pool = pool().await;
    for pages in [0, 1, MANY_PAGES, 0, MANY_PAGES, 3000, 1] {
        assert_eq!(answer(&pool, "count", &"x".repeat(pages)).await, "1");
    }
    assert_eq!(pool.idle(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_concurrent_calls_see_only_their_own_writes() {
    let pool = Arc::new(pool().await);
    let calls: Vec<_> = (0..1000)
        .map(|number| {
            let pool = pool.clone();
            tokio::spawn(async move { answer(&pool, "count", &"x".repeat(number % 100)).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), "1");
    }
}

#[tokio::test]
async fn an_endless_loop_times_out_and_lets_others_run() {
    let pool = pool().await;
    let spinning = call(&pool, "spin", "", SilentHost::default());
    let others = async {
        for _ in 0..20 {
            assert_eq!(answer(&pool, "count", "").await, "1");
        }
    };
    let (spun, ()) = tokio::join!(spinning, others);
    let error = spun.result.unwrap_err();
    assert!(matches!(error, RunError::Timeout { .. }));
    assert_eq!(error.to_string(), "Function execution timed out (maximum duration: 1s)");
    assert!(spun.host.is_some());
    assert_eq!(answer(&pool, "count", "").await, "1");
}

#[tokio::test]
async fn a_full_heap_ends_the_call() {
    let pool = pool().await;
    let error = call(&pool, "exhaust_heap", "", SilentHost::default()).await.result.unwrap_err();
    let text = "JavaScript execution ran out of memory (maximum memory usage: 64 MB)";
    assert_eq!(error.to_string(), text);
    let too_long = "x".repeat(65 << 20);
    let error = call(&pool, "count", &too_long, SilentHost::default()).await.result.unwrap_err();
    assert_eq!(error.to_string(), text);
    assert_eq!(answer(&pool, "count", "").await, "1");
}

#[tokio::test]
async fn an_overflow_of_either_stack_is_a_range_error() {
    let pool = pool().await;
    for name in ["recurse", "recurse_in_guest"] {
        let error = call(&pool, name, "", SilentHost::default()).await.result.unwrap_err();
        assert_eq!(error.to_string(), "RangeError: Maximum call stack size exceeded");
        assert_eq!(answer(&pool, "count", "").await, "1");
    }
}

#[tokio::test]
async fn a_missing_built_in_hands_over() {
    let pool = pool().await;
    let error = call(&pool, "hand_over", "", SilentHost::default()).await.result.unwrap_err();
    assert!(matches!(error, RunError::HandOver { built_in } if built_in == "Intl"));
    assert_eq!(answer(&pool, "count", "").await, "1");
}

#[tokio::test]
async fn a_panic_of_the_guest_is_our_fault() {
    let pool = pool().await;
    let error = call(&pool, "panic", "", SilentHost::default()).await.result.unwrap_err();
    assert!(matches!(&error, RunError::Internal(text) if text.contains("oops")), "{error}");
    assert_eq!(answer(&pool, "count", "").await, "1");
}

#[tokio::test]
async fn a_promise_nobody_settles_is_stuck() {
    let error = call(&pool().await, "stuck", "", SilentHost::default()).await.result.unwrap_err();
    assert_eq!(error.to_string(), "Returned promise will never resolve");
}

#[tokio::test]
async fn an_exception_keeps_its_data_and_place() {
    let pool = pool().await;
    let unit = crate::support::unit("unit.js");
    let offset = unit.functions[2].code_offset;
    let json = format!(
        r#"{{"name":"ConvexError","message":"m","text":"ConvexError: m","data":"{{\"a\":1}}","stack":[10,4294967295,0,0,{offset},7,0]}}"#
    );
    let error = call(&pool, "throw", &json, SilentHost::default()).await.result.unwrap_err();
    let RunError::Thrown(thrown) = error else { panic!("{error}") };
    assert_eq!((thrown.name.as_str(), thrown.data.as_deref()), ("ConvexError", Some(r#"{"a":1}"#)));
    assert_eq!(thrown.stack.len(), 1);
    assert_eq!((thrown.stack[0].path.as_str(), thrown.stack[0].line, thrown.stack[0].column), ("unit.js", 3, 1));
}

#[tokio::test]
async fn a_stack_is_formatted_as_v8_does() {
    let text = answer(&pool().await, "where", "").await;
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 1, "the guest's own frames are left out: {text}");
    assert!(lines[0].starts_with("    at f") && lines[0].ends_with("(convex:/unit.js:4:2)"), "{text}");
}

#[tokio::test]
async fn console_lines_reach_the_host() {
    let execution = call(&pool().await, "log", "héllo", SilentHost::default()).await;
    execution.result.unwrap();
    assert_eq!(execution.host.unwrap().lines, [(LogLevel::Warn, "héllo".to_owned())]);
}

fn gated() -> (GatedHost, Arc<Semaphore>, mpsc::UnboundedReceiver<()>) {
    let gate = Arc::new(Semaphore::new(0));
    let (started, receiver) = mpsc::unbounded_channel();
    (GatedHost { gate: gate.clone(), batches: Vec::new(), started }, gate, receiver)
}

#[tokio::test]
async fn operations_issued_together_are_one_batch_in_order() {
    let pool = pool().await;
    let (host, gate, _started) = gated();
    gate.add_permits(1);
    let execution = call(&pool, "wait", "", host).await;
    let operation = |name: &str, argument: &str| Operation { name: name.to_owned(), argument: argument.to_owned() };
    assert_eq!(execution.host.unwrap().batches, [vec![operation("a", "1"), operation("bc", "23")]]);
    assert_eq!((execution.usage.batches, execution.usage.operations), (1, 2));
    // The continuation answers the records it was resumed with.
    let results = execution.result.unwrap();
    let expected = "\u{7}\0\0\0\0\0\0\0\u{5}\0\0\0\"yes\"\0\0\0\u{8}\0\0\0\u{1}\0\0\0\u{10}\0\0\0{\"message\":\"no\"}";
    assert_eq!(results, expected);
}

#[tokio::test]
async fn an_error_of_the_host_ends_the_call() {
    let pool = pool().await;
    let (host, _gate, _started) = gated();
    let error = call(&pool, "log", "line", host).await.result.unwrap_err();
    assert!(matches!(&error, RunError::Aborted(_)));
    assert_eq!(error.to_string(), "this host takes no lines");
}

#[tokio::test]
async fn a_call_cancelled_while_it_waits_leaves_nothing_behind() {
    let pool = Arc::new(pool().await);
    let (host, _gate, mut started) = gated();
    let running = tokio::spawn({
        let pool = pool.clone();
        async move { call(&pool, "wait", "", host).await }
    });
    started.recv().await.unwrap();
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    assert_eq!(pool.idle(), 1);
    let (host, ..) = gated();
    assert_eq!(call(&pool, "count", "", host).await.result.unwrap(), "1");
}

#[tokio::test]
async fn a_call_cancelled_while_it_computes_leaves_nothing_behind() {
    let pool = Arc::new(pool().await);
    let running = tokio::spawn({
        let pool = pool.clone();
        async move { call(&pool, "spin", "", SilentHost::default()).await }
    });
    while !running.is_finished() && pool.idle() == 0 {
        running.abort();
        tokio::task::yield_now().await;
    }
    assert!(running.await.unwrap_err().is_cancelled());
    assert_eq!(answer(&pool, "count", "").await, "1");
}
