//! Actions of modules that say `"use node"`.

use serde_json::json;

use crate::support::{App, Server};

const LIBRARY: &str = r#"
export const action = (kind) => (handler) => Object.assign(() => {}, {
  isAction: true,
  ["is" + kind]: true,
  invokeAction: async (id, args) => JSON.stringify((await handler(...JSON.parse(args))) ?? null),
  exportArgs: () => '{"type":"any"}',
  exportReturns: () => "null",
});
export const call = async (op, argument) => JSON.parse(await Convex.asyncSyscall(op, JSON.stringify(argument)));
"#;

const NODE: &str = r#"
import { createHash } from "node:crypto";
import fs from "fs";
import { action, call } from "./_deps/node/lib.js";

export const hash = action("Public")(({ text }) => createHash("sha256").update(text).digest("hex"));
export const facts = action("Public")(async () => {
  console.log("a line");
  process.stdout.write("another\n");
  const os = await import("node:os");
  return [typeof Buffer, typeof fs.readFileSync, typeof os.cpus, typeof require("path").join, process.env.COLOR ?? null];
});
export const calls = action("Public")(() => call("1.0/actions/query", { name: "app:value", args: {} }));
export const fails = action("Public")(() => { throw new Error("boom"); });
export const hidden = action("Internal")(() => "hidden");
export const helper = 1;
"#;

const APP: &str = r#"
import { query, action, call } from "./_deps/lib.js";
export const value = query({ handler: () => 42 });
export const through = action({ handler: () => call("1.0/actions/action", { name: "tools:hidden", args: {} }) });
"#;

fn module(path: &str, source: &str) -> serde_json::Value {
    json!({ "path": path, "source": source, "environment": "node" })
}

fn app(source: &str) -> App {
    App::new().module("app.js", APP).with(module("_deps/node/lib.js", LIBRARY)).with(module("tools.js", source))
}

#[tokio::test]
async fn actions_in_node_have_its_modules_and_call_functions() {
    let server = Server::start_with_v8().await;
    server.deploy(app(NODE)).await;
    let act = async |path: &str, args| server.call("action", path, args).await;
    let hash = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1";
    assert_eq!(act("tools:hash", json!({ "text": "text" })).await["value"], hash);
    let facts = act("tools:facts", json!({})).await;
    assert_eq!(facts["value"], json!(["function", "function", "function", "function", null]), "{facts}");
    assert_eq!(facts["logLines"], json!(["[LOG] 'a line'", "[LOG] another"]));
    assert_eq!(act("tools:calls", json!({})).await["value"], json!(42.0));
    assert_eq!(act("app:through", json!({})).await["value"], "hidden");
    let failed = act("tools:fails", json!({})).await;
    assert!(failed["errorMessage"].as_str().unwrap().contains("Uncaught Error: boom\n    at "), "{failed}");
    let hidden = act("tools:hidden", json!({})).await;
    assert!(hidden["errorMessage"].as_str().unwrap().contains("Could not find public function"), "{hidden}");
}

#[tokio::test]
async fn packages_that_are_not_bundled_are_installed_at_the_push() {
    let packages = tempfile::tempdir().unwrap();
    for (name, kind, source) in [
        ("plain", "commonjs", "exports.one = 1; exports.where = __filename;"),
        ("modern", "module", "export const two = 2; export default class Three { value = 3 }"),
    ] {
        let folder = packages.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let manifest = json!({ "name": name, "version": "1.0.0", "type": kind, "main": "main.js" });
        std::fs::write(folder.join("package.json"), manifest.to_string()).unwrap();
        std::fs::write(folder.join("main.js"), source).unwrap();
    }
    let source = r#"
        import { action } from "./_deps/node/lib.js";
        import plain, { one } from "plain";
        import Three, { two } from "modern";
        export const sum = action("Public")(() => [one, plain.one, two, new Three().value, require("plain").one]);
    "#;
    let package =
        |name: &str| json!({ "name": name, "version": format!("file:{}", packages.path().join(name).display()) });
    let server = Server::start_with_v8().await;
    server.deploy(app(source).package(package("plain")).package(package("modern"))).await;
    let sum = server.call("action", "tools:sum", json!({})).await;
    assert_eq!(sum["value"], json!([1.0, 1.0, 2.0, 3.0, 1.0]), "{sum}");
    let missing = app(source).package(json!({ "name": "missing", "version": "file:/nowhere/missing.tgz" }));
    let refused: serde_json::Value = server.push(missing).send().await.unwrap().json().await.unwrap();
    assert_eq!(refused["code"], "InvalidExternalModules", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("npm could not install"), "{refused}");
}

#[tokio::test]
async fn modules_for_node_that_cannot_work_are_refused() {
    let server = Server::start_with_v8().await;
    for (source, problem) in [
        ("throw new Error('at import');", "Uncaught Error: at import"),
        ("import sharp from 'sharp';", "Could not find module sharp"),
        ("export const q = { isQuery: true, isPublic: true };", "have only actions"),
    ] {
        let body: serde_json::Value = server.push(app(source)).send().await.unwrap().json().await.unwrap();
        assert!(body["message"].as_str().unwrap().contains(problem), "{body}");
    }
}
