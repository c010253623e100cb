//! Calling functions over HTTP.

use std::sync::Arc;

use crate::support::{App, Server, ok, refusal};
use serde_json::{Value, json};

const MESSAGES: &str = r#"
import { query, mutation, internalQuery, internalMutation, action, call, all, field, object, ConvexError } from "./_deps/lib.js";

export const list = query({ args: object({}), handler: () => all("messages") });
export const send = mutation({
  args: object({ body: field("string"), likes: field("number", true) }),
  returns: { type: "id", tableName: "messages" },
  handler: async (value) => (await call("1.0/insert", { table: "messages", value }))._id,
});
export const edit = mutation({
  handler: ({ id, value, without }) =>
    call("1.0/shallowMerge", { id, value: { ...value, [without]: { $undefined: null } } }),
});
export const get = query({ handler: ({ ids }) => Promise.all(ids.map((id) => call("1.0/get", { id, isSystem: false }))) });
export const echo = query({ handler: ({ value }) => value });
export const wrong = query({ returns: { type: "string" }, handler: () => 7 });
export const secret = internalQuery({ handler: () => "hidden" });
export const act = action({ handler: () => null });

export const speak = query({
  handler: () => {
    console.log("one", 2, { three: [3] });
    console.error("bad");
    return null;
  },
});
export const chatter = query({
  handler: () => {
    console.log(..."abcde".split("").map((letter) => letter.repeat(9_000)));
    for (let i = 0; i < 300; i++) console.log(i);
    return null;
  },
});
export const fail = query({ handler: () => { throw new Error("boom"); } });
export const refuse = mutation({
  handler: async () => {
    await call("1.0/insert", { table: "messages", value: { body: "never" } });
    console.log("about to refuse");
    throw new ConvexError({ code: 42, who: ["me"] });
  },
});
export const write = query({ handler: () => call("1.0/insert", { table: "messages", value: {} }) });
export const unknown = query({ handler: () => call("1.0/makeCoffee", {}) });
export const audit = mutation({ handler: () => call("1.0/auditLog", {}) });
export const endless = query({ handler: () => { for (;;); } });
export const hungry = query({ handler: () => { const all = []; for (;;) all.push(new Array(10_000).fill(1)); } });
export const never = query({ handler: () => new Promise(() => {}) });
export const clock = query({ handler: () => [Date.now(), Date.now(), Math.random()] });
export const who = query({ handler: () => call("1.0/getUserIdentity", { requestId: "" }) });
export const self = query({ handler: () => call("1.0/getFunctionMetadata", {}) });

export const increment = mutation({
  handler: async () => {
    const [counter] = await all("counters");
    if (counter === undefined) {
      await call("1.0/insert", { table: "counters", value: { value: 1 } });
      return 1;
    }
    await call("1.0/shallowMerge", { id: counter._id, value: { value: counter.value + 1 } });
    return counter.value + 1;
  },
});
export const counter = query({ handler: async () => (await all("counters"))[0]?.value ?? 0 });
"#;

const NESTED: &str = r#"
import { query, mutation, internalMutation, call, all, ConvexError } from "./_deps/lib.js";
const runUdf = (udfType, name, args) => call("1.0/runUdf", { udfType, name, args });

export const attempt = mutation({
  handler: async () => {
    await call("1.0/insert", { table: "messages", value: { body: "kept" } });
    let caught;
    try {
      await runUdf("mutation", "nested:write", { body: "undone", fail: true });
    } catch (error) {
      caught = error.message;
    }
    await runUdf("mutation", "nested:write", { body: "kept too", fail: false });
    return { caught, bodies: (await runUdf("query", "messages:list", {})).map(({ body }) => body) };
  },
});
export const write = internalMutation({
  handler: async ({ body, fail }) => {
    await call("1.0/insert", { table: "messages", value: { body } });
    if (fail) throw new Error("nested failure");
    console.log("wrote", body);
    return null;
  },
});
export const deep = query({
  handler: async ({ depth }) => (depth === 0 ? 0 : 1 + (await runUdf("query", "nested:deep", { depth: depth - 1 }))),
});
export const sneaky = query({ handler: () => runUdf("mutation", "nested:write", { body: "x", fail: false }) });
export const missing = query({ handler: () => runUdf("query", "nested:nowhere", {}) });
export const handle = query({
  handler: async () => {
    const functionHandle = await call("1.0/createFunctionHandle", { name: "messages:echo" });
    return call("1.0/runUdf", { udfType: "query", functionHandle, args: { value: "through a handle" } });
  },
});
"#;

