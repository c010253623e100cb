//! Actions of the default runtime.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use convex_wasm_execution::{LogLevel, OperationResult, RunError, ThrowError};
use convex_wasm_v8_workers::{ActionCall, ActionHost, ByteStream, Entry, Program, Streams, V8Snapshot};
use futures::{StreamExt, stream};
use support::*;
use tokio::sync::Notify;

/// Answers `later` only after `sooner`, `fail` with an error, and everything else with its argument.
#[derive(Default)]
struct World {
    lines: Mutex<Vec<String>>,
    sooner: Notify,
}

impl ActionHost for World {
    async fn operation(self: Arc<Self>, _: Streams, name: String, argument: String) -> OperationResult {
        match name.as_str() {
            "later" => self.sooner.notified().await,
            "sooner" => self.sooner.notify_one(),
            "fail" => {
                let data = Some("1".to_owned());
                return Err(ThrowError { message: "no".to_owned(), code: None, data });
            }
            _ => {}
        }
        Ok(argument)
    }

    fn log(&self, _: LogLevel, message: String) {
        self.lines.lock().unwrap().push(message);
    }
}

fn action(handler: &str) -> Arc<Program> {
    program(&format!(
        "const handler = {handler};\nexport const other = 1;\nexport const f = {{ invokeAction: async (id, args) => JSON.stringify((await handler(...JSON.parse(args))) ?? null) }};"
    ))
}

async fn act(lane: &Lane, handler: &str) -> (Result<String, RunError>, Vec<String>) {
    let environment = BTreeMap::from([("SET".to_owned(), "value".to_owned())]);
    let call = action_call(&environment);
    let world = Arc::new(World::default());
    let result = lane.workers.act(&action(handler), None, &call, world.clone()).await;
    let lines = world.lines.lock().unwrap().clone();
    (result, lines)
}

async fn value_of(lane: &Lane, handler: &str) -> String {
    act(lane, handler).await.0.unwrap_or_else(|error| panic!("{handler}: {error}"))
}

#[tokio::test]
async fn operations_are_answered_as_they_are_done_and_lines_come_in_order() {
    let lane = lane(V8Snapshot::Off, 0);
    let handler = r#"async () => {
        const order = [];
        const ask = (name) => Convex.asyncSyscall(name, `"${name}"`).then((got) => order.push(JSON.parse(got)));
        console.log("first", { a: 1 });
        await Promise.all([ask("later"), ask("sooner")]);
        try { await Convex.asyncSyscall("fail", ""); } catch (e) { order.push(e.message, e.data); }
        console.error("second");
        return order;
    }"#;
    let (result, lines) = act(&lane, handler).await;
    assert_eq!(result.unwrap(), r#"["sooner","later","no",1]"#);
    assert_eq!(lines, ["'first' { a: 1 }", "'second'"]);
}

#[tokio::test]
async fn more_operations_than_run_at_once_wait_and_too_many_are_refused() {
    let lane = lane(V8Snapshot::Off, 0);
    let refused = act(&lane, "async () => { try { await Promise.all(Array.from({ length: 1200 }, () => Convex.asyncSyscall('later', ''))); } catch (e) { return e.code; } }").await;
    assert_eq!(refused.0.unwrap(), "\"TooManyOperations\"");
    let many = "async () => (await Promise.all(Array.from({ length: 500 }, (_, i) => Convex.asyncSyscall('echo', `${i}`)))).join()";
    let expected: Vec<String> = (0..500).map(|i| i.to_string()).collect();
    assert_eq!(value_of(&lane, many).await, format!("\"{}\"", expected.join(",")));
}

/// Answers one request with `hello`.
fn serve_once() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let _ = connection.read(&mut request).unwrap();
        connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nkeep-alive: timeout=5\r\n\r\nhello").unwrap();
    });
    port
}

