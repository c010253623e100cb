//! The parts of an index that are in memory: intervals of keys of which all rows are known.

use std::collections::BTreeMap;
use std::ops::Bound;

use convex_wasm_persistence::{IndexRow, Key, KeyRange, Order, Timestamp};

use super::eviction::Usage;
use super::versions::{Version, Versions};
use crate::history::IndexChange;

/// Rows beyond which a segment is split.
const MAX_ROWS: usize = 2048;

/// The segments of one index by their first key. They do not overlap.
#[derive(Default)]
pub struct Segments {
    by_start: BTreeMap<Key, Segment>,
}

/// An interval of keys. Whatever key of it has no row leads nowhere.
pub struct Segment {
    /// The least key above, or `None` if the interval has no upper bound.
    end: Option<Key>,
    /// Snapshots from here on are known.
    since: Timestamp,
    /// In the order of their keys.
    rows: Vec<Row>,
    /// What the cache's policy needs to know.
    pub usage: Usage,
}

struct Row {
    key: Key,
    versions: Versions,
}

/// What segments have of a range.
pub struct Scanned {
    /// Rows from the end of the range at which the scan begins.
    pub rows: Vec<IndexRow>,
    /// Where they end, if the range goes on.
    pub gap: Option<Gap>,
}

/// A part of a range that is not in memory.
pub struct Gap {
    /// The part.
    pub range: KeyRange,
    /// What of the range comes after it, in the order of the scan.
    pub rest: Option<KeyRange>,
    /// Whether it is to be put in memory; not if memory has it, but only for later snapshots.
    pub is_missing: bool,
}

impl Gap {
    /// A range of which nothing is in memory.
    pub fn all(range: KeyRange) -> Self {
        Self { range, rest: None, is_missing: true }
    }
}

impl Row {
    fn footprint(&self) -> usize {
        size_of::<Key>() + self.key.len() + self.versions.footprint()
    }
}

impl Segment {
    fn footprint(&self, start: &Key) -> usize {
        let rows: usize = self.rows.iter().map(Row::footprint).sum();
        2 * start.len() + size_of::<Self>() + self.end.as_ref().map_or(0, Vec::len) + rows
    }

    /// Adds the rows of a range at a snapshot, up to a limit.
    fn collect(&self, range: &KeyRange, at: Timestamp, order: Order, limit: usize, found: &mut Vec<IndexRow>) {
        let first = self.rows.partition_point(|row| row.key < range.start);
        let end = match &range.end {
            Some(end) => self.rows.partition_point(|row| row.key < *end),
            None => self.rows.len(),
        };
        let rows = self.rows.get(first..end).unwrap_or_default();
        let mut collect = |row: &Row| {
            if let Some(versioned) = row.versions.at(at).and_then(Version::versioned) {
                found.push(IndexRow { key: row.key.clone(), versioned });
            }
            found.len() < limit
        };
        // `all` ends at the limit.
        match order {
            Order::Ascending => rows.iter().all(&mut collect),
            Order::Descending => rows.iter().rev().all(&mut collect),
        };
    }
}

impl Segments {
    /// The rows of a range at a snapshot as far as they are known without a gap, up to a limit.
    pub fn scan(&self, range: &KeyRange, at: Timestamp, order: Order, limit: usize) -> Scanned {
        let (mut rows, mut rest) = (Vec::new(), range.clone());
        while rows.len() < limit && !rest.is_empty() {
            let segment = match order {
                Order::Ascending => self.at_start(&rest),
                Order::Descending => self.at_end(&rest),
            };
            let (start, segment) = match segment {
                Ok(found) => found,
                Err(gap) => return Scanned { rows, gap: Some(gap) },
            };
            if at < segment.since {
                return Scanned { rows, gap: Some(Gap { range: rest, rest: None, is_missing: false }) };
            }
            segment.usage.touch();
            segment.collect(&rest, at, order, limit, &mut rows);
            match (order, &segment.end) {
                (Order::Ascending, Some(end)) => rest.start.clone_from(end),
                (Order::Ascending, None) => break,
                (Order::Descending, _) => rest.end = Some(start.clone()),
            }
        }
        Scanned { rows, gap: None }
    }

    /// The segment with the first keys of a range, or the gap that is there.
    fn at_start(&self, range: &KeyRange) -> Result<(&Key, &Segment), Gap> {
        let before = self.by_start.range::<Key, _>(..=&range.start).next_back();
        if let Some((start, segment)) = before
            && segment.end.as_ref().is_none_or(|end| *end > range.start)
        {
            return Ok((start, segment));
        }
        let next = self.by_start.range::<Key, _>((Bound::Excluded(&range.start), Bound::Unbounded)).next();
        match next.map(|(start, _)| start).filter(|start| range.contains(start)) {
            None => Err(Gap::all(range.clone())),
            Some(start) => Err(Gap {
                range: KeyRange { start: range.start.clone(), end: Some(start.clone()) },
                rest: Some(KeyRange { start: start.clone(), end: range.end.clone() }),
                is_missing: true,
            }),
        }
    }

