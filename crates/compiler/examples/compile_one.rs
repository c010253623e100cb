//! Compiles module files and writes `OUT_DIR/<n>.wasm` and `OUT_DIR/manifest.json`, which says how to link them:
//! `cargo run --release -p convex-wasm-compiler --example compile_one -- OUT_DIR FILE.js…` (the first file is the entry).
#![allow(clippy::print_stderr)]

use std::error::Error;
use std::path::{Path, PathBuf};

use convex_wasm_compiler::compile::{Options, compile_module, compile_script};
use convex_wasm_compiler::link::{LinkPlan, Target, link};
use convex_wasm_compiler::unit::{CompiledUnit, SourceModule};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let directory = arguments.next().ok_or("usage: compile_one OUT_DIR FILE.js…")?;
    let files: Vec<PathBuf> = arguments.collect();
    let root = files.first().and_then(|file| file.parent()).ok_or("no module files")?;
    let units = files.iter().map(|file| compile_file(root, file)).collect::<Result<Vec<_>, _>>()?;
    let plan = link(&units, &[0])?;
    std::fs::create_dir_all(&directory)?;
    for (index, unit) in units.iter().enumerate() {
        std::fs::write(directory.join(format!("{index}.wasm")), &unit.wasm)?;
        for refusal in &unit.report.refusals {
            eprintln!(
                "{}:{}:{}: {}: {}",
                unit.path,
                refusal.line + 1,
                refusal.column + 1,
                refusal.name,
                refusal.reason
            );
        }
    }
    let manifest = serde_json::to_vec_pretty(&manifest(&files, &units, &plan))?;
    std::fs::write(directory.join("manifest.json"), manifest)?;
    Ok(())
}

/// Compiles a file, `.cjs` as a script; its module path is relative to the entry's folder.
fn compile_file(root: &Path, file: &Path) -> Result<CompiledUnit, Box<dyn Error>> {
    let path = file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned();
    let module = SourceModule { path, source: std::fs::read_to_string(file)?, source_map: None };
    let compile = match file.extension().is_some_and(|extension| extension == "cjs") {
        true => compile_script,
        false => compile_module,
    };
    Ok(compile(&module, &Options::default())?)
}

fn manifest(files: &[PathBuf], units: &[CompiledUnit], plan: &LinkPlan) -> Value {
    let units: Vec<Value> = units
        .iter()
        .zip(files)
        .zip(&plan.imports)
        .map(|((unit, file), imports)| {
            json!({
                "path": unit.path,
                "source": file,
                "dataSize": unit.data_size,
                "tableSize": unit.table_size,
                "bindingsOffset": unit.bindings_offset,
                "importsOffset": unit.imports_offset,
                "imports": imports.iter().map(target).collect::<Vec<_>>(),
                "functions": unit.functions,
                "positions": unit.positions,
                "points": unit.points,
            })
        })
        .collect();
    let namespaces: Vec<Value> = plan
        .namespaces
        .iter()
        .map(|namespace| {
            let names: Vec<Value> = namespace.names.iter().map(|(name, place)| json!([name, target(place)])).collect();
            json!({ "unit": namespace.unit, "names": names })
        })
        .collect();
    json!({
        "units": units,
        "entries": plan.entries,
        "order": plan.order,
        "requests": plan.requests,
        "requested": plan.requested,
        "importable": plan.importable,
        "namespaces": namespaces,
    })
}

fn target(target: &Target) -> Value {
    match target {
        Target::Binding { unit, index } => json!({ "unit": unit, "binding": index }),
        Target::Namespace { unit } => json!({ "namespace": unit }),
        Target::Missing | Target::Unlinkable => Value::Null,
    }
}
