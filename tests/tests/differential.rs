//! Small programs by feature: what they print on Wasm is what they print on Node.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use convex_wasm_compiler::{Options, compile_module, compile_script, link, unit::SourceModule};
use convex_wasm_runtime::{Engine, Initialisation, Linked, NoCache, Phase, Program, ProgramUnit, SilentHost};
use convex_wasm_tests::{first_difference, places};

/// Most bytes of allocation between two collections under stress.
const STRESS: u32 = 512;

/// Files, of which `.cjs` are sloppy scripts, and folders of modules with a `main.js`.
fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(places::project().join("tests/differential")).unwrap();
    let mut programs: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| if path.is_dir() { path.join("main.js") } else { path })
        .filter(|path| path.extension().is_some_and(|it| it == "js" || it == "cjs") && path.is_file())
        .collect();
    programs.sort();
    programs
}

/// The modules of a program, its entry first: the file alone, or with all others of its folder if it is a `main.js`.
fn modules(program: &Path) -> Vec<SourceModule> {
    let mut files = vec![program.to_owned()];
    if program.ends_with("main.js") {
        let folder = std::fs::read_dir(program.parent().unwrap()).unwrap();
        files.extend(folder.map(|entry| entry.unwrap().path()).filter(|path| path != program));
        files[1..].sort();
    }
    let module = |file: PathBuf| SourceModule {
        path: file.file_name().unwrap().to_string_lossy().into_owned(),
        source: std::fs::read_to_string(&file).unwrap(),
        source_map: None,
    };
    files.into_iter().map(module).collect()
}

/// What Node prints, or what a file beside the program says for syntax that Node does not know yet.
fn on_node(program: &Path) -> String {
    if let Ok(expected) = std::fs::read_to_string(program.with_extension("expected")) {
        return expected;
    }
    let output = Command::new(places::node()).arg(program).output().expect("node runs");
    assert!(output.status.success(), "{program:?} fails on Node: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn on_wasm(engine: &Engine, program: &Path) -> Result<String, String> {
    let modules = modules(program);
    let compile = |module: &SourceModule| {
        let compile = if module.path.ends_with(".cjs") { compile_script } else { compile_module };
        compile(module, &Options::default()).map(Arc::new).map_err(|error| error.to_string())
    };
    let units = modules.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
    if let Some(refusal) = units.iter().find_map(|unit| unit.report.refusals.first()) {
        return Err(format!("line {}: {} was refused: {}", refusal.line + 1, refusal.name, refusal.reason));
    }
    let native = engine.compile(&units).map_err(|error| error.to_string())?;
    let plan = link::link(&units, &[0]).map_err(|error| error.to_string())?;
    let units = native.into_iter().zip(&modules);
    let units = units.map(|(native, module)| ProgramUnit { native, source: module.source.as_str().into() }).collect();
    let how = Initialisation { phase: Phase::Program, time_ms: 0.0, seed: [0; 32], budget: Duration::from_secs(20) };
    let (program, host) = Program::initialise(engine, Linked { units, plan }, how, SilentHost::default()).await;
    let mut printed = String::new();
    for (_, line) in host.unwrap_or_default().lines {
        printed.push_str(&line);
        printed.push('\n');
    }
    match program {
        Ok(_) => Ok(printed),
        Err(error) => Err(format!("{error}\n{printed}")),
    }
}

/// What differs between Node and Wasm, with the program's name.
async fn difference(engine: &Engine, program: &Path) -> Option<String> {
    let name = program.file_name().unwrap().to_string_lossy();
    let node = on_node(program);
    match on_wasm(engine, program).await {
        Ok(wasm) if wasm == node => None,
        Ok(wasm) => Some(format!("{name}: {}\n", first_difference(&node, &wasm))),
        Err(error) => Some(format!("{name}: {error}\n")),
    }
}

async fn assert_all_the_same(engine: &Engine, programs: &[PathBuf]) {
    assert!(!programs.is_empty());
    let mut failures = String::new();
    for program in programs {
        failures.extend(difference(engine, program).await);
    }
    assert!(failures.is_empty(), "of {} programs:\n{failures}", programs.len());
}

#[tokio::test]
async fn programs_print_the_same_on_wasm_and_node() {
    assert_all_the_same(&Engine::new(NoCache).unwrap(), &programs()).await;
}

/// Scripts of calls into published packages, each bundled with the package into one module, as an app's bundle has it.
fn libraries(directory: &Path) -> Vec<PathBuf> {
    let sources = places::project().join("tests/libraries");
    let scripts = std::fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path());
    let mut scripts: Vec<_> = scripts.filter(|path| path.extension().is_some_and(|it| it == "js")).collect();
    scripts.sort();
    let bundled = Command::new(sources.join("node_modules/.bin/esbuild"))
        .args(&scripts)
        .args(["--bundle", "--format=esm", "--platform=browser", "--conditions=convex,module", "--target=esnext"])
        .args(["--log-level=error", "--out-extension:.js=.mjs"])
        .arg(format!("--outdir={}", directory.display()))
        .status()
        .expect("esbuild runs");
    assert!(bundled.success());
    scripts.iter().map(|script| directory.join(script.with_extension("mjs").file_name().unwrap())).collect()
}

#[tokio::test]
async fn published_packages_run_the_same_on_wasm_and_node() {
    let directory = tempfile::tempdir().unwrap();
    assert_all_the_same(&Engine::new(NoCache).unwrap(), &libraries(directory.path())).await;
}

/// Collections at any moment change nothing.
#[tokio::test]
async fn programs_print_the_same_under_a_stressed_collector() {
    assert_all_the_same(&Engine::with_collector_stress(NoCache, STRESS).unwrap(), &programs()).await;
}
