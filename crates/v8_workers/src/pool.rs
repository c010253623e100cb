//! Parked workers: ready, and blocked on their first command.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::program::Key;
use crate::worker::Worker;

/// Pause after a failed start of a worker; it doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What a worker is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A query or mutation: in a context of its own, so the worker may have run others of the same program.
    Transaction,
    /// An action: the worker must have run nothing.
    Action,
}

/// Workers that wait, by key.
#[derive(Default)]
pub(crate) struct Pool {
    state: Mutex<State>,
    refill_ended: Notify,
}

#[derive(Default)]
struct State {
    /// Oldest first over all keys.
    parked: VecDeque<Parked>,
    refilling: HashSet<Key>,
    failures: HashMap<Key, Failure>,
    closed: bool,
}

struct Parked {
    key: Key,
    worker: Worker,
    used: bool,
}

struct Failure {
    pause: Duration,
    retry_at: Instant,
}

impl Pool {
    /// Takes a worker that is alive: one that ran the same program before, if it may, else a new one.
    pub(crate) fn claim(&self, key: &Key, purpose: Purpose) -> Option<(Worker, bool)> {
        let mut state = self.state.lock();
        loop {
            let wanted = |used: bool| move |parked: &Parked| parked.key == *key && parked.used == used;
            let used = match purpose {
                Purpose::Transaction => state.parked.iter().rposition(wanted(true)),
                Purpose::Action => None,
            };
            let index = used.or_else(|| state.parked.iter().position(wanted(false)))?;
            let mut parked = state.parked.remove(index)?;
            if parked.worker.has_ended() {
                tracing::info!(worker = parked.worker.id(), transition = "dead", "a parked V8 worker had ended");
                continue;
            }
            tracing::debug!(worker = parked.worker.id(), used = parked.used, transition = "claimed", "V8 worker");
            return Some((parked.worker, parked.used));
        }
    }

    /// Parks a worker; if there are more than `capacity`, the oldest goes, of another key if there is one.
    pub(crate) fn park(&self, key: Key, worker: Worker, used: bool, capacity: usize) {
        let mut state = self.state.lock();
        if state.closed || capacity == 0 {
            return;
        }
        while state.parked.len() >= capacity {
            let other = state.parked.iter().position(|parked| parked.key != key).unwrap_or(0);
            if let Some(evicted) = state.parked.remove(other) {
                tracing::debug!(worker = evicted.worker.id(), transition = "evicted", "V8 worker");
            }
        }
        state.parked.push_back(Parked { key, worker, used });
    }

    /// Parked workers of a key that have run nothing.
    pub(crate) fn fresh(&self, key: &Key) -> usize {
        self.state.lock().parked.iter().filter(|parked| parked.key == *key && !parked.used).count()
    }

    /// Parked workers of all keys.
    pub(crate) fn parked(&self) -> usize {
        self.state.lock().parked.len()
    }

    /// Whether the caller shall refill for a key: nobody does, and no failure is too recent.
    pub(crate) fn begin_refill(&self, key: &Key) -> bool {
        let mut state = self.state.lock();
        let pausing = state.failures.get(key).is_some_and(|failure| failure.retry_at > Instant::now());
        !state.closed && !pausing && state.refilling.insert(key.clone())
    }

    /// Ends what [`Pool::begin_refill`] began.
    pub(crate) fn end_refill(&self, key: &Key, failed: bool) {
        self.note_refill(key, failed);
        self.refill_ended.notify_waiters();
    }

    fn note_refill(&self, key: &Key, failed: bool) {
        let mut state = self.state.lock();
        state.refilling.remove(key);
        if !failed {
            state.failures.remove(key);
            return;
        }
        let pause = state.failures.get(key).map_or(FIRST_PAUSE, |failure| (failure.pause * 2).min(LONGEST_PAUSE));
        state.failures.insert(key.clone(), Failure { pause, retry_at: Instant::now() + pause });
    }

    /// Waits until no refill is under way.
    pub(crate) async fn refilled(&self) {
        loop {
            let ended = self.refill_ended.notified();
            if self.state.lock().refilling.is_empty() {
                return;
            }
            ended.await;
        }
    }

    /// Drops all workers of a key, or all workers for good.
    pub(crate) fn drop_workers(&self, key: Option<&Key>) {
        let mut state = self.state.lock();
        state.closed |= key.is_none();
        state.parked.retain(|parked| key.is_some_and(|key| parked.key != *key));
        state.failures.retain(|failed, _| key.is_some_and(|key| failed != key));
    }

    /// Whether workers were dropped for good.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }
}
