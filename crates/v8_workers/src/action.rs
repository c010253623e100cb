//! Actions: executions with the platform's event loop, whose operations are answered as they are done.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use convex_wasm_execution::{LogLevel, OperationResult, RunError, ThrowError};
use futures::StreamExt;
use tokio::task::JoinSet;

use crate::error::WorkerError;
use crate::frame::{Frame, command, report};
use crate::pool::Purpose;
use crate::program::Program;
use crate::streams::{ByteStream, Streams};
use crate::transaction::{internal, malformed, refusal, thrown};
use crate::workers::{Claim, Lease, Workers};

/// Operations of one action that are carried out at once.
const CONCURRENT_OPERATIONS: usize = 8;
/// Operations of one action that may be under way.
const MAX_OPERATIONS: usize = 1000;

/// The world of an action.
pub trait ActionHost: Send + Sync + 'static {
    /// `Convex.asyncSyscall(name, argument)`: JSON text in, JSON text out. Bytes that belong to it are in `streams`.
    ///
    /// An HTTP action gives its response with `http/respond`: status, headers, and the id of the stream that is its body.
    fn operation(
        self: Arc<Self>,
        streams: Streams,
        name: String,
        argument: String,
    ) -> impl Future<Output = OperationResult> + Send;

    /// A line written to the console.
    fn log(&self, level: LogLevel, message: String);
}

/// An action to execute.
#[derive(Clone)]
pub struct ActionCall<'c> {
    /// Path of the module.
    pub module: &'c str,
    /// What of it is called.
    pub entry: Entry<'c>,
    /// Its argument: JSON text of an array, or of an HTTP request.
    pub argument: &'c str,
    /// Streams that the argument names.
    pub streams: Streams,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
    /// Environment variables.
    pub environment: &'c BTreeMap<String, String>,
    /// Time it may take in all.
    pub limit: Duration,
}

