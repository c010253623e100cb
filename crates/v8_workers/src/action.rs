//! Actions: executions with the platform's event loop, whose operations are answered as they are done.

use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_execution::{LogLevel, OperationResult, RunError, ThrowError};
use tokio::task::JoinSet;

use crate::error::WorkerError;
use crate::frame::{Frame, command, report};
use crate::pool::Purpose;
use crate::program::Program;
use crate::transaction::{internal, malformed, refusal, thrown};
use crate::workers::{Claim, Lease, Workers};

/// Operations of one action that are carried out at once.
const CONCURRENT_OPERATIONS: usize = 8;
/// Operations of one action that may be under way.
const MAX_OPERATIONS: usize = 1000;

/// The world of an action.
pub trait ActionHost: Send + Sync + 'static {
    /// `Convex.asyncSyscall(name, argument)`: JSON text in, JSON text out.
    fn operation(self: Arc<Self>, name: String, argument: String) -> impl Future<Output = OperationResult> + Send;

    /// A line written to the console.
    fn log(&self, level: LogLevel, message: String);
}

/// An action to execute.
#[derive(Clone, Debug)]
pub struct ActionCall<'c> {
    /// Path of the module.
    pub module: &'c str,
    /// Name of the export.
    pub export: &'c str,
    /// Its argument: JSON text of an array.
    pub argument: &'c str,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
    /// Environment variables.
    pub environment: &'c BTreeMap<String, String>,
    /// Time it may take in all.
    pub limit: Duration,
}

impl Workers {
    /// Runs an action against `host` in a worker that has run nothing and will run nothing else: the one claimed before, if
    /// it fits. Dropping the future ends the execution.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn act<H: ActionHost>(
        &self,
        program: &Arc<Program>,
        claim: Option<Claim>,
        call: &ActionCall<'_>,
        host: Arc<H>,
    ) -> Result<String, RunError> {
        let mut lease = self.lease(program, Purpose::Action, claim).await.map_err(internal)?;
        let fields = fields(program, call);
        let begun = Instant::now();
        let first = match assign(&mut lease, &fields).await {
            Err(error) if lease.parked => {
                tracing::info!(worker = lease.worker.id(), code = error.code(), transition = "dead", "V8 worker");
                lease = self.start(program).await.map_err(internal)?;
                assign(&mut lease, &fields).await
            }
            first => first,
        };
        let first = first.map_err(|error| self.ended(error))?;
        self.counters().assign.record(begun);
        let begun = Instant::now();
        let conversation = Conversation { lease: &mut lease, host, running: JoinSet::new(), waiting: VecDeque::new() };
        let result = tokio::time::timeout(call.limit, conversation.run(self, first)).await;
        self.count_execution(begun);
        result.unwrap_or(Err(RunError::Timeout { maximum: call.limit }))
    }
}

/// What `requestOf` of the harness reads.
fn fields(program: &Program, call: &ActionCall<'_>) -> Vec<String> {
    let import = program.import();
    let mut fields: Vec<String> =
        [program.digest(), "action", call.module, call.export, "invokeAction", call.argument, "action", "0"]
            .map(str::to_owned)
            .to_vec();
    fields.extend([hex::encode(call.seed), import.time_ms.to_string(), hex::encode(import.seed)]);
    fields.push(serde_json::json!(call.environment).to_string());
    fields
}

/// Hands a worker its execution; answers the first message of it.
async fn assign(lease: &mut Lease, fields: &[String]) -> Result<Frame, WorkerError> {
    lease.worker.begin();
    lease.worker.send(command::RUN, fields).await?;
    let frame = lease.worker.next().await?;
    if frame.kind == report::WRONG { Err(WorkerError::WrongProgram) } else { Ok(frame) }
}

struct Conversation<'c, H> {
    lease: &'c mut Lease,
    host: Arc<H>,
    /// Operations under way, each with its id. They end with the action.
    running: JoinSet<(String, OperationResult)>,
    /// Operations that wait for their turn.
    waiting: VecDeque<[String; 3]>,
}

impl<H: ActionHost> Conversation<'_, H> {
    async fn run(mut self, workers: &Workers, first: Frame) -> Result<String, RunError> {
        let mut next = Some(first);
        loop {
            if let Some(frame) = next.take() {
                match frame.kind {
                    report::STARTED => {}
                    report::OPERATION => self.begin(frame).await.map_err(|error| workers.ended(error))?,
                    report::LOG => {
                        let level = frame.field(0).parse().ok().and_then(LogLevel::from_code).ok_or_else(malformed)?;
                        self.host.log(level, frame.field(1).to_owned());
                    }
                    report::DONE => return Ok(frame.field(0).to_owned()),
                    report::FAILED => return Err(thrown(frame.field(0))),
                    report::STUCK => return Err(RunError::Stuck),
                    _ => return Err(malformed()),
                }
            }
            let done = {
                let frame = pin!(self.lease.worker.next());
                tokio::select! {
                    biased;
                    frame = frame => {
                        next = Some(frame.map_err(|error| workers.ended(error))?);
                        None
                    }
                    Some(done) = self.running.join_next() => Some(done),
                }
            };
            if let Some(done) = done {
                let (id, result) = done.map_err(|error| RunError::Internal(error.to_string()))?;
                self.settle(id, result).await.map_err(|error| workers.ended(error))?;
                if let Some(operation) = self.waiting.pop_front() {
                    self.spawn(operation);
                }
            }
        }
    }

    async fn begin(&mut self, frame: Frame) -> Result<(), WorkerError> {
        let operation: [String; 3] = frame.fields.try_into().map_err(|_| WorkerError::Malformed)?;
        if self.running.len() < CONCURRENT_OPERATIONS {
            self.spawn(operation);
        } else if self.running.len() + self.waiting.len() < MAX_OPERATIONS {
            self.waiting.push_back(operation);
        } else {
            let [id, ..] = operation;
            let message = format!("Too many operations are under way at once (limit: {MAX_OPERATIONS}).");
            let code = Some("TooManyOperations".to_owned());
            self.settle(id, Err(ThrowError { message, code, data: None })).await?;
        }
        Ok(())
    }

    fn spawn(&mut self, [id, name, argument]: [String; 3]) {
        let host = self.host.clone();
        self.running.spawn(async move { (id, host.operation(name, argument).await) });
    }

    async fn settle(&mut self, id: String, result: OperationResult) -> Result<(), WorkerError> {
        let answer = result.map_or_else(|error| refusal(&error), |text| format!("={text}"));
        self.lease.worker.send(command::ANSWER, &[id, answer]).await
    }
}
