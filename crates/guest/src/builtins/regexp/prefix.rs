//! Finding where a match may begin, by the sets of its first characters (the Shift-And algorithm of Baeza-Yates and Gonnet).

use super::first::First;
use super::matcher::Unit;

/// How every match begins.
pub enum Prefix {
    /// With a character of this set.
    One {
        /// Those of Latin-1.
        latin1: [bool; 256],
        /// Characters beyond.
        beyond: bool,
    },
    /// With one character of each of several sets.
    Many {
        /// For each character of Latin-1: bit `n` says that the `n`th set has it.
        latin1: Box<[u32; 256]>,
        /// The same for all characters beyond.
        beyond: u32,
        /// Number of sets, at most 32.
        length: u32,
    },
}

impl Prefix {
    /// The prefix of these sets; `None` if there are none.
    pub fn new(sets: &[First]) -> Option<Prefix> {
        let (first, more) = sets.split_first()?;
        if more.is_empty() {
            return Some(Prefix::One { latin1: first.latin1.table(), beyond: first.beyond });
        }
        let bits = |has: &dyn Fn(&First) -> bool| {
            sets.iter().enumerate().fold(0, |bits, (index, set)| bits | u32::from(has(set)) << index)
        };
        let mut latin1 = Box::new([0; 256]);
        for (unit, word) in latin1.iter_mut().enumerate() {
            *word = bits(&|set| set.latin1.has(unit as u32));
        }
        Some(Prefix::Many { latin1, beyond: bits(&|set| set.beyond), length: sets.len() as u32 })
    }

    /// Number of units.
    pub fn length(&self) -> usize {
        match self {
            Prefix::One { .. } => 1,
            Prefix::Many { length, .. } => *length as usize,
        }
    }

    /// The next position at `from` or behind where the prefix matches.
    #[inline(always)]
    pub fn find<U: Unit>(&self, text: &[U], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        match self {
            Prefix::One { latin1, beyond } => {
                let position = rest.iter().position(|&unit| {
                    let unit: u32 = unit.into();
                    if unit < 256 { latin1[unit as usize] } else { *beyond }
                });
                Some(from + position?)
            }
            Prefix::Many { latin1, beyond, length } => {
                let last = 1 << (length - 1);
                let mut state = 0_u32;
                let end = rest.iter().position(|&unit| {
                    let unit: u32 = unit.into();
                    state = (state << 1 | 1) & if unit < 256 { latin1[unit as usize] } else { *beyond };
                    state & last != 0
                });
                Some(from + end? + 1 - *length as usize)
            }
        }
    }
}
