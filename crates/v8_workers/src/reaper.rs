//! Sees that every process that is no longer wanted ends, and that its end is noticed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use convex_wasm_knobs::CONVEX_WASM_V8_KILL_TIMEOUT_SECONDS;
use tokio::process::Child;
use tokio::sync::Notify;

/// Kills and reaps processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaper {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    alive: AtomicUsize,
    quarantined: AtomicUsize,
    changed: Notify,
}

/// A process that is killed and reaped when this is dropped.
pub(crate) struct Mortal {
    child: Option<Child>,
    id: u32,
    counts: Arc<Counts>,
}

impl Reaper {
    /// Takes charge of a process.
    pub(crate) fn watch(&self, child: Child) -> Mortal {
        self.counts.alive.fetch_add(1, Ordering::Relaxed);
        Mortal { id: child.id().unwrap_or_default(), child: Some(child), counts: self.counts.clone() }
    }

    /// Processes that have not been reaped.
    pub(crate) fn alive(&self) -> usize {
        self.counts.alive.load(Ordering::Relaxed)
    }

    /// Of those, the ones that did not end in time after they were killed.
    pub(crate) fn quarantined(&self) -> usize {
        self.counts.quarantined.load(Ordering::Relaxed)
    }

    /// Waits until every process but the wanted ones has been reaped or is quarantined.
    pub(crate) async fn only_alive(&self, wanted: impl Fn() -> usize) {
        loop {
            let changed = self.counts.changed.notified();
            if self.alive() <= self.quarantined() + wanted() {
                return;
            }
            changed.await;
        }
    }
}

impl Mortal {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    pub(crate) fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            // It fails only for a process that has ended already.
            let _ = child.start_kill();
        }
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        self.kill();
        let Some(mut child) = self.child.take() else { return };
        let (counts, id) = (self.counts.clone(), self.id);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let patience = Duration::from_secs(CONVEX_WASM_V8_KILL_TIMEOUT_SECONDS.get());
            if tokio::time::timeout(patience, child.wait()).await.is_err() {
                tracing::error!(worker = id, "a V8 worker does not end although it was killed: quarantined");
                counts.quarantined.fetch_add(1, Ordering::Relaxed);
                counts.changed.notify_waiters();
                // Its end, whenever it comes.
                let _ = child.wait().await;
                counts.quarantined.fetch_sub(1, Ordering::Relaxed);
            }
            counts.alive.fetch_sub(1, Ordering::Relaxed);
            counts.changed.notify_waiters();
        });
    }
}