async fn deployed() -> Server {
    let server = Server::start().await;
    server.deploy(App::new().module("messages.js", MESSAGES).module("nested.js", NESTED)).await;
    server
}

fn message(answer: &Value) -> &str {
    assert_eq!(answer["status"], "error", "{answer}");
    let text = answer["errorMessage"].as_str().unwrap();
    text.split_once("Server Error\n").unwrap().1
}

#[tokio::test]
async fn mutations_write_and_queries_read() {
    let server = deployed().await;
    let id = server.mutation("messages:send", json!({ "body": "hello", "likes": 2 })).await["value"].clone();
    let answer = server.query("messages:list", json!({})).await;
    assert_eq!(answer["status"], "success");
    assert_eq!(answer["value"][0]["body"], "hello");
    assert_eq!(answer["value"][0]["_id"], id);
    assert!(answer["value"][0]["_creationTime"].is_f64());
    let patch = json!({ "id": id, "value": { "body": "edited" }, "without": "likes" });
    let edited = server.mutation("messages:edit", patch).await;
    assert_eq!(edited["value"]["body"], "edited");
    assert_eq!(edited["value"].get("likes"), None);
    let got = server.query("messages:get", json!({ "ids": [id, id] })).await;
    assert_eq!(got["value"], json!([edited["value"], edited["value"]]));
    let broken = server.query("messages:get", json!({ "ids": [id, "not an id"] })).await;
    assert!(message(&broken).contains("Invalid argument `id` for `db.get`"), "{broken}");
}

#[tokio::test]
async fn values_keep_their_types() {
    let server = deployed().await;
    let value =
        json!({ "a": { "$integer": "AQAAAAAAAAA=" }, "b": { "$float": "AAAAAAAAAIA=" }, "c": { "$bytes": "3q0=" } });
    assert_eq!(server.query("messages:echo", json!({ "value": value })).await["value"], value);
    let body = json!({ "path": "messages:echo", "args": { "value": value } }).to_string();
    let clean = json!({ "a": "1", "b": -0.0, "c": "3q0=" });
    assert_eq!(ok(server.post("/api/query", body.clone())).await["value"], clean);
    let old_client = server.post("/api/query", body).header("Convex-Client", "npm-1.4.0");
    assert_eq!(ok(old_client).await["value"], value);
    let url = "/api/query?path=messages:echo&args=%7B%22value%22%3A%5B1%5D%7D&format=json";
    assert_eq!(ok(server.get(url)).await["value"], json!([1.0]));
}

#[tokio::test]
async fn arguments_and_results_are_validated() {
    let server = deployed().await;
    let bad =
        [json!({}), json!({ "body": 1 }), json!({ "body": "x", "more": 1 }), json!({ "body": "x", "likes": "1" })];
    for args in bad {
        let answer = server.mutation("messages:send", args).await;
        assert!(message(&answer).starts_with("ArgumentValidationError: "), "{answer}");
    }
    let answer = server.query("messages:wrong", json!({})).await;
    assert!(message(&answer).starts_with("ReturnsValidationError: "), "{answer}");
}

