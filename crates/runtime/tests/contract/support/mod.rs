//! A small guest and a unit of misbehaving functions, so that the host can be tested without compiler and JavaScript.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use convex_wasm_compiler::{
    link::link,
    unit::{CodePosition, CompiledUnit, FunctionMeta, ModuleReport, UnitExport},
};
use convex_wasm_runtime::{
    BoxError, Call, Engine, Execution, Host, HostError, Initialisation, Linked, LogLevel, NoCache, Operation,
    OperationResult, Phase, Pool, Program, ProgramError, ProgramUnit, SilentHost, ThrowError,
};

/// Exports of the unit, in the order of its bindings.
const EXPORTS: &[&str] = &[
    "count",
    "spin",
    "exhaust_heap",
    "recurse",
    "hand_over",
    "panic",
    "wait",
    "waited",
    "throw",
    "log",
    "where",
    "stuck",
    "recurse_in_guest",
    "describe",
];

/// Computing time of a call.
pub const BUDGET: Duration = Duration::from_secs(1);

pub fn engine() -> Engine {
    let guest = wat::parse_str(include_str!("guest.wat")).unwrap();
    Engine::with_guest(NoCache, &guest).unwrap()
}

/// The unit, with function number 11 (`where`) at line 4, column 2 of its source.
pub fn unit(path: &str) -> CompiledUnit {
    let wasm = wat::parse_str(include_str!("unit.wat")).unwrap();
    let starts = function_starts(&wasm);
    let functions = (0..).zip(&starts).map(|(first_point, &code_offset)| {
        let name = format!("f{code_offset}");
        FunctionMeta { name, code_offset, first_point }
    });
    let positions = starts.iter().map(|&offset| CodePosition { offset, line: 3, column: 1 }).collect();
    CompiledUnit {
        path: path.to_owned(),
        source_hash: String::new(),
        functions: functions.collect(),
        positions,
        points: Vec::new(),
        wasm,
        data_size: 0x400,
        table_size: 15,
        bindings_offset: 64,
        imports_offset: 0,
        definitions: BTreeMap::new(),
        requests: Vec::new(),
        imports: Vec::new(),
        exports: (0..)
            .zip(EXPORTS)
            .map(|(binding, name)| UnitExport::Local { name: (*name).to_owned(), binding })
            .collect(),
        report: ModuleReport::default(),
    }
}

/// Offsets of the bodies of a module's functions.
fn function_starts(wasm: &[u8]) -> Vec<u32> {
    let payloads = wasmparser::Parser::new(0).parse_all(wasm).map(Result::unwrap);
    payloads
        .filter_map(|payload| match payload {
            wasmparser::Payload::CodeSectionEntry(body) => Some(body.range().start as u32),
            _ => None,
        })
        .collect()
}

/// Evaluates the units as a program.
pub async fn program(engine: &Engine, units: Vec<CompiledUnit>) -> Result<Program, ProgramError> {
    let units: Vec<_> = units.into_iter().map(Arc::new).collect();
    let entries: Vec<usize> = (0..units.len()).collect();
    let plan = link(&units.iter().map(|unit| CompiledUnit::clone(unit)).collect::<Vec<_>>(), &entries).unwrap();
    let native = engine.compile(&units)?;
    let units = native.into_iter().map(|native| ProgramUnit { native, source: "".into() }).collect();
    let how = Initialisation { phase: Phase::Import, time_ms: 0.0, seed: [0; 32], budget: BUDGET };
    Program::initialise(engine, Linked { units, plan }, how, SilentHost::default()).await.0
}

/// A pool of the unit at `unit.js`.
pub async fn pool<H: Host>() -> Pool<H> {
    Pool::new(program(&engine(), vec![unit("unit.js")]).await.unwrap())
}

/// Calls an export with an argument.
pub async fn call<H: Host>(pool: &Pool<H>, name: &str, argument: &str, host: H) -> Execution<H> {
    let export = pool.program().export("unit.js", name).unwrap();
    let phase = Phase::Query;
    let call = Call { export, method: "invoke", argument, phase, time_ms: 0.0, seed: [0; 32], budget: BUDGET };
    pool.run(call, host).await
}

/// What a call answered, without a host that can do anything.
pub async fn answer(pool: &Pool<SilentHost>, name: &str, argument: &str) -> String {
    call(pool, name, argument, SilentHost::default()).await.result.unwrap()
}

/// A host whose batches wait until the test opens its gate.
#[derive(Debug)]
pub struct GatedHost {
    pub gate: Arc<tokio::sync::Semaphore>,
    /// Batches it was given.
    pub batches: Vec<Vec<Operation>>,
    /// Gets a message when a batch begins.
    pub started: tokio::sync::mpsc::UnboundedSender<()>,
}

impl Host for GatedHost {
    fn syscall(&mut self, _name: &str, argument: &str) -> Result<String, HostError> {
        Ok(argument.to_owned())
    }

    fn environment_variable(&mut self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(Vec::new())
    }

    fn log(&mut self, _level: LogLevel, _message: String) -> Result<(), HostError> {
        Err(HostError::Abort("this host takes no lines".into()))
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        self.batches.push(batch);
        let _ = self.started.send(());
        self.gate.acquire().await?.forget();
        Ok(vec![Ok("\"yes\"".to_owned()), Err(ThrowError { message: "no".to_owned(), ..ThrowError::default() })])
    }
}
