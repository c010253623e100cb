//! What the exports of a program are.

use std::collections::BTreeMap;

use convex_wasm_runner::{Function, FunctionKind, FunctionPath, ModuleSourceMap, Route, Visibility};
use convex_wasm_runtime::{Description, Export, HandlerPosition, Pool, Program};
use convex_wasm_values::Validator;

use super::app::{AUTH_CONFIG, is_entry};
use super::body::{ModuleEnvironment, PushedModule};
use super::error::PushError;
use super::initialise::{ImportHost, budget, explain};

/// Module that lists cron jobs.
const CRONS: &str = "crons.js";
/// Module that routes HTTP requests.
const HTTP: &str = "http.js";

/// A Convex function and where its handler is.
pub struct Analyzed {
    /// The function.
    pub function: Function,
    /// Its handler, if the guest knows where it is.
    pub handler: Option<HandlerPosition>,
}

/// Finds the Convex functions among the exports of a program's entries.
///
/// # Errors
/// An export's validators are malformed.
pub async fn functions(
    program: &Program,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    host: &ImportHost,
) -> Result<Vec<Analyzed>, PushError> {
    let pool = Pool::new(program.clone());
    let mut functions = Vec::new();
    for module in program.modules().filter(|path| is_entry(path)) {
        for (name, export) in program.exports(module) {
            let description = describe(&pool, module, name, export, source_maps, host).await?;
            functions.extend(function(module, name, description)?);
        }
    }
    Ok(functions)
}

/// The JSON of the cron jobs that `crons.ts` exports, if there is such a module.
///
/// # Errors
/// Its default export is no `cronJobs()`.
pub async fn crons_json(
    program: &Program,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    host: &ImportHost,
) -> Result<Option<String>, PushError> {
    let description = default_export(program, CRONS, source_maps, host).await?;
    exported(
        description,
        |description| description.is_crons,
        "crons.ts must have a default export made with `cronJobs()`.",
    )
}

/// The routes of the router that `http.ts` exports, if there is such a module.
///
/// # Errors
/// Its default export is no `httpRouter()`.
pub async fn routes(
    program: &Program,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    host: &ImportHost,
) -> Result<Option<Vec<Route>>, PushError> {
    let description = default_export(program, HTTP, source_maps, host).await?;
    let missing = "http.ts must have a default export made with `httpRouter()`.";
    let Some(json) = exported(description, |description| description.is_router, missing)? else { return Ok(None) };
    // Of each route the handler is left out: functions are null in JSON.
    let routes: Vec<(String, String, serde_json::Value)> = serde_json::from_str(&json)
        .map_err(|error| PushError::refused("InvalidModules", format!("http.ts: {error}")))?;
    Ok(Some(routes.into_iter().map(|(path, method, _)| Route { method, path }).collect()))
}

/// The default export of a module that there may be; the inner `None` stands for a module without one.
async fn default_export(
    program: &Program,
    module: &str,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    host: &ImportHost,
) -> Result<Option<Option<Description>>, PushError> {
    if !program.modules().any(|path| path == module) {
        return Ok(None);
    }
    let Some(export) = program.export(module, "default") else { return Ok(Some(None)) };
    let pool = Pool::new(program.clone());
    Ok(Some(Some(describe(&pool, module, "default", export, source_maps, host).await?)))
}

/// What the default export of a module says of itself, if it is what it should be.
fn exported(
    description: Option<Option<Description>>,
    is_right: impl Fn(&Description) -> bool,
    missing: &str,
) -> Result<Option<String>, PushError> {
    match description {
        None => Ok(None),
        Some(Some(description)) if is_right(&description) && description.export.is_some() => Ok(description.export),
        Some(_) => Err(PushError::refused("InvalidModules", missing)),
    }
}

