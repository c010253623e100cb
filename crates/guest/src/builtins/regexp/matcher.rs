//! The backtracking matcher, over Latin-1 or UTF-16 text as it is.

use super::char_class::{is_line_terminator, is_word};
use super::instruction::{Code, Instruction, NO_CLASS, Single};
use super::memo::Memo;
use super::program::{NONE, Span};
use crate::state::State;

/// A slot that holds no position.
const UNSET: u32 = NONE;

/// A unit of text.
pub trait Unit: Copy + Into<u32> + PartialEq {
    /// Whether two units may be halves of one character.
    const PAIRS: bool;
}

impl Unit for u8 {
    const PAIRS: bool = false;
}

impl Unit for u16 {
    const PAIRS: bool = true;
}

/// What to do when the way taken so far fails.
#[derive(Clone, Copy)]
enum Choice {
    /// Go on there.
    Branch { target: u32, position: u32 },
    /// Put the old value back into a slot, and go on failing.
    Restore { slot: u32, value: u32 },
    /// Give characters back, down to `least`, and go on behind the repetition.
    Shrink { target: u32, least: u32, position: u32 },
    /// Take one more character with the repetition at `repeat`, if there are `left` allowed, and go on behind it.
    Extend { repeat: u32, position: u32, left: u32 },
}

/// Memory that executions share, because none is inside another.
struct Scratch {
    slots: Vec<u32>,
    choices: Vec<Choice>,
    memo: Memo,
}

static SCRATCH: State<Scratch> = State::new(Scratch { slots: Vec::new(), choices: Vec::new(), memo: Memo::new() });

/// Searches from `start`, or only there if `sticky`, and calls `body` with the groups. `body` calls no JavaScript.
pub fn search<U: Unit, R>(
    code: &Code,
    is_unicode: bool,
    text: &[U],
    (start, sticky): (u32, bool),
    body: impl FnOnce(&[Span]) -> R,
) -> Option<R> {
    with_matcher(code, is_unicode, text, |matcher| {
        let found = matcher.search(start as usize, sticky)?;
        Some(body(matcher.groups(found)))
    })
}

/// Calls `body` with the groups of every match from the beginning on. `body` calls no JavaScript.
pub fn for_each_match<U: Unit>(code: &Code, is_unicode: bool, text: &[U], sticky: bool, mut body: impl FnMut(&[Span])) {
    with_matcher(code, is_unicode, text, |matcher| {
        let mut start = 0;
        while let Some(found) = matcher.search(start, sticky) {
            body(matcher.groups(found));
            start = if found.0 == found.1 { found.1 + matcher.width(found.1).max(1) } else { found.1 };
        }
    });
}

fn with_matcher<U: Unit, R>(code: &Code, is_unicode: bool, text: &[U], body: impl FnOnce(&mut Matcher<U>) -> R) -> R {
    SCRATCH.with(|scratch| {
        let Scratch { slots, choices, memo } = scratch;
        slots.resize(code.slots as usize, UNSET);
        body(&mut Matcher { code, text, is_unicode, slots, choices, memo })
    })
}

struct Matcher<'a, U> {
    code: &'a Code,
    text: &'a [U],
    is_unicode: bool,
    slots: &'a mut Vec<u32>,
    choices: &'a mut Vec<Choice>,
    memo: &'a mut Memo,
}

