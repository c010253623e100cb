//! Sets of characters, and when characters are the same in spite of their case.

/// How case is ignored (Canonicalize of ECMA-262 §22.2.2.7.3).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    /// It is not.
    None,
    /// Flag `i` alone: single units, by their upper case.
    Upper,
    /// Flags `i` and `u`: code points, by simple case folding.
    Simple,
}

impl Folding {
    /// The character that stands for all that are the same but for their case.
    #[inline]
    pub fn canonicalize(self, unit: u32) -> u32 {
        match (self, unit) {
            (Folding::None, _) => unit,
            (Folding::Upper, 0x61..=0x7A) => unit - 0x20,
            (Folding::Simple, 0x41..=0x5A) => unit + 0x20,
            (_, 0..=0x7F) => unit,
            (Folding::Upper, _) => upper(unit),
            (Folding::Simple, _) => folded(unit),
        }
    }
}

/// The only character of a conversion; `None` if there are more.
fn only(mut points: impl Iterator<Item = char>) -> Option<u32> {
    let first = points.next()?;
    points.next().is_none().then_some(first as u32)
}

fn upper(unit: u32) -> u32 {
    let upper = char::from_u32(unit).and_then(|point| only(point.to_uppercase()));
    upper.filter(|upper| (0x80..0x1_0000).contains(upper)).unwrap_or(unit)
}

/// Simple case folding. Its classes are those of "lower case of the upper case", except for the Turkish dotless i.
fn folded(unit: u32) -> u32 {
    const DOTLESS_I: u32 = 0x131;
    if unit == DOTLESS_I {
        return unit;
    }
    let through = |unit: u32, upper: bool| {
        let point = char::from_u32(unit)?;
        if upper { only(point.to_uppercase()) } else { only(point.to_lowercase()) }
    };
    let upper = through(unit, true).unwrap_or(unit);
    through(upper, false).unwrap_or(upper)
}

/// Whether `.` refuses it.
#[inline(always)]
pub fn is_line_terminator(unit: u32) -> bool {
    matches!(unit, 0x0A | 0x0D | 0x2028 | 0x2029)
}

/// Whether `\w` takes it.
#[inline(always)]
pub fn is_word(unit: u32, folding: Folding) -> bool {
    match unit {
        0..0x80 => (unit as u8).is_ascii_alphanumeric() || unit == b'_' as u32,
        _ => folding == Folding::Simple && matches!(unit, 0x17F | 0x212A),
    }
}

/// A set of Latin-1 characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Latin1Set([u64; 4]);

impl Latin1Set {
    /// The empty set.
    pub const EMPTY: Latin1Set = Latin1Set([0; 4]);
    /// All of them.
    pub const FULL: Latin1Set = Latin1Set([u64::MAX; 4]);

    /// Whether the character, below 256, is in the set.
    pub fn has(&self, unit: u32) -> bool {
        self.0[usize::from(unit as u8 >> 6)] >> (unit & 63) & 1 != 0
    }

    /// Adds a character below 256.
    pub fn add(&mut self, unit: u32) {
        self.0[usize::from(unit as u8 >> 6)] |= 1 << (unit & 63);
    }

    /// Takes a character below 256 out.
    pub fn remove(&mut self, unit: u32) {
        self.0[usize::from(unit as u8 >> 6)] &= !(1 << (unit & 63));
    }

    /// Adds all of another set.
    pub fn unite(&mut self, other: &Latin1Set) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    /// Whether no character is in both.
    pub fn is_disjoint(&self, other: &Latin1Set) -> bool {
        self.0.iter().zip(other.0).all(|(own, other)| own & other == 0)
    }

    /// Whether all its characters are in `other`.
    pub fn is_subset(&self, other: &Latin1Set) -> bool {
        self.0.iter().zip(other.0).all(|(own, other)| own & !other == 0)
    }

    /// The set as a table, which is faster to ask.
    pub fn table(&self) -> [bool; 256] {
        core::array::from_fn(|unit| self.has(unit as u32))
    }
}

/// Ranges of characters as they are written in a pattern.
#[derive(Clone, Default)]
pub struct Ranges {
    /// First and last character of each.
    ranges: Vec<(u32, u32)>,
    /// Those of escapes, which have every character in all its cases.
    complete: Vec<(u32, u32)>,
    /// Whether the set is everything else.
    inverted: bool,
}

/// Largest number of characters that are canonicalized one by one.
const MAX_FOLDED: u32 = 0x1000;