#[tokio::test]
async fn fetch_timers_streams_and_randomness_work_and_the_platform_is_not_to_be_seen() {
    let lane = lane(V8Snapshot::Block, 0);
    let port = serve_once();
    let handler = r#"async () => {
        const started = Date.now();
        const response = await fetch("http://127.0.0.1:PORT/");
        const timer = await new Promise((done) => { const id = setTimeout((value) => done([typeof id, value]), 5, "v"); });
        setInterval(() => {}, 1);
        const stream = new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode("x")); c.close(); } });
        const hidden = ["require", "module", "Buffer", "global", "setImmediate", "WebSocket", "navigator", "EventSource"];
        const storage = new AsyncLocalStorage();
        return [
            await response.text(), timer, await new Response(stream).text(), crypto.randomUUID().length,
            hidden.filter((name) => eval("typeof " + name) !== "undefined"), Object.keys(process), process.env.SET,
            started > 1.6e12, storage.run(1, () => storage.getStore()), (await import("./m.js")).other, self === globalThis,
        ];
    }"#
    .replace("PORT", &port.to_string());
    let expected = r#"["hello",["number","v"],"x",36,[],["env"],"value",true,1,1,true]"#;
    assert_eq!(value_of(&lane, &handler).await, expected);
}

#[tokio::test]
async fn errors_wherever_they_come_from_end_the_action() {
    let lane = lane(V8Snapshot::Off, 0);
    let cases = [
        ("async () => { throw new Error('thrown'); }", "thrown"),
        (
            "async () => { setTimeout(() => { throw new Error('timer'); }); await new Promise(() => setInterval(() => {}, 9)); }",
            "timer",
        ),
        (
            "async () => { Promise.reject(new Error('alone')); await new Promise(() => setInterval(() => {}, 9)); }",
            "alone",
        ),
    ];
    for (handler, expected) in cases {
        match act(&lane, handler).await.0 {
            Err(RunError::Thrown(error)) => {
                assert_eq!(error.message, expected);
                assert_eq!(error.stack[0].path, "m.js");
            }
            other => panic!("{handler}: {other:?}"),
        }
    }
    let stuck = act(&lane, "() => new Promise(() => {})").await.0;
    assert!(matches!(stuck, Err(RunError::Stuck)), "{stuck:?}");
}

#[tokio::test]
async fn a_worker_runs_one_action_and_a_wrong_hint_changes_nothing() {
    let lane = lane(V8Snapshot::Block, 1);
    let (first, second) = (action("async () => 1"), action("async () => { globalThis.mark ??= 0; return ++mark; }"));
    lane.workers.prepare(&first);
    while lane.workers.statistics().parked == 0 {
        tokio::task::yield_now().await;
    }
    let environment = BTreeMap::new();
    let call = action_call(&environment);
    let claim = lane.workers.claim(&lane.workers.key(&first));
    assert!(claim.is_some());
    let world = Arc::new(World::default());
    assert_eq!(lane.workers.act(&second, claim, &call, world.clone()).await.unwrap(), "1");
    assert_eq!(lane.workers.statistics().wrong_hint, 1);
    for _ in 0..5 {
        assert_eq!(lane.workers.act(&second, None, &call, world.clone()).await.unwrap(), "1");
    }
    lane.workers.shut_down().await;
    assert_eq!(lane.workers.statistics().alive, 0);
}

/// A world whose response is the whole body, and which has the file `file`.
#[derive(Default)]
struct Site {
    response: Mutex<Option<(serde_json::Value, Vec<u8>)>>,
}

async fn all(mut stream: ByteStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next().await {
        bytes.extend(piece.unwrap());
    }
    bytes
}

impl ActionHost for Site {
    async fn operation(self: Arc<Self>, streams: Streams, name: String, argument: String) -> OperationResult {
        let argument: serde_json::Value = serde_json::from_str(&argument).unwrap();
        let body = async |id: &serde_json::Value| match id.as_str() {
            Some(id) => all(streams.receive(id)).await,
            None => Vec::new(),
        };
        match name.as_str() {
            "http/respond" => {
                let content = body(&argument["streamId"]).await;
                *self.response.lock().unwrap() = Some((argument, content));
                Ok("null".to_owned())
            }
            "storage/store" => {
                let length = body(&argument["streamId"]).await.len();
                Ok(serde_json::json!(format!("{length} {}", argument["contentType"].as_str().unwrap())).to_string())
            }
            _ => {
                let id = streams.send(stream::iter([Ok(Bytes::from("file")), Ok(Bytes::new())]).boxed());
                Ok(serde_json::json!({ "streamId": id, "contentType": "text/plain" }).to_string())
            }
        }
    }

