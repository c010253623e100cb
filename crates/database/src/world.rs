//! What the database takes from the world besides its store: the time and randomness.

use std::time::{SystemTime, UNIX_EPOCH};

use rand::RngCore;

/// A clock and a source of randomness. Tests put their own in place of the [`System`]'s, so that a run can be repeated.
pub trait World: Send + Sync + 'static {
    /// Nanoseconds since the epoch. May jump back.
    fn unix_nanos(&self) -> u64;

    /// Fills bytes with randomness that nobody can guess.
    fn fill_random(&self, bytes: &mut [u8]);
}

/// The machine's clock and randomness.
pub struct System;

impl World for System {
    fn unix_nanos(&self) -> u64 {
        // A clock before 1970 counts as 1970; one after 2554 as 2554.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        rand::rng().fill_bytes(bytes);
    }
}
