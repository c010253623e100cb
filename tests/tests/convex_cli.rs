//! The published Convex CLI, as a developer uses it, in a folder of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use anyhow::{Context, ensure};
use convex_wasm_tests::{backend::Backend, places};
use serde_json::json;
use tempfile::TempDir;

/// A developer's app and the backend it is deployed to.
struct Developer {
    backend: Backend,
    key: String,
    folder: TempDir,
}

const SETTINGS: &str = r#"
import { queryGeneric as query } from "convex/server";
declare const process: { env: Record<string, string | undefined> };
const atImport = process.env.GREETING ?? "none";
export const greeting = query({ args: {}, handler: () => `${atImport} ${process.env.GREETING ?? "none"}` });
"#;

impl Developer {
    /// The example app, not deployed yet, with a function that reads an environment variable.
    fn new() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let backend = Backend::start(&folder.path().join("app.sqlite3"))?;
        let developer = Developer { key: backend.admin_key()?, backend, folder };
        let functions = developer.app().join("convex");
        fs::create_dir_all(&functions)?;
        for name in ["package.json", "convex/tsconfig.json"] {
            fs::copy(places::chat().join(name), developer.app().join(name))?;
        }
        for entry in fs::read_dir(places::chat().join("convex"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "ts") {
                fs::copy(&path, functions.join(path.file_name().context("a file has a name")?))?;
            }
        }
        fs::write(functions.join("settings.ts"), SETTINGS)?;
        let packages = places::chat().join("node_modules").canonicalize()?;
        std::os::unix::fs::symlink(packages, developer.app().join("node_modules"))?;
        Ok(developer)
    }

    fn app(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    fn convex(&self, arguments: &[&str]) -> anyhow::Result<Command> {
        let mut command = Command::new(places::node().canonicalize()?);
        command
            .arg("node_modules/convex/bin/main.js")
            .args(arguments)
            .current_dir(self.app())
            .env_remove("CONVEX_DEPLOYMENT")
            .env_remove("CONVEX_DEPLOY_KEY")
            .env("CONVEX_SELF_HOSTED_URL", self.backend.url())
            .env("CONVEX_SELF_HOSTED_ADMIN_KEY", &self.key)
            .stdin(Stdio::null());
        Ok(command)
    }

    /// Runs a command that must succeed; what it said on both outputs.
    fn succeeds(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.convex(arguments)?.output()?;
        ensure!(output.status.success(), "convex {arguments:?} failed:\n{}", said(&output));
        Ok(said(&output))
    }

    fn fails(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.convex(arguments)?.output()?;
        ensure!(!output.status.success(), "convex {arguments:?} succeeded:\n{}", said(&output));
        Ok(said(&output))
    }

    async fn greeting(&self) -> anyhow::Result<String> {
        let value = self.backend.call("query", "settings:greeting", json!({})).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn edit(file: &Path, from: &str, to: &str) -> anyhow::Result<()> {
    let text = fs::read_to_string(file)?;
    ensure!(text.contains(from), "{} has no {from:?}", file.display());
    Ok(fs::write(file, text.replace(from, to))?)
}

#[tokio::test]
async fn deploy_pushes_edits_and_refuses_what_is_broken() -> anyhow::Result<()> {
    let developer = Developer::new()?;
    developer.succeeds(&["codegen"])?;
    assert!(developer.app().join("convex/_generated/api.d.ts").exists());
    assert!(developer.greeting().await.is_err(), "generating code deployed");

    let first = developer.succeeds(&["deploy", "--yes"])?;
    assert!(first.contains("[+] messages.by_channel   channel, _creationTime"), "{first}");
    assert_eq!(developer.greeting().await?, "none none");

    // Only what changed travels, and only that is named.
    let settings = developer.app().join("convex/settings.ts");
    edit(&settings, "`${atImport}", "`edited ${atImport}")?;
    developer.succeeds(&["deploy", "--yes", "--dry-run"])?;
    assert_eq!(developer.greeting().await?, "none none");
    let second = developer.succeeds(&["deploy", "--yes", "--verbose"])?;
    let (_, changed) = second.rsplit_once("\"moduleDiff\"").context("it names no modules")?;
    assert!(changed.contains("settings.js") && !changed.contains("messages.js"), "{changed}");
    assert!(!second.contains("[+]"), "{second}");
    assert_eq!(developer.greeting().await?, "edited none none");

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
    assert_eq!(developer.greeting().await?, "edited none none");
    edit(&schema, "email: v.number()", "email: v.string()")?;

    // An index that is gone is named as such.
    edit(&schema, r#".index("by_author", ["author", "channel"])"#, "")?;
    let removed = developer.succeeds(&["deploy", "--yes", "--typecheck", "disable"])?;
    assert!(removed.contains("[-] messages.by_author"), "{removed}");
    Ok(())
}

#[tokio::test]
async fn environment_variables_reach_functions_at_once() -> anyhow::Result<()> {
    let developer = Developer::new()?;
    developer.succeeds(&["env", "set", "GREETING", "early"])?;
    developer.succeeds(&["deploy", "--yes"])?;
    assert_eq!(developer.greeting().await?, "early early");
    developer.succeeds(&["env", "set", "GREETING", "late"])?;
    assert_eq!(developer.greeting().await?, "late late");
    assert_eq!(developer.succeeds(&["env", "get", "GREETING"])?.trim(), "late");
    assert_eq!(developer.succeeds(&["env", "list"])?.trim(), "GREETING=late");
    developer.succeeds(&["env", "unset", "GREETING"])?;
    assert_eq!(developer.greeting().await?, "none none");
    let refused = developer.fails(&["env", "set", "CONVEX_CLOUD_URL", "x"])?;
    assert!(refused.contains("CONVEX_CLOUD_URL"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn dev_data_run_and_logs_work() -> anyhow::Result<()> {
    let developer = Developer::new()?;
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
