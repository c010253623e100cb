//! Building an app: compile, link, initialise, analyse.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use convex_wasm_compiler::cache::Cache;
use convex_wasm_runner::{Deployment, Function, FunctionPath, ModuleSourceMap, Route, TwoLanes, V8Lane, WasmLane};
use convex_wasm_runtime::{Engine, Program};
use convex_wasm_v8_workers::{ImportPhase, Program as V8Program, Workers};
use convex_wasm_values::Schema;

use super::analyze::{self, Analyzed};
use super::app::{self, App};
use super::body::PushedModule;
use super::compile::{self, CompiledModule};
use super::crons::{self, CronSpec};
use super::error::PushError;
use super::exclusions::Exclusions;
use super::initialise::{ImportHost, initialise};
use super::node;
use super::report::{DeployReport, milliseconds};
use crate::auth::{Provider, providers_from_json};

/// Told the path of each module that was compiled.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// Builds apps.
#[derive(Clone)]
pub struct Builder {
    engine: Engine,
    cache: Arc<dyn Cache + Send>,
    progress: Progress,
    v8: Option<Workers>,
    excluded: Exclusions,
}

/// A built app.
pub struct BuiltApp {
    /// Its compiled modules.
    pub modules: Vec<CompiledModule>,
    /// What the developer should know.
    pub report: DeployReport,
    /// Its cron jobs, by name.
    pub crons: BTreeMap<String, CronSpec>,
    /// Its routes of HTTP actions, if it has a router.
    pub routes: Option<Vec<Route>>,
    program: Program,
    functions: Vec<Analyzed>,
    /// Modules for Node, if there are any.
    node: Option<Arc<V8Program>>,
    v8: Option<Workers>,
}

impl Builder {
    /// A builder that keeps compiled units in `cache`.
    pub fn new(engine: Engine, cache: impl Cache + Send + 'static) -> Self {
        Self { engine, cache: Arc::new(cache), progress: Arc::new(|_| {}), v8: None, excluded: Exclusions::default() }
    }

