//! Functions that need V8, beside those that run on Wasm.

use serde_json::json;

use crate::support::{App, Server};

const APP: &str = r#"
import { query, mutation, call, all, ConvexError } from "./_deps/lib.js";

const format = (number) => new Intl.NumberFormat("en").format(number);
const insert = (value) => call("1.0/insert", { table: "rows", value });

export const dynamic = query({ handler: ({ code }) => eval(code) });
export const refusedMutation = mutation({
  handler: async ({ code }) => {
    await insert({ at: Date.now(), value: eval(code) });
    return (await all("rows")).length;
  },
});
export const handedOver = mutation({
  handler: async ({ number }) => {
    console.log("begun");
    await insert({ number });
    const random = Math.random();
    console.log("formatted", format(number));
    return [(await all("rows")).length, random === Math.random()];
  },
});
export const outer = mutation({
  handler: async ({ number }) => {
    await insert({ from: "outer" });
    const run = (name, args) => call("1.0/runUdf", { udfType: "mutation", name, args });
    const nested = await run("app:handedOver", { number });
    const failed = await run("app:failing", {}).catch((error) => error.message);
    return [nested, failed.includes("boom"), (await all("rows")).length];
  },
});
export const failing = mutation({
  handler: async () => {
    await insert({ from: "failing" });
    throw new ConvexError({ boom: format(1000) });
  },
});
export const rows = query({ handler: async () => (await all("rows")).length });
"#;

#[tokio::test]
async fn functions_that_the_compiler_refuses_run_on_v8_in_their_transaction() {
    let server = Server::start_with_v8().await;
    let report = server.deploy(App::new().module("app.js", APP)).await;
    let lane = |path: &str| {
        let functions = report["functions"].as_array().unwrap();
        functions.iter().find(|function| function["path"] == path).unwrap()["lane"].clone()
    };
    assert_eq!((lane("app:dynamic"), lane("app:rows")), (json!("v8"), json!("wasm")));
    let call = server.query("app:dynamic", json!({ "code": "[1, 'two', typeof fetch].join()" })).await;
    assert_eq!(call, json!({ "status": "success", "value": "1,two,function" }));
    assert_eq!(server.mutation("app:refusedMutation", json!({ "code": "'x'" })).await["value"], json!(1.0));
    assert_eq!(server.query("app:rows", json!({})).await["value"], json!(1.0));
    let failed = server.mutation("app:refusedMutation", json!({ "code": "null.x" })).await;
    let message = failed["errorMessage"].as_str().unwrap();
    assert!(message.contains("Uncaught TypeError: Cannot read properties of null (reading 'x')"), "{message}");
    assert_eq!(server.query("app:rows", json!({})).await["value"], json!(1.0), "nothing is left of a failure");
}

#[tokio::test]
async fn an_execution_that_is_handed_over_is_repeated_once_and_leaves_no_trace_of_the_first_try() {
    let server = Server::start_with_v8().await;
    server.deploy(App::new().module("app.js", APP)).await;
    let call = server.mutation("app:handedOver", json!({ "number": 1234567 })).await;
    assert_eq!(call["value"], json!([1.0, false]), "{call}");
    assert_eq!(call["logLines"], json!(["[LOG] 'begun'", "[LOG] 'formatted' '1,234,567'"]));
    let nested = server.mutation("app:outer", json!({ "number": 1 })).await;
    assert_eq!(nested["value"], json!([[3.0, false], true, 3.0]), "{nested}");
    assert_eq!(server.query("app:rows", json!({})).await["value"], json!(3.0));
    let failed = server.mutation("app:failing", json!({})).await;
    assert_eq!(failed["errorData"], json!({ "boom": "1,000" }), "{failed}");
    assert_eq!(server.query("app:rows", json!({})).await["value"], json!(3.0));
}

const ACTIONS: &str = r#"
import { query, mutation, action, internalQuery, call, all } from "./_deps/lib.js";

const run = (kind, name, args) => call(`1.0/actions/${kind}`, { name, args });
export const add = mutation({ handler: ({ text }) => call("1.0/insert", { table: "notes", value: { text } }) });
export const count = internalQuery({ handler: async () => (await all("notes")).length });
export const fail = mutation({ handler: async () => { await add._handler({ text: "x" }); throw new Error("no such luck"); } });
export const work = action({
  handler: async ({ texts }) => {
    console.log("working");
    await Promise.all(texts.map((text) => run("mutation", "app:add", { text })));
    await new Promise((done) => setTimeout(done, 1));
    const failure = await run("mutation", "app:fail", {}).catch((error) => error.message);
    return [await run("query", "app:count", {}), failure.split("\n")[0], typeof crypto.randomUUID()];
  },
});
export const outer = action({ handler: (args) => run("action", "app:work", args) });
export const search = action({ handler: () => call("1.0/actions/vectorSearch", {}) });
"#;

#[tokio::test]
async fn actions_call_functions_each_in_a_transaction_of_its_own() {
    let server = Server::start_with_v8().await;
    let report = server.deploy(App::new().module("app.js", ACTIONS)).await;
    let lane = report["functions"].as_array().unwrap().iter().find(|function| function["path"] == "app:work").unwrap();
    assert_eq!(lane["lane"], "v8");
    let worked = server.call("action", "app:work", json!({ "texts": ["a", "b"] })).await;
    assert_eq!(worked["value"], json!([2.0, "Uncaught Error: no such luck", "string"]), "{worked}");
    assert_eq!(worked["logLines"], json!(["[LOG] 'working'"]));
    let nested = server.call("action", "app:outer", json!({ "texts": ["c"] })).await;
    assert_eq!(nested["value"][0], json!(3.0), "{nested}");
    let search = server.call("action", "app:search", json!({})).await;
    let message = search["errorMessage"].as_str().unwrap();
    assert!(message.contains("Vector search is not supported by this server yet."), "{message}");
}

#[tokio::test]
async fn functions_can_be_left_to_v8_and_the_workers_are_counted() {
    let server = Server::start_with_v8_for(&["app:ro*"]).await;
    let report = server.deploy(App::new().module("app.js", APP)).await;
    let lanes: Vec<_> =
        report["functions"].as_array().unwrap().iter().map(|f| (f["path"].as_str(), &f["lane"])).collect();
    assert!(lanes.contains(&(Some("app:rows"), &json!("v8"))), "{lanes:?}");
    assert!(lanes.contains(&(Some("app:outer"), &json!("wasm"))), "{lanes:?}");
    assert_eq!(server.query("app:rows", json!({})).await["value"], json!(0.0));
    let metrics = server.get("/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("# TYPE convex_wasm_v8_workers_alive gauge\nconvex_wasm_v8_workers_alive "), "{metrics}");
    assert!(metrics.contains("\nconvex_wasm_v8_user_code_execute_calls_total 1\n"), "{metrics}");
}
