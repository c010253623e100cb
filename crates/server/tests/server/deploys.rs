//! Deploying apps.

use crate::support::{self, App, Server, ok, refusal, send};
use serde_json::{Value, json};

const ONE: &str = r#"
import { query, internalMutation, call } from "./_deps/lib.js";
let calls = 0;
export const version = query({ handler: () => "one" });
export const count = query({ handler: () => ++calls });
export const put = internalMutation({ handler: ({ value }) => call("1.0/insert", { table: "things", value }) });
export const helper = () => 1;
"#;

const TWO: &str = r#"
import { query } from "./_deps/lib.js";
export const version = query({ handler: () => "two" });
"#;

fn things(fields: Value) -> Value {
    json!({
        "schemaValidation": true,
        "tables": [{
            "tableName": "things",
            "indexes": [{ "indexDescriptor": "by_name", "fields": ["name"] }],
            "searchIndexes": [],
            "vectorIndexes": [],
            "documentType": { "type": "object", "value": fields },
        }],
    })
}

async fn version(server: &Server) -> Value {
    server.query("app:version", json!({})).await["value"].clone()
}

async fn put(server: &Server, value: Value) -> Value {
    let body = json!({ "path": "app:put", "args": { "value": value } }).to_string();
    ok(server.admin(server.post("/api/function", body))).await
}

#[tokio::test]
async fn the_report_tells_what_was_deployed() {
    let server = Server::start().await;
    let name = json!({ "name": { "fieldType": { "type": "string" }, "optional": false } });
    let report = server.deploy(App::new().module("app.js", ONE).schema(things(name))).await;
    let functions: Vec<_> = report["functions"].as_array().unwrap().iter().collect();
    let rows: Vec<_> =
        functions.iter().map(|function| json!([function["path"], function["kind"], function["visibility"]])).collect();
    assert_eq!(
        rows,
        [
            json!(["app:count", "query", "public"]),
            json!(["app:put", "mutation", "internal"]),
            json!(["app:version", "query", "public"]),
        ]
    );
    assert!(functions.iter().all(|function| function["lane"] == "wasm" && function["bytes"].as_u64() > Some(0)));
    assert_eq!((&report["tables"], &report["indexes"]), (&json!(1), &json!(1)));
    let module = report["modules"].as_array().unwrap().iter().find(|module| module["path"] == "app.js").unwrap();
    assert_eq!(module["mutableState"][0]["name"], "calls");
    assert_eq!(module["mutableState"][0]["place"], "app.js:5:47");
    assert!(module["nativeBytes"].as_u64() > Some(0));
}

#[tokio::test]
async fn a_function_that_cannot_be_compiled_is_reported_and_harms_no_other() {
    let server = Server::start().await;
    let source = r#"
import { query } from "./_deps/lib.js";
export const version = query({ handler: () => "one" });
export const unused = (code) => eval(code);
export const dynamic = query({ handler: ({ code }) => [1].map(() => eval(code)) });
"#;
    let report = server.deploy(App::new().module("app.js", source)).await;
    let lanes: Vec<_> = report["functions"].as_array().unwrap().iter().map(|function| &function["lane"]).collect();
    assert_eq!(lanes, ["none", "wasm"], "{report}");
    let module = report["modules"].as_array().unwrap().iter().find(|module| module["path"] == "app.js").unwrap();
    assert!(module["refusals"][0]["place"].as_str().unwrap().starts_with("app.js:4:"), "{module}");
    assert_eq!(version(&server).await, "one");
    assert_eq!(server.query("app:dynamic", json!({ "code": "1" })).await["status"], "error");
}

#[tokio::test]
async fn state_of_a_call_is_gone_after_it() {
    let server = Server::start().await;
    server.deploy(App::new().module("app.js", ONE)).await;
    for _ in 0..3 {
        assert_eq!(server.query("app:count", json!({})).await["value"], json!(1.0));
    }
}

#[tokio::test]
async fn a_restarted_server_serves_what_was_deployed() {
    let server = Server::start().await;
    server.deploy(App::new().module("app.js", ONE)).await;
    let put = put(&server, json!({ "name": "x" })).await;
    assert_eq!(put["status"], "success", "{put}");
    let server = server.restart().await;
    assert_eq!(version(&server).await, "one");
    server.deploy(App::new().module("app.js", TWO)).await;
    assert_eq!(version(&server).await, "two");
    let server = server.restart().await;
    assert_eq!(version(&server).await, "two");
    assert!(server.query("app:count", json!({})).await["errorMessage"].as_str().unwrap().contains("Could not find"));
}

