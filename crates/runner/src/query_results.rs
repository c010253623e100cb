//! Results of queries, shared: one execution serves all who ask for the same while nothing that it read changes.
//!
//! A result is kept under what it depends on beside the database: deployment, function, arguments, journal, and the caller
//! only if the execution looked at it. Who asks for what is being run already waits for that run. Only values are kept: an
//! error may come from a limit, so that another run fares better.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use convex_wasm_database::{Database, QueryCache, Timestamp};
use convex_wasm_knobs::{QUERY_CACHE_CLOCK_SECONDS, UDF_CACHE_MAX_SIZE};
use convex_wasm_values::JsonFormat;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::deployment::Deployment;
use crate::error::CallError;
use crate::execution::Observed;
use crate::identity::Identity;
use crate::runner::{Call, WatchedQuery};

/// What the result of a query depends on beside the database.
#[derive(Clone)]
pub(crate) struct QueryKey {
    /// While this is held, no other deployment has its address.
    deployment: Weak<Deployment>,
    function: String,
    /// JSON text.
    arguments: Arc<str>,
    journal: Option<String>,
    /// `None` for a result that is the same for everybody.
    identity: Option<Identity>,
}

impl QueryKey {
    /// The key of a call, for its caller.
    pub(crate) fn new(deployment: &Arc<Deployment>, call: &Call, journal: &Option<String>) -> Self {
        Self {
            deployment: Arc::downgrade(deployment),
            function: call.path.to_string(),
            arguments: call.arguments.to_json_text(JsonFormat::Encoded).into(),
            journal: journal.clone(),
            identity: Some(call.identity.clone()),
        }
    }

    fn for_everybody(&self) -> Self {
        Self { identity: None, ..self.clone() }
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.function.len() + self.arguments.len() + self.journal.as_ref().map_or(0, String::len)
    }
}

impl PartialEq for QueryKey {
    fn eq(&self, other: &Self) -> bool {
        self.deployment.ptr_eq(&other.deployment)
            && self.function == other.function
            && self.arguments == other.arguments
            && self.journal == other.journal
            && self.identity == other.identity
    }
}

impl Eq for QueryKey {}

impl Hash for QueryKey {
    /// Leaves out the identity, which rarely differs alone.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.deployment.as_ptr().hash(state);
        self.function.hash(state);
        self.arguments.hash(state);
        self.journal.hash(state);
    }
}

/// A result that is kept.
#[derive(Clone)]
struct Known {
    query: WatchedQuery,
    /// When it is no longer given, if it depends on the time.
    expires: Option<Instant>,
}

/// Results that are known, and queries that are running.
pub(crate) struct QueryResults {
    known: QueryCache<QueryKey, Known>,
    /// What is sent on is nothing; the end of the run closes the channel.
    running: Mutex<HashMap<QueryKey, watch::Receiver<()>>>,
}

impl Default for QueryResults {
    fn default() -> Self {
        Self { known: QueryCache::new(UDF_CACHE_MAX_SIZE.get()), running: Mutex::default() }
    }
}

impl QueryResults {
    /// The result of a query at a snapshot: a known one, that of a run on its way, or that of `run`.
    ///
    /// # Errors
    /// As `run`.
    pub(crate) async fn get(
        &self,
        database: &Database,
        key: QueryKey,
        at: Timestamp,
        run: impl AsyncFnOnce() -> Result<(WatchedQuery, Observed), CallError>,
    ) -> Result<WatchedQuery, CallError> {
        if let Some(known) = self.known(&key, at) {
            return Ok(known);
        }
        let _running = match self.start(&key) {
            Ok(running) => Some(running),
            Err(mut other) => {
                // That it is closed is what is waited for.
                while other.changed().await.is_ok() {}
                if let Some(known) = self.known(&key, at) {
                    return Ok(known);
                }
                // What the other run found is of no use here. Nobody waits for this one.
                None
            }
        };
        let (query, observed) = run().await?;
        self.keep(database, key, at, &query, observed)?;
        Ok(query)
    }

    fn known(&self, key: &QueryKey, at: Timestamp) -> Option<WatchedQuery> {
        let known = self.known.get(&key.for_everybody(), at).or_else(|| self.known.get(key, at))?;
        let is_fresh = known.expires.is_none_or(|expires| Instant::now() < expires);
        is_fresh.then(|| WatchedQuery { cached: true, ..known.query })
    }

    fn keep(
        &self,
        database: &Database,
        key: QueryKey,
        at: Timestamp,
        query: &WatchedQuery,
        observed: Observed,
    ) -> Result<(), CallError> {
        let Ok(value) = &query.outcome.result else { return Ok(()) };
        if observed.snapshot {
            return Ok(());
        }
        let lines: usize = query.outcome.log_lines.iter().map(String::len).sum();
        let size = key.size() + value.size() + lines + query.reads.size();
        let subscription = database.subscribe(query.reads.clone(), at)?;
        let lifetime = Duration::from_secs(QUERY_CACHE_CLOCK_SECONDS.get());
        let expires = observed.time.then(|| Instant::now() + lifetime);
        let key = if observed.identity { key } else { key.for_everybody() };
        self.known.put(key, Known { query: query.clone(), expires }, size, at, subscription);
        Ok(())
    }

    /// Notes that a query is running, or tells who runs it already.
    fn start(&self, key: &QueryKey) -> Result<Running<'_>, watch::Receiver<()>> {
        let mut running = self.running.lock();
        if let Some(other) = running.get(key) {
            return Err(other.clone());
        }
        let (end, receiver) = watch::channel(());
        running.insert(key.clone(), receiver);
        Ok(Running { results: self, key: key.clone(), _end: end })
    }
}

/// A query that is running. Others wait until this is dropped.
struct Running<'r> {
    results: &'r QueryResults,
    key: QueryKey,
    _end: watch::Sender<()>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.results.running.lock().remove(&self.key);
    }
}
