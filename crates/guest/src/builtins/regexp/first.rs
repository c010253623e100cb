//! What a match can begin with, and what can come behind a part of a pattern. Sets are never too small.

use super::char_class::{CharClass, Latin1Set};
use super::flags::Flags;
use super::syntax::Node;

/// Longest prefix that is computed.
pub const MAX_PREFIX: usize = 32;
/// Line terminators of Latin-1.
const LATIN1_TERMINATORS: [u32; 2] = [0x0A, 0x0D];

/// Characters that something can begin with.
#[derive(Clone, Copy)]
pub struct First {
    /// Those of Latin-1.
    pub latin1: Latin1Set,
    /// Whether characters beyond are possible.
    pub beyond: bool,
}

impl First {
    /// No character.
    pub const NONE: First = First { latin1: Latin1Set::EMPTY, beyond: false };
    /// Any character.
    pub const ANY: First = First { latin1: Latin1Set::FULL, beyond: true };

    /// Adds all characters of `other`.
    pub fn unite(&mut self, other: &First) {
        self.latin1.unite(&other.latin1);
        self.beyond |= other.beyond;
    }

    /// Whether no character is in both.
    pub fn is_disjoint(&self, other: &First) -> bool {
        !(self.beyond && other.beyond) && self.latin1.is_disjoint(&other.latin1)
    }

    fn line_terminators() -> First {
        let mut first = First { latin1: Latin1Set::EMPTY, beyond: true };
        LATIN1_TERMINATORS.iter().for_each(|&unit| first.latin1.add(unit));
        first
    }
}

/// What can come behind a node.
#[derive(Clone, Copy)]
pub struct Follow {
    /// Characters that can come next.
    pub first: First,
    /// Whether what follows can match without looking at the next character.
    pub may_be_empty: bool,
    /// Whether what follows cannot fail.
    pub succeeds: bool,
    /// Whether a `\b` comes next.
    pub is_boundary: bool,
}

impl Follow {
    /// Nothing is known.
    pub const UNKNOWN: Follow = Follow { first: First::ANY, may_be_empty: true, succeeds: false, is_boundary: false };
    /// The end of the pattern.
    pub const END: Follow = Follow { succeeds: true, ..Follow::UNKNOWN };

    /// Whether what follows must fail at a character of this set.
    pub fn excludes(&self, first: &First) -> bool {
        !self.may_be_empty && self.first.is_disjoint(first)
    }
}

/// Computes sets for the nodes of one pattern.
#[derive(Clone, Copy)]
pub struct Analysis<'a> {
    /// The pattern's classes.
    pub classes: &'a [CharClass],
    /// Its flags.
    pub flags: Flags,
}

