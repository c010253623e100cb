//! Every function of the example app runs on Wasm; the same executions, replayed through Node on the recorded answers of
//! the host, give the same results, console lines and writes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    collections::BTreeSet,
    io::Write,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use convex_wasm_compiler::cache;
use convex_wasm_database::Database;
use convex_wasm_persistence::SqlitePersistence;
use convex_wasm_runner::{Audience, Call, ExecutionRecord, FunctionKind, Identity, Outcome};
use convex_wasm_runtime::{Engine, NoCache};
use convex_wasm_server::{
    Backend, BackendOptions, InstanceSecret,
    push::{Builder, PushBody},
};
use convex_wasm_storage::Files;
use convex_wasm_tests::places;
use convex_wasm_values::{ConvexValue, DocumentId, InternalId, JsonFormat, TableNumber};
use serde_json::{Value, json};

/// The push body, as the published CLI writes it.
fn push_body(directory: &std::path::Path) -> Value {
    let file = directory.join("push");
    let output = Command::new(places::node().canonicalize().unwrap())
        .args(["node_modules/convex/bin/main.js", "deploy", "--push-all-modules", "--url", "http://127.0.0.1"])
        .args(["--admin-key", "none", "--write-push-request"])
        .arg(&file)
        .current_dir(places::chat())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&std::fs::read(file.with_extension("json")).unwrap()).unwrap()
}

struct App {
    backend: Arc<Backend>,
    executions: Arc<Mutex<Vec<ExecutionRecord>>>,
    modules: Value,
}

impl App {
    async fn deployed(directory: &std::path::Path) -> Self {
        let body = push_body(directory);
        let modules = body["appDefinition"]["changedModules"].clone();
        let executions = Arc::<Mutex<Vec<ExecutionRecord>>>::default();
        let sink = executions.clone();
        let persistence = SqlitePersistence::open(directory.join("chat.sqlite3")).unwrap();
        let backend = Backend::open(BackendOptions {
            database: Database::open(Arc::new(persistence)).await.unwrap(),
            instance_name: "test".to_owned(),
            secret: InstanceSecret::generate(),
            builder: Builder::new(Engine::new(NoCache).unwrap(), cache::NoCache),
            origin: "http://127.0.0.1:3210".to_owned(),
            site: "http://127.0.0.1:3211".to_owned(),
            files: Files::open(directory.join("files")).unwrap(),
            recordings: Some(Arc::new(move |recording| sink.lock().unwrap().extend(recording.executions))),
        })
        .await
        .unwrap();
        let report = backend.deploy(serde_json::from_value::<PushBody>(body).unwrap()).await.unwrap();
        for function in &report.functions {
            let lane = if function.kind == FunctionKind::Action { "none" } else { "wasm" };
            assert_eq!(function.lane, lane, "{function:?}");
        }
        App { backend, executions, modules }
    }

    /// Calls a function as an admin would; an error of the application is an answer like any other.
    async fn call(&self, path: &str, arguments: Value) -> Value {
        let call = Call {
            path: path.parse().unwrap(),
            arguments: ConvexValue::from_json(&arguments).unwrap(),
            kind: None,
            audience: Audience::Admins,
            identity: Identity::Anonymous,
            request_id: "0123456789abcdef".to_owned(),
            scheduled: None,
        };
        let Outcome { result, .. } = self.backend.runner().run(call).await.unwrap();
        result.map_or_else(|error| json!({ "error": error.message }), |value| value.to_json(JsonFormat::Encoded))
    }

