//! Sets of characters, and when characters are the same in spite of their case.

/// Canonicalize of ECMA-262 §22.2.2.7.3 without the flags `u` and `v`: single units, upper case.
#[inline]
pub fn canonicalize(unit: u32) -> u32 {
    match unit {
        0x61..=0x7A => unit - 0x20,
        0..=0x7F => unit,
        _ => canonicalize_wide(unit),
    }
}

fn canonicalize_wide(unit: u32) -> u32 {
    let Some(point) = char::from_u32(unit) else { return unit };
    let mut upper = point.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if (upper as u32) >= 0x80 && (upper as u32) < 0x1_0000 => upper as u32,
        _ => unit,
    }
}

/// Whether `.` refuses it.
#[inline(always)]
pub fn is_line_terminator(unit: u32) -> bool {
    matches!(unit, 0x0A | 0x0D | 0x2028 | 0x2029)
}

/// Whether `\w` takes it.
#[inline(always)]
pub fn is_word(unit: u32) -> bool {
    unit < 0x80 && ((unit as u8).is_ascii_alphanumeric() || unit == b'_' as u32)
}

/// A set of the Latin-1 characters.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Bitmap([u64; 4]);

impl Bitmap {
    /// Whether the character, below 256, is in the set.
    #[inline(always)]
    pub fn has(&self, unit: u32) -> bool {
        self.0[(unit >> 6) as usize & 3] >> (unit & 63) & 1 != 0
    }

    /// Adds a character below 256.
    pub fn add(&mut self, unit: u32) {
        self.0[(unit >> 6) as usize & 3] |= 1 << (unit & 63);
    }

    /// Adds all of another set.
    pub fn unite(&mut self, other: &Bitmap) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }
}

/// Ranges of characters as they are written in a pattern.
#[derive(Clone, Default)]
pub struct Ranges {
    /// First and last character of each.
    pub ranges: Vec<(u32, u32)>,
    /// Whether the set is everything else.
    pub inverted: bool,
}

/// Largest number of characters that are canonicalized one by one.
const MAX_FOLDED: u32 = 0x1000;

impl Ranges {
    /// Adds a range.
    pub fn add(&mut self, first: u32, last: u32) {
        self.ranges.push((first, last));
    }

    /// Adds `\d`, `\w`, `\s` or, in upper case, their complements. False if it is none of these.
    pub fn add_escape(&mut self, escape: u32) -> bool {
        const DIGITS: &[(u32, u32)] = &[(0x30, 0x39)];
        const WORDS: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
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
            0x77 | 0x57 => WORDS,
            0x73 | 0x53 => SPACES,
            _ => return false,
        };
        if escape >= 0x61 {
            self.ranges.extend_from_slice(set);
            return true;
        }
        let mut next = 0;
        for &(first, last) in set {
            if first > next {
                self.add(next, first - 1);
            }
            next = last + 1;
        }
        self.add(next, 0x10_FFFF);
        true
    }

    /// The class that matches these characters; `None` if folding case would take too long.
    pub fn compile(&self, ignore_case: bool) -> Option<CharClass> {
        let mut ranges = self.ranges.clone();
        if ignore_case {
            let folded = self.ranges.iter().flat_map(|&(first, last)| {
                (first..=last.min(first + MAX_FOLDED)).map(canonicalize).map(|unit| (unit, unit))
            });
            ranges.extend(folded);
            let is_large = |&(first, last): &(u32, u32)| last - first > MAX_FOLDED;
            // Ranges that reach to the end contain the upper case of everything in them.
            if self.ranges.iter().any(|range| is_large(range) && range.1 < 0x10_FFFF) {
                return None;
            }
        }
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = vec![];
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(previous) if first <= previous.1.saturating_add(1) => previous.1 = previous.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        let mut class = CharClass { bitmap: Bitmap::default(), ranges: merged, ignore_case, inverted: self.inverted };
        for unit in 0..256 {
            if class.has_slowly(unit) {
                class.bitmap.add(unit);
            }
        }
        Some(class)
    }
}

/// A compiled class.
pub struct CharClass {
    /// Its characters below 256.
    pub bitmap: Bitmap,
    /// All ranges, ascending; with `ignore_case` the canonical characters are among them.
    ranges: Vec<(u32, u32)>,
    ignore_case: bool,
    inverted: bool,
}

impl CharClass {
    /// Whether the class takes the character.
    #[inline(always)]
    pub fn has(&self, unit: u32) -> bool {
        if unit < 256 { self.bitmap.has(unit) } else { self.has_slowly(unit) }
    }

    fn has_slowly(&self, unit: u32) -> bool {
        let unit = if self.ignore_case { canonicalize(unit) } else { unit };
        let position = self.ranges.partition_point(|&(_, last)| last < unit);
        let found = self.ranges.get(position).is_some_and(|&(first, _)| first <= unit);
        found != self.inverted
    }

    /// Whether it may take characters beyond Latin-1.
    pub fn reaches_beyond(&self) -> bool {
        self.inverted || self.ignore_case || self.ranges.last().is_some_and(|&(_, last)| last > 255)
    }
}

impl CharClass {
    /// The class of these Latin-1 characters and, if `beyond`, all others.
    pub fn predicted(bitmap: Bitmap, beyond: bool) -> CharClass {
        let ranges = if beyond { vec![(256, 0x10_FFFF)] } else { vec![] };
        CharClass { bitmap, ranges, ignore_case: false, inverted: false }
    }
}
