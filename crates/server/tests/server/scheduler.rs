//! Functions that run at the time for which other functions schedule them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::support::{App, Server};

const APP: &str = r#"
import { query, internalQuery, mutation, internalMutation, action, call, all, rows } from "./_deps/lib.js";

const insert = (value) => call("1.0/insert", { table: "rows", value });
const schedule = (name, args, ts) => call("1.0/schedule", { name, args, ts: ts ?? Date.now() / 1e3 });
const cancel = (id) => call("1.0/cancel_job", { id });

export const later = mutation({ handler: ({ name, args, ts }) => schedule(name, args, ts) });
export const laterFromAction = action({
  handler: ({ name, args, ts }) => call("1.0/actions/schedule", { name, args, ts: ts ?? Date.now() / 1e3 }),
});
export const cancelFromAction = action({ handler: ({ id }) => call("1.0/actions/cancel_job", { id }) });
export const note = internalMutation({ handler: async (value) => void (await insert(value)) });
export const noteSelf = internalMutation({
  handler: async () => {
    const { scheduledFunctionId } = await call("1.0/getRequestMetadata", {});
    const refused = await cancel(scheduledFunctionId).catch((error) => error.message);
    await insert({ scheduledFunctionId, refused });
  },
});
export const failing = internalMutation({
  handler: async () => {
    await insert({ lost: true });
    throw new Error("boom");
  },
});
export const reading = internalQuery({ handler: () => 1 });
export const cancelled = mutation({ handler: ({ id }) => cancel(id) });
export const both = mutation({
  handler: async () => {
    await schedule("app:note", { from: "rolled back" });
    throw new Error("rolled back");
  },
});
export const many = mutation({
  handler: async ({ count }) => {
    for (let i = 0; i < count; i++) await schedule("app:note", { i });
  },
});
export const act = action({ handler: async (args) => void (await call("1.0/actions/mutation", { name: "app:note", args })) });
export const list = query({ handler: () => all("rows") });
export const jobs = query({
  handler: async () => {
    const found = await all("_scheduled_functions");
    return found.map(({ _id, _creationTime, ...rest }) => rest);
  },
});
export const job = query({ handler: ({ id }) => call("1.0/get", { id, isSystem: true }) });
export const oldest = query({
  handler: async () =>
    rows({
      source: { type: "IndexRange", indexName: "_scheduled_functions.by_creation_time", range: [], order: "asc" },
      operators: [{ limit: 1 }],
    }),
});
"#;

impl Server {
    async fn later(&self, name: &str, args: Value) -> String {
        self.schedule("later", json!({ "name": name, "args": args })).await
    }

