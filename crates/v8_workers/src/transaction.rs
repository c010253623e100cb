//! Queries and mutations: executions that a host answers, in a context of their own.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_execution::{
    BoxError, Host, HostError, LogLevel, Operation, RunError, StackFrame, ThrowError, ThrownError,
};
use serde::Deserialize;

use crate::budget::exhausted;
use crate::error::WorkerError;
use crate::frame::{Frame, command, report};
use crate::pool::Purpose;
use crate::program::Program;
use crate::workers::{Lease, Workers};

/// What an execution may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A query.
    Query,
    /// A mutation.
    Mutation,
    /// A plain program: its module is evaluated and nothing is called; the console is Node's.
    Program,
}

/// What to execute.
#[derive(Clone, Debug)]
pub struct Call<'c> {
    /// Path of the module.
    pub module: &'c str,
    /// Name of the export.
    pub export: &'c str,
    /// Method of the registered function, e.g. `invokeQuery`.
    pub method: &'c str,
    /// Its argument: JSON text of an array.
    pub argument: &'c str,
    /// What it may do.
    pub phase: Phase,
    /// The fixed clock, in milliseconds since the epoch.
    pub time_ms: f64,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
    /// Processor time that evaluating modules may use.
    pub import_budget: Duration,
    /// Processor time that the function may use.
    pub budget: Duration,
}

impl Workers {
    /// Runs a query or mutation against `host`, and gives the host back. Dropping the future ends the execution.
    pub async fn run<H: Host>(
        &self,
        program: &Arc<Program>,
        call: &Call<'_>,
        mut host: H,
    ) -> (Result<String, RunError>, H) {
        let result = self.transact(program, call, &mut host).await;
        (result, host)
    }

    async fn transact<H: Host>(
        &self,
        program: &Arc<Program>,
        call: &Call<'_>,
        host: &mut H,
    ) -> Result<String, RunError> {
        let mut lease = self.lease(program, Purpose::Transaction, None).await.map_err(internal)?;
        let fields = fields(program, call);
        loop {
            let mut conversation = Conversation { workers: self, lease: &mut lease, host, began: Instant::now() };
            match conversation.run(call, &fields).await {
                Ok((result, reusable)) => {
                    if reusable {
                        self.give_back(lease);
                    }
                    return result;
                }
                // It died while it was parked, or holds something else: nothing has run, and the right one is started.
                Err(Failed::Silent(error)) if lease.parked => {
                    let worker = lease.worker.id();
                    tracing::info!(worker, code = error.code(), transition = "dead", "V8 worker");
                    lease = self.start(program).await.map_err(internal)?;
                }
                Err(Failed::Silent(error)) => return Err(self.ended(error)),
                Err(Failed::Execution(error)) => return Err(error),
            }
        }
    }

    /// What the end of a worker means for its execution.
    pub(crate) fn ended(&self, error: WorkerError) -> RunError {
        match error {
            WorkerError::OutOfMemory => RunError::OutOfMemory { maximum_mb: self.heap_mb() },
            error => internal(error),
        }
    }
}

pub(crate) fn internal(error: WorkerError) -> RunError {
    RunError::Internal(error.to_string())
}

/// What `requestOf` of the harness reads.
fn fields(program: &Program, call: &Call<'_>) -> Vec<String> {
    let import = program.import();
    let phase = match call.phase {
        Phase::Query => "query",
        Phase::Mutation => "mutation",
        Phase::Program => "program",
    };
    let method = if call.phase == Phase::Program { "" } else { call.method };
    let strings = [program.digest(), "transaction", call.module, call.export, method, call.argument, phase];
    let mut fields: Vec<String> = strings.map(str::to_owned).to_vec();
    fields.extend([call.time_ms.to_string(), hex::encode(call.seed)]);
    fields.extend([import.time_ms.to_string(), hex::encode(import.seed)]);
    fields
}

struct Conversation<'c, H> {
    workers: &'c Workers,
    lease: &'c mut Lease,
    host: &'c mut H,
    began: Instant,
}

/// The end of an execution, and whether the worker can be used again.
type End = (Result<String, RunError>, bool);

/// Why there is no end.
enum Failed {
    /// The worker never said anything.
    Silent(WorkerError),
    Execution(RunError),
}

