//! Runs functions at the time for which they were scheduled, and cron jobs.
//!
//! What is to run is in the database, in the order of time. The scheduler sleeps until the first of it is due, or until a
//! commit changes that. It runs a few at once, the oldest first, so that a server which was off for a while
//! catches up without falling over.

mod backoff;

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use convex_wasm_database::{self as database, Job, Subscription};
use convex_wasm_knobs::SCHEDULED_JOB_EXECUTION_PARALLELISM;
use convex_wasm_runner::{Audience, Call, CallError, FunctionPath, Identity};
use convex_wasm_values::DocumentId;
use tokio::task::{self, AbortHandle, JoinError, JoinSet};

use crate::Backend;
use crate::http::request::new_request_id;
use backoff::Backoff;

/// After this time the scheduler looks at the clock again: somebody may have set it.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);
/// Pause after the database failed.
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

/// Runs what is scheduled as long as the backend lives.
///
/// # Errors
/// The database failed.
pub async fn start(backend: &Arc<Backend>) -> Result<AbortHandle, CallError> {
    backend.runner.fail_interrupted_jobs().await?;
    let scheduler = Scheduler {
        backend: Arc::downgrade(backend),
        tasks: JoinSet::new(),
        running: HashMap::new(),
        backoff: Backoff::default(),
    };
    Ok(tokio::spawn(scheduler.run()).abort_handle())
}

struct Scheduler {
    backend: Weak<Backend>,
    tasks: JoinSet<Result<(), CallError>>,
    /// What the tasks run.
    running: HashMap<task::Id, DocumentId>,
    /// Jobs that failed by our fault and wait for their next try.
    backoff: Backoff,
}

impl Scheduler {
    async fn run(mut self) {
        loop {
            let (mut changed, sleep) = match self.start_due().await {
                Ok(Some((subscription, sleep))) => (Some(subscription), sleep),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "the scheduler cannot read what is to run");
                    (None, DATABASE_PAUSE)
                }
            };
            let change = async {
                match &mut changed {
                    Some(subscription) => subscription.invalidated().await,
                    None => pending().await,
                }
            };
            tokio::select! {
                _ = change => {}
                () = tokio::time::sleep(sleep) => {}
                Some(ended) = self.tasks.join_next_with_id() => self.ended(ended),
            }
        }
    }

    /// Starts what is due, as far as there is room, and tells when to look again; `None` if the backend is gone.
    async fn start_due(&mut self) -> database::Result<Option<(Subscription, Duration)>> {
        let Some(backend) = self.backend.upgrade() else { return Ok(None) };
        let parallelism = SCHEDULED_JOB_EXECUTION_PARALLELISM.get().max(1);
        let mut transaction = backend.begin_system();
        let snapshot = transaction.timestamp();
        // Those that run or wait for their next try are among the first; one more tells when to look again.
        let first = transaction.jobs_to_run(parallelism + self.running.len() + self.backoff.len() + 1).await?;
        let subscription = backend.database.subscribe(Arc::new(transaction.into_read_set()), snapshot)?;
        let now = now_ms();
        let mut next = f64::INFINITY;
        for job in first {
            let due = job.time_ms.max(self.backoff.until(job.id));
            if self.running.values().any(|running| *running == job.id) {
                continue;
            }
            if due > now {
                next = next.min(due);
            } else if self.running.len() < parallelism {
                self.spawn(&backend, job);
            }
        }
        // One that is due and has no room is looked at when another ends.
        let sleep =
            Duration::try_from_secs_f64((next - now) / 1e3).map_or(LONGEST_SLEEP, |wait| wait.min(LONGEST_SLEEP));
        Ok(Some((subscription, sleep)))
    }

    fn spawn(&mut self, backend: &Arc<Backend>, job: Job) {
        let (backend, id) = (backend.clone(), job.id);
        let task = self.tasks.spawn(async move { run(&backend, &Arc::new(job)).await });
        self.running.insert(task.id(), id);
    }

    fn ended(&mut self, ended: Result<(task::Id, Result<(), CallError>), JoinError>) {
        let (task, result) = match ended {
            Ok(ended) => ended,
            // It panicked.
            Err(error) => (error.id(), Err(CallError::Internal(error.into()))),
        };
        let Some(id) = self.running.remove(&task) else { return };
        match result {
            Ok(()) | Err(CallError::NoLongerScheduled) => self.backoff.forget(id),
            Err(error) => {
                tracing::warn!(%id, %error, "a job will be tried again");
                self.backoff.failed(id, now_ms());
            }
        }
    }
}

async fn run(backend: &Backend, job: &Arc<Job>) -> Result<(), CallError> {
    let path: FunctionPath = job.function.parse().map_err(|error| CallError::Internal(Box::new(error)))?;
    let call = Call {
        path,
        arguments: job.arguments.clone(),
        kind: None,
        audience: Audience::Scheduler,
        identity: Identity::Anonymous,
        request_id: new_request_id(),
        scheduled: job.cron.is_none().then_some(job.id),
    };
    backend.run_job(job, &call).await
}

/// Milliseconds since the epoch.
fn now_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1e3
}
