//! Functions that the scheduler runs, once or again and again: mutations happen once, actions at most once.

use std::sync::Arc;

use convex_wasm_database::{Job, JobState};
use convex_wasm_values::DocumentId;
use futures::FutureExt;

use crate::crons::CronSchedule;
use crate::error::{CallError, FunctionError};
use crate::function::FunctionKind;
use crate::path::FunctionPath;
use crate::runner::{Call, FunctionRunner, Once, Outcome, unix_nanos};

/// What the writes of the scheduler are called where they conflict with others.
const WRITER: &str = "scheduler";
/// Jobs handled in one transaction.
const BATCH: usize = 100;

impl FunctionRunner {
    /// Runs a job and records what has become of it. `call` is what it says.
    ///
    /// # Errors
    /// [`CallError::NoLongerScheduled`] if there is nothing to do any more. After any other error it is still to run.
    pub async fn run_job(self: &Arc<Self>, job: &Arc<Job>, call: &Call) -> Result<Outcome, CallError> {
        let (deployment, function) = match self.find(call) {
            Ok(found) => found,
            Err(error) => return self.fail_job(job, error).await,
        };
        match function.kind {
            FunctionKind::Mutation => {
                let outcome = self.mutate(call, &deployment, &function, Some(Once::Job(job))).await?;
                match outcome.result {
                    Ok(_) => Ok(outcome),
                    Err(error) => {
                        let failed = self.fail_job(job, error).await?;
                        Ok(Outcome { log_lines: outcome.log_lines, ..failed })
                    }
                }
            }
            FunctionKind::Action => {
                self.set_job(job, JobState::InProgress).await?;
                match self.act(call, &deployment, &function).await {
                    // It has not begun.
                    Err(error @ CallError::TooManyConcurrent { .. }) => {
                        self.set_job(job, JobState::Pending).await?;
                        Err(error)
                    }
                    Err(error) => self.fail_job(job, FunctionError::new(error.to_string())).await,
                    Ok(outcome) => {
                        let state = match &outcome.result {
                            Ok(_) => JobState::Success,
                            Err(error) => JobState::Failed(error.message.clone()),
                        };
                        match self.set_job(job, state).await {
                            // It was canceled while it ran.
                            Ok(()) | Err(CallError::NoLongerScheduled) => Ok(outcome),
                            Err(error) => Err(error),
                        }
                    }
                }
            }
            FunctionKind::Query | FunctionKind::HttpAction => {
                let text = format!("{} is defined as {}, which cannot be scheduled.", function.path, function.kind);
                self.fail_job(job, FunctionError::new(text)).await
            }
        }
    }

    /// Gives up the actions that ran when the server ended: they may have done what they do.
    ///
    /// # Errors
    /// The database failed.
    pub async fn fail_interrupted_jobs(&self) -> Result<(), CallError> {
        loop {
            let failed = self.change(WRITER, |transaction| {
                async {
                    let interrupted = transaction.jobs_in_progress(BATCH).await?;
                    for job in &interrupted {
                        let state = JobState::Failed("Transient error while executing action".to_owned());
                        transaction.set_job_state(job, &state, after(job)).await?;
                    }
                    Ok(interrupted.len())
                }
                .boxed()
            });
            if failed.await? < BATCH {
                return Ok(());
            }
        }
    }

    /// Cancels a scheduled function that has not ended: an operator's wish.
    ///
    /// # Errors
    /// The database failed.
    pub async fn cancel_scheduled(&self, id: DocumentId) -> Result<(), CallError> {
        self.change(WRITER, |transaction| transaction.cancel_scheduled(id).boxed()).await
    }

    /// Cancels the scheduled functions that have not begun, all or those of this path.
    ///
    /// # Errors
    /// The database failed.
    pub async fn cancel_all_scheduled(&self, path: Option<&FunctionPath>) -> Result<(), CallError> {
        let name = path.map(|path| Arc::<str>::from(format!("{}:{}", path.module(), path.function())));
        loop {
            let canceled = self.change(WRITER, |transaction| {
                let name = name.clone();
                async move { transaction.cancel_pending(name.as_deref(), BATCH).await }.boxed()
            });
            if canceled.await? < BATCH {
                return Ok(());
            }
        }
    }

    async fn fail_job(&self, job: &Arc<Job>, error: FunctionError) -> Result<Outcome, CallError> {
        self.set_job(job, JobState::Failed(error.message.clone())).await?;
        Ok(self.refused(error))
    }

    async fn set_job(&self, job: &Arc<Job>, state: JobState) -> Result<(), CallError> {
        let state = Arc::new(state);
        let changed = self.change(WRITER, |transaction| {
            let (job, state) = (job.clone(), state.clone());
            async move { transaction.set_job_state(&job, &state, after(&job)).await }.boxed()
        });
        if changed.await? { Ok(()) } else { Err(CallError::NoLongerScheduled) }
    }
}

/// When a cron job runs after this time, in milliseconds since the epoch.
pub(crate) fn after(job: &Job) -> f64 {
    let Some(cron) = &job.cron else { return f64::INFINITY };
    let now_ms = unix_nanos() as f64 / 1e6;
    let schedule = serde_json::from_str::<CronSchedule>(&cron.schedule).ok();
    // Schedules were checked when they were deployed; one that cannot be kept any more waits for the next deploy.
    schedule.and_then(|schedule| schedule.next(&cron.name, job.time_ms, now_ms).ok()).unwrap_or(f64::INFINITY)
}
