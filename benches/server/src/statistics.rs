//! Numbers for people.

use std::time::Duration;

/// Durations of many things.
#[derive(Default)]
pub struct Durations(Vec<Duration>);

impl Durations {
    /// Adds one.
    pub fn add(&mut self, duration: Duration) {
        self.0.push(duration);
    }

    /// Adds all of others.
    pub fn extend(&mut self, others: Durations) {
        self.0.extend(others.0);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The duration that this share of all does not exceed; 0 if there are none.
    pub fn quantile(&mut self, share: f64) -> Duration {
        self.0.sort_unstable();
        let at = (self.0.len().saturating_sub(1)) as f64 * share;
        self.0.get(at.round() as usize).copied().unwrap_or_default()
    }

    /// Median, 99th percentile and maximum in milliseconds.
    pub fn summary(&mut self) -> String {
        let [median, high, most] = [0.5, 0.99, 1.0].map(|share| milliseconds(self.quantile(share)));
        format!("{median:.1} ms median, {high:.1} ms p99, {most:.1} ms at most")
    }
}

/// A duration in milliseconds.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
