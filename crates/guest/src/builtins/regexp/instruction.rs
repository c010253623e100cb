//! Instructions of the backtracking matcher.

use super::char_class::{CharClass, Folding};
use super::prefix::Prefix;

/// "No class", "no register".
pub const NO_CLASS: u32 = u32::MAX;

/// A test of one character.
#[derive(Clone, Copy)]
pub enum Single {
    /// This one.
    Char(u32),
    /// One of two.
    Either(u32, u32),
    /// One of a class.
    Class(u32),
    /// Any but line terminators.
    Dot,
    /// Any.
    Any,
}

/// An instruction. Targets are positions in [`Code::instructions`].
#[derive(Clone, Copy)]
pub enum Instruction {
    /// Takes one character.
    Single(Single),
    /// Takes the character before the position, backwards.
    SingleBack(Single),
    /// Takes one kind of character again and again.
    Repeat {
        /// The kind.
        single: Single,
        /// At least so often.
        min: u32,
        /// At most so often.
        max: u32,
        /// As often as possible first.
        greedy: bool,
        /// Nothing is given back, because what follows would fail there.
        possessive: bool,
    },
    /// Goes on at `primary`, and if that fails at `secondary`.
    Split {
        /// First choice.
        primary: u32,
        /// Second choice.
        secondary: u32,
        /// Class of characters the first choice begins with, or [`NO_CLASS`].
        first: u32,
        /// The second choice begins with none of them.
        is_certain: bool,
    },
    /// Goes on elsewhere.
    Jump(u32),
    /// Keeps the position in a slot.
    Save(u32),
    /// Forgets groups: slots `first..end`.
    ResetGroups {
        /// First slot.
        first: u32,
        /// Behind the last slot.
        end: u32,
    },
    /// Sets a counter to 0.
    SetCounter(u32),
    /// Begins an iteration, or leaves the loop.
    Count {
        /// Its counter.
        counter: u32,
        /// At least so many iterations.
        min: u32,
        /// At most.
        max: u32,
        /// Iterating is the first choice.
        greedy: bool,
        /// Behind the loop.
        exit: u32,
    },
    /// Fails if nothing was taken since `position` was saved, in an iteration beyond the minimum.
    EmptyCheck {
        /// Slot of the position.
        position: u32,
        /// Counter, or [`NO_CLASS`]: every iteration.
        counter: u32,
        /// The minimum.
        min: u32,
    },
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b` if true, `\B` if false.
    WordBoundary(bool),
    /// Matches what follows up to `end` without taking it.
    Look {
        /// Whether it must match, or must not.
        positive: bool,
        /// Behind it.
        end: u32,
    },
    /// Takes what a group took.
    BackReference(u32),
    /// Takes what a group took, backwards.
    BackReferenceBack(u32),
    /// The end.
    Match,
}

/// A pattern that is one repetition, such as `/\d+/` or `/\b\w+\b/`: its matches are as many characters of a class as there
/// are one after the other.
#[derive(Clone, Copy)]
pub struct Run {
    /// The class.
    pub class: u32,
    /// Whether a match begins only behind a character that is not of the class.
    pub is_whole: bool,
}

impl Run {
    /// The run that these instructions match, if they do.
    pub fn of(instructions: &[Instruction], classes: &[CharClass], folding: Folding) -> Option<Run> {
        use Instruction::{Match, WordBoundary};
        let (repeat, begins, ends) = match instructions {
            [repeat, Match] => (repeat, false, false),
            [WordBoundary(true), repeat, Match] => (repeat, true, false),
            [repeat, WordBoundary(true), Match] => (repeat, false, true),
            [WordBoundary(true), repeat, WordBoundary(true), Match] => (repeat, true, true),
            _ => return None,
        };
        let Instruction::Repeat { single: Single::Class(class), min: 1, max: u32::MAX, greedy: true, .. } = *repeat
        else {
            return None;
        };
        // The boundaries of a run of word characters are boundaries of words.
        let is_word = || folding == Folding::None && classes[class as usize].is_word();
        (!begins && !ends || is_word()).then_some(Run { class, is_whole: begins })
    }
}

/// A compiled pattern.
pub struct Code {
    /// Instructions; execution begins with the first.
    pub instructions: Vec<Instruction>,
    /// Classes.
    pub classes: Vec<CharClass>,
    /// Number of slots: two for each group, then registers.
    pub slots: u32,
    /// Number of groups, the whole match included.
    pub group_count: u32,
    /// How every match begins, if it cannot be empty.
    pub prefix: Option<Prefix>,
    /// A match is exactly the prefix.
    pub is_plain: bool,
    /// What the pattern repeats, if it does nothing else.
    pub run: Option<Run>,
    /// What fails at an instruction and a position fails there always: nothing else decides.
    pub is_memoizable: bool,
    /// Every match begins at position 0.
    pub starts_at_zero: bool,
    /// `^` and `$` match at line ends.
    pub multiline: bool,
    /// How case is ignored.
    pub folding: Folding,
}