#[tokio::test]
async fn a_failed_deploy_changes_nothing() {
    let server = Server::start().await;
    server.deploy(App::new().module("app.js", ONE)).await;
    put(&server, json!({ "name": 7 })).await;
    let refused = async |app: App, code: &str| {
        let refusal = refusal(server.push(app)).await;
        assert_eq!(refusal, (400, code.to_owned()));
        assert_eq!(version(&server).await, "one");
    };
    let two = App::new().module("app.js", TWO);
    refused(App::new().module("app.js", "export const = 1;"), "InvalidModules").await;
    refused(App::new().module("app.js", "import { x } from './_deps/none.js';"), "InvalidModules").await;
    refused(two.clone().module("other.js", "throw new Error('at import');"), "InvalidModules").await;
    refused(two.clone().module("other.js", "for (;;);"), "InvalidModules").await;
    refused(two.clone().module("../other.js", ""), "BadConvexModuleIdentifier").await;
    let reserved = json!({ "schemaValidation": true, "tables": [{ "tableName": "_x", "indexes": [] }] });
    refused(two.clone().schema(reserved), "TableNameReserved").await;
    let name = json!({ "name": { "fieldType": { "type": "string" }, "optional": false } });
    refused(two.clone().schema(things(name)), "SchemaEnforcementError").await;

    let name = json!({ "name": { "fieldType": { "type": "number" }, "optional": false } });
    server.deploy(two.schema(things(name))).await;
    assert_eq!(version(&server).await, "two");
}

#[tokio::test]
async fn errors_at_import_name_the_place() {
    let server = Server::start().await;
    let app = App::new().module("app.js", "const f = () => {\n  throw new Error('no luck');\n};\nf();");
    let (_, answer) = send(server.push(app)).await;
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.starts_with("Hit an error while pushing:\nFailed to analyze app.js: Uncaught Error: no luck\n"),
        "{message}"
    );
    assert!(message.contains("app.js:2:"), "{message}");
}

#[tokio::test]
async fn source_maps_lead_to_the_developers_files() {
    let server = Server::start().await;
    let source = "import { query } from \"./_deps/lib.js\";\nexport const fail = query({ handler: () => { throw new Error(\"boom\"); } });";
    // Every line of the JavaScript stands for the line 10 below in TypeScript.
    let map = json!({ "version": 3, "sources": ["../convex/app.ts"], "names": [], "mappings": "AAUA;AACA" });
    let module = json!({ "path": "app.js", "source": source, "sourceMap": map.to_string(), "environment": "isolate" });
    server.deploy(App::new().with(module)).await;
    let answer = server.query("app:fail", json!({})).await;
    let message = answer["errorMessage"].as_str().unwrap();
    assert!(message.contains("(../convex/app.ts:12:1)\n"), "{message}");
}

#[tokio::test]
async fn modules_for_node_are_reported() {
    let server = Server::start().await;
    let node = json!({ "path": "files.js", "source": "\"use node\"; import fs from \"fs\";", "environment": "node" });
    let report = server.deploy(App::new().module("app.js", TWO).with(node)).await;
    let module = report["modules"].as_array().unwrap().iter().find(|module| module["path"] == "files.js").unwrap();
    assert!(module["refusals"][0]["reason"].as_str().unwrap().contains("Node"), "{module}");
    assert_eq!(version(&server).await, "two");
}

#[tokio::test]
async fn unchanged_modules_need_not_be_uploaded() {
    let server = Server::start().await;
    server.deploy(App::new().module("app.js", TWO)).await;
    let mut body = App::new().body();
    let hash = support::sha256("something else");
    body["appDefinition"]["unchangedModuleHashes"] =
        json!([{ "path": "app.js", "environment": "isolate", "sha256": hash }]);
    let push = |body: &Value| server.admin(server.post("/api/convex_wasm/deploy", body.to_string()));
    assert_eq!(refusal(push(&body)).await, (400, "MissingExistingModule".to_owned()));
    body["appDefinition"]["unchangedModuleHashes"][0]["sha256"] = json!(support::sha256(TWO));
    ok(push(&body)).await;
    assert_eq!(version(&server).await, "two");
}