#[tokio::test]
async fn internal_functions_are_for_admins() {
    let server = deployed().await;
    let answer = server.query("messages:secret", json!({})).await;
    let expected = "Could not find public function for 'messages:secret'. Did you forget to run `npx convex dev`?";
    assert_eq!(message(&answer), expected);
    let body = json!({ "path": "messages:secret", "args": {} }).to_string();
    for path in ["/api/query", "/api/function", "/api/run/messages/secret"] {
        assert_eq!(ok(server.admin(server.post(path, body.clone()))).await["value"], "hidden", "{path}");
    }
    let answer = ok(server.post("/api/run/messages/secret", "{}")).await;
    assert!(message(&answer).starts_with("Could not find function for 'messages:secret'"), "{answer}");
}

#[tokio::test]
async fn functions_are_called_as_what_they_are() {
    let server = deployed().await;
    let answer = server.mutation("messages:list", json!({})).await;
    assert_eq!(message(&answer), "Trying to execute messages:list as Mutation, but it is defined as Query.");
    let answer = server.call("action", "messages:act", json!({})).await;
    assert!(message(&answer).contains("actions run on Node.js 22"), "{answer}");
}

#[tokio::test]
async fn console_lines_come_with_the_answer() {
    let server = deployed().await;
    let answer = server.query("messages:speak", json!({})).await;
    assert_eq!(answer["logLines"], json!(["[LOG] 'one' 2 { three: [ 3 ] }", "[ERROR] 'bad'"]));
    let lines = server.query("messages:chatter", json!({})).await["logLines"].as_array().unwrap().clone();
    assert_eq!(lines.len(), 256);
    assert_eq!(lines[0].as_str().unwrap().len(), 32_768);
    assert_eq!(lines[254], "[LOG] 253");
    assert!(lines[255].as_str().unwrap().contains("overflow"), "{}", lines[255]);
}

#[tokio::test]
async fn errors_name_what_was_thrown_and_where() {
    let server = deployed().await;
    let answer = server.query("messages:fail", json!({})).await;
    assert!(message(&answer).starts_with("Uncaught Error: boom\n    at "), "{answer}");
    assert!(message(&answer).contains("messages.js:"), "{answer}");
    assert_eq!(answer.get("errorData"), None);

    let answer = server.mutation("messages:refuse", json!({})).await;
    assert!(message(&answer).starts_with("Uncaught ConvexError: {\"code\":42"), "{answer}");
    assert_eq!(answer["errorData"], json!({ "code": 42.0, "who": ["me"] }));
    assert_eq!(answer["logLines"], json!(["[LOG] 'about to refuse'"]));
    assert_eq!(server.query("messages:list", json!({})).await["value"], json!([]));
}

#[tokio::test]
async fn system_calls_that_are_refused_say_why() {
    let server = deployed().await;
    let answer = server.query("messages:write", json!({})).await;
    assert!(message(&answer).contains("messages:write is a query"), "{answer}");
    let answer = server.query("messages:unknown", json!({})).await;
    assert!(message(&answer).contains("Unknown async operation 1.0/makeCoffee"), "{answer}");
    let answer = server.mutation("messages:audit", json!({})).await;
    assert!(message(&answer).contains("not supported by this server yet"), "{answer}");
}

#[tokio::test]
async fn functions_that_do_not_end_are_ended() {
    let server = deployed().await;
    let answer = server.query("messages:endless", json!({})).await;
    assert_eq!(message(&answer), "Function execution timed out (maximum duration: 1s)");
    let answer = server.query("messages:hungry", json!({})).await;
    assert_eq!(message(&answer), "JavaScript execution ran out of memory (maximum memory usage: 64 MB)");
    let answer = server.query("messages:never", json!({})).await;
    assert!(message(&answer).contains("Returned promise will never resolve"), "{answer}");
    assert_eq!(server.query("messages:echo", json!({ "value": 1 })).await["value"], json!(1.0));
}

