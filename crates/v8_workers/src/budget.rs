//! How much an execution may compute.

use std::future::Future;
use std::time::Duration;

/// Ends when a process has computed for `budget` from now on. While it waits for the host it computes nothing, and while
/// the machine is busy with others neither.
pub(crate) fn exhausted(process: u32, budget: Duration) -> impl Future<Output = ()> + Send {
    let started = computed(process);
    async move {
        let mut used = Duration::ZERO;
        while used < budget {
            tokio::time::sleep(budget - used).await;
            used = match (started, computed(process)) {
                (Some(started), Some(now)) => now.saturating_sub(started),
                // Without the kernel's count, time that passed is time used.
                _ => budget,
            };
        }
    }
}

/// Processor time of the main thread, where JavaScript runs (Linux: `/proc/<pid>/schedstat`, nanoseconds).
fn computed(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
