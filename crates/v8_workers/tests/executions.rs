//! What a query or mutation sees on this lane, and what it leaves behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use convex_wasm_execution::{LogLevel, RunError};
use convex_wasm_v8_workers::{Call, Phase, V8Snapshot};
use support::*;

#[tokio::test]
async fn operations_of_one_turn_cross_as_one_batch_and_are_answered_in_order() {
    let lane = lane(V8Snapshot::Off, 0);
    let handler = r#"async () => {
        const ask = (text) => Convex.asyncSyscall("echo", text);
        const order = [];
        const both = await Promise.all(["1", "2"].map((text) => ask(text).then((got) => (order.push(got), got))));
        return [both, order, await ask("3")];
    }"#;
    let (result, host) = run(&lane, &query(handler)).await;
    assert_eq!(result.unwrap(), r#"[["1","2"],["1","2"],"3"]"#);
    let arguments: Vec<Vec<_>> =
        host.batches.iter().map(|batch| batch.iter().map(|o| &*o.argument).collect()).collect();
    assert_eq!(arguments, [vec!["1", "2"], vec!["3"]]);
}

#[tokio::test]
async fn a_refused_system_call_throws_an_error_with_parsed_data_and_code() {
    let lane = lane(V8Snapshot::Off, 0);
    let handler = r#"async () => {
        const seen = [];
        try { Convex.syscall("fail", ""); } catch (e) { seen.push(e instanceof Error, e.message, e.code, e.data); }
        try { await Convex.asyncSyscall("fail", ""); } catch (e) { seen.push(e instanceof Error, e.message, e.code, e.data); }
        return seen;
    }"#;
    let expected = r#"[true,"no","Code",{"a":1},true,"no","Code",{"a":1}]"#;
    assert_eq!(value(&lane, handler).await, expected);
}

