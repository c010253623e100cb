//! Compiles modules and calls their exports.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use convex_wasm_compiler::{Options, compile_module, link::link, unit::SourceModule};
use convex_wasm_runtime::{
    Call, Engine, Execution, Host, Initialisation, Linked, NoCache, Phase, Pool, Program, ProgramError, ProgramUnit,
    SilentHost,
};

/// Computing time of a call.
const BUDGET: Duration = Duration::from_secs(1);

/// One engine for all tests: making the guest's native code takes seconds.
fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new(NoCache).unwrap()).clone()
}

/// Evaluates modules, each an entry.
pub async fn program(modules: &[(&str, &str)]) -> Result<Program, ProgramError> {
    let engine = engine();
    let units: Vec<_> = modules
        .iter()
        .map(|(path, source)| {
            let (path, source) = ((*path).to_owned(), (*source).to_owned());
            Arc::new(compile_module(&SourceModule { path, source, source_map: None }, &Options::default()).unwrap())
        })
        .collect();
    let entries: Vec<_> = (0..units.len()).collect();
    let plan = link(&units, &entries).unwrap();
    let native = engine.compile(&units)?;
    let sources = modules.iter().map(|(_, source)| Arc::from(*source));
    let units = native.into_iter().zip(sources).map(|(native, source)| ProgramUnit { native, source }).collect();
    let how = Initialisation { phase: Phase::Import, time_ms: 0.0, seed: [1; 32], budget: BUDGET };
    Program::initialise(&engine, Linked { units, plan }, how, SilentHost::default()).await.0
}

/// A pool of one module, `app.js`.
pub async fn pool<H: Host>(source: &str) -> Pool<H> {
    Pool::new(program(&[("app.js", source)]).await.unwrap())
}

/// Calls `app.js`'s `export.run(argument)`.
pub async fn call<H: Host>(pool: &Pool<H>, export: &str, argument: &str, host: H) -> Execution<H> {
    call_within(BUDGET, pool, export, argument, host).await
}

/// As [`call`], with another computing time.
pub async fn call_within<H: Host>(
    budget: Duration,
    pool: &Pool<H>,
    export: &str,
    argument: &str,
    host: H,
) -> Execution<H> {
    let export = pool.program().export("app.js", export).unwrap();
    let (phase, seed) = (Phase::Query, [1; 32]);
    pool.run(Call { export, method: "run", argument, phase, time_ms: 1e12, seed, budget }, host).await
}

/// What a call answered; the text of its error if it threw.
pub async fn answer(pool: &Pool<SilentHost>, export: &str, argument: &str) -> String {
    match call(pool, export, argument, SilentHost::default()).await.result {
        Ok(text) => text,
        Err(error) => error.to_string(),
    }
}