impl Ranges {
    /// No ranges yet.
    pub fn new(inverted: bool) -> Ranges {
        Ranges { inverted, ..Ranges::default() }
    }

    /// Adds a range.
    pub fn add(&mut self, first: u32, last: u32) {
        self.ranges.push((first, last));
    }

    /// Adds `\d`, `\w`, `\s` or, in upper case, their complements. False if it is none of these.
    pub fn add_escape(&mut self, escape: u32, folding: Folding) -> bool {
        const DIGITS: &[(u32, u32)] = &[(0x30, 0x39)];
        const WORDS: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
        /// With ſ and the Kelvin sign, which fold to letters of ASCII.
        const FOLDED_WORDS: &[(u32, u32)] =
            &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A), (0x17F, 0x17F), (0x212A, 0x212A)];
        const SPACES: &[(u32, u32)] = &[
            (9, 13),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
            (0xFEFF, 0xFEFF),
        ];
        let set = match escape {
            0x64 | 0x44 => DIGITS,
            0x77 | 0x57 if folding == Folding::Simple => FOLDED_WORDS,
            0x77 | 0x57 => WORDS,
            0x73 | 0x53 => SPACES,
            _ => return false,
        };
        if escape >= 0x61 {
            self.complete.extend_from_slice(set);
            return true;
        }
        let mut next = 0;
        for &(first, last) in set {
            if first > next {
                self.complete.push((next, first - 1));
            }
            next = last + 1;
        }
        self.complete.push((next, 0x10_FFFF));
        true
    }

    /// The class that matches these characters; `None` if folding case would take too long.
    pub fn compile(&self, folding: Folding) -> Option<CharClass> {
        let mut ranges = self.ranges.clone();
        ranges.extend_from_slice(&self.complete);
        if folding != Folding::None {
            if self.ranges.iter().any(|&(first, last)| last - first > MAX_FOLDED) {
                return None;
            }
            let units = self.ranges.iter().flat_map(|&(first, last)| first..=last);
            ranges.extend(units.map(|unit| folding.canonicalize(unit)).map(|unit| (unit, unit)));
        }
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = vec![];
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(previous) if first <= previous.1.saturating_add(1) => previous.1 = previous.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        let mut class = CharClass { latin1: [false; 256], ranges: merged, folding, inverted: self.inverted };
        class.latin1 = core::array::from_fn(|unit| class.has_slowly(unit as u32));
        Some(class)
    }
}

/// A compiled class.
#[derive(PartialEq, Eq)]
pub struct CharClass {
    /// Its characters below 256.
    latin1: [bool; 256],
    /// All ranges, ascending; the canonical characters are among them.
    ranges: Vec<(u32, u32)>,
    folding: Folding,
    inverted: bool,
}

impl CharClass {
    /// Whether the class takes the character.
    #[inline(always)]
    pub fn has(&self, unit: u32) -> bool {
        if unit < 256 { self.latin1[unit as usize] } else { self.has_slowly(unit) }
    }

    /// Whether it is `\w`, as word boundaries have it where case is not ignored.
    pub fn is_word(&self) -> bool {
        !self.inverted
            && self.ranges.last().is_some_and(|&(_, last)| last < 0x80)
            && (0..0x80).all(|unit| self.has(unit) == is_word(unit, Folding::None))
    }

    fn has_slowly(&self, unit: u32) -> bool {
        let unit = self.folding.canonicalize(unit);
        let position = self.ranges.partition_point(|&(_, last)| last < unit);
        let found = self.ranges.get(position).is_some_and(|&(first, _)| first <= unit);
        found != self.inverted
    }

    /// Its characters below 256.
    pub fn latin1_set(&self) -> Latin1Set {
        let mut set = Latin1Set::EMPTY;
        (0..256).filter(|&unit| self.latin1[unit as usize]).for_each(|unit| set.add(unit));
        set
    }

    /// Whether it may take characters beyond Latin-1.
    pub fn reaches_beyond(&self) -> bool {
        self.inverted || self.folding != Folding::None || self.ranges.last().is_some_and(|&(_, last)| last > 255)
    }
}

impl CharClass {
    /// The class of these Latin-1 characters and, if `beyond`, all others.
    pub fn predicted(latin1: Latin1Set, beyond: bool) -> CharClass {
        let ranges = if beyond { vec![(256, 0x10_FFFF)] } else { vec![] };
        CharClass { latin1: latin1.table(), ranges, folding: Folding::None, inverted: false }
    }
}
