//! The differential corpus: what its programs print on this lane is what they print on Node.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_v8_workers::{Call, ImportPhase, Phase, Program, V8Snapshot};
use support::*;

/// The corpus, but for syntax that this V8 does not know: such a program has its output beside it.
fn programs() -> Vec<PathBuf> {
    let folder = project().join("tests/differential");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let runs_on_v8 = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "js") && !path.with_extension("expected").exists()
    };
    let mut programs: Vec<_> = files.filter(runs_on_v8).collect();
    programs.push(folder.join("modules/main.js"));
    programs.sort();
    programs
}

/// The modules of a program: the file alone, or all of its folder if it is a `main.js`.
fn modules_of(program: &Path) -> Vec<(String, String)> {
    let files: Vec<PathBuf> = if program.ends_with("main.js") {
        std::fs::read_dir(program.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect()
    } else {
        vec![program.to_owned()]
    };
    let module = |file: PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(file).unwrap())
    };
    files.into_iter().map(module).collect()
}

#[tokio::test]
async fn programs_print_the_same_on_this_lane_and_on_node() {
    let lane = lane(V8Snapshot::Off, 0);
    let mut failures = Vec::new();
    for path in programs() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let output = Command::new(node()).arg(&path).env("TZ", "UTC").output().unwrap();
        let expected = String::from_utf8(output.stdout).unwrap();
        let program = Arc::new(Program::new(modules_of(&path), ImportPhase::default()));
        let call = Call { module: &name, phase: Phase::Program, import_budget: Duration::from_secs(60), ..call() };
        let (result, host) = lane.workers.run(&program, &call, RecordingHost::default()).await;
        let printed: String = host.lines.into_iter().map(|(_, line)| line + "\n").collect();
        if let Err(error) = result {
            failures.push(format!("{name}: {error}"));
        } else if printed != expected {
            let lines = expected.lines().zip(printed.lines().chain(std::iter::repeat("(nothing)")));
            let difference = lines.into_iter().find(|(expected, printed)| expected != printed);
            failures.push(format!("{name}: {difference:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
