//! Cron jobs: functions that run again and again.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_persistence::{KeyRange, PersistenceError};
use convex_wasm_values::sort_key::encode_string_key;
use convex_wasm_values::{ConvexObject, ConvexValue};

use super::jobs::{Cron, Job, JobState, id_of};
use super::{Transaction, with_prefix};
use crate::system_tables::CRON_JOBS;
use crate::{Error, Result};

/// Position of the table's index on state and time.
const BY_STATE: u32 = 3;

impl Transaction {
    /// All cron jobs by name, each with the time at which it is to run next.
    pub async fn cron_jobs(&mut self) -> Result<BTreeMap<String, Job>> {
        let rows = self.named_rows(&CRON_JOBS, KeyRange::all()).await?;
        rows.iter().map(cron_job).collect()
    }

    /// Sets a cron job, which is to run at `time_ms` for the first time.
    pub async fn set_cron_job(
        &mut self,
        cron: &Cron,
        function: &str,
        arguments: ConvexValue,
        time_ms: f64,
    ) -> Result<()> {
        let row = ConvexObject::from([
            ("name".to_owned(), cron.name.as_str().into()),
            ("schedule".to_owned(), cron.schedule.as_str().into()),
            ("function".to_owned(), function.into()),
            ("args".to_owned(), ConvexValue::Array(vec![arguments])),
            ("nextTime".to_owned(), ConvexValue::Float64(time_ms)),
            ("state".to_owned(), JobState::Pending.to_value()),
        ]);
        self.set_named_row(&CRON_JOBS, &cron.name, Some(row)).await
    }

    /// Removes a cron job.
    pub async fn remove_cron_job(&mut self, name: &str) -> Result<()> {
        self.set_named_row(&CRON_JOBS, name, None).await
    }

    /// Cron jobs in a state, by the time at which they are to run, at most `limit`.
    pub(super) async fn crons_in(&mut self, state: &JobState, limit: usize) -> Result<Vec<Job>> {
        let mut prefix = Vec::new();
        encode_string_key(state.kind(), &mut prefix);
        let rows = self.system_rows(&CRON_JOBS, BY_STATE, with_prefix(prefix), limit).await?;
        rows.iter().map(|row| cron_job(row).map(|(_, job)| job)).collect()
    }

    /// Gives a cron job another state, if it still is what it was: a run that has ended makes it pending again.
    pub(super) async fn set_cron_state(&mut self, job: &Job, state: &JobState, next_ms: f64) -> Result<bool> {
        let Some(table) = self.catalog.tablet(CRON_JOBS.tablet()).cloned() else { return Ok(false) };
        let Some(current) = self.read(&table, job.id.internal).await? else { return Ok(false) };
        if cron_job(&current.document)?.1 != *job {
            return Ok(false);
        }
        let mut row = ConvexObject::clone(&current.document);
        let state = if state.is_final() {
            row.insert("nextTime".to_owned(), ConvexValue::Float64(next_ms));
            &JobState::Pending
        } else {
            state
        };
        row.insert("state".to_owned(), state.to_value());
        self.put_system(&CRON_JOBS, job.id.internal, Some(current), Some(row))?;
        Ok(true)
    }
}

fn cron_job(row: &Arc<ConvexObject>) -> Result<(String, Job)> {
    let parse = || {
        let (ConvexValue::Array(arguments), ConvexValue::Float64(time_ms)) = (row.get("args")?, row.get("nextTime")?)
        else {
            return None;
        };
        let text = |field: &str| Some(row.get(field)?.as_str()?.to_owned());
        let name = text("name")?;
        let job = Job {
            id: id_of(row)?,
            function: text("function")?,
            arguments: arguments.first()?.clone(),
            time_ms: *time_ms,
            cron: Some(Cron { name: name.clone(), schedule: text("schedule")? }),
        };
        Some((name, job))
    };
    parse().ok_or_else(damaged)
}

fn damaged() -> Error {
    PersistenceError::Damaged { detail: format!("table {} has a row that does not make sense", CRON_JOBS.name) }.into()
}
