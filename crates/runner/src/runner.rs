//! Runs functions: finds them, gives them a transaction, commits, and repeats what lost a conflict.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use convex_wasm_database::{self as database, Begin, Database, Job, JobState, ReadSet, Timestamp, Transaction, Turn};
use convex_wasm_knobs::{
    APPLICATION_FUNCTION_RUNNER_SEMAPHORE_TIMEOUT_MS, APPLICATION_MAX_CONCURRENT_MUTATIONS,
    APPLICATION_MAX_CONCURRENT_QUERIES, APPLICATION_MAX_CONCURRENT_V8_ACTIONS, DATABASE_UDF_SYSTEM_TIMEOUT_SECONDS,
    UDF_EXECUTOR_OCC_INITIAL_BACKOFF_MS, UDF_EXECUTOR_OCC_MAX_BACKOFF_MS, UDF_EXECUTOR_OCC_MAX_RETRIES,
};
use convex_wasm_storage::Storage;
use convex_wasm_values::{ConvexValue, DocumentId, JsonFormat};
use futures::future::BoxFuture;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha12Rng;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::console::LogLines;
use crate::deployment::Deployment;
use crate::environment::{Environment, EnvironmentCache};
use crate::error::{CallError, FunctionError};
use crate::execution::{CallContext, CallState, Observed};
use crate::function::{Function, FunctionKind};
use crate::identity::Identity;
use crate::invoke::{Failed, Invoke, invoke};
use crate::lookup::{Audience, lookup, not_found};
use crate::path::FunctionPath;
use crate::query_results::{QueryKey, QueryResults};
use crate::recording::Recording;
use crate::scheduled;

/// A call from outside.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub path: FunctionPath,
    /// Its argument, normally an object.
    pub arguments: ConvexValue,
    /// The kind it must be of; None takes any.
    pub kind: Option<FunctionKind>,
    /// Who looks for it.
    pub audience: Audience,
    /// Who it runs for.
    pub identity: Identity,
    /// Id of the request, for logs.
    pub request_id: String,
    /// The scheduled function that this call, or the call it comes from, is.
    pub scheduled: Option<DocumentId>,
}

/// What came of a call that was carried out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result, or the application's error.
    pub result: Result<ConvexValue, FunctionError>,
    /// What it wrote to the console.
    pub log_lines: Vec<String>,
    /// When it happened: the commit, or the snapshot it read.
    pub timestamp: Timestamp,
}

/// A request of a client's session. The client may send it again if it does not know what became of it.
#[derive(Clone, Debug)]
pub struct SessionRequest {
    /// The session's name.
    pub session: String,
    /// The request's number in the session.
    pub request: u32,
}

