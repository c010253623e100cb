//! Results of queries are given again while nothing that they depend on has changed.

use crate::support::{App, Server, ok};
use futures::future::join_all;
use serde_json::{Value, json};

/// Each execution draws its own number, so equal numbers come from one execution.
const DRAWS: &str = r#"
import { query, mutation, call, all } from "./_deps/lib.js";

export const draw = query({ handler: async () => [(await all("messages")).length, Math.random()] });
export const drawForMe = query({
  handler: async () => [await call("1.0/getUserIdentity", { requestId: "" }), Math.random()],
});
export const drawNow = query({ handler: () => [Date.now(), Math.random()] });
export const drawOrFail = query({
  handler: async () => {
    await all("messages");
    throw new Error(`drew ${Math.random()}`);
  },
});
export const snapshot = query({ handler: () => [Convex.syscall("1.0/getSnapshotTs", "{}"), Math.random()] });
export const send = mutation({ handler: ({ table }) => call("1.0/insert", { table, value: {} }) });
"#;

async fn start() -> Server {
    let server = Server::start().await;
    server.deploy(App::new().module("draws.js", DRAWS)).await;
    server
}

async fn draw(server: &Server, name: &str, args: Value) -> Value {
    server.query(&format!("draws:{name}"), args).await["value"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_given_again_until_what_it_read_changes() {
    let server = start().await;
    let first = draw(&server, "draw", json!({})).await;
    assert_eq!(draw(&server, "draw", json!({})).await, first);
    assert_ne!(draw(&server, "draw", json!({ "other": 1 })).await[1], first[1]);
    server.mutation("draws:send", json!({ "table": "others" })).await;
    assert_eq!(draw(&server, "draw", json!({})).await, first);
    server.mutation("draws:send", json!({ "table": "messages" })).await;
    let second = draw(&server, "draw", json!({})).await;
    assert_eq!(second[0], json!(1.0));
    assert_ne!(second[1], first[1]);
    server.deploy(App::new().module("draws.js", DRAWS)).await;
    assert_ne!(draw(&server, "draw", json!({})).await[1], second[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_share_what_does_not_depend_on_them() {
    let server = start().await;
    let as_admin = async |name: &str| {
        let body = json!({ "path": format!("draws:{name}"), "args": [{}] }).to_string();
        ok(server.admin(server.post("/api/query", body))).await["value"].clone()
    };
    assert_eq!(draw(&server, "draw", json!({})).await, as_admin("draw").await);
    let mine = draw(&server, "drawForMe", json!({})).await;
    assert_ne!(mine, as_admin("drawForMe").await);
    assert_eq!(draw(&server, "drawForMe", json!({})).await, mine);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_at_the_same_time_shares_a_run() {
    let server = start().await;
    let drawn = join_all((0..50).map(|_| draw(&server, "draw", json!({ "crowd": true })))).await;
    assert!(drawn.iter().all(|one| *one == drawn[0]), "{drawn:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_and_timestamps_are_not_kept() {
    let server = start().await;
    for name in ["drawOrFail", "snapshot"] {
        let ask = async || server.query(&format!("draws:{name}"), json!({})).await;
        let text = |answer: Value| answer.get("errorMessage").unwrap_or(&answer["value"][1]).to_string();
        let draw_of = |text: String| text.split("drew ").last().unwrap().to_owned();
        let (one, other) = (draw_of(text(ask().await)), draw_of(text(ask().await)));
        assert_ne!(one, other);
    }
    let now = draw(&server, "drawNow", json!({})).await;
    assert_eq!(draw(&server, "drawNow", json!({})).await, now, "the clock is a few seconds late, as in Convex");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_logs_say_which_results_were_known() {
    let server = start().await;
    draw(&server, "draw", json!({})).await;
    draw(&server, "draw", json!({})).await;
    let logs = ok(server.admin(server.get("/api/stream_function_logs?cursor=1"))).await;
    let cached: Vec<&Value> = logs["entries"].as_array().unwrap().iter().map(|entry| &entry["cachedResult"]).collect();
    assert_eq!(cached, [&json!(false), &json!(true)]);
}
