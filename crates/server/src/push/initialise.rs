//! From compiled modules to a program: linked, evaluated once, frozen.

use std::collections::BTreeMap;
use std::time::Duration;

use convex_wasm_compiler::link::link;
use convex_wasm_knobs::ISOLATE_ANALYZE_USER_TIMEOUT_SECONDS;
use convex_wasm_runner::{ModuleSourceMap, uncaught};
use convex_wasm_runtime::{
    BoxError, Engine, Host, HostError, Initialisation, Linked, LogLevel, Operation, OperationResult, Phase, Program,
    ProgramError, RunError, ThrowError,
};

use super::app::{ImportPhase, is_entry};
use super::compile::CompiledModule;
use super::error::PushError;

/// Links modules and evaluates them.
///
/// # Errors
/// They do not fit together, or one throws, with the place in the developer's sources.
pub async fn initialise(
    engine: &Engine,
    modules: &[CompiledModule],
    source_maps: &BTreeMap<String, ModuleSourceMap>,
    phase: ImportPhase,
    host: ImportHost,
) -> Result<Program, PushError> {
    let units: Vec<_> = modules.iter().map(|module| module.native.unit.clone()).collect();
    let entries: Vec<usize> = (0..units.len()).filter(|&index| is_entry(&units[index].path)).collect();
    let plan = link(&units, &entries)?;
    let linked = Linked { units: modules.iter().map(CompiledModule::program_unit).collect(), plan };
    let how = Initialisation { phase: Phase::Import, time_ms: phase.time_ms, seed: phase.seed, budget: budget() };
    let (program, host) = Program::initialise(engine, linked, how, host).await;
    let host = host.unwrap_or_default();
    program.map_err(|error| match error {
        ProgramError::Evaluate { .. } if let Some(name) = &host.missing => missing_variable(name),
        ProgramError::Evaluate { path, error: RunError::Internal(error) } => {
            PushError::internal(format!("{path}: {error}"))
        }
        ProgramError::Evaluate { path, error } => {
            let lines = host.lines.concat();
            let text = explain(&error, source_maps);
            PushError::refused("InvalidModules", format!("Failed to analyze {path}: {text}{lines}"))
        }
        other => other.into(),
    })
}

/// Guest time that initialising or describing modules may use.
pub fn budget() -> Duration {
    Duration::from_secs(ISOLATE_ANALYZE_USER_TIMEOUT_SECONDS.get())
}

/// The text of a failed evaluation, with positions in the developer's sources.
pub fn explain(error: &RunError, source_maps: &BTreeMap<String, ModuleSourceMap>) -> String {
    match error {
        RunError::Thrown(thrown) => uncaught(&thrown.text, &thrown.stack, |module| source_maps.get(module)),
        other => format!("{other}\n"),
    }
}

/// What modules may ask while they are evaluated: environment variables, and nothing else. Console lines are kept for
/// the message of an error.
#[derive(Clone, Debug, Default)]
pub struct ImportHost {
    /// Environment variables.
    pub environment: BTreeMap<String, String>,
    /// Whether a variable that is not set is an error.
    strict: bool,
    /// The variable whose absence was an error.
    missing: Option<String>,
    lines: Vec<String>,
}

impl ImportHost {
    /// A host with these environment variables.
    pub fn new(environment: BTreeMap<String, String>) -> Self {
        Self { environment, ..Self::default() }
    }

    /// A host for `auth.config.ts`, where a variable that is not set is an error.
    pub fn strict(environment: BTreeMap<String, String>) -> Self {
        Self { environment, strict: true, ..Self::default() }
    }
}

fn missing_variable(name: &str) -> PushError {
    PushError::refused(
        "AuthConfigMissingEnvironmentVariable",
        format!(
            "Environment variable {name} is used in auth config file but its value was not set. Set it with `npx convex \
             env set {name}`."
        ),
    )
}

fn refuse(name: &str) -> ThrowError {
    ThrowError {
        message: format!("{name} cannot be used while modules are imported: call it inside a function."),
        code: Some("NoSyscallDuringImport".to_owned()),
        data: None,
    }
}

impl Host for ImportHost {
    fn syscall(&mut self, name: &str, _argument: &str) -> Result<String, HostError> {
        Err(refuse(name).into())
    }

    fn environment_variable(&mut self, name: &str) -> Result<Option<String>, HostError> {
        let value = self.environment.get(name).cloned();
        if value.is_none() && self.strict {
            self.missing = Some(name.to_owned());
            return Err(HostError::Abort(format!("{name} is not set").into()));
        }
        Ok(value)
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(self.environment.keys().cloned().collect())
    }

    fn log(&mut self, _level: LogLevel, message: String) -> Result<(), HostError> {
        self.lines.push(format!("{message}\n"));
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        Ok(batch.iter().map(|operation| Err(refuse(&operation.name))).collect())
    }
}
