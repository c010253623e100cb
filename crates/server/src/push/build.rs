//! Building an app: compile, link, initialise, analyse.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use convex_wasm_compiler::cache::Cache;
use convex_wasm_runner::{Deployment, Function, ModuleSourceMap, WasmLane};
use convex_wasm_runtime::{Engine, Program};
use convex_wasm_values::Schema;

use super::analyze::{self, Analyzed};
use super::app::App;
use super::body::PushedModule;
use super::compile::{self, CompiledModule};
use super::error::PushError;
use super::initialise::{ImportHost, initialise};
use super::report::{DeployReport, milliseconds};

/// Told the path of each module that was compiled.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// Builds apps.
#[derive(Clone)]
pub struct Builder {
    engine: Engine,
    cache: Arc<dyn Cache + Send>,
    progress: Progress,
}

/// A built app.
pub struct BuiltApp {
    /// Its compiled modules.
    pub modules: Vec<CompiledModule>,
    /// What the developer should know.
    pub report: DeployReport,
    program: Program,
    functions: Vec<Analyzed>,
}

impl Builder {
    /// A builder that keeps compiled units in `cache`.
    pub fn new(engine: Engine, cache: impl Cache + Send + 'static) -> Self {
        Self { engine, cache: Arc::new(cache), progress: Arc::new(|_| {}) }
    }

    /// The same builder, telling `progress` of each compiled module.
    pub fn with_progress(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// Builds the functions of an app; `environment` is what its modules see of environment variables.
    ///
    /// # Errors
    /// The app does not compile, link or initialise.
    pub async fn build(&self, app: &App, environment: BTreeMap<String, String>) -> Result<BuiltApp, PushError> {
        let started = Instant::now();
        let modules = self.compile(app.isolate_modules().cloned().collect()).await?;
        let compiled = Instant::now();
        let source_maps = source_maps(app.isolate_modules());
        let host = ImportHost::new(environment);
        let program = initialise(&self.engine, &modules, &source_maps, app.import_phase, host.clone()).await?;
        let initialised = Instant::now();
        let functions = analyze::functions(&program, &source_maps, &host).await?;
        let mut report = DeployReport::new(app, &modules, &functions, &source_maps);
        report.image_bytes = program.shared_memory();
        report.milliseconds = vec![
            ("compile".to_owned(), milliseconds(compiled - started)),
            ("initialise".to_owned(), milliseconds(initialised - compiled)),
            ("analyse".to_owned(), milliseconds(initialised.elapsed())),
        ];
        Ok(BuiltApp { modules, report, program, functions })
    }

    /// Evaluates the schema of an app.
    ///
    /// # Errors
    /// `schema.ts` does not compile, throws, or exports no valid schema.
    pub async fn schema(&self, app: &App) -> Result<Schema, PushError> {
        let Some(module) = &app.schema else { return Ok(Schema::empty()) };
        let modules = self.compile(vec![module.clone()]).await?;
        let source_maps = source_maps([module]);
        let host = ImportHost::default();
        let program = initialise(&self.engine, &modules, &source_maps, app.import_phase, host.clone()).await?;
        Ok(Schema::from_json(&analyze::schema_json(&program, &source_maps, &host).await?)?)
    }

    async fn compile(&self, modules: Vec<PushedModule>) -> Result<Vec<CompiledModule>, PushError> {
        let Self { engine, cache, progress } = self.clone();
        tokio::task::spawn_blocking(move || compile::compile(&engine, &*cache, modules, &*progress))
            .await
            .map_err(PushError::internal)?
    }
}

impl BuiltApp {
    /// The app, ready to run: the first calls find environments waiting.
    pub async fn deployment(&self, app: &App) -> Deployment {
        let functions = self.functions.iter().map(|analyzed| analyzed.function.clone());
        let maps = app.isolate_modules().map(|module| (module.path.clone(), module.source_map.clone()));
        let lane = WasmLane::new(self.program.clone());
        lane.warm_up(std::thread::available_parallelism().map_or(1, usize::from)).await;
        Deployment::new(functions, maps, Arc::new(lane))
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
