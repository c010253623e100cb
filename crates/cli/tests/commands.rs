//! The command as scripts see it: what it prints and its exit codes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use convex_wasm_persistence::{Persistence, SqlitePersistence};

fn convex_wasm(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_convex-wasm"));
    for name in [
        "INSTANCE_NAME",
        "INSTANCE_SECRET",
        "CONVEX_SELF_HOSTED_URL",
        "CONVEX_SELF_HOSTED_ADMIN_KEY",
        "POSTGRES_URL",
        "MYSQL_URL",
    ] {
        command.env_remove(name);
    }
    command.current_dir(folder).args(arguments).output().unwrap()
}

fn printed(output: &[u8]) -> &str {
    std::str::from_utf8(output).unwrap()
}

#[test]
fn keys_derive_from_a_secret_that_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let generate = |arguments: &[&str]| {
        let output = convex_wasm(folder.path(), &[&["keys", "generate", "--db", "app.sqlite3"], arguments].concat());
        assert!(output.status.success(), "{}", printed(&output.stderr));
        printed(&output.stdout).trim().to_owned()
    };
    assert!(generate(&[]).starts_with("convex-self-hosted|01"));
    let secret = fs::read_to_string(folder.path().join("app.sqlite3.secret")).unwrap();
    assert!(generate(&["--instance-name", "mine"]).starts_with("mine|01"));
    assert_eq!(fs::read_to_string(folder.path().join("app.sqlite3.secret")).unwrap(), secret);
}

#[tokio::test]
async fn migrate_copies_a_database_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlitePersistence::open(folder.path().join("from.sqlite3")).unwrap();
    store.set_global("name", "value".into()).await.unwrap();
    store.put_blob("content".into()).await.unwrap();
    drop(store);
    let migrate = |from, to| convex_wasm(folder.path(), &["migrate", "--from", from, "--to", to, "--json"]);
    let output = migrate("from.sqlite3", "to.sqlite3");
    assert!(output.status.success(), "{}", printed(&output.stderr));
    let totals: serde_json::Value = serde_json::from_str(printed(&output.stdout)).unwrap();
    assert_eq!((&totals["globals"], &totals["blobs"]), (&1.into(), &1.into()));
    let store = SqlitePersistence::open(folder.path().join("to.sqlite3")).unwrap();
    assert_eq!(store.get_global("name").await.unwrap(), Some("value".into()));
    drop(store);
    for (from, to, reason) in
        [("from.sqlite3", "to.sqlite3", "is not empty"), ("missing.sqlite3", "new.sqlite3", "no such file")]
    {
        let output = migrate(from, to);
        assert_eq!(output.status.code(), Some(3));
        assert!(printed(&output.stderr).contains(reason), "{}", printed(&output.stderr));
    }
}

#[test]
fn exec_runs_modules_and_what_they_import() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("lib")).unwrap();
    fs::write(folder.path().join("lib/sum.js"), "export const sum = (...all) => all.reduce((a, b) => a + b, 0);")
        .unwrap();
    fs::write(
        folder.path().join("main.js"),
        "import { sum } from './lib/sum.js';\nconsole.log(sum(1, 2, 3), ['x']);\nconsole.error('careful');",
    )
    .unwrap();
    let output = convex_wasm(folder.path(), &["exec", "./main.js"]);
    assert!(output.status.success(), "{}", printed(&output.stderr));
    assert_eq!(printed(&output.stdout), "6 [ 'x' ]\n");
    assert_eq!(printed(&output.stderr), "careful\n");
}

#[test]
fn a_packaged_program_has_its_runtime_with_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.js"), "console.log([1, 2].map((x) => x * 2));").unwrap();
    let packaged = folder.path().join("bin/convex-wasm");
    let output = convex_wasm(folder.path(), &["package", packaged.to_str().unwrap()]);
    assert!(output.status.success(), "{}", printed(&output.stderr));
    // A copy of the copy carries the same.
    let again = folder.path().join("again");
    assert!(Command::new(&packaged).arg("package").arg(&again).status().unwrap().success());
    assert_eq!(fs::metadata(&packaged).unwrap().len(), fs::metadata(&again).unwrap().len());

    let compiled = |program: &Path| {
        let mut exec = Command::new(program);
        let output = exec.current_dir(&folder).env("RUST_LOG", "convex_wasm_runtime=debug").args(["exec", "main.js"]);
        let output = output.output().unwrap();
        assert_eq!(printed(&output.stdout), "[ 2, 4 ]\n", "{}", printed(&output.stderr));
        printed(&output.stderr).matches("compiling to native code").count()
    };
    assert_eq!(compiled(Path::new(env!("CARGO_BIN_EXE_convex-wasm"))), 2, "the runtime and the program");
    assert_eq!(compiled(&packaged), 1, "the program");
    assert_eq!(compiled(&again), 1, "the program");
}

#[test]
fn exit_codes_tell_whose_fault_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("throws.js"), "const f = () => {\n  throw new TypeError('no');\n};\nf();").unwrap();
    fs::write(folder.path().join("broken.js"), "const = 1;").unwrap();
    let exit = |arguments: &[&str]| {
        let output = convex_wasm(folder.path(), arguments);
        (output.status.code().unwrap(), printed(&output.stderr).to_owned())
    };
    let (code, error) = exit(&["exec", "throws.js"]);
    assert_eq!(code, 1);
    assert!(error.contains("Uncaught TypeError: no\n") && error.contains("throws.js:2:"), "{error}");
    assert_eq!(exit(&["exec", "broken.js"]).0, 1);
    assert_eq!(exit(&["run", "a:b", "{"]).0, 1);
    assert_eq!(exit(&["exec"]).0, 2);
    assert_eq!(exit(&["exec", "missing.js"]).0, 3);
    assert_eq!(exit(&["run", "a:b", "--url", "http://127.0.0.1:1"]).0, 3);
    assert_eq!(exit(&["compile", "."]).0, 3);
    assert_eq!(exit(&["keys", "generate", "--instance-secret", "short"]).0, 3);
}
