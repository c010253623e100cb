//! What a developer should know of a push.

use std::collections::BTreeMap;

use convex_wasm_compiler::unit::Finding;
use convex_wasm_runner::{FunctionKind, ModuleSourceMap, Visibility};
use serde::{Deserialize, Serialize};

use super::analyze::Analyzed;
use super::app::App;
use super::compile::CompiledModule;
use super::exclusions::Exclusions;

/// The functions and modules of a push, and how long it took.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeployReport {
    /// Every Convex function.
    pub functions: Vec<FunctionReport>,
    /// Every module.
    pub modules: Vec<ModuleReport>,
    /// Tables of the schema.
    pub tables: usize,
    /// Indexes of the schema.
    pub indexes: usize,
    /// Bytes of memory that all environments share: the initialised app.
    pub image_bytes: usize,
    /// Milliseconds by step, in order.
    pub milliseconds: Vec<(String, f64)>,
}

/// One Convex function.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionReport {
    /// `module:function`.
    pub path: String,
    /// What it may do.
    pub kind: FunctionKind,
    /// Who may call it.
    pub visibility: Visibility,
    /// Where it runs: `wasm`, `v8`, or `none` if nothing here can run it.
    pub lane: String,
    /// Bytes of Wasm of its module.
    pub bytes: usize,
    /// Milliseconds it took to compile its module, native code included.
    pub compile_ms: f64,
}

/// One module.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModuleReport {
    /// Its path.
    pub path: String,
    /// Bytes of JavaScript.
    pub source_bytes: usize,
    /// Bytes of Wasm.
    pub wasm_bytes: usize,
    /// Bytes of native code.
    pub native_bytes: usize,
    /// Whether its Wasm was compiled before.
    pub cached: bool,
    /// Milliseconds it took to make the Wasm.
    pub wasm_ms: f64,
    /// Milliseconds it took to make the native code.
    pub native_ms: f64,
    /// Functions that could not be compiled.
    pub refusals: Vec<PlacedFinding>,
    /// Top-level state that does not persist from call to call.
    pub mutable_state: Vec<PlacedFinding>,
    /// Environment variables read while the module is imported.
    pub import_environment: Vec<PlacedFinding>,
}

/// A finding with its place in the developer's sources.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlacedFinding {
    /// Function or variable.
    pub name: String,
    /// A sentence.
    pub reason: String,
    /// `../convex/file.ts:line:column`.
    pub place: String,
}

impl DeployReport {
    /// The report of functions and modules; `v8` has the functions that are left to V8, if there is V8.
    pub fn new(
        app: &App,
        modules: &[CompiledModule],
        functions: &[Analyzed],
        source_maps: &BTreeMap<String, ModuleSourceMap>,
        v8: Option<&Exclusions>,
    ) -> Self {
        let mut reports: Vec<ModuleReport> = modules.iter().map(|module| module_report(module, source_maps)).collect();
        reports.extend(app.node_modules().map(|module| node_module(&module.path, module.source.len(), v8.is_some())));
        Self {
            functions: functions.iter().map(|function| function_report(function, modules, v8)).collect(),
            modules: reports,
            ..Self::default()
        }
    }
}

fn function_report(analyzed: &Analyzed, modules: &[CompiledModule], v8: Option<&Exclusions>) -> FunctionReport {
    let function = &analyzed.function;
    let module = modules.iter().find(|module| module.unit().path == function.path.module());
    let path = function.path.to_string();
    let is_excluded = v8.is_some_and(|excluded| excluded.match_function(&path));
    let lane = match function.kind {
        FunctionKind::Query | FunctionKind::Mutation if !is_excluded && !is_refused(analyzed, modules) => "wasm",
        _ if v8.is_some() => "v8",
        _ => "none",
    };
    FunctionReport {
        path,
        kind: function.kind,
        visibility: function.visibility,
        lane: lane.to_owned(),
        bytes: module.map_or(0, |module| module.unit().wasm.len()),
        compile_ms: module.map_or(0.0, |module| milliseconds(module.wasm_time + module.native_time)),
    }
}

/// Whether the compiler refused the handler or a function within it. Functions that the handler calls elsewhere are known
/// only when they are called.
fn is_refused(analyzed: &Analyzed, modules: &[CompiledModule]) -> bool {
    let Some(handler) = analyzed.handler else { return false };
    let Some(module) = modules.get(handler.unit as usize) else { return false };
    let (start, end) = (module.position_of(handler.start as usize), module.position_of(handler.end as usize));
    module.unit().report.refusals.iter().any(|refusal| (start..end).contains(&(refusal.line, refusal.column)))
}

fn module_report(module: &CompiledModule, source_maps: &BTreeMap<String, ModuleSourceMap>) -> ModuleReport {
    let unit = module.unit();
    let map = source_maps.get(&unit.path);
    let placed = |findings: &[Finding]| findings.iter().map(|finding| place(finding, &unit.path, map)).collect();
    ModuleReport {
        path: unit.path.clone(),
        source_bytes: module.source_bytes(),
        wasm_bytes: unit.wasm.len(),
        native_bytes: module.native.native_size,
        cached: module.cached,
        wasm_ms: milliseconds(module.wasm_time),
        native_ms: milliseconds(module.native_time),
        refusals: placed(&unit.report.refusals),
        mutable_state: placed(&unit.report.mutable_state),
        import_environment: placed(&unit.report.init_environment),
    }
}

fn node_module(path: &str, source_bytes: usize, has_node: bool) -> ModuleReport {
    let refusal = (!has_node).then(|| PlacedFinding {
        name: path.to_owned(),
        reason: "It says \"use node\", and Node.js 22 or newer was not found.".to_owned(),
        place: format!("{path}:1:1"),
    });
    ModuleReport {
        path: path.to_owned(),
        source_bytes,
        wasm_bytes: 0,
        native_bytes: 0,
        cached: false,
        wasm_ms: 0.0,
        native_ms: 0.0,
        refusals: refusal.into_iter().collect(),
        mutable_state: Vec::new(),
        import_environment: Vec::new(),
    }
}

fn place(finding: &Finding, path: &str, map: Option<&ModuleSourceMap>) -> PlacedFinding {
    let place = match map.and_then(|map| map.lookup(finding.line, finding.column)) {
        Some(source) => format!("{}:{}:{}", source.file, source.line, source.column),
        None => format!("{path}:{}:{}", finding.line + 1, finding.column + 1),
    };
    PlacedFinding { name: finding.name.clone(), reason: finding.reason.clone(), place }
}

/// A duration for people.
pub fn milliseconds(duration: std::time::Duration) -> f64 {
    (duration.as_secs_f64() * 1e5).round() / 1e2
}
