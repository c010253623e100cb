//! Decisions of the generator: recorded ones first, then fresh ones.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Most decisions of one program; after them every decision is 0, so that generation ends.
const MOST: usize = 4_000;

/// A program is a function of these. Shrinking a program means shrinking its decisions: 0 is always the simplest choice.
pub struct Choices {
    made: Vec<u32>,
    recorded: usize,
    next: usize,
    random: Option<ChaCha8Rng>,
}

impl Choices {
    /// Fresh decisions from a seed.
    pub fn from_seed(seed: u64) -> Self {
        Choices { made: Vec::new(), recorded: 0, next: 0, random: Some(ChaCha8Rng::seed_from_u64(seed)) }
    }

    /// These decisions, then zeros.
    pub fn replay(recorded: Vec<u32>) -> Self {
        Choices { recorded: recorded.len(), made: recorded, next: 0, random: None }
    }

    /// The decisions that were asked for.
    pub fn into_made(mut self) -> Vec<u32> {
        self.made.truncate(self.next);
        self.made
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let value = if self.next < self.recorded {
            self.made[self.next]
        } else {
            let value = self.random.as_mut().filter(|_| self.next < MOST).map_or(0, RngCore::next_u32);
            self.made.push(value);
            value
        };
        self.next += 1;
        value as usize % bound
    }

    /// One of the options; the first is the simplest.
    pub fn one_of<'o, T: ?Sized>(&mut self, options: &[&'o T]) -> &'o T {
        options[self.below(options.len())]
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }
}

/// The search for smaller decisions that still fail: whole spans are left out first, the longest before the shorter; then
/// single decisions become 0. Whoever searches asks for a candidate, tries it, and tells the result.
pub struct Shrinking {
    attempts: usize,
    span: Option<usize>,
    place: usize,
}

impl Shrinking {
    /// A search that ends after that many attempts.
    pub fn new(attempts: usize) -> Self {
        Shrinking { attempts, span: None, place: 0 }
    }

    /// What to try next, given the smallest that failed so far; `None` at the end of the search.
    pub fn next(&mut self, best: &[u32]) -> Option<Vec<u32>> {
        self.attempts = self.attempts.checked_sub(1)?;
        let span = *self.span.get_or_insert((best.len() / 2).max(1));
        if span > 0 && self.place + span > best.len() {
            self.span = Some(span / 2);
            self.place = 0;
            return self.next(best);
        }
        if span > 0 {
            let mut candidate = best.to_vec();
            candidate.drain(self.place..self.place + span);
            return Some(candidate);
        }
        self.place += best.get(self.place..)?.iter().position(|choice| *choice != 0)?;
        let mut candidate = best.to_vec();
        candidate[self.place] = 0;
        Some(candidate)
    }

    /// Whether the last candidate failed too, and so became the smallest.
    pub fn tried(&mut self, failed: bool) {
        match self.span {
            // What was left out has made room for what followed.
            Some(span) if span > 0 && failed => {}
            Some(span) if span > 0 => self.place += span,
            _ => self.place += 1,
        }
    }
}