    fn log(&self, _: LogLevel, _: String) {}
}

async fn respond(handler: &str, body: ByteStream) -> (Result<String, RunError>, Option<(serde_json::Value, Vec<u8>)>) {
    let lane = lane(V8Snapshot::Off, 0);
    let source = format!(
        "const handler = {handler};
        const runRequest = async (text, path) => {{
          const request = Convex.jsSyscall('requestFromConvexJson', {{ convexJson: JSON.parse(text) }});
          const response = await handler(request, path);
          return JSON.stringify(Convex.jsSyscall('convexJsonFromResponse', {{ response }}));
        }};
        export default {{ runRequest }};"
    );
    let streams = Streams::default();
    let argument = serde_json::json!({
        "url": "http://site/a?b=c", "method": "POST", "headerPairs": [["x-one", "1"]], "streamId": streams.send(body),
        "signal": streams.send(stream::pending().boxed()),
    });
    let call = ActionCall {
        module: "m.js",
        entry: Entry::Router("/a"),
        argument: &argument.to_string(),
        streams,
        seed: [7; 32],
        environment: &BTreeMap::new(),
        limit: Duration::from_secs(60),
    };
    let site = Arc::new(Site::default());
    let result = lane.workers.act(&program(&source), None, &call, site.clone()).await;
    let response = site.response.lock().unwrap().take();
    (result, response)
}

#[tokio::test]
async fn bodies_of_requests_and_responses_are_streams() {
    let megabytes = |count: usize| stream::iter((0..count).map(|_| Ok(Bytes::from(vec![7; 1 << 20])))).boxed();
    let echo = "async (request, path) => new Response(request.body, { status: 201, headers: [
      ['x-path', path], ['x-url', request.url], ['set-cookie', 'a=1'], ['set-cookie', 'b=2'], ['x-one', request.headers.get('x-one')],
    ] })";
    let (result, response) = respond(echo, megabytes(20)).await;
    assert_eq!(result.unwrap(), "");
    let (head, content) = response.unwrap();
    assert_eq!((head["status"].as_u64(), content.len()), (Some(201), 20 << 20));
    let headers = head["headerPairs"].as_array().unwrap();
    for pair in
        [["x-path", "/a"], ["x-url", "http://site/a?b=c"], ["set-cookie", "a=1"], ["set-cookie", "b=2"], ["x-one", "1"]]
    {
        assert!(headers.contains(&serde_json::json!(pair)), "{head}");
    }

    let ignored = "async (request) => new Response(null, { status: 204 })";
    assert_eq!(respond(ignored, megabytes(1_000)).await.1.unwrap().0["streamId"], serde_json::Value::Null);
    let broken = stream::iter([Ok(Bytes::from("a")), Err(std::io::Error::other("the client went away"))]).boxed();
    let read = "async (request) => new Response(await request.text().catch((error) => error.message))";
    assert_eq!(respond(read, broken).await.1.unwrap().1, b"the client went away");
    let thrown = respond("async () => { throw new Error('boom'); }", megabytes(1)).await;
    assert!(matches!(thrown.0, Err(RunError::Thrown(error)) if error.text == "Error: boom"));
    let nothing = respond("async () => 1", megabytes(1)).await;
    assert!(matches!(nothing.0, Err(RunError::Thrown(error)) if error.text.contains("must return a Response")));
}

#[tokio::test]
async fn files_are_stored_and_read_as_blobs() {
    let handler = "async () => {
      const blob = new Blob(['a'.repeat(1e6), new Uint8Array([0, 255])], { type: 'image/png' });
      const id = await Convex.jsSyscall('storage/storeBlob', { blob });
      const file = await Convex.jsSyscall('storage/getBlob', { storageId: id });
      return new Response([id, file.type, await file.text()].join());
    }";
    let (_, response) = respond(handler, stream::empty().boxed()).await;
    assert_eq!(response.unwrap().1, b"1000002 image/png,text/plain,file");
}
