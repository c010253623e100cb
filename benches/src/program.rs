//! From JavaScript text to a pool of environments, with the time each step took.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};
use convex_wasm_compiler::{Options, compile_module, link, unit::SourceModule};
use convex_wasm_runtime::{
    Call, Engine, Execution, Export, Initialisation, Linked, NoCache, Phase, Pool, Program, ProgramUnit, SilentHost,
};

/// Computing time nobody reaches.
const BUDGET: Duration = Duration::from_secs(60);

/// An engine that caches nothing: compile times are part of what is measured.
pub fn engine() -> anyhow::Result<Engine> {
    Ok(Engine::new(NoCache)?)
}

/// A program ready to run, and what it took to make it.
pub struct Prepared {
    /// Environments.
    pub pool: Pool<SilentHost>,
    /// JavaScript to Wasm.
    pub compile: Duration,
    /// Wasm to native code.
    pub native: Duration,
    /// Bytes of Wasm.
    pub wasm_bytes: usize,
    /// Bytes of JavaScript.
    pub source_bytes: usize,
}

/// Compiles and initialises modules; the last one is the entry.
pub async fn prepare(engine: &Engine, modules: &[(&str, String)]) -> anyhow::Result<Prepared> {
    let started = Instant::now();
    let mut units = Vec::new();
    for (path, source) in modules {
        let module = SourceModule { path: (*path).to_owned(), source: source.clone(), source_map: None };
        units.push(Arc::new(compile_module(&module, &Options::default())?));
    }
    let compile = started.elapsed();
    let started = Instant::now();
    let native = engine.compile(&units)?;
    let native_time = started.elapsed();
    let plan = link::link(&units, &[units.len() - 1])?;
    let wasm_bytes = units.iter().map(|unit| unit.wasm.len()).sum();
    let units = native
        .into_iter()
        .zip(modules)
        .map(|(native, (_, source))| ProgramUnit { native, source: source.as_str().into() })
        .collect();
    let how = Initialisation { phase: Phase::Program, time_ms: 0.0, seed: [7; 32], budget: BUDGET };
    let (program, _) = Program::initialise(engine, Linked { units, plan }, how, SilentHost::default()).await;
    Ok(Prepared {
        pool: Pool::new(program?),
        compile,
        native: native_time,
        wasm_bytes,
        source_bytes: modules.iter().map(|(_, source)| source.len()).sum(),
    })
}

impl Prepared {
    /// An export of a module.
    pub fn export(&self, path: &str, name: &str) -> anyhow::Result<Export> {
        self.pool.program().export(path, name).with_context(|| format!("{path} does not export {name}"))
    }

    /// One execution.
    pub async fn run(&self, export: Export, method: &str) -> anyhow::Result<Execution<SilentHost>> {
        let call = Call {
            export,
            method,
            argument: "[{}]",
            phase: Phase::Program,
            time_ms: 0.0,
            seed: [7; 32],
            budget: BUDGET,
        };
        Ok(self.pool.run(call, SilentHost::default()).await)
    }
}

/// The answer of an execution.
pub fn answer(execution: Execution<SilentHost>) -> anyhow::Result<String> {
    execution.result.map_err(|error| anyhow!("{error}"))
}