    /// The same builder, telling `progress` of each compiled module.
    pub fn with_progress(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// The same builder; what cannot run on Wasm runs on these workers.
    pub fn with_v8(self, workers: Workers) -> Self {
        Self { v8: Some(workers), ..self }
    }

    /// The same builder, which leaves these functions to the workers, if there are any.
    pub fn without(self, excluded: Exclusions) -> Self {
        Self { excluded, ..self }
    }

    /// The workers, if there are any.
    pub fn v8(&self) -> Option<&Workers> {
        self.v8.as_ref()
    }

    /// Builds the functions of an app; `environment` is what its modules see of environment variables.
    ///
    /// # Errors
    /// The app does not compile, link or initialise.
    pub async fn build(&self, app: &App, environment: BTreeMap<String, String>) -> Result<BuiltApp, PushError> {
        let started = Instant::now();
        let modules = self.compile(app.isolate_modules().cloned().collect()).await?;
        let compiled = Instant::now();
        let source_maps = source_maps(app.isolate_modules().chain(app.node_modules()));
        let host = ImportHost::new(environment);
        let program = initialise(&self.engine, &modules, &source_maps, app.import_phase, host.clone()).await?;
        let initialised = Instant::now();
        let mut functions = analyze::functions(&program, &source_maps, &host).await?;
        let node = self.node_program(app).await?;
        if let (Some(node), Some(workers)) = (&node, &self.v8) {
            functions.extend(node::functions(workers, node, &source_maps, &host.environment).await?);
        }
        let crons = match analyze::crons_json(&program, &source_maps, &host).await? {
            Some(json) => crons::parse(&json, &functions)?,
            None => BTreeMap::new(),
        };
        let routes = analyze::routes(&program, &source_maps, &host).await?;
        let mut report =
            DeployReport::new(app, &modules, &functions, &source_maps, self.v8.as_ref().map(|_| &self.excluded));
        report.image_bytes = program.shared_memory();
        report.milliseconds = vec![
            ("compile".to_owned(), milliseconds(compiled - started)),
            ("initialise".to_owned(), milliseconds(initialised - compiled)),
            ("analyse".to_owned(), milliseconds(initialised.elapsed())),
        ];
        Ok(BuiltApp { modules, report, crons, routes, program, functions, node, v8: self.v8.clone() })
    }

    /// Evaluates the schema of an app; without a module it has none.
    ///
    /// # Errors
    /// `schema.ts` does not compile, throws, or exports no valid schema.
    pub async fn schema(&self, module: Option<&PushedModule>, phase: app::ImportPhase) -> Result<Schema, PushError> {
        let Some(module) = module else { return Ok(Schema::empty()) };
        let modules = self.compile(vec![module.clone()]).await?;
        let source_maps = source_maps([module]);
        let host = ImportHost::default();
        let program = initialise(&self.engine, &modules, &source_maps, phase, host.clone()).await?;
        Ok(Schema::from_json(&analyze::schema_json(&program, &source_maps, &host).await?)?)
    }

    /// Evaluates the identity providers that an app trusts; none if it has no `auth.config.ts`.
    ///
    /// # Errors
    /// `auth.config.ts` does not compile, throws, reads a variable that is not set, or lists no valid providers.
    pub async fn auth(&self, app: &App, environment: BTreeMap<String, String>) -> Result<Vec<Provider>, PushError> {
        let Some(module) = app.auth_config() else { return Ok(Vec::new()) };
        let modules = self.compile(vec![module.clone(), analyze::auth_probe()]).await?;
        let source_maps = source_maps([module]);
        let host = ImportHost::strict(environment);
        let program = initialise(&self.engine, &modules, &source_maps, app.import_phase, host.clone()).await?;
        providers_from_json(&analyze::auth_json(&program, &source_maps, &host).await?)
    }

    /// The modules for Node, if there are any, and the packages that they need.
    async fn node_program(&self, app: &App) -> Result<Option<Arc<V8Program>>, PushError> {
        let sources: Vec<_> = app.node_modules().map(|module| (module.path.clone(), module.source.clone())).collect();
        let import = ImportPhase { time_ms: app.import_phase.time_ms, seed: app.import_phase.seed };
        if sources.is_empty() {
            return Ok(None);
        }
        let packages = match &self.v8 {
            Some(workers) if !app.packages.is_empty() => {
                let installed = workers.install(&app.packages).await;
                Some(installed.map_err(|error| PushError::refused("InvalidExternalModules", error.to_string()))?)
            }
            _ => None,
        };
        Ok(Some(Arc::new(V8Program::new(sources, import).for_node(packages))))
    }

    async fn compile(&self, modules: Vec<PushedModule>) -> Result<Vec<CompiledModule>, PushError> {
        let Self { engine, cache, progress, .. } = self.clone();
        tokio::task::spawn_blocking(move || compile::compile(&engine, &*cache, modules, &*progress))
            .await
            .map_err(PushError::internal)?
    }
}

impl BuiltApp {
    /// The app, ready to run: the first calls find environments waiting.
    pub async fn deployment(&self, app: &App) -> Deployment {
        let functions = self.functions.iter().map(|analyzed| analyzed.function.clone());
        let maps = app
            .isolate_modules()
            .chain(app.node_modules())
            .map(|module| (module.path.clone(), module.source_map.clone()));
        let lane = WasmLane::new(self.program.clone());
        lane.warm_up(std::thread::available_parallelism().map_or(1, usize::from)).await;
        let deployment = match &self.v8 {
            None => Deployment::new(functions, maps, Arc::new(lane)),
            Some(workers) => {
                let (v8, refused) = self.v8_lane(app, workers.clone());
                let lane = TwoLanes::new(lane, v8.clone(), refused);
                let deployment = Deployment::new(functions, maps, Arc::new(lane)).with_actions(v8);
                match &self.node {
                    Some(program) => {
                        let lane = Arc::new(V8Lane::new(workers.clone(), program.clone()));
                        let modules = app.node_modules().map(|module| module.path.clone()).collect();
                        deployment.with_node(lane, modules)
                    }
                    None => deployment,
                }
            }
        };
        match &self.routes {
            Some(routes) => deployment.with_routes(routes.clone()),
            None => deployment,
        }
    }

    /// The V8 lane, and the functions that always run there.
    fn v8_lane(&self, app: &App, workers: Workers) -> (Arc<V8Lane>, BTreeSet<FunctionPath>) {
        let sources = app.isolate_modules().map(|module| (module.path.clone(), module.source.clone()));
        let import = ImportPhase { time_ms: app.import_phase.time_ms, seed: app.import_phase.seed };
        let v8 = Arc::new(V8Lane::new(workers, Arc::new(V8Program::new(sources, import))));
        let on_v8 = self.report.functions.iter().filter(|function| function.lane == "v8");
        let refused: BTreeSet<FunctionPath> = on_v8.filter_map(|function| function.path.parse().ok()).collect();
        if !refused.is_empty() {
            v8.warm_up();
        }
        (v8, refused)
    }

    /// Every Convex function, and the 0-based line and UTF-16 column of its handler in the bundled module.
    pub fn functions(&self) -> impl Iterator<Item = (&Function, Option<(u32, u32)>)> {
        self.functions.iter().map(|analyzed| {
            let place = analyzed.handler.and_then(|handler| {
                let module = self.modules.get(handler.unit as usize)?;
                Some(module.position_of(handler.start as usize))
            });
            (&analyzed.function, place)
        })
    }
}

fn source_maps<'a>(modules: impl IntoIterator<Item = &'a PushedModule>) -> BTreeMap<String, ModuleSourceMap> {
    modules
        .into_iter()
        .map(|module| (module.path.clone(), ModuleSourceMap::new(&module.path, module.source_map.clone())))
        .collect()
}
