//! What a transaction read, as intervals of index keys.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;

use convex_wasm_persistence::{IndexId, Key, KeyRange};

/// Intervals of index keys: whatever changes inside of them may change what was read. Point reads are intervals too,
/// and so is what tables, indexes and schemas there are.
#[derive(Clone, Debug, Default)]
pub struct ReadSet {
    indexes: BTreeMap<IndexId, Intervals>,
}

impl ReadSet {
    /// Adds an interval; an empty one adds nothing.
    pub(crate) fn record(&mut self, index: IndexId, range: KeyRange) {
        if !range.is_empty() {
            self.indexes.entry(index).or_default().insert(range);
        }
    }

    /// Adds one key.
    pub(crate) fn record_point(&mut self, index: IndexId, key: &[u8]) {
        let intervals = self.indexes.entry(index).or_default();
        if !intervals.contains(key) {
            intervals.points.insert(key.to_vec());
        }
    }

    /// Whether a key of an index was read. Logarithmic in the number of intervals.
    pub(crate) fn contains(&self, index: IndexId, key: &[u8]) -> bool {
        self.indexes.get(&index).is_some_and(|intervals| intervals.contains(key))
    }

    /// All intervals.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (IndexId, KeyRange)> {
        self.indexes.iter().flat_map(|(index, intervals)| {
            let range = |(start, end): (&Key, &Option<Key>)| KeyRange { start: start.clone(), end: end.clone() };
            let points = intervals.points.iter().map(|key| KeyRange::point(key));
            intervals.ends.iter().map(range).chain(points).map(|range| (*index, range))
        })
    }

    /// How many intervals there are, touching ones counted as one.
    pub fn len(&self) -> usize {
        self.indexes.values().map(|intervals| intervals.ends.len() + intervals.points.len()).sum()
    }

    /// Bytes of memory, about.
    pub fn size(&self) -> usize {
        let interval = |(start, end): (&Key, &Option<Key>)| start.len() + end.as_ref().map_or(0, Vec::len) + 64;
        let intervals = |index: &Intervals| {
            let points: usize = index.points.iter().map(|key| key.len() + 32).sum();
            index.ends.iter().map(interval).sum::<usize>() + points
        };
        self.indexes.values().map(intervals).sum()
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.indexes.is_empty()
    }
}

/// What was read of one index.
#[derive(Clone, Debug, Default)]
struct Intervals {
    /// Disjoint intervals that do not touch either: the end of each by its start.
    ends: BTreeMap<Key, Option<Key>>,
    /// Single keys outside of them. Most reads are by id, and a set takes those in faster than a tree.
    points: HashSet<Key>,
}

impl Intervals {
    fn contains(&self, key: &[u8]) -> bool {
        self.points.contains(key) || self.is_inside(key)
    }

    fn is_inside(&self, key: &[u8]) -> bool {
        let before = self.ends.range::<[u8], _>((Bound::Unbounded, Bound::Included(key)));
        before.last().is_some_and(|(_, end)| end.as_deref().is_none_or(|end| key < end))
    }

    fn insert(&mut self, range: KeyRange) {
        self.points.retain(|key| !range.contains(key));
        let KeyRange { mut start, mut end } = range;
        // Take in every interval that overlaps or touches: from the right end of the new one leftwards, until one ends
        // before its start.
        loop {
            let candidate = match &end {
                Some(end) => {
                    self.ends.range::<[u8], _>((Bound::Unbounded, Bound::Included(end.as_slice()))).next_back()
                }
                None => self.ends.iter().next_back(),
            };
            let Some((other_start, other_end)) = candidate else { break };
            if other_end.as_ref().is_some_and(|other_end| *other_end < start) {
                break;
            }
            let other_start = other_start.clone();
            if let Some(other_end) = self.ends.remove(&other_start) {
                end = match (end, other_end) {
                    (Some(end), Some(other_end)) => Some(end.max(other_end)),
                    _ => None,
                };
            }
            start = start.min(other_start);
        }
        self.ends.insert(start, end);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use convex_wasm_values::InternalId;

    use super::*;

    fn read_set(ranges: &[(u8, Option<u8>)]) -> (ReadSet, IndexId) {
        let index = IndexId(InternalId([7; 16]));
        let mut reads = ReadSet::default();
        for (start, end) in ranges {
            reads.record(index, KeyRange { start: vec![*start], end: end.map(|end| vec![end]) });
        }
        (reads, index)
    }

    #[test]
    fn touching_and_overlapping_intervals_become_one() {
        assert_eq!(read_set(&[(1, Some(3)), (3, Some(5)), (4, Some(9))]).0.len(), 1);
        assert_eq!(read_set(&[(1, Some(3)), (5, Some(7)), (2, Some(6))]).0.len(), 1);
        assert_eq!(read_set(&[(1, Some(3)), (5, None), (8, Some(9))]).0.len(), 2);
        assert_eq!(read_set(&[(5, Some(5))]).0.len(), 0);
    }

    #[test]
    fn holds_what_any_of_its_intervals_holds() {
        let ranges = [(1, Some(3)), (9, Some(12)), (2, Some(4)), (12, Some(13)), (20, None)];
        let (reads, index) = read_set(&ranges);
        for key in 0..40u8 {
            let expected = ranges.iter().any(|(start, end)| *start <= key && end.is_none_or(|end| key < end));
            assert_eq!(reads.contains(index, &[key]), expected, "key {key}");
        }
        assert!(!reads.contains(IndexId(InternalId([8; 16])), &[1]));
    }

    #[test]
    fn holds_points_until_an_interval_takes_them_in() {
        let (mut reads, index) = read_set(&[(10, Some(20))]);
        for key in [5, 15, 25, 25] {
            reads.record_point(index, &[key]);
        }
        assert_eq!(reads.len(), 3);
        assert!(reads.contains(index, &[5]) && reads.contains(index, &[25]) && !reads.contains(index, &[6]));
        assert!(!reads.contains(index, &[5, 0]));
        reads.record(index, KeyRange { start: vec![0], end: Some(vec![6]) });
        assert_eq!(reads.len(), 3);
        let mut ranges: Vec<KeyRange> = reads.ranges().map(|(_, range)| range).collect();
        ranges.sort();
        assert_eq!(ranges.first().unwrap().end, Some(vec![6]));
        assert_eq!(*ranges.last().unwrap(), KeyRange::point(&[25]));
    }
}
