//! The one source of randomness of a simulation.

use std::sync::Arc;

use parking_lot::Mutex;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Decisions drawn from the seed. All tasks share one sequence: they run on one thread, so its order is fixed.
#[derive(Clone)]
pub struct Chance(Arc<Mutex<ChaCha8Rng>>);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(ChaCha8Rng::seed_from_u64(seed))))
    }

    /// A number less than `limit`.
    pub fn below(&self, limit: usize) -> usize {
        self.0.lock().random_range(0..limit)
    }

    /// Happens once in `times` times; never for 0.
    pub fn one_in(&self, times: usize) -> bool {
        times > 0 && self.below(times) == 0
    }

    /// One of several.
    pub fn pick<'a, T>(&self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    pub fn fill(&self, bytes: &mut [u8]) {
        self.0.lock().fill_bytes(bytes);
    }

    /// Lets other tasks run, for no time or for some.
    pub async fn pause(&self, max_millis: usize) {
        match self.below(8) {
            0..=3 => {}
            4..=6 => tokio::task::yield_now().await,
            _ => tokio::time::sleep(std::time::Duration::from_millis(self.below(max_millis + 1) as u64)).await,
        }
    }
}
