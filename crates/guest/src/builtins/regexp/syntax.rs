//! Patterns as trees. Whatever is rare (property escapes, set notation, duplicate names, …) or wrong is left to the
//! other engine: then the parser answers [`Unsupported`].

use super::char_class::{CharClass, Folding, Ranges};
use super::flags::Flags;
use crate::string::JsString;

/// The pattern is not for this engine, or not valid.
pub struct Unsupported;

type Parsed<T> = Result<T, Unsupported>;

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 100;
/// Largest bound of a quantifier.
const MAX_COUNT: u32 = 1 << 20;

/// A node of a pattern.
pub enum Node {
    /// Nothing.
    Empty,
    /// One character.
    Char(u32),
    /// `.`
    Dot,
    /// A class or class escape, by its number.
    Class(u32),
    /// One after the other.
    Sequence(Vec<Node>),
    /// The first that matches.
    Alternatives(Vec<Node>),
    /// A capturing group.
    Capture(u32, Box<Node>),
    /// A quantified node.
    Repeat {
        /// What is repeated.
        node: Box<Node>,
        /// At least so often.
        min: u32,
        /// At most so often; `u32::MAX`: any number.
        max: u32,
        /// As often as possible first.
        greedy: bool,
        /// Groups inside: first, and the one behind the last.
        groups: (u32, u32),
    },
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`, or `\B` if false.
    WordBoundary(bool),
    /// `(?=…)`, `(?!…)`, `(?<=…)` or `(?<!…)`
    Look {
        /// Looks at what follows, not at what is before.
        ahead: bool,
        /// It must match, not must not.
        positive: bool,
        /// What is looked for.
        node: Box<Node>,
    },
    /// `\1`, `\k<name>`
    BackReference(u32),
}

impl Node {
    /// Number of nodes; a repetition of a node counts as often as it must be.
    pub fn size(&self) -> usize {
        match self {
            Node::Sequence(nodes) | Node::Alternatives(nodes) => nodes.iter().map(Node::size).sum::<usize>() + 1,
            Node::Capture(_, node) | Node::Look { node, .. } => node.size() + 1,
            Node::Repeat { node, min, .. } => node.size().saturating_mul(*min as usize + 1),
            _ => 1,
        }
    }
}

/// A parsed pattern.
pub struct Pattern {
    /// The tree.
    pub node: Node,
    /// Classes.
    pub classes: Vec<CharClass>,
    /// Number of groups, the whole match included.
    pub group_count: u32,
    /// Names of groups (see [`super::program::Program`]).
    pub names: Vec<Option<JsString>>,
}

/// Parses a pattern.
pub fn parse(pattern: JsString, flags: Flags) -> Parsed<Pattern> {
    let is_unicode = flags.is_unicode();
    if flags.has(Flags::UNICODE_SETS) {
        return Err(Unsupported);
    }
    let units = pattern.units();
    let text = if is_unicode {
        char::decode_utf16(units.iter())
            .map(|point| point.map(u32::from))
            .collect::<Result<_, _>>()
            .map_err(|_| Unsupported)?
    } else {
        units.iter().map(u32::from).collect::<Vec<u32>>()
    };
    let mut parser = Parser {
        text,
        at: 0,
        is_unicode,
        folding: flags.folding(),
        next_group: 1,
        names: vec![None],
        classes: vec![],
        known: None,
        is_incomplete: false,
        depth: 0,
    };
    let mut node = parser.pattern()?;
    if parser.is_incomplete {
        // Something referred to a group that had not been seen: now all are known.
        parser.known = Some((parser.next_group, core::mem::replace(&mut parser.names, vec![None])));
        (parser.at, parser.next_group, parser.depth) = (0, 1, 0);
        node = parser.pattern()?;
    }
    let has_names = parser.names.iter().any(Option::is_some);
    Ok(Pattern {
        node,
        classes: parser.classes,
        group_count: parser.next_group,
        names: if has_names { parser.names } else { vec![] },
    })
}

struct Parser {
    text: Vec<u32>,
    at: usize,
    is_unicode: bool,
    next_group: u32,
    folding: Folding,
    names: Vec<Option<JsString>>,
    classes: Vec<CharClass>,
    /// Number and names of all groups, the second time.
    known: Option<(u32, Vec<Option<JsString>>)>,
    /// Must be parsed a second time.
    is_incomplete: bool,
    depth: usize,
}

fn is(unit: Option<u32>, wanted: char) -> bool {
    unit == Some(wanted as u32)
}

impl Parser {
    fn peek(&self) -> Option<u32> {
        self.text.get(self.at).copied()
    }

    fn peek_at(&self, offset: usize) -> Option<u32> {
        self.text.get(self.at + offset).copied()
    }

    fn next(&mut self) -> Parsed<u32> {
        let unit = self.peek().ok_or(Unsupported)?;
        self.at += 1;
        Ok(unit)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = is(self.peek(), wanted);
        self.at += usize::from(found);
        found
    }

    fn take_text(&mut self, wanted: &str) -> bool {
        let found = wanted.chars().enumerate().all(|(offset, wanted)| is(self.peek_at(offset), wanted));
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn pattern(&mut self) -> Parsed<Node> {
        let node = self.alternatives()?;
        if self.at < self.text.len() { Err(Unsupported) } else { Ok(node) }
    }

    fn alternatives(&mut self) -> Parsed<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unsupported);
        }
        let mut alternatives = vec![self.sequence()?];
        while self.take('|') {
            alternatives.push(self.sequence()?);
        }
        self.depth -= 1;
        match alternatives.pop() {
            Some(only) if alternatives.is_empty() => Ok(only),
            Some(last) => {
                alternatives.push(last);
                Ok(Node::Alternatives(alternatives))
            }
            None => Ok(Node::Empty),
        }
    }

    fn sequence(&mut self) -> Parsed<Node> {
        let mut nodes = vec![];
        while let Some(unit) = self.peek() {
            if unit == '|' as u32 || unit == ')' as u32 {
                break;
            }
            let first_group = self.next_group;
            let (node, quantifiable) = self.term()?;
            let node = self.quantified(node, quantifiable, first_group)?;
            nodes.push(node);
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.pop().unwrap_or(Node::Empty),
            _ => Node::Sequence(nodes),
        })
    }

    /// A term and whether it may be quantified.
    fn term(&mut self) -> Parsed<(Node, bool)> {
        let unit = self.next()?;
        let Some(character) = char::from_u32(unit) else { return Ok((Node::Char(unit), true)) };
        Ok(match character {
            '^' => (Node::Start, false),
            '$' => (Node::End, false),
            '.' => (Node::Dot, true),
            '(' => return self.group(),
            '[' => {
                let ranges = self.class()?;
                (self.class_node(&ranges)?, true)
            }
            '\\' => return self.escape(),
            '*' | '+' | '?' => return Err(Unsupported),
            '{' if self.is_unicode || self.bounds().is_some() => return Err(Unsupported),
            ']' | '}' if self.is_unicode => return Err(Unsupported),
            _ => (Node::Char(unit), true),
        })
    }

    fn group(&mut self) -> Parsed<(Node, bool)> {
        const LOOKS: [(&str, bool, bool); 4] =
            [("?=", true, true), ("?!", true, false), ("?<=", false, true), ("?<!", false, false)];
        let mut look = None;
        let mut capture = None;
        if self.take_text("?:") {
        } else if let Some(&(_, ahead, positive)) = LOOKS.iter().find(|(start, ..)| self.take_text(start)) {
            look = Some((ahead, positive));
        } else {
            let name = if self.take_text("?<") { Some(self.group_name()?) } else { None };
            if name.is_none() && is(self.peek(), '?') || name.is_some() && self.names.contains(&name) {
                return Err(Unsupported);
            }
            capture = Some(self.next_group);
            self.next_group += 1;
            self.names.push(name);
        }
        let inner = self.alternatives()?;
        if !self.take(')') {
            return Err(Unsupported);
        }
        Ok(match (look, capture) {
            (Some((ahead, positive)), _) => {
                let quantifiable = ahead && !self.is_unicode;
                (Node::Look { ahead, positive, node: Box::new(inner) }, quantifiable)
            }
            (None, Some(group)) => (Node::Capture(group, Box::new(inner)), true),
            (None, None) => (inner, true),
        })
    }

    fn class_node(&mut self, ranges: &Ranges) -> Parsed<Node> {
        let class = ranges.compile(self.folding).ok_or(Unsupported)?;
        let known = self.classes.iter().position(|known| *known == class);
        let index = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        Ok(Node::Class(index as u32))
    }

    /// A name up to its `>`; only ASCII ones.
    fn group_name(&mut self) -> Parsed<JsString> {
        let start = self.at;
        while let Some(unit) = self.peek().filter(|&unit| unit != '>' as u32) {
            let is_start = unit < 0x80 && ((unit as u8).is_ascii_alphabetic() || matches!(unit as u8, b'_' | b'$'));
            let is_digit = self.at > start && (0x30..=0x39).contains(&unit);
            if !is_start && !is_digit {
                return Err(Unsupported);
            }
            self.at += 1;
        }
        let name: Vec<u8> = self.text[start..self.at].iter().map(|&unit| unit as u8).collect();
        if name.is_empty() || !self.take('>') {
            return Err(Unsupported);
        }
        Ok(crate::string::intern_latin1(&name))
    }

    /// Reads `{n}`, `{n,}` or `{n,m}` after its brace without moving: bounds and length.
    fn bounds(&self) -> Option<(u32, u32, usize)> {
        let mut at = self.at;
        let number = |at: &mut usize| {
            let start = *at;
            let mut value: u32 = 0;
            while let Some(digit) = self.text.get(*at).and_then(|&unit| char::from_u32(unit)?.to_digit(10)) {
                value = value.saturating_mul(10).saturating_add(digit);
                *at += 1;
            }
            (*at > start).then_some(value)
        };
        let min = number(&mut at)?;
        let mut max = min;
        if is(self.text.get(at).copied(), ',') {
            at += 1;
            max = number(&mut at).unwrap_or(u32::MAX);
        }
        is(self.text.get(at).copied(), '}').then_some((min, max, at + 1 - self.at))
    }

    fn quantified(&mut self, node: Node, quantifiable: bool, first_group: u32) -> Parsed<Node> {
        let (min, max) = match self.peek().and_then(char::from_u32) {
            Some('*') => (0, u32::MAX),
            Some('+') => (1, u32::MAX),
            Some('?') => (0, 1),
            Some('{') => {
                self.at += 1;
                let Some((min, max, length)) = self.bounds() else {
                    self.at -= 1;
                    return if self.is_unicode { Err(Unsupported) } else { Ok(node) };
                };
                self.at += length - 1;
                (min, max)
            }
            _ => return Ok(node),
        };
        self.at += 1;
        if !quantifiable || min > max || min > MAX_COUNT || max > MAX_COUNT && max != u32::MAX {
            return Err(Unsupported);
        }
        let greedy = !self.take('?');
        Ok(Node::Repeat { node: Box::new(node), min, max, greedy, groups: (first_group, self.next_group) })
    }

    /// What follows a backslash outside a class.
    fn escape(&mut self) -> Parsed<(Node, bool)> {
        let unit = self.peek().ok_or(Unsupported)?;
        let character = char::from_u32(unit).ok_or(Unsupported)?;
        match character {
            'b' | 'B' => {
                self.at += 1;
                return Ok((Node::WordBoundary(character == 'b'), false));
            }
            '1'..='9' => return Ok((self.numbered_reference()?, true)),
            'k' => {
                self.at += 1;
                return Ok((self.named_reference()?, true));
            }
            _ => {}
        }
        let mut class = Ranges::default();
        if class.add_escape(unit, self.folding) {
            self.at += 1;
            return Ok((self.class_node(&class)?, true));
        }
        Ok((Node::Char(self.character_escape()?), true))
    }

    /// `\1`: a group, or if there is none of that number, an octal escape or a digit.
    fn numbered_reference(&mut self) -> Parsed<Node> {
        let start = self.at;
        let mut group: u32 = 0;
        while let Some(digit) = self.peek().and_then(|unit| char::from_u32(unit)?.to_digit(10)) {
            group = group.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        match self.known {
            _ if group < self.next_group => Ok(Node::BackReference(group)),
            Some((count, _)) if group < count => Ok(Node::BackReference(group)),
            Some(_) if self.is_unicode => Err(Unsupported),
            Some(_) => {
                self.at = start;
                Ok(Node::Char(self.octal_escape()?))
            }
            None => {
                self.is_incomplete = true;
                Ok(Node::Empty)
            }
        }
    }

    /// `\k<name>`, or just `k` if no group has a name.
    fn named_reference(&mut self) -> Parsed<Node> {
        let start = self.at;
        if let Some((_, names)) = &self.known
            && !self.is_unicode
            && names.iter().all(Option::is_none)
        {
            return Ok(Node::Char('k' as u32));
        }
        let name = if self.take('<') { self.group_name().ok() } else { None };
        let Some((_, names)) = &self.known else {
            self.is_incomplete = true;
            if name.is_none() {
                self.at = start;
            }
            return Ok(Node::Empty);
        };
        let group = names.iter().position(|known| known.is_some() && *known == name).ok_or(Unsupported)?;
        Ok(Node::BackReference(group as u32))
    }

    /// Up to three octal digits below 0o400, or the digit 8 or 9 itself.
    fn octal_escape(&mut self) -> Parsed<u32> {
        let digit = |parser: &Parser| parser.peek().and_then(|unit| char::from_u32(unit)?.to_digit(8));
        let Some(mut value) = digit(self) else { return self.next() };
        self.at += 1;
        let most = if value < 4 { 2 } else { 1 };
        for _ in 0..most {
            let Some(next) = digit(self) else { break };
            value = value * 8 + next;
            self.at += 1;
        }
        Ok(value)
    }

    /// A character after a backslash, inside classes and outside.
    fn character_escape(&mut self) -> Parsed<u32> {
        let unit = self.next()?;
        let character = char::from_u32(unit).ok_or(Unsupported)?;
        Ok(match character {
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            '0' if !self.peek().is_some_and(|unit| (0x30..=0x39).contains(&unit)) => 0,
            'c' => match self.peek() {
                Some(letter) if letter < 0x80 && (letter as u8).is_ascii_alphabetic() => {
                    self.at += 1;
                    letter & 31
                }
                _ => return Err(Unsupported),
            },
            'x' => match self.hex(2) {
                Some(value) => value,
                None if self.is_unicode => return Err(Unsupported),
                None => unit,
            },
            'u' => return self.unicode_escape(),
            '0'..='9' if !self.is_unicode => {
                self.at -= 1;
                return self.octal_escape();
            }
            'p' | 'P' | 'k' if !self.is_unicode => unit,
            '0'..='9' | 'p' | 'P' | 'k' => return Err(Unsupported),
            _ if self.is_unicode && !"^$\\.*+?()[]{}|/-".contains(character) => return Err(Unsupported),
            _ => unit,
        })
    }

    fn unicode_escape(&mut self) -> Parsed<u32> {
        if !self.is_unicode {
            return Ok(self.hex(4).unwrap_or('u' as u32));
        }
        if self.take('{') {
            let mut value: u32 = 0;
            while !self.take('}') {
                let digit = char::from_u32(self.next()?).and_then(|digit| digit.to_digit(16)).ok_or(Unsupported)?;
                value = value * 16 + digit;
                if value > 0x10_FFFF {
                    return Err(Unsupported);
                }
            }
            return Ok(value);
        }
        let value = self.hex(4).ok_or(Unsupported)?;
        // Halves of pairs are left to the other engine.
        if (0xD800..0xE000).contains(&value) { Err(Unsupported) } else { Ok(value) }
    }

    /// Exactly `count` hexadecimal digits; nothing is read if there are fewer.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let value = (0..count)
            .try_fold(0, |value, offset| Some(value * 16 + char::from_u32(self.peek_at(offset)?)?.to_digit(16)?))?;
        self.at += count;
        Some(value)
    }

    /// A class after its opening bracket.
    fn class(&mut self) -> Parsed<Ranges> {
        let mut class = Ranges::new(self.take('^'));
        while !self.take(']') {
            let Some(first) = self.class_atom(&mut class)? else { continue };
            if !is(self.peek(), '-') || is(self.peek_at(1), ']') {
                class.add(first, first);
                continue;
            }
            self.at += 1;
            match self.class_atom(&mut class)? {
                Some(last) if first <= last => class.add(first, last),
                Some(_) => return Err(Unsupported),
                // `[a-\d]`: the hyphen stands for itself.
                None if self.is_unicode => return Err(Unsupported),
                None => {
                    class.add(first, first);
                    class.add('-' as u32, '-' as u32);
                }
            }
        }
        Ok(class)
    }

    /// A character of a class; `None` if it was a set, which is added.
    fn class_atom(&mut self, class: &mut Ranges) -> Parsed<Option<u32>> {
        let unit = self.next()?;
        if unit != '\\' as u32 {
            return Ok(Some(unit));
        }
        let escaped = self.peek().ok_or(Unsupported)?;
        if class.add_escape(escaped, self.folding) {
            self.at += 1;
            // `[\d-x]`: the hyphen stands for itself.
            if is(self.peek(), '-') && !is(self.peek_at(1), ']') {
                if self.is_unicode {
                    return Err(Unsupported);
                }
                self.at += 1;
                class.add('-' as u32, '-' as u32);
            }
            return Ok(None);
        }
        match char::from_u32(escaped) {
            Some('b') => {
                self.at += 1;
                Ok(Some(8))
            }
            Some('B') => Err(Unsupported),
            _ => self.character_escape().map(Some),
        }
    }
}
