//! The published Convex CLI, as a developer uses it, in a folder of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use anyhow::{Context, ensure};
use convex_wasm_tests::developer::{Developer, edit};
use serde_json::json;

const SETTINGS: &str = r#"
import { queryGeneric as query } from "convex/server";
declare const process: { env: Record<string, string | undefined> };
const atImport = process.env.GREETING ?? "none";
export const greeting = query({ args: {}, handler: () => `${atImport} ${process.env.GREETING ?? "none"}` });
"#;

/// The example app with a function that reads an environment variable, not deployed yet.
fn developer() -> anyhow::Result<Developer> {
    let developer = Developer::new()?;
    developer.write("settings.ts", SETTINGS)?;
    Ok(developer)
}

async fn greeting(developer: &Developer) -> anyhow::Result<String> {
    let value = developer.backend.call("query", "settings:greeting", json!({})).await?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn deploy_pushes_edits_and_refuses_what_is_broken() -> anyhow::Result<()> {
    let developer = developer()?;
    developer.succeeds(&["codegen"])?;
    assert!(developer.app().join("convex/_generated/api.d.ts").exists());
    assert!(greeting(&developer).await.is_err(), "generating code deployed");

    let first = developer.succeeds(&["deploy", "--yes"])?;
    assert!(first.contains("[+] messages.by_channel   channel, _creationTime"), "{first}");
    assert_eq!(greeting(&developer).await?, "none none");

    // Only what changed travels, and only that is named.
    let settings = developer.app().join("convex/settings.ts");
    edit(&settings, "`${atImport}", "`edited ${atImport}")?;
    developer.succeeds(&["deploy", "--yes", "--dry-run"])?;
    assert_eq!(greeting(&developer).await?, "none none");
    let second = developer.succeeds(&["deploy", "--yes", "--verbose"])?;
    let (_, changed) = second.rsplit_once("\"moduleDiff\"").context("it names no modules")?;
    assert!(changed.contains("settings.js") && !changed.contains("messages.js"), "{changed}");
    assert!(!second.contains("[+]"), "{second}");
    assert_eq!(greeting(&developer).await?, "edited none none");

    // A module that throws when it is imported, and a schema that documents do not match, change nothing.
    edit(&settings, "const atImport", "throw new Error('at import');\nconst atImport")?;
    let thrown = developer.fails(&["deploy", "--yes", "--typecheck", "disable"])?;
    assert!(thrown.contains("Uncaught Error: at import") && thrown.contains("settings.ts:4"), "{thrown}");
    edit(&settings, "throw new Error('at import');\n", "")?;
    let ann = json!({ "name": "Ann", "email": "ann@example.com" });
    developer.backend.call("mutation", "users:register", ann).await?;
    let schema = developer.app().join("convex/schema.ts");
    edit(&schema, "email: v.string()", "email: v.number()")?;
    let mismatch = developer.fails(&["deploy", "--yes", "--typecheck", "disable"])?;
    assert!(mismatch.contains("in table \"users\" does not match the schema"), "{mismatch}");
    assert_eq!(greeting(&developer).await?, "edited none none");
    edit(&schema, "email: v.number()", "email: v.string()")?;

    // An index that is gone is named as such.
    edit(&schema, r#".index("by_author", ["author", "channel"])"#, "")?;
    let removed = developer.succeeds(&["deploy", "--yes", "--typecheck", "disable"])?;
    assert!(removed.contains("[-] messages.by_author"), "{removed}");
    Ok(())
}

#[tokio::test]
async fn environment_variables_reach_functions_at_once() -> anyhow::Result<()> {
    let developer = developer()?;
    developer.succeeds(&["env", "set", "GREETING", "early"])?;
    developer.succeeds(&["deploy", "--yes"])?;
    assert_eq!(greeting(&developer).await?, "early early");
    developer.succeeds(&["env", "set", "GREETING", "late"])?;
    assert_eq!(greeting(&developer).await?, "late late");
    assert_eq!(developer.succeeds(&["env", "get", "GREETING"])?.trim(), "late");
    assert_eq!(developer.succeeds(&["env", "list"])?.trim(), "GREETING=late");
    developer.succeeds(&["env", "unset", "GREETING"])?;
    assert_eq!(greeting(&developer).await?, "none none");
    let refused = developer.fails(&["env", "set", "CONVEX_CLOUD_URL", "x"])?;
    assert!(refused.contains("CONVEX_CLOUD_URL"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn dev_data_run_and_logs_work() -> anyhow::Result<()> {
    let developer = developer()?;
    developer.succeeds(&["dev", "--once"])?;
    let local = fs::read_to_string(developer.app().join(".env.local"))?;
    assert!(local.contains(&format!("CONVEX_URL={}", developer.backend.url())), "{local}");

    let ann = json!({ "name": "Ann", "email": "ann@example.com" });
    developer.backend.call("mutation", "users:register", ann).await?;
    let tables = developer.succeeds(&["data"])?;
    assert!(["channels", "counters", "messages", "users"].iter().all(|table| tables.contains(table)), "{tables}");
    let users = developer.succeeds(&["data", "users"])?;
    assert!(users.contains("ann@example.com"), "{users}");

    let mut logs = Running(developer.convex(&["logs"])?.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?);
    let mut watching = BufReader::new(logs.0.stderr.take().context("logs has a standard error")?);
    // It says so before it asks where the log ends, so calls go on until one is shown.
    let mut line = String::new();
    while !line.contains("Watching logs") {
        line.clear();
        ensure!(watching.read_line(&mut line)? > 0, "`convex logs` ended early");
    }
    let mut shown = BufReader::new(logs.0.stdout.take().context("logs has a standard output")?).lines();
    let reader = std::thread::spawn(move || shown.find(|line| line.as_ref().is_ok_and(|l| l.contains("users:get"))));
    while !reader.is_finished() {
        let failed = developer.fails(&["run", "users:get", r#"{"id": "nobody"}"#])?;
        assert!(failed.contains("does not match validator"), "{failed}");
    }
    let line = reader.join().ok().flatten().context("nothing was logged")??;
    assert!(line.contains("[CONVEX Q(users:get)]"), "{line}");
    Ok(())
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended on its own.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