#[tokio::test]
async fn time_stands_still_and_chance_is_fresh() {
    let server = deployed().await;
    // Other arguments, so that the second result is not the first one again.
    let first = server.query("messages:clock", json!({ "run": 1 })).await["value"].clone();
    let second = server.query("messages:clock", json!({ "run": 2 })).await["value"].clone();
    assert_eq!(first[0], first[1]);
    assert_ne!(first[2], second[2]);
}

#[tokio::test]
async fn functions_know_themselves_and_their_caller() {
    let server = deployed().await;
    assert_eq!(
        server.query("messages:self", json!({})).await["value"],
        json!({ "name": "messages:self", "componentPath": "" })
    );
    assert_eq!(server.query("messages:who", json!({})).await["value"], Value::Null);
    // {"issuer":"https://i","subject":"ann","name":"Ann"}
    let user = "eyJpc3N1ZXIiOiJodHRwczovL2kiLCJzdWJqZWN0IjoiYW5uIiwibmFtZSI6IkFubiJ9";
    let request = server
        .post("/api/query", r#"{"path":"messages:who","args":{}}"#)
        .header("Authorization", format!("Convex {}:{user}", server.key));
    let expected =
        json!({ "issuer": "https://i", "subject": "ann", "name": "Ann", "tokenIdentifier": "https://i|ann" });
    assert_eq!(ok(request).await["value"], expected);
}

#[tokio::test]
async fn nested_functions_share_the_transaction() {
    let server = deployed().await;
    let answer = server.mutation("nested:attempt", json!({})).await;
    assert_eq!(answer["value"]["bodies"], json!(["kept", "kept too"]), "{answer}");
    assert!(answer["value"]["caught"].as_str().unwrap().starts_with("Uncaught Error: nested failure"), "{answer}");
    assert_eq!(answer["logLines"], json!(["[LOG] 'wrote' 'kept too'"]));
    assert_eq!(server.query("messages:list", json!({})).await["value"].as_array().unwrap().len(), 2);

    assert_eq!(server.query("nested:deep", json!({ "depth": 8 })).await["value"], json!(8.0));
    let answer = server.query("nested:deep", json!({ "depth": 9 })).await;
    assert!(message(&answer).contains("too deeply"), "{answer}");
    let answer = server.query("nested:sneaky", json!({})).await;
    assert!(message(&answer).contains("nested:sneaky is a query"), "{answer}");
    let answer = server.query("nested:missing", json!({})).await;
    assert!(message(&answer).contains("Could not find function for 'nested:nowhere'"), "{answer}");
    assert_eq!(server.query("nested:handle", json!({})).await["value"], "through a handle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_concurrent_increments_make_exactly_a_thousand() {
    let server = Arc::new(deployed().await);
    let calls: Vec<_> = (0..1_000)
        .map(|_| {
            let server = server.clone();
            tokio::spawn(async move { server.mutation("messages:increment", json!({})).await["status"].clone() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), "success");
    }
    assert_eq!(server.query("messages:counter", json!({})).await["value"], json!(1_000.0));
}

#[tokio::test]
async fn queries_can_share_a_snapshot() {
    let server = deployed().await;
    server.mutation("messages:increment", json!({})).await;
    let before = ok(server.post("/api/query_ts", "")).await["ts"].clone();
    server.mutation("messages:increment", json!({})).await;
    let counter = json!({ "path": "messages:counter", "args": {} });
    let mut at = counter.clone();
    at["ts"] = before;
    assert_eq!(ok(server.post("/api/query_at_ts", at.to_string())).await["value"], json!(1.0));
    let batch = json!({ "queries": [counter, counter] }).to_string();
    let results = ok(server.post("/api/query_batch", batch)).await["results"].clone();
    assert_eq!(results, json!([{ "status": "success", "value": 2.0 }, { "status": "success", "value": 2.0 }]));
    at["ts"] = json!("soon");
    assert_eq!(refusal(server.post("/api/query_at_ts", at.to_string())).await, (400, "InvalidTimestamp".to_owned()));
}
