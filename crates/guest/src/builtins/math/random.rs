//! `Math.random`: a ChaCha12 stream from the execution's seed.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::memory::RANDOM_SEED;
use crate::state::State;

/// The seed in use, and its generator.
static GENERATOR: State<Option<([u8; 32], ChaCha12Rng)>> = State::new(None);

/// The next number, in [0, 1).
pub fn next() -> f64 {
    let seed = RANDOM_SEED.get();
    GENERATOR.with(|generator| {
        // An image frozen after initialisation wakes up with another seed.
        if !matches!(generator, Some((current, _)) if *current == seed) {
            *generator = Some((seed, ChaCha12Rng::from_seed(seed)));
        }
        let word = generator.as_mut().map_or(0, |(_, generator)| generator.next_u64());
        (word >> 11) as f64 / (1u64 << 53) as f64
    })
}
