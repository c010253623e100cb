//! Requests of clients' sessions: a mutation that a client sends again, since it lost the answer, is not carried out again.

use convex_wasm_persistence::{KeyRange, Order};
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId};

use super::Transaction;
use super::scan::IndexScan;
use crate::Result;
use crate::system_tables::SESSION_REQUESTS;

/// Position of the index `by_creation_time`.
const BY_CREATION_TIME: u32 = 1;

impl Transaction {
    /// What was recorded for a request, if it was carried out before. Depends on it: of two that are the same, one commits.
    pub async fn session_request(&mut self, session: &str, request: u32) -> Result<Option<String>> {
        let row = self.named_row(&SESSION_REQUESTS, &name(session, request)).await?;
        let answer = row.as_ref().and_then(|row| row.document.get("answer")).and_then(ConvexValue::as_str);
        Ok(answer.map(str::to_owned))
    }

    /// Records what a request is answered with, as part of what it does.
    pub async fn record_session_request(&mut self, session: &str, request: u32, answer: &str) -> Result<()> {
        let name = name(session, request);
        let row = ConvexObject::from([("name".to_owned(), name.as_str().into()), ("answer".to_owned(), answer.into())]);
        self.set_named_row(&SESSION_REQUESTS, &name, Some(row)).await
    }

    /// Forgets requests recorded before a time, in milliseconds since the epoch, at most `limit`; how many.
    pub async fn forget_session_requests(&mut self, before: f64, limit: usize) -> Result<usize> {
        let Some(table) = self.catalog.tablet(SESSION_REQUESTS.tablet()).cloned() else { return Ok(0) };
        let index = SESSION_REQUESTS.index(BY_CREATION_TIME);
        let mut scan = IndexScan::new(index, KeyRange::all(), Order::Ascending, limit);
        let mut old = Vec::new();
        while old.len() < limit
            && let Some((_, row)) = scan.next(&self.database.reader, self.timestamp(), &self.writes).await?
        {
            match row.get("_creationTime") {
                Some(ConvexValue::Float64(time)) if *time < before => {}
                _ => break,
            }
            old.extend(row.get("_id").and_then(ConvexValue::as_str).and_then(|id| id.parse::<DocumentId>().ok()));
        }
        scan.record(&mut self.reads);
        for id in &old {
            let row = self.read(&table, id.internal).await?;
            self.put_system(&SESSION_REQUESTS, id.internal, row, None)?;
        }
        Ok(old.len())
    }
}

fn name(session: &str, request: u32) -> String {
    format!("{session}/{request}")
}
