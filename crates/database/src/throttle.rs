//! How fast mutations may write.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{Error, Result};

/// Writing that was not used so far back may be made up for.
const BURST: Duration = Duration::from_secs(1);
/// Longest time that a commit waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lets commits through at a rate of bytes a second, by the generic cell rate algorithm (ITU-T I.371): each commit takes
/// the time that its bytes need, and the next one begins after that.
pub struct Throttle {
    bytes_per_second: usize,
    next: Mutex<Instant>,
}

impl Throttle {
    /// A throttle; 0 lets everything through.
    pub fn new(bytes_per_second: usize) -> Self {
        Self { bytes_per_second, next: Mutex::new(Instant::now()) }
    }

    /// Waits until so many bytes may be written.
    ///
    /// # Errors
    /// `TooManyWrites` if that would take too long.
    pub async fn admit(&self, bytes: usize) -> Result<()> {
        if self.bytes_per_second == 0 {
            return Ok(());
        }
        let cost = Duration::from_secs_f64(bytes as f64 / self.bytes_per_second as f64);
        let wait = {
            let now = Instant::now();
            let mut next = self.next.lock();
            let start = now.checked_sub(BURST).map_or(*next, |earliest| earliest.max(*next));
            let wait = start.saturating_duration_since(now);
            if wait > PATIENCE {
                return Err(Error::Overloaded {
                    code: "TooManyWrites",
                    message: format!(
                        "Too many writes per second (limit: {} bytes). Spread your writes over time, or write less.",
                        self.bytes_per_second
                    ),
                });
            }
            *next = start + cost;
            wait
        };
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }
}