impl<U: Unit> Matcher<'_, U> {
    /// Whether surrogate pairs are one character.
    #[inline(always)]
    fn pairs(&self) -> bool {
        U::PAIRS && self.is_unicode
    }

    /// The whole match and the groups.
    #[inline(always)]
    fn groups(&mut self, (from, to): (usize, usize)) -> &[Span] {
        let (spans, _) = self.slots.as_chunks_mut::<2>();
        spans[0] = [from as u32, to as u32];
        &spans[..self.code.group_count as usize]
    }

    fn search(&mut self, start: usize, sticky: bool) -> Option<(usize, usize)> {
        if start > self.text.len() {
            return None;
        }
        if sticky || self.code.starts_at_zero && start == 0 {
            self.memo.reset();
            return self.match_at(start).map(|end| (start, end));
        }
        if self.code.starts_at_zero {
            return None;
        }
        self.memo.reset();
        let mut from = start;
        loop {
            if let Some(prefix) = &self.code.prefix {
                from = prefix.find(self.text, from)?;
                if self.code.is_plain {
                    return Some((from, from + prefix.length()));
                }
            } else if from > self.text.len() {
                return None;
            }
            if let Some(run) = self.code.run.filter(|_| !self.pairs()) {
                let class = &self.code.classes[run.class as usize];
                let (end, _) = self.run_of(from, u32::MAX, |character| class.has(character));
                let is_inside = run.is_whole && from > 0 && class.has(self.text[from - 1].into());
                if end > from && !is_inside {
                    return Some((from, end));
                }
                from = end.max(from + 1);
                continue;
            }
            if let Some(end) = self.match_at(from) {
                return Some((from, end));
            }
            from += self.width(from).max(1);
        }
    }

    /// Units of the character at `position`; 0 at the end.
    #[inline(always)]
    fn width(&self, position: usize) -> usize {
        if position >= self.text.len() {
            return 0;
        }
        1 + usize::from(self.pairs() && self.is_pair(position))
    }

    fn is_pair(&self, position: usize) -> bool {
        let unit = |position: usize| self.text.get(position).map_or(0, |&unit| unit.into());
        unit(position) & 0xFC00 == 0xD800 && unit(position + 1) & 0xFC00 == 0xDC00
    }

    /// The character at `position` and its width.
    #[inline(always)]
    fn character(&self, position: usize) -> Option<(u32, usize)> {
        let unit: u32 = (*self.text.get(position)?).into();
        if self.pairs() && self.is_pair(position) {
            let low: u32 = self.text[position + 1].into();
            return Some((0x1_0000 + ((unit & 0x3FF) << 10) + (low & 0x3FF), 2));
        }
        Some((unit, 1))
    }

    /// The character before `position` and its width.
    fn character_before(&self, position: usize) -> Option<(u32, usize)> {
        if self.pairs() && position >= 2 && self.is_pair(position - 2) {
            return self.character(position - 2);
        }
        let unit = *self.text.get(position.checked_sub(1)?)?;
        Some((unit.into(), 1))
    }

    #[inline(always)]
    fn takes(&self, single: Single, character: u32) -> bool {
        match single {
            Single::Char(wanted) => character == wanted,
            Single::Either(lower, upper) => character == lower || character == upper,
            Single::Class(class) => self.code.classes[class as usize].has(character),
            Single::Dot => !is_line_terminator(character),
            Single::Any => true,
        }
    }

    /// Takes up to `max` characters of a kind: the position behind them and their number.
    #[inline(always)]
    fn run_of(&self, start: usize, max: u32, takes: impl Fn(u32) -> bool) -> (usize, u32) {
        if !self.pairs() {
            let rest = self.text.get(start..).unwrap_or(&[]);
            let rest = &rest[..rest.len().min(max as usize)];
            let count = rest.iter().position(|&unit| !takes(unit.into())).unwrap_or(rest.len());
            return (start + count, count as u32);
        }
        let (mut position, mut count) = (start, 0);
        while count < max
            && let Some((character, width)) = self.character(position)
            && takes(character)
        {
            position += width;
            count += 1;
        }
        (position, count)
    }

    #[inline]
    fn repeat(&self, single: Single, start: usize, max: u32) -> (usize, u32) {
        match single {
            Single::Char(wanted) => self.run_of(start, max, |character| character == wanted),
            Single::Either(lower, upper) => {
                self.run_of(start, max, |character| character == lower || character == upper)
            }
            Single::Class(class) => {
                let class = &self.code.classes[class as usize];
                self.run_of(start, max, |character| class.has(character))
            }
            Single::Dot => self.run_of(start, max, |character| !is_line_terminator(character)),
            Single::Any => self.run_of(start, max, |_| true),
        }
    }

    #[inline(always)]
    fn set_slot(&mut self, slot: u32, value: u32) {
        let old = core::mem::replace(&mut self.slots[slot as usize], value);
        // Without choices there is nothing to come back to.
        if !self.choices.is_empty() {
            self.choices.push(Choice::Restore { slot, value: old });
        }
    }

    /// Tries to match at `position`: the end of the match.
    fn match_at(&mut self, position: usize) -> Option<usize> {
        // The whole match has no slots of its own.
        if self.slots.len() > 2 {
            self.slots.fill(UNSET);
        }
        self.choices.clear();
        self.execute(0, 0, position)
    }

    /// Executes from instruction `start`, taking back choices down to `base`: the end of the match.
    fn execute(&mut self, base: usize, start: usize, mut position: usize) -> Option<usize> {
        let code = self.code;
        let mut at = start;
        loop {
            let proceeds = match code.instructions[at] {
                Instruction::Single(single) => match self.character(position) {
                    Some((character, width)) if self.takes(single, character) => {
                        position += width;
                        true
                    }
                    _ => false,
                },
                Instruction::SingleBack(single) => match self.character_before(position) {
                    Some((character, width)) if self.takes(single, character) => {
                        position -= width;
                        true
                    }
                    _ => false,
                },
                Instruction::Repeat { .. } if self.memo.is_known(at, position) => false,
                Instruction::Repeat { single, min, max, greedy, possessive } => {
                    let wanted = if greedy { max } else { min };
                    let (end, count) = self.repeat(single, position, wanted);
                    if count < min {
                        false
                    } else {
                        if possessive {
                        } else if greedy && count > min {
                            let least = if min == 0 { position } else { self.repeat(single, position, min).0 };
                            let target = at as u32 + 1;
                            self.choices.push(Choice::Shrink { target, least: least as u32, position: end as u32 });
                        } else if !greedy && max > min {
                            let left = if max == u32::MAX { max } else { max - min };
                            self.choices.push(Choice::Extend { repeat: at as u32, position: end as u32, left });
                        }
                        position = end;
                        true
                    }
                }
                Instruction::Split { .. } if self.memo.is_known(at, position) => false,
                Instruction::Split { primary, secondary, first, is_certain } => {
                    let may_match = first == NO_CLASS
                        || match self.text.get(position) {
                            Some(&unit) => code.classes[first as usize].has(unit.into()),
                            None => false,
                        };
                    if may_match {
                        if !is_certain {
                            self.choices.push(Choice::Branch { target: secondary, position: position as u32 });
                        }
                        at = primary as usize;
                    } else {
                        at = secondary as usize;
                    }
                    continue;
                }
                Instruction::Jump(target) => {
                    at = target as usize;
                    continue;
                }
                Instruction::Save(slot) => {
                    self.set_slot(slot, position as u32);
                    true
                }
                Instruction::ResetGroups { first, end } => {
                    for slot in first..end {
                        if self.slots[slot as usize] != UNSET {
                            self.set_slot(slot, UNSET);
                        }
                    }
                    true
                }
                Instruction::SetCounter(counter) => {
                    self.set_slot(counter, 0);
                    true
                }
                Instruction::Count { counter, min, max, greedy, exit } => {
                    let count = self.slots[counter as usize];
                    if count >= max {
                        at = exit as usize;
                        continue;
                    }
                    if count >= min && !greedy {
                        // The iteration is the second choice: it begins behind this instruction, counted there.
                        self.choices.push(Choice::Restore { slot: counter, value: count });
                        self.choices.push(Choice::Branch { target: at as u32 + 1, position: position as u32 });
                        self.choices.push(Choice::Restore { slot: counter, value: count + 1 });
                        at = exit as usize;
                        continue;
                    }
                    if count >= min {
                        self.choices.push(Choice::Branch { target: exit, position: position as u32 });
                    }
                    self.set_slot(counter, count + 1);
                    true
                }
                Instruction::EmptyCheck { position: slot, counter, min } => {
                    let is_beyond = counter == NO_CLASS || self.slots[counter as usize] > min;
                    !(is_beyond && self.slots[slot as usize] == position as u32)
                }
                Instruction::Start => {
                    position == 0
                        || code.multiline
                            && self.text.get(position - 1).is_some_and(|&unit| is_line_terminator(unit.into()))
                }
                Instruction::End => match self.text.get(position) {
                    None => true,
                    Some(&unit) => code.multiline && is_line_terminator(unit.into()),
                },
                Instruction::WordBoundary(wanted) => {
                    let is_word_at = |position: Option<usize>| {
                        let unit = position.and_then(|position| self.text.get(position));
                        unit.is_some_and(|&unit| is_word(unit.into(), code.folding))
                    };
                    (is_word_at(position.checked_sub(1)) != is_word_at(Some(position))) == wanted
                }
                Instruction::Look { positive, end } => {
                    if self.look(at + 1, position, positive) {
                        at = end as usize;
                        continue;
                    }
                    false
                }
                Instruction::BackReferenceBack(group) => match self.back_reference_back(group, position) {
                    Some(start) => {
                        position = start;
                        true
                    }
                    None => false,
                },
                Instruction::BackReference(group) => match self.back_reference(group, position) {
                    Some(end) => {
                        position = end;
                        true
                    }
                    None => false,
                },
                Instruction::Match => return Some(position),
            };
            if proceeds {
                at += 1;
            } else {
                (at, position) = self.backtrack(base)?;
            }
        }
    }

    /// Takes the last choice back: where to go on.
    #[inline]
    fn backtrack(&mut self, base: usize) -> Option<(usize, usize)> {
        if self.memo.is_due() && self.code.is_memoizable {
            self.memo.begin(self.code.instructions.len(), self.text.len());
        }
        while self.choices.len() > base {
            match self.choices.pop()? {
                Choice::Branch { target, position } => return Some((target as usize, position as usize)),
                Choice::Restore { slot, value } => self.slots[slot as usize] = value,
                Choice::Shrink { target, least, position } => {
                    let mut position = position as usize - 1;
                    if self.pairs() && position > least as usize && self.is_pair(position - 1) {
                        position -= 1;
                    }
                    position = self.shrink_further(target as usize, least as usize, position);
                    if position > least as usize {
                        self.choices.push(Choice::Shrink { target, least, position: position as u32 });
                    }
                    if !self.has_failed_behind(target as usize, position) {
                        return Some((target as usize, position));
                    }
                }
                Choice::Extend { repeat, position, left } => {
                    let Some((position, left)) = self.extend(repeat as usize, position as usize, left) else {
                        continue;
                    };
                    if left > 0 {
                        self.choices.push(Choice::Extend { repeat, position: position as u32, left });
                    }
                    if !self.has_failed_behind(repeat as usize + 1, position) {
                        return Some((repeat as usize + 1, position));
                    }
                }
            }
        }
        None
    }

    /// Whether going on behind a repetition is known to fail. Other choices ask themselves.
    #[inline]
    fn has_failed_behind(&mut self, target: usize, position: usize) -> bool {
        let asks_itself =
            matches!(self.code.instructions[target], Instruction::Split { .. } | Instruction::Repeat { .. });
        !asks_itself && self.memo.is_known(target, position)
    }

    /// The test of what must follow a repetition, if it is one character.
    #[inline(always)]
    fn single_at(&self, target: usize) -> Option<Single> {
        match self.code.instructions.get(target) {
            Some(&Instruction::Single(single)) => Some(single),
            _ => None,
        }
    }

    /// If a certain character must follow a repetition, gives back until it does.
    #[inline]
    fn shrink_further(&self, target: usize, least: usize, position: usize) -> usize {
        if self.pairs() {
            return position;
        }
        let Some(single) = self.single_at(target) else { return position };
        let given_back = self.text.get(least..=position).unwrap_or(&[]);
        let found = given_back.iter().rposition(|&unit| self.takes(single, unit.into()));
        found.map_or(least, |offset| least + offset)
    }

    /// Takes one more character with a repetition, and if a certain one must follow it, goes on until it does: the
    /// position behind, and how many more are allowed.
    #[inline]
    fn extend(&self, repeat: usize, mut position: usize, mut left: u32) -> Option<(usize, u32)> {
        let Instruction::Repeat { single, .. } = self.code.instructions[repeat] else { return None };
        let wanted = self.single_at(repeat + 1);
        loop {
            let (character, width) = self.character(position)?;
            if !self.takes(single, character) {
                return None;
            }
            position += width;
            left -= u32::from(left != u32::MAX);
            let is_followed = match (wanted, self.character(position)) {
                (None, _) => true,
                (Some(wanted), Some((next, _))) => self.takes(wanted, next),
                (Some(_), None) => false,
            };
            if is_followed {
                return Some((position, left));
            }
            if left == 0 {
                return None;
            }
        }
    }

    /// Whether a lookahead or lookbehind succeeds. What it captured stays, and can be taken back; its choices are gone.
    fn look(&mut self, at: usize, position: usize, positive: bool) -> bool {
        let base = self.choices.len();
        // A sentinel, so that every slot written inside is logged.
        self.choices.push(Choice::Restore { slot: 0, value: self.slots[0] });
        let found = self.execute(base + 1, at, position).is_some();
        if found && positive {
            let mut kept = base;
            for index in base..self.choices.len() {
                if let Choice::Restore { .. } = self.choices[index] {
                    self.choices[kept] = self.choices[index];
                    kept += 1;
                }
            }
            self.choices.truncate(kept);
        } else {
            while self.choices.len() > base {
                if let Some(Choice::Restore { slot, value }) = self.choices.pop() {
                    self.slots[slot as usize] = value;
                }
            }
        }
        found == positive
    }

    /// The position behind what a group took, if it is there again.
    fn back_reference(&self, group: u32, position: usize) -> Option<usize> {
        let Some(captured) = self.captured(group) else { return Some(position) };
        let end = position + captured.len();
        self.is_same(captured, self.text.get(position..end)?).then_some(end)
    }

    /// As `back_reference`, before the position.
    fn back_reference_back(&self, group: u32, position: usize) -> Option<usize> {
        let Some(captured) = self.captured(group) else { return Some(position) };
        let start = position.checked_sub(captured.len())?;
        self.is_same(captured, self.text.get(start..position)?).then_some(start)
    }

    fn captured(&self, group: u32) -> Option<&[U]> {
        let (from, to) = (self.slots[group as usize * 2], self.slots[group as usize * 2 + 1]);
        if from == UNSET || to == UNSET { None } else { self.text.get(from as usize..to as usize) }
    }

    fn is_same(&self, captured: &[U], candidate: &[U]) -> bool {
        let folding = self.code.folding;
        let same = |a: U, b: U| a == b || folding.canonicalize(a.into()) == folding.canonicalize(b.into());
        captured.iter().zip(candidate).all(|(&a, &b)| same(a, b))
    }
}
