//! Jobs: what the scheduler runs, functions that are scheduled once and cron jobs.

use std::sync::Arc;

use convex_wasm_persistence::{KeyRange, Order};
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId};

use super::Transaction;
use super::scan::IndexScan;
use crate::Result;
use crate::system_tables::{CRON_JOBS, SystemTable};

/// A function that is to run at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its row in `_scheduled_functions` or `_cron_jobs`.
    pub id: DocumentId,
    /// `module.js:function`.
    pub function: String,
    /// Its argument.
    pub arguments: ConvexValue,
    /// When it is to run, in milliseconds since the epoch.
    pub time_ms: f64,
    /// What makes it run again, if something does.
    pub cron: Option<Cron>,
}

/// Name and schedule of a cron job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    /// Its name.
    pub name: String,
    /// JSON text that says when it runs.
    pub schedule: String,
}

/// What has become of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It has not run, or is a mutation that runs now.
    Pending,
    /// An action that runs now.
    InProgress,
    /// It ran.
    Success,
    /// It failed, with this text.
    Failed(String),
    /// It will not run, or what it schedules will not.
    Canceled,
}

impl JobState {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "inProgress",
            Self::Success => "success",
            Self::Failed(_) => "failed",
            Self::Canceled => "canceled",
        }
    }

    pub(super) fn to_value(&self) -> ConvexValue {
        let mut state = ConvexObject::from([("kind".to_owned(), self.kind().into())]);
        if let Self::Failed(error) = self {
            state.insert("error".to_owned(), error.as_str().into());
        }
        state.into()
    }

    pub(super) fn of(row: &ConvexObject) -> Option<Self> {
        let state = row.get("state")?.as_object()?;
        Some(match state.get("kind")?.as_str()? {
            "pending" => Self::Pending,
            "inProgress" => Self::InProgress,
            "success" => Self::Success,
            "failed" => Self::Failed(state.get("error")?.as_str()?.to_owned()),
            "canceled" => Self::Canceled,
            _ => return None,
        })
    }

    /// Whether nothing follows.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Pending | Self::InProgress)
    }
}

impl Transaction {
    /// The first jobs that have not run, in the order of time. Depends on the rows up to the last of them, or on all if
    /// there are fewer than `limit`.
    pub async fn jobs_to_run(&mut self, limit: usize) -> Result<Vec<Job>> {
        let mut jobs = self.scheduled_in(&JobState::Pending, limit).await?;
        jobs.extend(self.crons_in(&JobState::Pending, limit).await?);
        jobs.sort_by(|one, other| one.time_ms.total_cmp(&other.time_ms));
        jobs.truncate(limit);
        Ok(jobs)
    }

    /// Actions that run, or ran when the server ended, at most `limit`.
    pub async fn jobs_in_progress(&mut self, limit: usize) -> Result<Vec<Job>> {
        let mut jobs = self.scheduled_in(&JobState::InProgress, limit).await?;
        jobs.extend(self.crons_in(&JobState::InProgress, limit).await?);
        Ok(jobs)
    }

    /// Gives a job another state: whether it was still to run, or running. A cron job that has ended is to run again at
    /// `next_ms`, in milliseconds since the epoch.
    pub async fn set_job_state(&mut self, job: &Job, state: &JobState, next_ms: f64) -> Result<bool> {
        if job.id.table == CRON_JOBS.number {
            self.set_cron_state(job, state, next_ms).await
        } else {
            self.set_scheduled_state(job.id, state).await
        }
    }

    /// The first rows of a range of an index of a table of the system, at most `limit`.
    pub(super) async fn system_rows(
        &mut self,
        table: &SystemTable,
        index: u32,
        range: KeyRange,
        limit: usize,
    ) -> Result<Vec<Arc<ConvexObject>>> {
        let mut scan = IndexScan::new(table.index(index), range, Order::Ascending, limit);
        let mut rows = Vec::new();
        while rows.len() < limit
            && let Some((_, row)) = scan.next(&self.database.reader, self.timestamp(), &self.writes).await?
        {
            rows.push(row);
        }
        scan.record(&mut self.reads);
        Ok(rows)
    }
}

/// The id of a row.
pub(super) fn id_of(row: &ConvexObject) -> Option<DocumentId> {
    row.get("_id")?.as_str()?.parse().ok()
}
