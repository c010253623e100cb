//! A query that a client watches.

use std::sync::Arc;

use convex_wasm_database::{Subscription, Timestamp};
use convex_wasm_runner::{Call, Outcome, WatchedQuery};
use convex_wasm_values::JsonFormat;
use sha2::{Digest, Sha256};

use super::end::End;
use super::protocol::StateModification;
use crate::Backend;
use crate::http::answer::error_text;

/// A query, what the client knows of it, and the watch over what it read.
pub struct LiveQuery {
    call: Call,
    journal: Option<String>,
    /// Tells a query from an earlier one of the same number.
    pub generation: u64,
    /// Of the result that the client has.
    sent: Option<[u8; 32]>,
    /// None if it must run again for another reason than what it read.
    watch: Option<Subscription>,
}

/// A run of a query at a snapshot.
pub struct Run {
    query_id: u32,
    generation: u64,
    at: Timestamp,
    watched: WatchedQuery,
}

impl LiveQuery {
    /// A query that did not run yet.
    pub fn new(call: Call, journal: Option<String>, generation: u64) -> Self {
        LiveQuery { call, journal, generation, sent: None, watch: None }
    }

    /// It must run again, whatever it read; perhaps for another caller.
    pub fn expire(&mut self, identity: Option<&convex_wasm_runner::Identity>) {
        self.watch = None;
        if let Some(identity) = identity {
            self.call.identity = identity.clone();
        }
    }

    /// Whether the client's result is known to be right at a snapshot.
    pub fn is_valid_at(&self, at: Timestamp) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.check().is_ok_and(|until| until >= at))
    }

    /// Whether it must run again.
    pub fn is_stale(&self) -> bool {
        self.watch.as_ref().is_none_or(|watch| watch.check().is_err())
    }

    /// Waits until what it read changes.
    pub async fn invalidated(&mut self) {
        match &mut self.watch {
            Some(watch) => watch.invalidated().await.map_or((), |_| ()),
            None => std::future::pending().await,
        }
    }

    /// The query at a snapshot, to be awaited beside others.
    pub fn run(
        &self,
        query_id: u32,
        at: Timestamp,
        backend: Arc<Backend>,
    ) -> impl Future<Output = Result<Run, End>> + use<> {
        let (call, journal, generation) = (self.call.clone(), self.journal.clone(), self.generation);
        async move {
            let watched = backend.watch(call, at, journal).await?;
            Ok(Run { query_id, generation, at, watched })
        }
    }

    /// Takes a run's result; what the client must be told, if it does not know it already.
    ///
    /// # Errors
    /// The database cannot watch.
    pub fn take(&mut self, run: Run, backend: &Backend) -> Result<Option<StateModification>, End> {
        let Run { query_id, at, watched: WatchedQuery { outcome, reads, journal, .. }, .. } = run;
        self.watch = Some(backend.database.subscribe(reads, at)?);
        self.journal.clone_from(&journal);
        let modification = modification(query_id, &self.call.request_id, &outcome, journal);
        let text = serde_json::to_vec(&modification).map_err(|_| End::Internal)?;
        let hash: [u8; 32] = Sha256::digest(text).into();
        if self.sent.replace(hash) == Some(hash) {
            return Ok(None);
        }
        Ok(Some(modification))
    }
}

impl Run {
    /// The query it is a run of.
    pub fn query(&self) -> (u32, u64) {
        (self.query_id, self.generation)
    }
}

fn modification(query_id: u32, request_id: &str, outcome: &Outcome, journal: Option<String>) -> StateModification {
    let log_lines = outcome.log_lines.clone();
    match &outcome.result {
        Ok(value) => {
            StateModification::Updated { query_id, value: value.to_json(JsonFormat::Encoded), log_lines, journal }
        }
        Err(error) => StateModification::Failed {
            query_id,
            error_message: error_text(error, request_id),
            log_lines,
            journal,
            error_data: error.data.as_ref().map(|data| data.to_json(JsonFormat::Encoded)),
        },
    }
}
