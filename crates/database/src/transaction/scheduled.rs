//! Functions that are to run once.
//!
//! A row of `_scheduled_functions` is what functions see of it through `db.system`, and all there is. A mutation that is
//! scheduled and succeeds changes its row's state in its own transaction, so it happens once.

use std::sync::Arc;

use convex_wasm_persistence::{KeyRange, Order, PersistenceError};
use convex_wasm_values::sort_key::{encode_sort_key, encode_string_key};
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId};

use super::jobs::{Job, JobState, id_of};
use super::scan::IndexScan;
use super::{NANOS_PER_MILLI, Transaction, with_prefix};
use crate::system_tables::SCHEDULED_FUNCTIONS;
use crate::{Error, Result};

/// Positions of the table's own indexes.
const BY_STATE: u32 = 2;
const BY_COMPLETED_TIME: u32 = 3;

impl Transaction {
    /// Schedules a function, as part of the transaction. `state` is [`JobState::Pending`], or [`JobState::Canceled`] for
    /// one that is only recorded.
    ///
    /// # Errors
    /// There are too many, or their arguments are too large.
    pub fn schedule(
        &mut self,
        name: &str,
        arguments: ConvexValue,
        time_ms: f64,
        state: &JobState,
    ) -> Result<DocumentId> {
        self.counters.schedule(arguments.size())?;
        let mut row = ConvexObject::from([
            ("name".to_owned(), name.into()),
            ("args".to_owned(), ConvexValue::Array(vec![arguments])),
            ("scheduledTime".to_owned(), ConvexValue::Float64(time_ms)),
            ("state".to_owned(), state.to_value()),
        ]);
        if state.is_final() {
            row.insert("completedTime".to_owned(), ConvexValue::Float64(self.now_ms()));
        }
        let internal = self.insert_system(&SCHEDULED_FUNCTIONS, row)?;
        self.next_creation_time = self.next_creation_time.next_up();
        Ok(DocumentId { table: SCHEDULED_FUNCTIONS.number, internal })
    }

    /// What has become of a scheduled function; `None` if there is none of this id.
    pub async fn scheduled_state(&mut self, id: DocumentId) -> Result<Option<JobState>> {
        let row = self.scheduled_row(id).await?;
        row.map(|row| JobState::of(&row).ok_or_else(damaged)).transpose()
    }

    /// Cancels a scheduled function that has not ended.
    pub async fn cancel_scheduled(&mut self, id: DocumentId) -> Result<()> {
        self.set_scheduled_state(id, &JobState::Canceled).await?;
        Ok(())
    }

    /// Cancels functions that have not begun, all or those of this name, at most `limit`; how many.
    pub async fn cancel_pending(&mut self, name: Option<&str>, limit: usize) -> Result<usize> {
        let mut prefix = Vec::new();
        encode_string_key(JobState::Pending.kind(), &mut prefix);
        let mut scan =
            IndexScan::new(SCHEDULED_FUNCTIONS.index(BY_STATE), with_prefix(prefix), Order::Ascending, limit);
        let mut found = Vec::new();
        while found.len() < limit
            && let Some((_, row)) = scan.next(&self.database.reader, self.timestamp(), &self.writes).await?
        {
            let job = scheduled_function(&row)?;
            found.extend(name.is_none_or(|name| job.function == name).then_some(job.id));
        }
        scan.record(&mut self.reads);
        for id in &found {
            self.set_scheduled_state(*id, &JobState::Canceled).await?;
        }
        Ok(found.len())
    }

    /// Gives a scheduled function another state, unless it has ended: whether it had not.
    pub(super) async fn set_scheduled_state(&mut self, id: DocumentId, state: &JobState) -> Result<bool> {
        let Some(row) = self.scheduled_row(id).await? else { return Ok(false) };
        if JobState::of(&row).ok_or_else(damaged)?.is_final() {
            return Ok(false);
        }
        let mut row = ConvexObject::clone(&row);
        row.insert("state".to_owned(), state.to_value());
        if state.is_final() {
            row.insert("completedTime".to_owned(), ConvexValue::Float64(self.now_ms()));
        }
        self.replace_system_row(&SCHEDULED_FUNCTIONS, id.internal, Some(row)).await?;
        Ok(true)
    }

    /// Forgets functions that ended before a time, in milliseconds since the epoch, at most `limit`; how many.
    pub async fn forget_scheduled(&mut self, before: f64, limit: usize) -> Result<usize> {
        let key = |time: f64| {
            let mut key = Vec::new();
            encode_sort_key(Some(&ConvexValue::Float64(time)), &mut key);
            key
        };
        // Those that have not ended have no such time, which sorts before all numbers.
        let range = KeyRange { start: key(f64::NEG_INFINITY), end: Some(key(before)) };
        let rows = self.system_rows(&SCHEDULED_FUNCTIONS, BY_COMPLETED_TIME, range, limit).await?;
        for row in &rows {
            self.replace_system_row(&SCHEDULED_FUNCTIONS, id_of(row).ok_or_else(damaged)?.internal, None).await?;
        }
        Ok(rows.len())
    }

    /// Functions in a state, by the time at which they are to run, at most `limit`. Depends on the rows up to the last of
    /// them, or on all if there are fewer.
    pub(super) async fn scheduled_in(&mut self, state: &JobState, limit: usize) -> Result<Vec<Job>> {
        let mut prefix = Vec::new();
        encode_string_key(state.kind(), &mut prefix);
        let rows = self.system_rows(&SCHEDULED_FUNCTIONS, BY_STATE, with_prefix(prefix), limit).await?;
        rows.iter().map(|row| scheduled_function(row)).collect()
    }

    async fn scheduled_row(&mut self, id: DocumentId) -> Result<Option<Arc<ConvexObject>>> {
        let Some(table) = self.catalog.tablet(SCHEDULED_FUNCTIONS.tablet()).cloned() else { return Ok(None) };
        if id.table != table.number {
            return Ok(None);
        }
        Ok(self.read(&table, id.internal).await?.map(|current| current.document))
    }

    /// The transaction's time, in milliseconds since the epoch.
    fn now_ms(&self) -> f64 {
        self.unix_nanos as f64 / NANOS_PER_MILLI
    }
}

fn scheduled_function(row: &ConvexObject) -> Result<Job> {
    let parse = || {
        let (ConvexValue::Array(arguments), ConvexValue::Float64(time_ms)) =
            (row.get("args")?, row.get("scheduledTime")?)
        else {
            return None;
        };
        let function = row.get("name")?.as_str()?.to_owned();
        Some(Job { id: id_of(row)?, function, arguments: arguments.first()?.clone(), time_ms: *time_ms, cron: None })
    };
    parse().ok_or_else(damaged)
}

fn damaged() -> Error {
    let detail = format!("table {} has a row that does not make sense", SCHEDULED_FUNCTIONS.name);
    PersistenceError::Damaged { detail }.into()
}