/// The JSON of a schema: what the `export()` of the module's default export gives.
///
/// # Errors
/// The module does not export a schema.
pub async fn schema_json(
    program: &Program,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    host: &ImportHost,
) -> Result<serde_json::Value, PushError> {
    let missing = || {
        PushError::refused("MissingSchemaExportError", "schema.ts must have a default export made with `defineSchema`.")
    };
    let (module, export) =
        program.modules().find_map(|module| Some((module, program.export(module, "default")?))).ok_or_else(missing)?;
    let pool = Pool::new(program.clone());
    let description = describe(&pool, module, "default", export, source_maps, host).await?;
    let json = description.export.filter(|_| description.is_schema).ok_or_else(missing)?;
    serde_json::from_str(&json)
        .map_err(|error| PushError::refused("InvalidSchemaExport", format!("The schema is not valid: {error}")))
}

/// The JSON of the default export of `auth.config.ts`, which [`auth_probe`] gives.
///
/// # Errors
/// There is none, or it is no JSON.
pub async fn auth_json(
    program: &Program,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    host: &ImportHost,
) -> Result<serde_json::Value, PushError> {
    let missing = || {
        PushError::refused(
            "AuthConfigMissingExportError",
            "auth.config.ts must have a default export with `providers`.",
        )
    };
    let unserializable = |reason: String| {
        PushError::refused("AuthConfigUnserializableError", format!("auth.config.ts must export plain JSON: {reason}"))
    };
    let export = program.export(AUTH_PROBE, "default").ok_or_else(missing)?;
    let pool = Pool::new(program.clone());
    let description = describe(&pool, AUTH_PROBE, "default", export, source_maps, host).await;
    let json = description.map_err(|error| unserializable(error.to_string()))?.export.ok_or_else(missing)?;
    serde_json::from_str(&json).map_err(|error| unserializable(error.to_string()))
}

const AUTH_PROBE: &str = "_auth/probe.js";

/// A module that gives the default export of `auth.config.ts` as JSON, in the way a schema gives itself.
pub fn auth_probe() -> PushedModule {
    let source = format!(
        "import * as config from \"../{AUTH_CONFIG}\";\nexport default {{ export: () => JSON.stringify(config.default) }};\n"
    );
    PushedModule { path: AUTH_PROBE.to_owned(), source, source_map: None, environment: ModuleEnvironment::Isolate }
}

async fn describe(
    pool: &Pool<ImportHost>,
    module: &str,
    name: &str,
    export: Export,
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    host: &ImportHost,
) -> Result<Description, PushError> {
    let execution = pool.describe(export, budget(), host.clone()).await;
    execution.result.map_err(|error| {
        let text = explain(&error, source_maps);
        PushError::refused("InvalidModules", format!("Failed to analyze the export {name} of {module}: {text}"))
    })
}

/// The Convex function that an export is, if it is one.
///
/// # Errors
/// Its validators are malformed.
pub fn function(module: &str, name: &str, description: Description) -> Result<Option<Analyzed>, PushError> {
    let kind = match description.kind.as_str() {
        "query" => FunctionKind::Query,
        "mutation" => FunctionKind::Mutation,
        "action" => FunctionKind::Action,
        "httpAction" => FunctionKind::HttpAction,
        _ => return Ok(None),
    };
    let visibility = match description.visibility.as_deref() {
        Some("internal") => Visibility::Internal,
        _ => Visibility::Public,
    };
    let path = FunctionPath::new(module, name);
    let args = validator(&path, "args", description.args.as_deref())?;
    let returns = validator(&path, "returns", description.returns.as_deref())?;
    if !matches!(args, Validator::Any | Validator::Object(_)) {
        return Err(PushError::refused("InvalidModules", format!("{path}: `args` must be an object of validators.")));
    }
    let function = Function { path, kind, visibility, args, returns };
    Ok(Some(Analyzed { function, handler: description.handler }))
}

fn validator(path: &FunctionPath, what: &str, json: Option<&str>) -> Result<Validator, PushError> {
    let invalid =
        |error: String| PushError::refused("InvalidModules", format!("{path}: `{what}` is not valid: {error}"));
    match json {
        None => Ok(Validator::Any),
        Some(text) => {
            let json = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
            Validator::from_json(&json).map_err(|error| invalid(error.to_string()))
        }
    }
}