    fn replay_on_node(&self) -> Value {
        let input = json!({ "modules": self.modules, "executions": *self.executions.lock().unwrap() });
        let mut node = Command::new(places::node())
            .args(["--experimental-vm-modules", "--no-warnings"])
            .arg(places::project().join("tests/node/replay.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        node.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        let output = node.wait_with_output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_engines_agree_on_every_function_of_the_example() {
    let directory = tempfile::tempdir().unwrap();
    let app = App::deployed(directory.path()).await;
    let ann =
        app.call("users:register", json!({ "name": " Ann ", "email": "Ann@Example.com", "color": "#aa0000" })).await;
    let bob = app.call("users:register", json!({ "name": "Bob", "email": "bob@example.com" })).await;
    app.call("users:register", json!({ "name": "Bobby", "email": "bob@example.com" })).await;
    app.call("users:register", json!({ "name": "", "email": "nobody", "color": "red" })).await;
    app.call("users:get", json!({ "id": ann })).await;
    app.call("users:list", json!({})).await;
    let channel = app.call("channels:create", json!({ "name": "general", "createdBy": ann })).await;
    app.call("channels:create", json!({ "name": "general", "createdBy": bob })).await;
    app.call("channels:byName", json!({ "name": "general" })).await;
    app.call("channels:byName", json!({ "name": "nowhere" })).await;
    let mut last = Value::Null;
    for i in 0..12 {
        let body = format!("Message {i} for @bob@example.com and @nobody@example.com — “{}”", "ä".repeat(i));
        last = app.call("messages:send", json!({ "channel": "general", "author": ann, "body": body })).await;
    }
    app.call("messages:send", json!({ "channel": "general", "author": bob, "body": "x".repeat(2_001) })).await;
    app.call("messages:send", json!({ "channel": "general", "author": bob, "body": "" })).await;
    for order in ["name", "busy"] {
        app.call("channels:list", json!({ "order": order })).await;
    }
    app.call("messages:recent", json!({ "channel": "general", "limit": 5.0 })).await;
    let first = json!({ "channel": channel, "paginationOpts": { "numItems": 5.0, "cursor": null } });
    let page = app.call("messages:page", first).await;
    let next = json!({ "numItems": 50.0, "cursor": page["continueCursor"] });
    app.call("messages:page", json!({ "channel": channel, "paginationOpts": next })).await;
    app.call("messages:search", json!({ "channel": channel, "word": "MESSAGE 1" })).await;
    app.call("messages:statistics", json!({ "channel": channel })).await;
    app.call("messages:edit", json!({ "id": last, "body": "edited, @ann@example.com" })).await;
    app.call("messages:remove", json!({ "id": last })).await;
    app.call("messages:edit", json!({ "id": last, "body": "gone" })).await;
    for _ in 0..3 {
        app.call("counters:increment", json!({ "name": "n" })).await;
    }
    assert_eq!(app.call("counters:value", json!({ "name": "n" })).await, json!(3.0));
    assert_eq!(app.call("counters:reset", json!({ "name": "n" })).await, json!(0.0));
    app.call("counters:add", json!({ "name": "n" })).await;
    app.call("counters:addLater", json!({ "name": "n", "times": 2 })).await;
    app.call("previews:keep", json!({ "url": "http://a/", "title": "A", "keepFor": 1e9 })).await;
    app.call("previews:forgetOld", json!({})).await;
    assert_eq!(app.call("previews:titleOf", json!({ "url": "http://a/" })).await, json!("A"));
    assert!(app.call("files:uploadUrl", json!({})).await.as_str().unwrap().contains("/api/storage/upload?token="));
    // Any id of the table does: the file itself may be gone.
    let file = DocumentId { table: TableNumber(540), internal: InternalId([7; InternalId::LENGTH]) };
    app.call("files:share", json!({ "file": file.to_string(), "name": "a" })).await;
    assert_eq!(app.call("files:list", json!({})).await, json!([{ "name": "a", "size": 0.0, "url": null }]));
    assert_eq!(app.call("users:remove", json!({ "id": ann })).await, Value::Null);

    let deployment = app.backend.runner().deployment().unwrap();
    let executed: BTreeSet<String> =
        app.executions.lock().unwrap().iter().map(|execution| execution.function.clone()).collect();
    for function in deployment.functions().filter(|function| function.kind != FunctionKind::Action) {
        assert!(executed.contains(&function.path.to_string()), "{} was never called", function.path);
    }
    let differences = app.replay_on_node();
    assert_eq!(differences, json!([]), "{differences:#}");
}
