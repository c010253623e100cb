//! Which subscribers read a key: intervals of keys in a treap, each node of which knows the greatest end below it.
//!
//! The subscribers of one key are found in O(log n + found) steps, however many intervals there are. Equal intervals share
//! a node, since very many subscribers read the same ones: what tables and schemas there are, a document that everyone
//! shows.
//!
//! R. Seidel, C. Aragon, "Randomized Search Trees", Algorithmica 16 (1996); the augmentation is that of interval trees in
//! T. Cormen et al., "Introduction to Algorithms", chapter 14.3.

use std::collections::HashSet;

use convex_wasm_persistence::{Key, KeyRange};

/// A number that stands for a subscriber.
pub type SubscriberId = u64;

/// The intervals of one index that subscribers read.
#[derive(Default)]
pub struct IntervalMap {
    root: Tree,
    /// State of the generator of priorities.
    random: u64,
}

type Tree = Option<Box<Node>>;

struct Node {
    range: KeyRange,
    subscribers: HashSet<SubscriberId>,
    /// Greater than that of both children. Drawn at random, so the tree is balanced whatever the order of insertion.
    priority: u64,
    /// The greatest end in this subtree; `None` if an interval has no upper bound.
    greatest_end: Option<Key>,
    left: Tree,
    right: Tree,
}

impl IntervalMap {
    /// Adds a subscriber of an interval.
    pub fn insert(&mut self, range: &KeyRange, subscriber: SubscriberId) {
        if let Some(node) = find(&mut self.root, range) {
            node.subscribers.insert(subscriber);
            return;
        }
        let node = Node {
            range: range.clone(),
            subscribers: HashSet::from([subscriber]),
            priority: self.next_priority(),
            greatest_end: range.end.clone(),
            left: None,
            right: None,
        };
        self.root = insert(self.root.take(), Box::new(node));
    }

    /// Removes a subscriber of an interval.
    pub fn remove(&mut self, range: &KeyRange, subscriber: SubscriberId) {
        let Some(node) = find(&mut self.root, range) else { return };
        node.subscribers.remove(&subscriber);
        if node.subscribers.is_empty() {
            self.root = remove(self.root.take(), range);
        }
    }

    /// Whether nobody reads anything.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Calls `found` with every subscriber whose interval holds the key.
    pub fn holders(&self, key: &[u8], found: &mut impl FnMut(SubscriberId)) {
        holders(&self.root, key, found);
    }

    /// The next number of the generator SplitMix64.
    fn next_priority(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

impl Node {
    /// Computes the greatest end again, after a child has changed.
    fn update(&mut self) {
        let children = self.left.iter().chain(&self.right).map(|child| &child.greatest_end);
        let mut greatest = &self.range.end;
        for end in children {
            greatest = match (greatest, end) {
                (Some(a), Some(b)) if b > a => end,
                (Some(_), Some(_)) | (None, _) => greatest,
                (Some(_), None) => end,
            };
        }
        if self.greatest_end != *greatest {
            self.greatest_end = greatest.clone();
        }
    }
}

fn find<'a>(tree: &'a mut Tree, range: &KeyRange) -> Option<&'a mut Node> {
    let mut tree = tree;
    while let Some(node) = tree {
        tree = match range.cmp(&node.range) {
            std::cmp::Ordering::Equal => return Some(node),
            std::cmp::Ordering::Less => &mut node.left,
            std::cmp::Ordering::Greater => &mut node.right,
        };
    }
    None
}

fn insert(tree: Tree, mut new: Box<Node>) -> Tree {
    let Some(mut node) = tree else { return Some(new) };
    if new.priority > node.priority {
        (new.left, new.right) = split(Some(node), &new.range);
        new.update();
        return Some(new);
    }
    if new.range < node.range {
        node.left = insert(node.left.take(), new);
    } else {
        node.right = insert(node.right.take(), new);
    }
    node.update();
    Some(node)
}

/// The nodes before an interval, and those after it.
fn split(tree: Tree, range: &KeyRange) -> (Tree, Tree) {
    let Some(mut node) = tree else { return (None, None) };
    if node.range < *range {
        let (before, after) = split(node.right.take(), range);
        node.right = before;
        node.update();
        (Some(node), after)
    } else {
        let (before, after) = split(node.left.take(), range);
        node.left = after;
        node.update();
        (before, Some(node))
    }
}

/// Removes the node of an interval.
fn remove(tree: Tree, range: &KeyRange) -> Tree {
    let mut node = tree?;
    match range.cmp(&node.range) {
        std::cmp::Ordering::Equal => return merge(node.left, node.right),
        std::cmp::Ordering::Less => node.left = remove(node.left.take(), range),
        std::cmp::Ordering::Greater => node.right = remove(node.right.take(), range),
    }
    node.update();
    Some(node)
}

/// One tree of two, all nodes of the first one being before those of the second one.
fn merge(before: Tree, after: Tree) -> Tree {
    match (before, after) {
        (Some(mut before), Some(mut after)) => Some(if before.priority > after.priority {
            before.right = merge(before.right.take(), Some(after));
            before.update();
            before
        } else {
            after.left = merge(Some(before), after.left.take());
            after.update();
            after
        }),
        (tree, None) | (None, tree) => tree,
    }
}

fn holders(tree: &Tree, key: &[u8], found: &mut impl FnMut(SubscriberId)) {
    let Some(node) = tree else { return };
    if node.greatest_end.as_deref().is_some_and(|end| end <= key) {
        return;
    }
    holders(&node.left, key, found);
    if node.range.start.as_slice() <= key {
        if node.range.contains(key) {
            node.subscribers.iter().copied().for_each(&mut *found);
        }
        holders(&node.right, key, found);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn range() -> impl Strategy<Value = KeyRange> {
        (0u8..20, prop::option::of(1u8..20))
            .prop_map(|(start, length)| KeyRange { start: vec![start], end: length.map(|length| vec![start + length]) })
    }

    proptest! {
        #[test]
        fn finds_what_a_list_of_all_intervals_finds(
            changes in prop::collection::vec((any::<bool>(), range(), 0u64..6), 0..200)
        ) {
            let (mut map, mut list) = (IntervalMap::default(), BTreeSet::new());
            for (inserts, range, subscriber) in changes {
                if inserts {
                    map.insert(&range, subscriber);
                    list.insert((range, subscriber));
                } else {
                    map.remove(&range, subscriber);
                    list.remove(&(range, subscriber));
                }
            }
            for key in 0u8..45 {
                let mut found = Vec::new();
                map.holders(&[key], &mut |subscriber| found.push(subscriber));
                found.sort_unstable();
                let holding = list.iter().filter(|(range, _)| range.contains(&[key]));
                let mut expected: Vec<u64> = holding.map(|(_, subscriber)| *subscriber).collect();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
            for (range, subscriber) in &list {
                map.remove(range, *subscriber);
            }
            prop_assert!(map.is_empty());
        }
    }
}