    async fn schedule(&self, through: &str, arguments: Value) -> String {
        let kind = if through == "later" { "mutation" } else { "action" };
        let answer = self.call(kind, &format!("app:{through}"), arguments).await;
        answer["value"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn job(&self, id: &str) -> Value {
        self.query("app:job", json!({ "id": id })).await["value"].clone()
    }

    /// The job when it is in none of these states any more.
    async fn after(&self, id: &str, states: &[&str]) -> Value {
        loop {
            let job = self.job(id).await;
            if !states.iter().any(|state| job["state"]["kind"] == *state) {
                return job;
            }
        }
    }

    async fn ended(&self, id: &str) -> Value {
        self.after(id, &["pending", "inProgress"]).await
    }

    async fn rows(&self) -> Vec<Value> {
        let rows = self.query("app:list", json!({})).await["value"].as_array().unwrap().clone();
        let without_system_fields = |mut row: Value| {
            row.as_object_mut().unwrap().retain(|field, _| !field.starts_with('_'));
            row
        };
        rows.into_iter().map(without_system_fields).collect()
    }
}

async fn server() -> Server {
    let server = Server::start_with_v8().await;
    server.deploy(App::new().module("app.js", APP)).await;
    server
}

fn in_an_hour() -> f64 {
    (SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + Duration::from_secs(3_600)).as_secs_f64()
}

#[tokio::test]
async fn a_scheduled_mutation_runs_once_and_its_row_tells_what_became_of_it() {
    let server = server().await;
    let id = server.later("app:note", json!({ "text": "hi" })).await;
    let job = server.ended(&id).await;
    assert_eq!(job["state"], json!({ "kind": "success" }), "{job}");
    assert_eq!((&job["name"], &job["args"]), (&json!("app.js:note"), &json!([{ "text": "hi" }])));
    assert!(job["completedTime"].as_f64().unwrap() >= job["scheduledTime"].as_f64().unwrap(), "{job}");
    assert_eq!(server.rows().await, [json!({ "text": "hi" })]);

    let failed = server.later("app:failing", json!({})).await;
    let job = server.ended(&failed).await;
    assert_eq!(job["state"]["kind"], "failed");
    assert!(job["state"]["error"].as_str().unwrap().starts_with("Uncaught Error: boom"), "{job}");
    let missing_arguments = server.later("app:later", json!({ "name": 1 })).await;
    assert_eq!(server.ended(&missing_arguments).await["state"]["kind"], "failed");
    assert_eq!(server.rows().await.len(), 1, "a function that failed wrote something");
}

#[tokio::test]
async fn functions_are_scheduled_by_the_commit_and_only_those_that_can_run() {
    let server = server().await;
    server.mutation("app:both", json!({})).await;
    assert_eq!(server.query("app:jobs", json!({})).await["value"], json!([]));
    for (name, ts, error) in [
        ("app:reading", None, "Only mutations and actions can be scheduled"),
        ("app:nothing", None, "Could not find function for 'app:nothing'"),
        ("app:note", Some(0.0), "within five years"),
    ] {
        let answer = server.mutation("app:later", json!({ "name": name, "args": {}, "ts": ts })).await;
        assert!(answer["errorMessage"].as_str().unwrap().contains(error), "{answer}");
    }
    let answer = server.mutation("app:many", json!({ "count": 1_001 })).await;
    assert!(answer["errorMessage"].as_str().unwrap().contains("(limit: 1000)"), "{answer}");
}

#[tokio::test]
async fn many_jobs_that_conflict_all_run_once() {
    let server = server().await;
    server.mutation("app:many", json!({ "count": 100 })).await;
    let mut rows = Vec::new();
    while rows.len() < 100 {
        rows = server.rows().await;
    }
    let mut seen: Vec<_> = rows.iter().map(|row| row["i"].as_f64().unwrap() as usize).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn actions_run_and_schedule_and_cancel() {
    let server = server().await;
    let id = server.schedule("laterFromAction", json!({ "name": "app:act", "args": { "by": "action" } })).await;
    assert_eq!(server.ended(&id).await["state"], json!({ "kind": "success" }));
    assert_eq!(server.rows().await, [json!({ "by": "action" })]);

    let far = json!({ "name": "app:act", "args": {}, "ts": in_an_hour() });
    let far = server.schedule("laterFromAction", far).await;
    assert_eq!(server.job(&far).await["state"], json!({ "kind": "pending" }));
    server.call("action", "app:cancelFromAction", json!({ "id": far })).await;
    assert_eq!(server.job(&far).await["state"], json!({ "kind": "canceled" }));
}

#[tokio::test]
async fn a_job_can_be_cancelled_until_it_has_ended() {
    let server = server().await;
    let far = json!({ "name": "app:note", "args": {}, "ts": in_an_hour() });
    let far = server.schedule("later", far).await;
    server.mutation("app:cancelled", json!({ "id": far })).await;
    let job = server.job(&far).await;
    assert_eq!(job["state"], json!({ "kind": "canceled" }));
    assert!(job["completedTime"].is_number(), "{job}");

    let ended = server.later("app:noteSelf", json!({})).await;
    server.ended(&ended).await;
    server.mutation("app:cancelled", json!({ "id": ended })).await;
    assert_eq!(server.job(&ended).await["state"], json!({ "kind": "success" }));
    let row = &server.rows().await[0];
    assert_eq!(row["scheduledFunctionId"], ended.as_str());
    assert!(row["refused"].as_str().unwrap().contains("cannot cancel itself"), "{row}");
    let oldest = server.query("app:oldest", json!({})).await;
    assert_eq!(oldest["value"][0]["_id"], far.as_str(), "{oldest}");
}

#[tokio::test]
async fn an_operator_cancels_jobs() {
    let server = server().await;
    let mut ids = Vec::new();
    for name in ["app:note", "app:note", "app:act", "app:failing"] {
        let far = json!({ "name": name, "args": {}, "ts": in_an_hour() });
        ids.push(server.schedule("later", far).await);
    }
    let cancel = async |which: &str, body: Value| {
        let request = server.post(&format!("/api/{which}"), body.to_string());
        server.admin(request).send().await.unwrap().status().as_u16()
    };
    let state = async |id: &str| server.job(id).await["state"]["kind"].clone();
    assert_eq!(server.post("/api/cancel_all_jobs", "{}").send().await.unwrap().status(), 403);
    assert_eq!(cancel("cancel_job", json!({ "id": "nothing" })).await, 400);
    assert_eq!(cancel("cancel_job", json!({ "id": ids[0] })).await, 200);
    assert_eq!((state(&ids[0]).await, state(&ids[1]).await), (json!("canceled"), json!("pending")));
    assert_eq!(cancel("cancel_all_jobs", json!({ "udfPath": "app:note" })).await, 200);
    assert_eq!((state(&ids[1]).await, state(&ids[2]).await), (json!("canceled"), json!("pending")));
    assert_eq!(cancel("cancel_all_jobs", json!({ "udfPath": null })).await, 200);
    assert_eq!((state(&ids[2]).await, state(&ids[3]).await), (json!("canceled"), json!("canceled")));
}

#[tokio::test]
async fn jobs_survive_a_restart() {
    let server = server().await;
    let far = server.schedule("later", json!({ "name": "app:note", "args": {}, "ts": in_an_hour() })).await;
    let server = server.restart().await;
    assert_eq!(server.job(&far).await["state"], json!({ "kind": "pending" }));
    let id = server.later("app:note", json!({ "text": "after" })).await;
    assert_eq!(server.ended(&id).await["state"], json!({ "kind": "success" }));
}