impl<H: Host> Conversation<'_, H> {
    /// Hands the worker its execution and answers what it asks until the execution ends.
    async fn run(&mut self, call: &Call<'_>, fields: &[String]) -> Result<End, Failed> {
        let process = self.lease.worker.id();
        let mut limit = call.import_budget;
        let mut out_of_time = pin!(exhausted(process, limit));
        self.lease.worker.begin();
        self.lease.worker.send(command::RUN, fields).await.map_err(Failed::Silent)?;
        let mut heard = false;
        loop {
            let frame = tokio::select! {
                biased;
                next = self.lease.worker.next() => next,
                () = &mut out_of_time => return Err(Failed::Execution(RunError::Timeout { maximum: limit })),
            };
            let frame = match frame {
                Ok(frame) if frame.kind == report::WRONG => return Err(Failed::Silent(WorkerError::WrongProgram)),
                Ok(frame) => frame,
                Err(error) if heard => return Err(Failed::Execution(self.workers.ended(error))),
                Err(error) => return Err(Failed::Silent(error)),
            };
            heard = true;
            if frame.kind == report::STARTED {
                self.workers.counters().assign.record(self.began);
                self.began = Instant::now();
                limit = call.budget;
                out_of_time.set(exhausted(process, limit));
            } else if let Some(end) = self.answer(frame).await.map_err(Failed::Execution)? {
                self.workers.count_execution(self.began);
                return Ok(end);
            }
        }
    }

    async fn answer(&mut self, frame: Frame) -> Result<Option<End>, RunError> {
        match frame.kind {
            report::BATCH => {
                let mut fields = frame.fields.into_iter();
                let pairs = std::iter::from_fn(|| Some(Operation { name: fields.next()?, argument: fields.next()? }));
                let answers = self.host.run_batch(pairs.collect()).await.map_err(RunError::Aborted)?;
                let answers: Vec<String> = answers
                    .into_iter()
                    .map(|answer| answer.map_or_else(|error| refusal(&error), |text| format!("={text}")))
                    .collect();
                self.send(command::ANSWERS, &answers).await?;
            }
            report::ASK => {
                let reply = self.reply(&frame).map_err(RunError::Aborted)?;
                self.send(command::REPLY, &[reply]).await?;
            }
            report::LOG => {
                let level = frame.field(0).parse().ok().and_then(LogLevel::from_code).ok_or_else(malformed)?;
                match self.host.log(level, frame.field(1).to_owned()) {
                    Err(HostError::Abort(error)) => return Err(RunError::Aborted(error)),
                    // A line that the host refuses is lost, as any line beyond its limits is.
                    Ok(()) | Err(HostError::Throw(_)) => {}
                }
            }
            report::DONE => return Ok(Some((Ok(frame.field(0).to_owned()), frame.field(1) == "1"))),
            report::FAILED => return Ok(Some((Err(thrown(frame.field(0))), frame.field(1) == "1"))),
            report::STUCK => return Ok(Some((Err(RunError::Stuck), false))),
            _ => return Err(malformed()),
        }
        Ok(None)
    }

    fn reply(&mut self, question: &Frame) -> Result<String, BoxError> {
        let (name, argument) = (question.field(1), question.field(2));
        let reply = match question.field(0) {
            "syscall" => self.host.syscall(name, argument).map(|text| format!("={text}")),
            "variable" => {
                let value = self.host.environment_variable(name);
                value.map(|value| value.map_or_else(String::new, |value| format!("={value}")))
            }
            _ => self.host.environment_names().map(|names| serde_json::json!(names).to_string()),
        };
        match reply {
            Ok(reply) => Ok(reply),
            Err(HostError::Throw(error)) => Ok(refusal(&error)),
            Err(HostError::Abort(error)) => Err(error),
        }
    }

    async fn send(&mut self, kind: u8, fields: &[String]) -> Result<(), RunError> {
        self.lease.worker.send(kind, fields).await.map_err(|error| self.workers.ended(error))
    }
}

pub(crate) fn malformed() -> RunError {
    internal(WorkerError::Malformed)
}

pub(crate) fn refusal(error: &ThrowError) -> String {
    format!("!{}", serde_json::json!(error))
}

/// What `describe` of the harness writes.
#[derive(Deserialize)]
struct Failure {
    name: String,
    message: String,
    text: String,
    data: Option<String>,
    stack: Vec<StackFrame>,
}

pub(crate) fn thrown(json: &str) -> RunError {
    match serde_json::from_str(json) {
        Ok(Failure { name, message, text, data, stack }) => {
            RunError::Thrown(Box::new(ThrownError { name, message, text, data, stack, ..ThrownError::default() }))
        }
        Err(_) => malformed(),
    }
}
