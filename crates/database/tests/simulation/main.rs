//! A deterministic simulation of the database.
//!
//! A seed decides everything: what clients do, when each task goes on, how long the disk takes, where it fails, when the
//! process dies, and what the clock shows. Several lives of a process share one disk. Afterwards an in-memory model
//! replays what the clients did, and every read of every transaction has to agree with it, at the snapshot that the
//! transaction read and (if it committed) at the moment of its commit.
//!
//! `SIMULATION_SEEDS=10000` runs more seeds than the default, `SIMULATION_SEED=17` only that one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod chance;
mod check;
mod client;
mod disk;
mod history;
mod life;
mod model;
mod workload;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Seeds of a normal run.
const SEEDS: u64 = 150;

#[expect(clippy::disallowed_methods, reason = "these variables are no knobs: they choose what a test does")]
fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

#[test]
fn histories_agree_with_a_model() {
    let seeds = match variable("SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..variable("SIMULATION_SEEDS").unwrap_or(SEEDS),
    };
    for seed in seeds {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| life::simulate(seed))) {
            println!("seed {seed} failed; SIMULATION_SEED={seed} repeats it");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn a_seed_replays_exactly() {
    for seed in 0..10 {
        assert_eq!(life::simulate(seed), life::simulate(seed), "seed {seed}");
    }
}

#[test]
fn the_simulation_reaches_what_it_is_for() {
    let mut total = history::Summary::default();
    (0..40).for_each(|seed| total.add(life::simulate(seed).summary));
    let history::Summary { committed, conflicts, unknown, unknown_but_written, invalidated, pages, .. } = total;
    let counts = [committed, conflicts, unknown, unknown_but_written, invalidated, pages];
    assert!(counts.iter().all(|count| *count > 0), "{total:?}");
}
