//! What workers did, in numbers.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Counts one kind of step.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    calls: AtomicU64,
    nanoseconds: AtomicU64,
    longest: AtomicU64,
}

/// One kind of step, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// How often.
    pub calls: u64,
    /// Time in all.
    pub total: Duration,
    /// The longest time.
    pub longest: Duration,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, total, longest } = self;
        let average = total.checked_div(u32::try_from(*calls).unwrap_or(u32::MAX)).unwrap_or_default();
        write!(f, "{calls} calls, {total:.1?} in all, {average:.1?} on average, {longest:.1?} at most")
    }
}

impl Statistics {
    /// Writes them to the log.
    pub(crate) fn log(&self) {
        tracing::info!(
            snapshot_get = %self.snapshot_get,
            worker_new = %self.worker_new,
            assign = %self.assign,
            user_code_execute = %self.user_code_execute,
            warm_worker_hit = self.warm_worker_hit,
            warm_worker_miss = self.warm_worker_miss,
            "V8 phases"
        );
    }
}

impl Counter {
    pub(crate) fn count(&self) {
        self.calls.fetch_add(1, Relaxed);
    }

    pub(crate) fn record(&self, since: Instant) {
        let nanoseconds = since.elapsed().as_nanos() as u64;
        self.calls.fetch_add(1, Relaxed);
        self.nanoseconds.fetch_add(nanoseconds, Relaxed);
        self.longest.fetch_max(nanoseconds, Relaxed);
    }

    fn read(&self) -> Step {
        Step {
            calls: self.calls.load(Relaxed),
            total: Duration::from_nanos(self.nanoseconds.load(Relaxed)),
            longest: Duration::from_nanos(self.longest.load(Relaxed)),
        }
    }
}

/// All counters.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) snapshot_get: Counter,
    pub(crate) worker_new: Counter,
    pub(crate) assign: Counter,
    pub(crate) user_code_execute: Counter,
    pub(crate) warm_worker_hit: Counter,
    pub(crate) warm_worker_miss: Counter,
    pub(crate) wrong_hint: Counter,
    pub(crate) from_snapshot: Counter,
}

/// What workers did so far, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Looking up snapshots.
    pub snapshot_get: Step,
    /// Starting workers.
    pub worker_new: Step,
    /// From handing a worker its execution to the beginning of the function: modules are evaluated.
    pub assign: Step,
    /// Functions.
    pub user_code_execute: Step,
    /// Claims that found a parked worker.
    pub warm_worker_hit: u64,
    /// Claims that found none.
    pub warm_worker_miss: u64,
    /// Workers that were claimed for another program than they were given.
    pub wrong_hint: u64,
    /// Workers that were started from a snapshot.
    pub from_snapshot: u64,
    /// Worker processes there are, parked and running.
    pub alive: usize,
    /// Parked workers.
    pub parked: usize,
    /// Processes that do not end although they were killed.
    pub quarantined: usize,
}

impl Counters {
    pub(crate) fn read(&self, alive: usize, parked: usize, quarantined: usize) -> Statistics {
        Statistics {
            snapshot_get: self.snapshot_get.read(),
            worker_new: self.worker_new.read(),
            assign: self.assign.read(),
            user_code_execute: self.user_code_execute.read(),
            warm_worker_hit: self.warm_worker_hit.read().calls,
            warm_worker_miss: self.warm_worker_miss.read().calls,
            wrong_hint: self.wrong_hint.read().calls,
            from_snapshot: self.from_snapshot.read().calls,
            alive,
            parked,
            quarantined,
        }
    }
}