/// What an action calls.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'c> {
    /// The action of this name.
    Action(&'c str),
    /// The router that the module exports, with a request for this path.
    Router(&'c str),
    /// The action of this name, in Node.
    Node(&'c str),
}

/// The world of modules that are only described.
struct Nowhere;

impl ActionHost for Nowhere {
    async fn operation(self: Arc<Self>, _: Streams, name: String, _: String) -> OperationResult {
        let message = format!("{name} cannot be used while modules are imported: call it inside a function.");
        Err(ThrowError { message, code: Some("NoSyscallDuringImport".to_owned()), data: None })
    }

    fn log(&self, _: LogLevel, _: String) {}
}

impl Workers {
    /// Evaluates the modules of a program for Node and tells what they export: a JSON array of `module`, `name`, `kind`,
    /// `visibility`, `args` and `returns`.
    ///
    /// # Errors
    /// See [`RunError`]: a module throws, say.
    pub async fn describe(
        &self,
        program: &Arc<Program>,
        environment: &BTreeMap<String, String>,
        limit: Duration,
    ) -> Result<String, RunError> {
        let fields = fields(program, "describe", ["", "", ""], "", [0; 32], environment);
        self.converse(program, None, &fields, Streams::default(), limit, Arc::new(Nowhere)).await
    }

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
        let (mode, export, method) = match call.entry {
            Entry::Action(export) => ("action", export, "invokeAction"),
            Entry::Router(path) => ("http", "default", path),
            Entry::Node(export) => ("node", export, "invokeAction"),
        };
        let called = [call.module, export, method];
        let fields = fields(program, mode, called, call.argument, call.seed, call.environment);
        self.converse(program, claim, &fields, call.streams.clone(), call.limit, host).await
    }

    async fn converse<H: ActionHost>(
        &self,
        program: &Arc<Program>,
        claim: Option<Claim>,
        fields: &[String],
        streams: Streams,
        limit: Duration,
        host: Arc<H>,
    ) -> Result<String, RunError> {
        let mut lease = self.lease(program, Purpose::Action, claim).await.map_err(internal)?;
        let begun = Instant::now();
        let first = match assign(&mut lease, fields).await {
            Err(error) if lease.parked => {
                tracing::info!(worker = lease.worker.id(), code = error.code(), transition = "dead", "V8 worker");
                lease = self.start(program).await.map_err(internal)?;
                assign(&mut lease, fields).await
            }
            first => first,
        };
        let first = first.map_err(|error| self.ended(error))?;
        self.counters().assign.record(begun);
        let begun = Instant::now();
        let conversation = Conversation {
            lease: &mut lease,
            host,
            streams: streams.clone(),
            running: JoinSet::new(),
            operations: 0,
            waiting: VecDeque::new(),
        };
        let result = tokio::time::timeout(limit, conversation.run(self, first)).await;
        streams.close();
        self.count_execution(begun);
        result.unwrap_or(Err(RunError::Timeout { maximum: limit }))
    }
}

/// What `requestOf` of the harness reads; `called` are module, export and method.
fn fields(
    program: &Program,
    mode: &str,
    called: [&str; 3],
    argument: &str,
    seed: [u8; 32],
    environment: &BTreeMap<String, String>,
) -> Vec<String> {
    let import = program.import();
    let [module, export, method] = called;
    let mut fields: Vec<String> =
        [program.digest(), mode, module, export, method, argument, "action", "0"].map(str::to_owned).to_vec();
    fields.extend([hex::encode(seed), import.time_ms.to_string(), hex::encode(import.seed)]);
    fields.push(serde_json::json!(environment).to_string());
    fields.push(program.packages().map_or_else(String::new, |folder| folder.to_string_lossy().into_owned()));
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
    streams: Streams,
    /// What is under way. It ends with the action.
    running: JoinSet<Done>,
    /// How many of that are operations.
    operations: usize,
    /// Operations that wait for their turn.
    waiting: VecDeque<[String; 3]>,
}

/// Something that was done for the worker; each with its id.
enum Done {
    Operation(String, OperationResult),
    /// The next piece of a stream to the worker, or its end, and the rest of it.
    Read(String, Option<io::Result<Bytes>>, ByteStream),
    /// A piece of a stream from the worker was taken, and whether more is wanted.
    Written(String, bool),
}

impl<H: ActionHost> Conversation<'_, H> {
    async fn run(mut self, workers: &Workers, first: Frame) -> Result<String, RunError> {
        let mut next = Some(first);
        loop {
            if let Some(frame) = next.take() {
                match frame.kind {
                    report::STARTED => {}
                    report::OPERATION => self.begin(frame).await.map_err(|error| workers.ended(error))?,
                    report::PIECE | report::END | report::PULL | report::CANCEL => self.stream(frame),
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
                let done = done.map_err(|error| RunError::Internal(error.to_string()))?;
                self.done(done).await.map_err(|error| workers.ended(error))?;
            }
        }
    }

    async fn done(&mut self, done: Done) -> Result<(), WorkerError> {
        let worker = &mut self.lease.worker;
        match done {
            Done::Operation(id, result) => {
                self.operations -= 1;
                if let Some(operation) = self.waiting.pop_front() {
                    self.spawn(operation);
                }
                self.settle(id, result).await
            }
            Done::Read(id, Some(Ok(piece)), rest) => {
                worker.send(command::PIECE, &[id.as_bytes(), &piece]).await?;
                self.streams.keep_outgoing(id, rest);
                Ok(())
            }
            Done::Read(id, Some(Err(error)), _) => worker.send(command::END, &[id, error.to_string()]).await,
            Done::Read(id, None, _) => worker.send(command::END, &[id.as_str(), ""]).await,
            Done::Written(id, wanted) => {
                let answer = if wanted { "" } else { "canceled" };
                worker.send(command::PULL, &[id.as_str(), answer]).await
            }
        }
    }

    /// Carries a stream on. What is unknown is of a stream that has ended.
    fn stream(&mut self, frame: Frame) {
        let id = frame.field(0).to_owned();
        match frame.kind {
            report::PIECE => {
                let sender = self.streams.sender(&id);
                self.running.spawn(async move { Done::Written(id, sender.send(Ok(frame.bytes)).await.is_ok()) });
            }
            report::END => {
                let sender = self.streams.take_sender(&id);
                if !frame.field(1).is_empty() {
                    // There is room: the piece before was taken.
                    let _ = sender.try_send(Err(io::Error::other(frame.field(1).to_owned())));
                }
            }
            report::PULL => {
                if let Some(mut stream) = self.streams.take_outgoing(&id) {
                    self.running.spawn(async move {
                        let piece = loop {
                            match stream.next().await {
                                Some(Ok(piece)) if piece.is_empty() => {}
                                piece => break piece,
                            }
                        };
                        Done::Read(id, piece, stream)
                    });
                }
            }
            _ => drop(self.streams.take_outgoing(&id)),
        }
    }

    async fn begin(&mut self, frame: Frame) -> Result<(), WorkerError> {
        let operation: [String; 3] = frame.fields.try_into().map_err(|_| WorkerError::Malformed)?;
        if self.operations < CONCURRENT_OPERATIONS {
            self.spawn(operation);
        } else if self.operations + self.waiting.len() < MAX_OPERATIONS {
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
        self.operations += 1;
        let (host, streams) = (self.host.clone(), self.streams.clone());
        self.running.spawn(async move { Done::Operation(id, host.operation(streams, name, argument).await) });
    }

    async fn settle(&mut self, id: String, result: OperationResult) -> Result<(), WorkerError> {
        let answer = result.map_or_else(|error| refusal(&error), |text| format!("={text}"));
        self.lease.worker.send(command::ANSWER, &[id, answer]).await
    }
}
