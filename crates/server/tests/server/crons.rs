//! Cron jobs, as `crons.js` lists them.

use serde_json::{Value, json};

use crate::support::{App, Server, refusal};

const APP: &str = r#"
import { query, internalMutation, internalAction, call, all } from "./_deps/lib.js";

const insert = (value) => call("1.0/insert", { table: "rows", value });
export const tick = internalMutation({ handler: async (value) => void (await insert(value)) });
export const failing = internalMutation({
  handler: async () => {
    throw new Error("boom");
  },
});
export const act = internalAction({ handler: (args) => call("1.0/actions/mutation", { name: "app:tick", args }) });
export const list = query({ handler: () => all("rows") });
"#;

fn app(crons: Value) -> App {
    let source = format!("export default {{ isCrons: true, export: () => {:?} }};", crons.to_string());
    App::new().module("app.js", APP).module("crons.js", &source)
}

fn interval(seconds: u32, name: &str, args: Value) -> Value {
    json!({ "name": name, "args": [args], "schedule": { "type": "interval", "seconds": seconds } })
}

async fn runs_of(server: &Server, from: &str) -> usize {
    let rows = server.query("app:list", json!({})).await["value"].clone();
    rows.as_array().unwrap().iter().filter(|row| row["from"] == from).count()
}

#[tokio::test]
async fn crons_run_from_the_deploy_on_until_another_deploy_changes_them() {
    let server = Server::start_with_v8().await;
    let hourly = json!({ "name": "app:tick", "args": [{}], "schedule": { "type": "hourly" } });
    server
        .deploy(app(json!({
            "mutation": interval(1, "app:tick", json!({ "from": "mutation" })),
            "action": interval(3_600, "app:act", json!({ "from": "action" })),
            "failing": interval(1, "app:failing", json!({})),
            "later": hourly,
        })))
        .await;
    while runs_of(&server, "mutation").await < 2 || runs_of(&server, "action").await < 1 {}

    // What did not change keeps its time; what did begins anew.
    server
        .deploy(app(json!({
            "action": interval(3_600, "app:act", json!({ "from": "action" })),
            "mutation": interval(3_600, "app:tick", json!({ "from": "updated" })),
        })))
        .await;
    while runs_of(&server, "updated").await < 1 {}
    assert_eq!((runs_of(&server, "action").await, runs_of(&server, "updated").await), (1, 1));
    let server = server.restart().await;
    assert_eq!((runs_of(&server, "action").await, runs_of(&server, "updated").await), (1, 1));
}

#[tokio::test]
async fn crons_that_cannot_run_are_refused() {
    let server = Server::start().await;
    for (cron, problem) in [
        (interval(1, "app:nothing", json!({})), "there is no function app:nothing"),
        (interval(1, "app:list", json!({})), "cannot be scheduled"),
        (interval(0, "app:tick", json!({})), "an interval"),
        (json!({ "name": "app:tick", "args": [{}], "schedule": { "type": "cron", "cron": "* *" } }), "five fields"),
    ] {
        let push = server.push(app(json!({ "job": cron })));
        let body: Value = push.try_clone().unwrap().send().await.unwrap().json().await.unwrap();
        assert!(body["message"].as_str().unwrap().contains(problem), "{body}");
        assert_eq!(refusal(push).await, (400, "InvalidModules".to_owned()));
    }
}