/// What makes a mutation happen once, if it is tried more often.
#[derive(Clone, Copy)]
pub(crate) enum Once<'o> {
    /// A client's request: its answer is recorded.
    Session(&'o SessionRequest),
    /// A job: that it ran is recorded.
    Job(&'o Job),
}

/// A query that was run, by this caller or another one, and can be watched.
#[derive(Clone)]
pub struct WatchedQuery {
    /// What came of it.
    pub outcome: Arc<Outcome>,
    /// What it read: it gives the same until that changes.
    pub reads: Arc<ReadSet>,
    /// Where its page ended, for the next run.
    pub journal: Option<String>,
    /// Whether an earlier run is where all of this comes from.
    pub cached: bool,
}

/// Takes recordings of calls.
pub type RecordingSink = Arc<dyn Fn(Recording) + Send + Sync>;

/// Runs the functions of the current deployment.
pub struct FunctionRunner {
    database: Database,
    pub(crate) instance_name: Arc<str>,
    pub(crate) storage: Arc<Storage>,
    environment: EnvironmentCache,
    deployment: watch::Sender<Option<Arc<Deployment>>>,
    recordings: Option<RecordingSink>,
    queries: Slots,
    mutations: Slots,
    pub(crate) actions: Slots,
    results: QueryResults,
}

impl FunctionRunner {
    /// A runner without a deployment. `system_environment` are variables that every function sees.
    pub fn new(
        database: Database,
        instance_name: impl Into<Arc<str>>,
        storage: Arc<Storage>,
        system_environment: BTreeMap<String, String>,
        recordings: Option<RecordingSink>,
    ) -> Self {
        Self {
            database,
            instance_name: instance_name.into(),
            storage,
            environment: EnvironmentCache::new(system_environment),
            deployment: watch::Sender::new(None),
            recordings,
            queries: Slots::new("queries", APPLICATION_MAX_CONCURRENT_QUERIES.get()),
            mutations: Slots::new("mutations", APPLICATION_MAX_CONCURRENT_MUTATIONS.get()),
            actions: Slots::new("actions", APPLICATION_MAX_CONCURRENT_V8_ACTIONS.get()),
            results: QueryResults::default(),
        }
    }

    /// Makes `deployment` the current one. Calls that run already end on the one they began with.
    pub fn deploy(&self, deployment: Arc<Deployment>) {
        self.deployment.send_replace(Some(deployment));
    }

    /// The current deployment.
    pub fn deployment(&self) -> Option<Arc<Deployment>> {
        self.deployment.borrow().clone()
    }

    /// Tells when another deployment becomes the current one.
    pub fn deployments(&self) -> watch::Receiver<Option<Arc<Deployment>>> {
        self.deployment.subscribe()
    }

    /// The newest snapshot.
    pub fn latest_timestamp(&self) -> Timestamp {
        self.database.latest_timestamp()
    }

    /// Runs a query, a mutation or an action.
    ///
    /// # Errors
    /// See [`CallError`]. Errors of the application are in the outcome.
    pub async fn run(self: &Arc<Self>, call: Call) -> Result<Outcome, CallError> {
        let (deployment, function) = match self.find(&call) {
            Ok(found) => found,
            Err(error) => return Ok(self.refused(error)),
        };
        let started = Instant::now();
        let outcome = match function.kind {
            FunctionKind::Query => {
                let at = self.database.latest_timestamp();
                let watched = self.query(&call, &deployment, &function, at, None).await;
                watched.map(|watched| Arc::unwrap_or_clone(watched.outcome))
            }
            FunctionKind::Mutation => self.mutate(&call, &deployment, &function, None).await,
            FunctionKind::Action => self.act(&call, &deployment, &function).await,
            FunctionKind::HttpAction => Ok(self.refused(FunctionError::new(format!(
                "{} is an HTTP action: this server does not run HTTP actions yet.",
                function.path
            )))),
        };
        let ok = outcome.as_ref().is_ok_and(|outcome| outcome.result.is_ok());
        tracing::debug!(function = %call.path, request = call.request_id, ok, elapsed = ?started.elapsed(), "called");
        outcome
    }

    /// Runs a query at a snapshot and tells what it read. `journal` is that of the run before, if there was one.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn watch(&self, call: Call, at: Timestamp, journal: Option<String>) -> Result<WatchedQuery, CallError> {
        match self.find(&Call { kind: Some(FunctionKind::Query), ..call.clone() }) {
            Ok((deployment, function)) => self.query(&call, &deployment, &function, at, journal).await,
            // Only another deployment can change that.
            Err(error) => {
                let outcome = Arc::new(self.refused(error));
                Ok(WatchedQuery { outcome, reads: Arc::default(), journal, cached: false })
            }
        }
    }

    /// The result of a query at a snapshot: a known one that is still right there, or that of an execution.
    async fn query(
        &self,
        call: &Call,
        deployment: &Arc<Deployment>,
        function: &Arc<Function>,
        at: Timestamp,
        journal: Option<String>,
    ) -> Result<WatchedQuery, CallError> {
        let key = QueryKey::new(deployment, call, &journal);
        let run = async || {
            let _slot = self.queries.take().await?;
            let Executed { result, log_lines, transaction, observed } =
                self.execute(call, deployment, function, Some(at), journal.clone()).await?;
            // A run that failed has no page of its own.
            let journal = if result.is_ok() { transaction.journal() } else { journal.clone() };
            let outcome = Arc::new(Outcome { result, log_lines, timestamp: transaction.timestamp() });
            let reads = Arc::new(transaction.into_read_set());
            Ok((WatchedQuery { outcome, reads, journal, cached: false }, observed))
        };
        self.results.get(&self.database, key, at, run).await
    }

    /// Runs a mutation of a session, unless it was carried out before: then that answer is given again.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn mutate_once(&self, call: Call, request: &SessionRequest) -> Result<Outcome, CallError> {
        match self.find(&Call { kind: Some(FunctionKind::Mutation), ..call.clone() }) {
            Ok((deployment, function)) => {
                self.mutate(&call, &deployment, &function, Some(Once::Session(request))).await
            }
            Err(error) => Ok(self.refused(error)),
        }
    }

    pub(crate) fn find(&self, call: &Call) -> Result<(Arc<Deployment>, Arc<Function>), FunctionError> {
        let audience =
            if call.identity.is_admin() && !matches!(call.audience, Audience::Functions | Audience::Scheduler) {
                Audience::Admins
            } else {
                call.audience
            };
        let deployment = self.deployment().ok_or_else(|| not_found(&call.path, call.audience))?;
        let function = lookup(&deployment, &call.path, call.kind, audience)?;
        Ok((deployment, function))
    }

    /// The outcome of a call that failed before anything ran.
    pub(crate) fn refused(&self, error: FunctionError) -> Outcome {
        Outcome { result: Err(error), log_lines: Vec::new(), timestamp: self.database.latest_timestamp() }
    }

    /// The outcome of a call that was carried out outside of a transaction.
    pub(crate) fn ended(&self, result: Result<ConvexValue, FunctionError>) -> Outcome {
        Outcome { result, log_lines: Vec::new(), timestamp: self.database.latest_timestamp() }
    }

    /// A transaction that reads the newest snapshot, and the environment variables there.
    pub(crate) async fn read(&self, path: &FunctionPath) -> Result<(Transaction, Environment), CallError> {
        let unix_nanos = unix_nanos();
        let begin = || self.begin(None, path, unix_nanos, None);
        let transaction = begin()?;
        let environment = self.environment.at(&self.database, transaction.timestamp(), begin).await?;
        Ok((transaction, environment))
    }

    /// Changes the database outside of a function, again after a conflict.
    pub(crate) async fn change<T>(
        &self,
        writer: &str,
        change: impl for<'t> Fn(&'t mut Transaction) -> BoxFuture<'t, database::Result<T>>,
    ) -> Result<T, CallError> {
        let mut conflicts = 0;
        loop {
            let mut transaction = self.begin(None, &writer, unix_nanos(), None)?;
            let changed = change(&mut transaction).await?;
            match self.database.commit(transaction).await {
                Err(error) if error.is_retriable() && conflicts < UDF_EXECUTOR_OCC_MAX_RETRIES.get() => conflicts += 1,
                result => return Ok(result.map(|_| changed)?),
            }
        }
    }

    /// Runs a mutation until it commits or fails for good.
    pub(crate) async fn mutate(
        &self,
        call: &Call,
        deployment: &Arc<Deployment>,
        function: &Arc<Function>,
        once: Option<Once<'_>>,
    ) -> Result<Outcome, CallError> {
        let mut turn: Option<Turn> = None;
        let mut conflicts = 0;
        loop {
            let slot = self.mutations.take().await?;
            let result = self.attempt(call, deployment, function, None, once).await;
            drop(slot);
            match result {
                Err(CallError::Database(error))
                    if may_be_repeated(&error) && conflicts < UDF_EXECUTOR_OCC_MAX_RETRIES.get() =>
                {
                    tracing::debug!(function = %call.path, conflicts, %error, "running a mutation again");
                    drop(turn.take());
                    tokio::time::sleep(pause(conflicts)).await;
                    conflicts += 1;
                    // Those that met in the same place go on one after the other.
                    if let database::Error::Conflict(conflict) = &error {
                        turn = Some(self.database.wait_turn(conflict).await);
                    }
                }
                result => return result,
            }
        }
    }

    /// Runs a function once and commits what it wrote.
    async fn attempt(
        &self,
        call: &Call,
        deployment: &Arc<Deployment>,
        function: &Arc<Function>,
        at: Option<Timestamp>,
        once: Option<Once<'_>>,
    ) -> Result<Outcome, CallError> {
        if let Some(Once::Session(request)) = once
            && let Some(answered) = self.answered(function, request).await?
        {
            return Ok(answered);
        }
        let Executed { result, log_lines, mut transaction, .. } =
            self.execute(call, deployment, function, at, None).await?;
        match (once, &result) {
            (Some(Once::Session(SessionRequest { session, request })), Ok(value)) => {
                let answer = value.to_json_text(JsonFormat::Encoded);
                transaction.record_session_request(session, *request, &answer).await?;
            }
            (Some(Once::Job(job)), Ok(_)) => {
                let is_scheduled = transaction.set_job_state(job, &JobState::Success, scheduled::after(job)).await?;
                if !is_scheduled {
                    return Err(CallError::NoLongerScheduled);
                }
            }
            _ => {}
        }
        let (result, timestamp) = self.finish(transaction, function.kind, result).await?;
        Ok(Outcome { result, log_lines, timestamp })
    }

    /// What a request was answered with when it was carried out.
    async fn answered(&self, function: &Function, request: &SessionRequest) -> Result<Option<Outcome>, CallError> {
        let mut transaction = self.begin(None, &function.path, unix_nanos(), None)?;
        let Some(answer) = transaction.session_request(&request.session, request.request).await? else {
            return Ok(None);
        };
        let json = serde_json::from_str(&answer).map_err(|error| CallError::Internal(error.into()))?;
        let value = ConvexValue::from_json(&json).map_err(|error| CallError::Internal(error.into()))?;
        Ok(Some(Outcome { result: Ok(value), log_lines: Vec::new(), timestamp: transaction.timestamp() }))
    }

    /// Runs a function once; what it wrote is in the transaction.
    async fn execute(
        &self,
        call: &Call,
        deployment: &Arc<Deployment>,
        function: &Arc<Function>,
        at: Option<Timestamp>,
        journal: Option<String>,
    ) -> Result<Executed, CallError> {
        let unix_nanos = unix_nanos();
        let transaction = self.begin(at, &function.path, unix_nanos, journal)?;
        let begin = || self.begin(at, &function.path, unix_nanos, None);
        let context = Arc::new(CallContext {
            deployment: deployment.clone(),
            identity: call.identity.clone(),
            request_id: call.request_id.clone(),
            instance_name: self.instance_name.clone(),
            storage: self.storage.clone(),
            environment: self.environment.at(&self.database, transaction.timestamp(), begin).await?,
            time_ms: (unix_nanos / 1_000_000) as f64,
            scheduled: call.scheduled,
        });
        let mut random = ChaCha12Rng::from_os_rng();
        let execution = Invoke {
            context,
            function: function.clone(),
            arguments: call.arguments.clone(),
            depth: 0,
            seed: random_seed(&mut random),
            seeds: random,
        };
        let recording = self.recordings.is_some().then(Recording::default);
        let observed = Observed::default();
        let state = Box::new(CallState { transaction, logs: LogLines::default(), recording, observed });
        let (result, state) = within_time_limit(invoke(execution, state)).await??;
        let CallState { transaction, logs, recording, observed } = *state;
        if let (Some(sink), Some(recording)) = (&self.recordings, recording) {
            sink(recording);
        }
        let result = match result {
            Ok(value) => Ok(value),
            Err(Failed::Function(error)) => Err(error),
            Err(Failed::System(error)) => return Err(error.into()),
        };
        Ok(Executed { result, log_lines: logs.into_lines(), transaction, observed })
    }

    fn begin(
        &self,
        at: Option<Timestamp>,
        writer: &impl Display,
        unix_nanos: u64,
        journal: Option<String>,
    ) -> database::Result<Transaction> {
        let begin =
            Begin { id_seed: random_seed(&mut rand::rng()), unix_nanos, writer: Some(writer.to_string()), journal };
        match at {
            Some(timestamp) => self.database.begin_at(timestamp, begin),
            None => Ok(self.database.begin(begin)),
        }
    }

    /// Commits a mutation that succeeded. Everything else leaves no trace.
    async fn finish(
        &self,
        transaction: Transaction,
        kind: FunctionKind,
        result: Result<ConvexValue, FunctionError>,
    ) -> Result<(Result<ConvexValue, FunctionError>, Timestamp), CallError> {
        let begun = transaction.timestamp();
        if kind != FunctionKind::Mutation || result.is_err() {
            return Ok((result, begun));
        }
        match self.database.commit(transaction).await {
            Ok(committed) => Ok((result, committed.timestamp)),
            Err(database::Error::Developer { message, data, .. }) => {
                Ok((Err(FunctionError { data, ..FunctionError::new(message) }), begun))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What came of one execution, before anything is committed.
struct Executed {
    result: Result<ConvexValue, FunctionError>,
    log_lines: Vec<String>,
    transaction: Transaction,
    observed: Observed,
}

/// Places for functions to run in.
pub(crate) struct Slots {
    kind: &'static str,
    limit: usize,
    free: Semaphore,
}

impl Slots {
    fn new(kind: &'static str, limit: usize) -> Self {
        Self { kind, limit, free: Semaphore::new(limit) }
    }

    pub(crate) async fn take(&self) -> Result<SemaphorePermit<'_>, CallError> {
        let patience = Duration::from_millis(APPLICATION_FUNCTION_RUNNER_SEMAPHORE_TIMEOUT_MS.get());
        match tokio::time::timeout(patience, self.free.acquire()).await {
            Ok(Ok(slot)) => Ok(slot),
            _ => Err(CallError::TooManyConcurrent { kind: self.kind, limit: self.limit }),
        }
    }
}

/// Whether a mutation that ended so is run again: after a conflict, and when too much was being written.
fn may_be_repeated(error: &database::Error) -> bool {
    error.is_retriable() || error.code() == "TooManyWrites" && !error.is_developer()
}

/// The pause before a mutation is run again that was so many times before. Who waits for a turn need not wait for a time as
/// well; who meets a conflict all the same has to get out of others' way.
fn pause(retries: u32) -> Duration {
    let Some(doublings) = retries.checked_sub(1) else { return Duration::ZERO };
    let longest = UDF_EXECUTOR_OCC_MAX_BACKOFF_MS.get();
    let pause = UDF_EXECUTOR_OCC_INITIAL_BACKOFF_MS.get().saturating_mul(1 << doublings.min(32)).min(longest);
    Duration::from_millis(pause).mul_f64(rand::random_range(0.5..1.0))
}

async fn within_time_limit<F: Future>(execution: F) -> Result<F::Output, CallError> {
    let seconds = DATABASE_UDF_SYSTEM_TIMEOUT_SECONDS.get();
    tokio::time::timeout(Duration::from_secs(seconds), execution).await.map_err(|_| CallError::Timeout { seconds })
}

fn random_seed(random: &mut impl RngCore) -> [u8; 32] {
    let mut seed = [0; 32];
    random.fill_bytes(&mut seed);
    seed
}

pub(crate) fn unix_nanos() -> u64 {
    // A clock before 1970 counts as 1970; one after 2554 as 2554.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos().try_into().unwrap_or(u64::MAX))
}