    /// The segment with the last keys of a range, or the gap that is there.
    fn at_end(&self, range: &KeyRange) -> Result<(&Key, &Segment), Gap> {
        let below = match &range.end {
            Some(end) => self.by_start.range::<Key, _>(..end).next_back(),
            None => self.by_start.last_key_value(),
        };
        let Some((start, segment)) = below else { return Err(Gap::all(range.clone())) };
        match (&segment.end, &range.end) {
            (None, _) => Ok((start, segment)),
            (Some(end), Some(range_end)) if end >= range_end => Ok((start, segment)),
            (Some(end), _) if *end > range.start => Err(Gap {
                range: KeyRange { start: end.clone(), end: range.end.clone() },
                rest: Some(KeyRange { start: range.start.clone(), end: Some(end.clone()) }),
                is_missing: true,
            }),
            (Some(_), _) => Err(Gap::all(range.clone())),
        }
    }

    /// Adds a segment with the rows of a snapshot; its first key. Does nothing if there is a part of it already.
    pub fn insert(&mut self, range: KeyRange, at: Timestamp, rows: Vec<IndexRow>, usage: Usage) -> Option<Key> {
        let above = |key: &Key| range.end.as_ref().is_none_or(|end| key < end);
        let overlaps = match self.by_start.range::<Key, _>(..=&range.start).next_back() {
            Some((_, before)) if before.end.as_ref().is_none_or(|end| *end > range.start) => true,
            _ => self.by_start.range::<Key, _>(&range.start..).next().is_some_and(|(start, _)| above(start)),
        };
        if overlaps || range.is_empty() {
            return None;
        }
        let row = |row: IndexRow| Row { key: row.key, versions: Versions::new(row.versioned.into()) };
        let rows = rows.into_iter().map(row).collect();
        let mut segment = Segment { end: range.end, since: at, rows, usage };
        segment.usage.bytes = segment.footprint(&range.start);
        self.by_start.insert(range.start.clone(), segment);
        Some(range.start)
    }

    /// A segment by its first key.
    pub fn get_mut(&mut self, start: &Key) -> Option<&mut Segment> {
        self.by_start.get_mut(start)
    }

    /// Removes a segment.
    pub fn remove(&mut self, start: &Key) {
        self.by_start.remove(start);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_start.is_empty()
    }

    fn holding(&mut self, key: &Key) -> Option<(&Key, &mut Segment)> {
        let (start, segment) = self.by_start.range_mut::<Key, _>(..=key).next_back()?;
        segment.end.as_ref().is_none_or(|end| key < end).then_some((start, segment))
    }

    /// Takes in what a commit changed; how much the segment grew, and the first key of the part that was split off if it
    /// became too large.
    pub fn apply(&mut self, change: &IndexChange, at: Timestamp) -> Option<(&Usage, usize, Option<Key>)> {
        let (start, segment) = self.holding(&change.key)?;
        let start = start.clone();
        let version = Version { since: at, content: change.content.clone() };
        let before = segment.usage.bytes;
        match segment.rows.binary_search_by(|row| row.key.cmp(&change.key)) {
            Ok(position) => {
                let row = &mut segment.rows[position];
                let old = row.footprint();
                if let Some(known) = row.versions.push(version) {
                    segment.since = segment.since.max(known);
                }
                segment.usage.bytes = (before + row.footprint()).saturating_sub(old);
            }
            Err(_) if version.content.is_none() => return None,
            Err(position) => {
                let row = Row { key: change.key.clone(), versions: Versions::new(version) };
                segment.usage.bytes += row.footprint();
                segment.rows.insert(position, row);
            }
        }
        let split = if segment.rows.len() > MAX_ROWS { self.split(&start) } else { None };
        let segment = self.by_start.get(&start)?;
        Some((&segment.usage, before, split))
    }

    /// Splits a segment in the middle; the first key of the second part.
    fn split(&mut self, start: &Key) -> Option<Key> {
        let first = self.by_start.get_mut(start)?;
        let rows = first.rows.split_off(first.rows.len() / 2);
        let middle = rows.first()?.key.clone();
        let end = first.end.replace(middle.clone());
        let mut second = Segment { end, since: first.since, rows, usage: first.usage.split() };
        second.usage.bytes = second.footprint(&middle);
        first.usage.bytes = first.footprint(start);
        self.by_start.insert(middle.clone(), second);
        Some(middle)
    }

    /// Forgets what no snapshot from `oldest` on shows at a key; the segment's usage, and its bytes before.
    pub fn compact(&mut self, key: &Key, oldest: Timestamp) -> Option<(&Usage, usize)> {
        let (_, segment) = self.holding(key)?;
        let position = segment.rows.binary_search_by(|row| row.key.cmp(key)).ok()?;
        let before = segment.usage.bytes;
        let row = &mut segment.rows[position];
        let old = row.footprint();
        let newest = row.versions.newest();
        let is_gone = newest.content.is_none() && newest.since <= oldest;
        let has_shrunk = row.versions.trim(oldest);
        let new = if is_gone { 0 } else { row.footprint() };
        if is_gone {
            segment.rows.remove(position);
        }
        if is_gone || has_shrunk {
            segment.since = segment.since.max(oldest);
            segment.usage.bytes = (before + new).saturating_sub(old);
        }
        Some((&segment.usage, before))
    }
}
