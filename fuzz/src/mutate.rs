//! Damage to program texts. The result is usually no valid program; sometimes it is one nobody would write.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// One program in this many is damaged too.
const DAMAGED: u64 = 4;
/// Damaged programs made of each of those.
const MUTANTS: usize = 2;

/// What is put into texts.
const SCRAPS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "...",
    "=>",
    "?.",
    "await ",
    "yield ",
    "async ",
    "function* g() {",
    "class ",
    "super.x",
    "new.target",
    "import.meta",
    "#p",
    "`${",
    "/",
    "0x",
    "1e400",
    "'\u{d7ff}'",
    "\\u{110000}",
    "break ",
    "return ",
    "static ",
    "get ",
    "delete ",
    "this",
    "arguments",
    "eval",
    "let ",
    "var ",
    "export default ",
    "\u{2028}",
    "\u{0}",
];

/// Damaged copies of a program, the same for the same seed.
pub fn mutants(seed: u64, program: &str) -> Vec<String> {
    if !seed.is_multiple_of(DAMAGED) {
        return Vec::new();
    }
    let mut random = ChaCha8Rng::seed_from_u64(!seed);
    (0..MUTANTS).map(|_| mutant(&mut random, program)).collect()
}

fn mutant(random: &mut ChaCha8Rng, program: &str) -> String {
    let mut lines: Vec<String> = program.lines().map(str::to_owned).collect();
    for _ in 0..=below(random, 3) {
        let (at, other) = (below(random, lines.len()), below(random, lines.len()));
        match below(random, 4) {
            0 => lines.swap(at, other),
            1 => lines[at] = lines[other].clone(),
            2 => {
                // The half of one line goes on with the half of another.
                let (head, tail) = (half(random, &lines[at]).0.to_owned(), half(random, &lines[other]).1);
                lines[at] = head + tail;
            }
            _ => {
                let scrap = SCRAPS[below(random, SCRAPS.len())];
                let (head, tail) = half(random, &lines[at]);
                lines[at] = format!("{head}{scrap}{tail}");
            }
        }
    }
    lines.join("\n")
}

fn half<'l>(random: &mut ChaCha8Rng, line: &'l str) -> (&'l str, &'l str) {
    let mut at = below(random, line.len() + 1);
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    line.split_at(at)
}

fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    random.next_u32() as usize % bound.max(1)
}
