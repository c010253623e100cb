//! What a match can begin with.

use super::char_class::Latin1Set;
use super::compiler::First;
use super::flags::Flags;
use super::syntax::Node;

/// The characters with which a match of the node can begin (`None`: unknown), and whether it can be empty.
pub fn first_set(node: &Node, flags: Flags) -> (Option<First>, bool) {
    match node {
        Node::Empty | Node::Start | Node::End | Node::WordBoundary(_) | Node::Lookahead(..) => {
            (Some(First { latin1: Latin1Set::empty(), beyond: false }), true)
        }
        Node::BackReference(_) => (None, true),
        Node::Char(unit) => (of_char(*unit, flags), false),
        Node::Dot => (None, false),
        Node::Class(ranges) => {
            let first = ranges
                .compile(flags.folding())
                .map(|class| First { beyond: class.reaches_beyond(), latin1: class.latin1 });
            (first, false)
        }
        Node::Capture(_, inner) => first_set(inner, flags),
        Node::Repeat { node, min, .. } => {
            let (first, may_be_empty) = first_set(node, flags);
            (first, may_be_empty || *min == 0)
        }
        Node::Alternatives(nodes) => {
            let mut union = Some(First { latin1: Latin1Set::empty(), beyond: false });
            let mut any_empty = false;
            for node in nodes {
                let (first, may_be_empty) = first_set(node, flags);
                union = unite(union, first);
                any_empty |= may_be_empty;
            }
            (union, any_empty)
        }
        Node::Sequence(nodes) => {
            let mut union = Some(First { latin1: Latin1Set::empty(), beyond: false });
            for node in nodes {
                let (first, may_be_empty) = first_set(node, flags);
                union = unite(union, first);
                if !may_be_empty {
                    return (union, false);
                }
            }
            (union, true)
        }
    }
}

fn unite(a: Option<First>, b: Option<First>) -> Option<First> {
    let (mut a, b) = (a?, b?);
    a.latin1.unite(&b.latin1);
    a.beyond |= b.beyond;
    Some(a)
}

fn of_char(unit: u32, flags: Flags) -> Option<First> {
    let mut first = First { latin1: Latin1Set::empty(), beyond: unit > 255 };
    if unit < 256 {
        first.latin1.add(unit);
    }
    if flags.has(Flags::IGNORE_CASE) {
        if unit >= 0x80 {
            return None;
        }
        // ſ and the Kelvin sign are letters too.
        first.beyond |= flags.is_unicode();
        first.latin1.add((unit as u8).to_ascii_lowercase() as u32);
        first.latin1.add((unit as u8).to_ascii_uppercase() as u32);
    }
    Some(first)
}
