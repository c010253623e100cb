//! When to try again what failed by the server's fault.

use std::collections::HashMap;

use convex_wasm_knobs::{SCHEDULED_JOB_INITIAL_BACKOFF_MS, SCHEDULED_JOB_MAX_BACKOFF_MS};
use convex_wasm_values::DocumentId;

/// Pauses that double with each failure. A restarted server begins anew.
#[derive(Default)]
pub struct Backoff(HashMap<DocumentId, Pause>);

struct Pause {
    failures: i32,
    until_ms: f64,
}

impl Backoff {
    /// How many wait.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// When to try again, in milliseconds since the epoch; the beginning of time if it never failed.
    pub fn until(&self, id: DocumentId) -> f64 {
        self.0.get(&id).map_or(f64::NEG_INFINITY, |pause| pause.until_ms)
    }

    /// It failed.
    pub fn failed(&mut self, id: DocumentId, now_ms: f64) {
        let pause = self.0.entry(id).or_insert(Pause { failures: 0, until_ms: now_ms });
        let wait = SCHEDULED_JOB_INITIAL_BACKOFF_MS.get() as f64 * 2f64.powi(pause.failures);
        pause.until_ms = now_ms + wait.min(SCHEDULED_JOB_MAX_BACKOFF_MS.get() as f64);
        pause.failures += 1;
    }

    /// It ended.
    pub fn forget(&mut self, id: DocumentId) {
        self.0.remove(&id);
    }
}
