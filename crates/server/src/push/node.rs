//! What modules for Node export. They are evaluated there, since nothing else can.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::ISOLATE_ANALYZE_USER_TIMEOUT_SECONDS;
use convex_wasm_runner::{FunctionKind, FunctionPath, ModuleSourceMap};
use convex_wasm_runtime::Description;
use convex_wasm_v8_workers::{Program, Workers};
use serde::Deserialize;

use super::analyze::{self, Analyzed};
use super::error::PushError;
use super::initialise::explain;

/// An export, as the worker describes it.
#[derive(Deserialize)]
struct Exported {
    module: String,
    name: String,
    kind: String,
    visibility: String,
    args: Option<String>,
    returns: Option<String>,
}

/// Finds the actions among the exports of modules for Node.
///
/// # Errors
/// A module throws when it is imported, or exports something else than actions.
pub async fn functions(
    workers: &Workers,
    program: &Arc<Program>,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    environment: &BTreeMap<String, String>,
) -> Result<Vec<Analyzed>, PushError> {
    // Modules for Node may load slowly: the limit is that of each module of the default runtime, for all that there are.
    let modules = u32::try_from(source_maps.len()).unwrap_or(u32::MAX);
    let limit = Duration::from_secs(ISOLATE_ANALYZE_USER_TIMEOUT_SECONDS.get()).saturating_mul(modules);
    let json = workers.describe(program, environment, limit).await.map_err(|error| {
        let text = explain(&error, source_maps);
        PushError::refused("InvalidModules", format!("Failed to analyze the modules for Node: {text}"))
    })?;
    let exports: Vec<Exported> = serde_json::from_str(&json).map_err(PushError::internal)?;
    let mut functions = Vec::new();
    for Exported { module, name, kind, visibility, args, returns } in exports {
        let description = Description {
            kind,
            visibility: Some(visibility),
            args,
            returns,
            is_router: false,
            is_crons: false,
            is_schema: false,
            export: None,
            handler: None,
        };
        let Some(analyzed) = analyze::function(&module, &name, description)? else { continue };
        let path: &FunctionPath = &analyzed.function.path;
        if analyzed.function.kind != FunctionKind::Action {
            let text = format!(
                "{path} is defined as {}: modules with \"use node\" have only actions.",
                analyzed.function.kind
            );
            return Err(PushError::refused("InvalidModules", text));
        }
        functions.push(analyzed);
    }
    Ok(functions)
}