#[tokio::test]
async fn an_aborting_host_ends_the_execution_and_no_catch_sees_it() {
    let lane = lane(V8Snapshot::Off, 0);
    for ask in ["Convex.syscall", "await Convex.asyncSyscall"] {
        let handler = format!(r#"async () => {{ try {{ {ask}("abort", ""); }} catch {{ return "caught"; }} }}"#);
        let (result, _) = run(&lane, &query(&handler)).await;
        assert!(matches!(result, Err(RunError::Aborted(_))), "{ask}: {result:?}");
    }
}

#[tokio::test]
async fn clock_and_randomness_come_from_the_call_and_modules_see_those_of_the_push() {
    let lane = lane(V8Snapshot::Off, 0);
    let program = program(
        "const imported = [Date.now(), Math.random()];
        export const f = { invokeQuery: async () => JSON.stringify([
            imported, Date.now(), new Date().getTime(), Date() === new Date().toString(), Math.random(), performance.now(),
            new Date(5) instanceof Date, class extends Date {}.name, Date.length]) };",
    );
    let first = run(&lane, &program).await.0.unwrap();
    assert_eq!(first, run(&lane, &program).await.0.unwrap());
    // The first numbers of ChaCha12 with these seeds, as `rand_chacha` gives them.
    let numbers: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(numbers[0][0], 1000);
    assert_eq!(numbers[1], 1_700_000_000_123_u64);
    assert_eq!(numbers[2], 1_700_000_000_123_u64);
    assert_eq!(numbers[3], true);
    assert_ne!(numbers[0][1], numbers[4]);
    assert_eq!(numbers[5], 0);
}

#[tokio::test]
async fn nothing_of_an_execution_is_left_for_the_next() {
    let lane = lane(V8Snapshot::Off, 0);
    let program = program(
        r#"let calls = 0;
        export const f = { invokeQuery: async () => {
            const before = [++calls, globalThis.mark, Object.prototype.mark, [].mark, "".mark, URL.prototype.mark,
                Promise.prototype.mark, TextEncoder.prototype.mark, process.env.mark, console.mark, JSON.mark];
            globalThis.mark = Object.prototype.mark = Array.prototype.mark = String.prototype.mark = URL.prototype.mark = 1;
            Promise.prototype.mark = TextEncoder.prototype.mark = process.env.mark = console.mark = JSON.mark = 1;
            JSON.parse = Array.prototype.map = Promise.resolve = undefined;
            Convex.asyncSyscall("echo", "never awaited");
            return JSON.stringify(before.filter((value) => value !== undefined));
        } };"#,
    );
    for _ in 0..3 {
        assert_eq!(run(&lane, &program).await.0.unwrap(), "[1]");
    }
    assert_eq!(lane.workers.statistics().worker_new.calls, 1, "one worker serves one program");
}

#[tokio::test]
async fn a_worker_whose_platform_objects_were_touched_serves_no_other() {
    let lane = lane(V8Snapshot::Off, 0);
    let handler = "async () => { const had = Headers.prototype.mark ?? null; Headers.prototype.mark = 1; return had; }";
    for _ in 0..2 {
        assert_eq!(value(&lane, handler).await, "null");
    }
    assert_eq!(value(&lane, "async () => typeof Headers + typeof Request").await, r#""functionfunction""#);
    assert_eq!(lane.workers.statistics().worker_new.calls, 3);
    assert_eq!(lane.workers.statistics().parked, 1, "asking for the type touches nothing");
}

#[tokio::test]
async fn only_the_globals_of_the_default_runtime_exist() {
    let lane = lane(V8Snapshot::Off, 0);
    let handler = r#"async () => [
        ["require", "module", "Buffer", "global", "setImmediate", "window", "WebSocket", "navigator", "__dirname"].filter((name) => name in globalThis),
        ["self", "process", "console", "URL", "URLSearchParams", "crypto", "Crypto", "SubtleCrypto", "CryptoKey", "DOMException", "Event",
         "EventTarget", "structuredClone", "setTimeout", "setInterval", "clearTimeout", "clearInterval", "AbortController", "AbortSignal",
         "AsyncLocalStorage", "AsyncResource", "ReadableStream", "WritableStream", "TransformStream", "TextEncoder", "TextDecoder",
         "TextEncoderStream", "TextDecoderStream", "atob", "btoa", "Blob", "File", "FormData", "Headers", "Request", "Response", "fetch",
         "performance", "WebAssembly", "WeakRef", "FinalizationRegistry", "queueMicrotask", "Intl"].filter((name) => !(name in globalThis)),
        Object.keys(process), process.env.SET, process.env.UNSET ?? null, Object.keys(process.env), "SET" in process.env,
    ]"#;
    assert_eq!(value(&lane, handler).await, r#"[[],[],["env"],"value",null,["SET"],true]"#);
}

#[tokio::test]
async fn what_only_actions_may_use_throws_convexs_errors() {
    let lane = lane(V8Snapshot::Off, 0);
    let cases = [
        ("fetch('http://x')", "NoFetchInQueriesOrMutations"),
        ("setTimeout(() => {}, 1)", "NoSleepInQueriesOrMutations"),
        ("setInterval(() => {}, 1)", "NoSleepInQueriesOrMutations"),
        ("crypto.randomUUID()", "NoCryptoRngInQueriesOrMutations"),
        ("crypto.getRandomValues(new Uint8Array(1))", "NoCryptoRngInQueriesOrMutations"),
        ("Convex.jsSyscall('storage/getBlob', {})", "NoStorageInQueriesOrMutations"),
        ("await import('./m.js')", "NoDynamicImport"),
    ];
    for (code, expected) in cases {
        let handler = format!("async () => {{ try {{ {code}; }} catch (e) {{ return e.code; }} }}");
        assert_eq!(value(&lane, &handler).await, format!("\"{expected}\""), "{code}");
    }
    let (result, _) = run(&lane, &program("Convex.syscall('1.0/queryStream', '{}')")).await;
    assert!(
        matches!(&result, Err(RunError::Thrown(error)) if error.message == "Can't use database at import time."),
        "{result:?}"
    );
}

#[tokio::test]
async fn an_exception_tells_its_text_data_and_frames_in_the_modules() {
    let lane = lane(V8Snapshot::Off, 0);
    let error = exception(&lane, "async () => {\n  null.x;\n}").await;
    assert_eq!(error.text, "TypeError: Cannot read properties of null (reading 'x')");
    let frames: Vec<_> = error.stack.iter().map(|frame| (&*frame.function, frame.line, frame.column)).collect();
    assert_eq!(frames, [("handler", 1, 7), ("invokeQuery", 3, 70)]);
    assert!(error.stack.iter().all(|frame| frame.path == "m.js"));
    let handler =
        r#"async () => { const e = new Error("x"); e[Symbol.for("ConvexError")] = true; e.data = "{}"; throw e; }"#;
    assert_eq!(exception(&lane, handler).await.data.as_deref(), Some("{}"));
    assert_eq!(exception(&lane, "async () => { throw undefined; }").await.text, "undefined");
    let hostile = "async () => { throw { get stack() { throw 1; }, toString() { throw 2; } }; }";
    assert_eq!(exception(&lane, hostile).await.text, "[object]");
}

#[tokio::test]
async fn a_promise_that_nothing_settles_and_a_rejection_that_nobody_handles_end_the_execution() {
    let lane = lane(V8Snapshot::Off, 0);
    let (stuck, _) = run(&lane, &query("() => new Promise(() => {})")).await;
    assert!(matches!(stuck, Err(RunError::Stuck)), "{stuck:?}");
    let unhandled = "async () => { Promise.reject(new Error('alone')); await Convex.asyncSyscall('echo', ''); }";
    assert_eq!(exception(&lane, unhandled).await.message, "alone");
    let microtask =
        "async () => { queueMicrotask(() => { throw new Error('alone'); }); await Convex.asyncSyscall('echo', ''); }";
    assert_eq!(exception(&lane, microtask).await.message, "alone");
}

#[tokio::test]
async fn console_lines_come_before_the_end_and_look_like_convexs() {
    let lane = lane(V8Snapshot::Off, 0);
    let program = program(
        "console.log('of the import');
        export const f = { invokeQuery: async () => {
            console.log('text', 1, { a: [1, 2] }, new Map([[1, 2]]), [undefined, null]);
            console.error(new URL('http://h/p?q=1#f').href);
            console.time('t'); console.timeEnd('t'); console.timeEnd('t');
            return 'null';
        } };",
    );
    let (result, host) = run(&lane, &program).await;
    result.unwrap();
    let expected = [
        (LogLevel::Log, "'text' 1 { a: [ 1, 2 ] } Map(1) { 1 => 2 } [ undefined, null ]"),
        (LogLevel::Error, "'http://h/p?q=1#f'"),
        (LogLevel::Info, "t: 0ms"),
        (LogLevel::Warn, "Timer 't' does not exist"),
    ];
    assert_eq!(host.lines, expected.map(|(level, line)| (level, line.to_owned())));
}

#[tokio::test]
async fn values_of_the_platform_are_of_the_functions_own_realm() {
    let lane = lane(V8Snapshot::Off, 0);
    let handler = r#"async () => {
        const bytes = new TextEncoder().encode("é");
        const digest = await crypto.subtle.digest("SHA-256", bytes);
        const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
        const signature = await crypto.subtle.sign("HMAC", key, bytes);
        const params = new URLSearchParams("a=1&b=2&a=3");
        const copy = structuredClone({ when: new Date(1), set: new Set([1]), error: new RangeError("r"), bytes, nested: [[1]] });
        const failures = [];
        for (const bad of [() => new URL("x"), () => atob("?"), () => structuredClone(() => 1), () => new TextDecoder("nope")]) {
            try { bad(); } catch (e) { failures.push(e instanceof Error, e.name); }
        }
        const controller = new AbortController();
        controller.abort();
        return [
            bytes instanceof Uint8Array, [...bytes], new TextDecoder().decode(bytes), digest instanceof ArrayBuffer,
            key instanceof CryptoKey, key.type, await crypto.subtle.verify("HMAC", key, signature, bytes),
            params.getAll("a") instanceof Array, params.toString(), new URL("../x?y=1", "http://h/a/b").href,
            copy.when instanceof Date, copy.set instanceof Set, copy.error instanceof RangeError, copy.bytes instanceof Uint8Array,
            copy.nested, failures, controller.signal.reason instanceof DOMException, controller.signal.reason.name,
            btoa("a"), new WeakRef(copy).deref() === copy,
        ];
    }"#;
    let expected = r#"[true,[195,169],"é",true,true,"secret",true,true,"a=1&b=2&a=3","http://h/x?y=1",true,true,true,true,[[1]],[true,"TypeError",true,"InvalidCharacterError",true,"DataCloneError",true,"RangeError"],true,"AbortError","YQ==",true]"#;
    assert_eq!(value(&lane, handler).await, expected);
}

#[tokio::test]
async fn with_and_without_a_snapshot_everything_is_the_same() {
    let source = [
        (
            "m.js",
            "import { add } from './_deps/shared.js';\nexport const f = { invokeQuery: async (a) => { console.log(add(1)); if (a === '[1]') throw new Error('x'); return String(Math.random() + add(Date.now())); } };",
        ),
        ("_deps/shared.js", "const start = Math.random();\nexport const add = (n) => n + start;"),
    ];
    let program = modules(&source);
    let (plain, restored) = (lane(V8Snapshot::Off, 0), lane(V8Snapshot::Block, 0));
    for argument in ["[0]", "[1]"] {
        let call = Call { argument, phase: Phase::Mutation, ..call() };
        let (a, host_a) = plain.workers.run(&program, &call, RecordingHost::default()).await;
        let (b, host_b) = restored.workers.run(&program, &call, RecordingHost::default()).await;
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
        assert_eq!(host_a.lines, host_b.lines);
    }
    assert_eq!(plain.workers.statistics().from_snapshot, 0);
    let statistics = restored.workers.statistics();
    assert!(statistics.from_snapshot > 0);
    assert_eq!((statistics.user_code_execute.calls, statistics.assign.calls), (2, 2));
    assert!(statistics.user_code_execute.to_string().starts_with("2 calls, "));
}
