//! Workers on the example's Node, and a host that remembers what it was asked.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_execution::{
    BoxError, Host, HostError, LogLevel, Operation, OperationResult, RunError, ThrowError, ThrownError,
};
use convex_wasm_v8_workers::{
    ActionCall, Call, Entry, ImportPhase, Phase, Program, Settings, Streams, V8Snapshot, Workers,
};

pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn node() -> PathBuf {
    project().join("examples/chat/node_modules/.bin/node")
}

/// Workers, and the folder they live in.
pub struct Lane {
    pub workers: Workers,
    _directory: tempfile::TempDir,
}

pub fn lane(snapshots: V8Snapshot, warm_workers: usize) -> Lane {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        node: node(),
        npm: "npm".into(),
        directory: directory.path().to_owned(),
        warm_workers,
        max_parked: 8,
        heap_mb: 64,
        snapshots,
    };
    Lane { workers: Workers::new(settings).unwrap(), _directory: directory }
}

pub fn program(source: &str) -> Arc<Program> {
    modules(&[("m.js", source)])
}

pub fn modules(modules: &[(&str, &str)]) -> Arc<Program> {
    let import = ImportPhase { time_ms: 1000.5, seed: [1; 32] };
    Arc::new(Program::new(modules.iter().map(|(path, source)| ((*path).to_owned(), (*source).to_owned())), import))
}

/// A module that exports `f`, a query with this async handler.
pub fn query(handler: &str) -> Arc<Program> {
    program(&format!(
        "const handler = {handler};\nexport const f = {{ invokeQuery: async (args) => JSON.stringify((await handler(...JSON.parse(args))) ?? null) }};"
    ))
}

pub fn call<'c>() -> Call<'c> {
    Call {
        module: "m.js",
        export: "f",
        method: "invokeQuery",
        argument: "[{}]",
        phase: Phase::Query,
        time_ms: 1_700_000_000_123.0,
        seed: [7; 32],
        import_budget: Duration::from_secs(10),
        budget: Duration::from_secs(10),
    }
}

/// The call of the action `f` of a module.
pub fn action_call(environment: &BTreeMap<String, String>) -> ActionCall<'_> {
    ActionCall {
        module: "m.js",
        entry: Entry::Action("f"),
        argument: "[{}]",
        streams: Streams::default(),
        seed: [7; 32],
        environment,
        limit: Duration::from_secs(60),
    }
}

/// Answers `echo` with its argument, `fail` with an error that carries data, `abort` with the end of the execution.
#[derive(Debug, Default)]
pub struct RecordingHost {
    pub batches: Vec<Vec<Operation>>,
    pub lines: Vec<(LogLevel, String)>,
}

fn failure() -> ThrowError {
    ThrowError { message: "no".to_owned(), code: Some("Code".to_owned()), data: Some(r#"{"a":1}"#.to_owned()) }
}

impl Host for RecordingHost {
    fn syscall(&mut self, name: &str, argument: &str) -> Result<String, HostError> {
        match name {
            "fail" => Err(failure().into()),
            "abort" => Err(HostError::Abort("aborted".into())),
            _ => Ok(argument.to_owned()),
        }
    }

    fn environment_variable(&mut self, name: &str) -> Result<Option<String>, HostError> {
        Ok((name == "SET").then(|| "value".to_owned()))
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(vec!["SET".to_owned()])
    }

    fn log(&mut self, level: LogLevel, message: String) -> Result<(), HostError> {
        self.lines.push((level, message));
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        self.batches.push(batch.clone());
        if batch.iter().any(|operation| operation.name == "abort") {
            return Err("aborted".into());
        }
        Ok(batch
            .into_iter()
            .map(|operation| if operation.name == "fail" { Err(failure()) } else { Ok(operation.argument) })
            .collect())
    }
}

pub async fn run(lane: &Lane, program: &Arc<Program>) -> (Result<String, RunError>, RecordingHost) {
    lane.workers.run(program, &call(), RecordingHost::default()).await
}

/// The value of a query with this handler.
pub async fn value(lane: &Lane, handler: &str) -> String {
    let (result, _) = run(lane, &query(handler)).await;
    result.unwrap_or_else(|error| panic!("{handler}: {error}"))
}

/// The exception of a query with this handler.
pub async fn exception(lane: &Lane, handler: &str) -> ThrownError {
    match run(lane, &query(handler)).await.0 {
        Err(RunError::Thrown(error)) => *error,
        other => panic!("{handler}: {other:?}"),
    }
}