impl Analysis<'_> {
    /// The characters with which a match of the node can begin, and whether it can be empty.
    pub fn first(self, node: &Node) -> (First, bool) {
        match node {
            Node::Empty | Node::Start | Node::End | Node::WordBoundary(_) | Node::Look { .. } => (First::NONE, true),
            Node::BackReference(_) => (First::ANY, true),
            Node::Char(unit) => (self.of_char(*unit), false),
            Node::Dot if self.flags.has(Flags::DOT_ALL) => (First::ANY, false),
            Node::Dot => {
                let mut first = First::ANY;
                LATIN1_TERMINATORS.iter().for_each(|&unit| first.latin1.remove(unit));
                (first, false)
            }
            Node::Class(class) => (self.of_class(*class), false),
            Node::Capture(_, inner) => self.first(inner),
            Node::Repeat { node, min, .. } => {
                let (first, may_be_empty) = self.first(node);
                (first, may_be_empty || *min == 0)
            }
            Node::Alternatives(nodes) => {
                let mut union = First::NONE;
                let mut any_empty = false;
                for node in nodes {
                    let (first, may_be_empty) = self.first(node);
                    union.unite(&first);
                    any_empty |= may_be_empty;
                }
                (union, any_empty)
            }
            Node::Sequence(nodes) => {
                let mut union = First::NONE;
                for node in nodes {
                    let (first, may_be_empty) = self.first(node);
                    union.unite(&first);
                    if !may_be_empty {
                        return (union, false);
                    }
                }
                (union, true)
            }
        }
    }

    /// What comes behind a node that `rest` follows, and then `outer`.
    pub fn follow(self, rest: &[Node], outer: &Follow) -> Follow {
        let mut first = First::NONE;
        let is_boundary = matches!(rest.first(), Some(Node::WordBoundary(true)));
        for node in rest {
            if let Node::End = node {
                if self.flags.has(Flags::MULTILINE) {
                    first.unite(&First::line_terminators());
                }
                return Follow { first, may_be_empty: false, succeeds: false, is_boundary };
            }
            let (other, may_be_empty) = self.first(node);
            first.unite(&other);
            if !may_be_empty {
                return Follow { first, may_be_empty: false, succeeds: false, is_boundary };
            }
        }
        if rest.is_empty() {
            return *outer;
        }
        first.unite(&outer.first);
        Follow { first, may_be_empty: outer.may_be_empty, succeeds: false, is_boundary }
    }

    fn of_class(self, class: u32) -> First {
        let class = &self.classes[class as usize];
        First { latin1: class.latin1_set(), beyond: class.reaches_beyond() }
    }

    fn of_char(self, unit: u32) -> First {
        let mut first = First { latin1: Latin1Set::EMPTY, beyond: unit > 255 };
        if unit < 256 {
            first.latin1.add(unit);
        }
        if self.flags.has(Flags::IGNORE_CASE) {
            if unit >= 0x80 {
                return First::ANY;
            }
            // ſ and the Kelvin sign are letters too.
            first.beyond |= self.flags.is_unicode();
            first.latin1.add((unit as u8).to_ascii_lowercase() as u32);
            first.latin1.add((unit as u8).to_ascii_uppercase() as u32);
        }
        first
    }

    /// Appends the sets of the first characters of every match of the node, as long as each is one unit. Answers
    /// whether that is all the node does, so that what follows it may be appended too.
    pub fn prefix(self, node: &Node, sets: &mut Vec<First>) -> bool {
        match node {
            Node::Empty => true,
            Node::Char(_) | Node::Dot | Node::Class(_) => {
                let (first, _) = self.first(node);
                let may_be_pair = self.flags.is_unicode() && first.beyond;
                if sets.len() < MAX_PREFIX && !may_be_pair {
                    sets.push(first);
                    return true;
                }
                false
            }
            Node::Start | Node::End | Node::WordBoundary(_) | Node::Look { .. } => true,
            Node::BackReference(_) => false,
            Node::Capture(_, inner) => self.prefix(inner, sets),
            Node::Sequence(nodes) => nodes.iter().all(|node| self.prefix(node, sets)),
            Node::Repeat { node, min, max, .. } => {
                (0..*min).take(MAX_PREFIX + 1).all(|_| self.prefix(node, sets)) && min == max
            }
            Node::Alternatives(nodes) => self.common_prefix(nodes, sets),
        }
    }

    fn common_prefix(self, nodes: &[Node], sets: &mut Vec<First>) -> bool {
        let start = sets.len();
        let mut union: Option<Vec<First>> = None;
        let mut is_whole = true;
        for node in nodes {
            let mut own = sets.clone();
            is_whole &= self.prefix(node, &mut own);
            let own = own.split_off(start);
            match &mut union {
                None => union = Some(own),
                Some(union) => {
                    is_whole &= union.len() == own.len();
                    union.truncate(own.len());
                    union.iter_mut().zip(&own).for_each(|(all, own)| all.unite(own));
                }
            }
        }
        sets.append(&mut union.unwrap_or_default());
        is_whole
    }

    /// The length of every match, if the node is one unit of Latin-1 after the other, and nothing else.
    pub fn plain_length(self, node: &Node) -> Option<usize> {
        match node {
            Node::Char(_) | Node::Class(_) => (!self.first(node).0.beyond).then_some(1),
            Node::Sequence(nodes) => nodes.iter().map(|node| self.plain_length(node)).sum(),
            Node::Repeat { node, min, max, .. } if min == max => {
                Some(self.plain_length(node)?.saturating_mul(*min as usize))
            }
            _ => None,
        }
    }
}
