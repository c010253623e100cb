//! The insertion-ordered hash table of `Map` and `Set`.
//!
//! Entries stand in a list in the order of their insertion; beside it a hash index (open addressing, linear probing)
//! leads from a key to its place in the list. A removed entry leaves a gap until the list is compacted. Every entry
//! has a sequence number that is never used again, so a [`Cursor`] stays valid whatever is inserted, removed or
//! cleared while it walks.

use crate::value::Value;

/// Up to this many entries are searched one after the other, without an index.
const UNINDEXED: usize = 8;
/// Spreads hashes: 2³² divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
const GOLDEN: u32 = 0x9E37_79B1;

/// One entry; a gap has the key EMPTY.
#[derive(Clone, Copy)]
struct Entry {
    key: Value,
    value: Value,
    hash: u32,
    sequence: u32,
}

impl Entry {
    #[inline(always)]
    fn is(&self, key: Value, hash: u32) -> bool {
        self.hash == hash && same(self.key, key)
    }
}

/// An insertion-ordered table from values to values; keys are equal if SameValueZero says so.
#[derive(Clone)]
pub struct OrderedTable {
    entries: Vec<Entry>,
    /// Place in `entries` plus one, 0 if free. Empty, or a power of two at least twice the number of entries.
    index: Vec<u32>,
    live: u32,
    /// Everything before this place is a gap.
    first: u32,
    next_sequence: u32,
}

/// A place between entries, from which a walk goes on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Sequence number of the first entry not seen yet.
    sequence: u32,
    /// Where that entry was expected last.
    place: u32,
}

impl Default for OrderedTable {
    fn default() -> Self {
        OrderedTable::new()
    }
}

impl OrderedTable {
    /// An empty table.
    pub const fn new() -> OrderedTable {
        OrderedTable { entries: Vec::new(), index: Vec::new(), live: 0, first: 0, next_sequence: 0 }
    }

    /// Makes room for that many entries more.
    pub fn reserve(&mut self, additional: usize) {
        self.entries.reserve(additional);
        if self.index.len() < 2 * (self.entries.len() + additional) {
            self.rebuild(self.live as usize + additional);
        }
    }

    /// Number of entries.
    pub fn len(&self) -> u32 {
        self.live
    }

    /// The value of `key`.
    #[inline]
    pub fn get(&self, key: Value) -> Option<Value> {
        let key = normalize(key);
        Some(self.entries[self.find(key, hash(key))?].value)
    }

    /// Whether `key` is there.
    #[inline]
    pub fn contains(&self, key: Value) -> bool {
        let key = normalize(key);
        self.find(key, hash(key)).is_some()
    }

    /// Sets the value of `key`, which keeps its place if it is there and comes last otherwise.
    pub fn insert(&mut self, key: Value, value: Value) {
        let key = normalize(key);
        let hash = hash(key);
        match self.find(key, hash) {
            Some(place) => self.entries[place].value = value,
            None => self.append(key, hash, value),
        }
    }

    /// Adds `key` with itself as the value, unless it is there.
    pub fn add(&mut self, key: Value) {
        let key = normalize(key);
        let hash = hash(key);
        if self.find(key, hash).is_none() {
            self.append(key, hash, key);
        }
    }

    /// The value of `key`; if there is none, first appends `key` with what `make` answers.
    pub fn get_or_insert_with(&mut self, key: Value, make: impl FnOnce() -> Value) -> Value {
        let key = normalize(key);
        let hash = hash(key);
        match self.find(key, hash) {
            Some(place) => self.entries[place].value,
            None => {
                let value = make();
                self.append(key, hash, value);
                value
            }
        }
    }

    /// Removes `key`; whether it was there.
    pub fn remove(&mut self, key: Value) -> bool {
        let key = normalize(key);
        let Some(place) = self.find(key, hash(key)) else { return false };
        self.entries[place].key = Value::EMPTY;
        self.entries[place].value = Value::UNDEFINED;
        self.live -= 1;
        while self.entries.get(self.first as usize).is_some_and(|entry| entry.key.is_empty()) {
            self.first += 1;
        }
        if self.entries.len() > 2 * UNINDEXED && (self.live as usize) < self.entries.len() / 4 {
            self.rebuild(2 * self.live as usize);
        }
        true
    }

    /// Leaves gaps for the entries that `keep` refuses; allocates nothing.
    pub fn retain(&mut self, mut keep: impl FnMut(Value) -> bool) {
        for entry in self.entries.iter_mut().filter(|entry| !entry.key.is_empty()) {
            if !keep(entry.key) {
                entry.key = Value::EMPTY;
                entry.value = Value::UNDEFINED;
                self.live -= 1;
            }
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = OrderedTable { next_sequence: self.next_sequence, ..OrderedTable::new() };
    }

    /// The next entry behind `cursor`, which moves on; `None` at the end.
    #[inline]
    pub fn step(&self, cursor: &mut Cursor) -> Option<(Value, Value)> {
        let expected = cursor.place as usize;
        let mut place = match self.entries.get(expected) {
            Some(entry) if entry.sequence == cursor.sequence => expected,
            _ => self.entries.partition_point(|entry| entry.sequence < cursor.sequence),
        };
        place = place.max(self.first as usize);
        while let Some(entry) = self.entries.get(place) {
            place += 1;
            if !entry.key.is_empty() {
                *cursor = Cursor { sequence: entry.sequence + 1, place: place as u32 };
                return Some((entry.key, entry.value));
            }
        }
        *cursor = Cursor { sequence: self.next_sequence, place: place as u32 };
        None
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (Value, Value)> {
        self.entries.iter().filter(|entry| !entry.key.is_empty()).map(|entry| (entry.key, entry.value))
    }

    fn append(&mut self, key: Value, hash: u32, value: Value) {
        let full = if self.index.is_empty() { UNINDEXED } else { self.index.len() / 2 };
        if self.entries.len() >= full {
            self.rebuild(2 * self.live as usize);
        }
        let place = self.entries.len();
        self.entries.push(Entry { key, value, hash, sequence: self.next_sequence });
        self.next_sequence += 1;
        self.live += 1;
        if !self.index.is_empty() {
            self.link(place);
        }
    }

    /// Place of `key`, which is normalized and has this hash.
    #[inline]
    fn find(&self, key: Value, hash: u32) -> Option<usize> {
        if self.index.is_empty() {
            return self.entries.iter().position(|entry| entry.is(key, hash));
        }
        let mut slot = self.first_slot(hash);
        loop {
            let place = (self.index[slot] as usize).checked_sub(1)?;
            if self.entries[place].is(key, hash) {
                return Some(place);
            }
            slot = (slot + 1) & (self.index.len() - 1);
        }
    }

    /// Where the search for a hash begins in the index, which is not empty.
    #[inline(always)]
    fn first_slot(&self, hash: u32) -> usize {
        let bits = self.index.len().trailing_zeros();
        (hash.wrapping_mul(GOLDEN) >> (32 - bits)) as usize
    }

    /// Enters the entry at `place` in the index.
    fn link(&mut self, place: usize) {
        let mut slot = self.first_slot(self.entries[place].hash);
        while self.index[slot] != 0 {
            slot = (slot + 1) & (self.index.len() - 1);
        }
        self.index[slot] = place as u32 + 1;
    }

    /// Closes the gaps and makes an index with room for `capacity` entries.
    fn rebuild(&mut self, capacity: usize) {
        if self.live as usize != self.entries.len() {
            self.entries.retain(|entry| !entry.key.is_empty());
        }
        self.first = 0;
        if capacity < UNINDEXED {
            self.index = Vec::new();
            return;
        }
        let size = (capacity * 2).next_power_of_two();
        if self.index.len() == size {
            self.index.fill(0);
        } else {
            self.index = vec![0; size];
        }
        for place in 0..self.entries.len() {
            self.link(place);
        }
    }
}

/// One word for each number: SameValueZero does not tell 1 held as a double from 1 held as an int, nor −0 from 0.
#[inline(always)]
fn normalize(key: Value) -> Value {
    match key.as_number() {
        Some(number) if key.is_double() => Value::number(number + 0.0),
        _ => key,
    }
}

#[inline(always)]
fn same(a: Value, b: Value) -> bool {
    a == b || (a.tag() == b.tag() && same_content(a, b))
}

#[inline]
fn same_content(a: Value, b: Value) -> bool {
    match (a.as_string(), b.as_string()) {
        (Some(a), Some(b)) => a.equals(b),
        _ => match (a.as_bigint(), b.as_bigint()) {
            (Some(a), Some(b)) => a.value() == b.value(),
            _ => false,
        },
    }
}

/// Hash of a normalized key. Objects are hashed by address, which never changes and is the same in every run.
#[inline]
fn hash(key: Value) -> u32 {
    if let Some(string) = key.as_string() {
        return string.hash();
    }
    if let Some(bigint) = key.as_bigint() {
        return bigint.value().iter_u32_digits().fold(0, |hash, digit| (hash ^ digit).wrapping_mul(GOLDEN));
    }
    // The multiplication of the high half keeps doubles apart whose low half is zero.
    key.payload() ^ ((key.0 >> 32) as u32).wrapping_mul(GOLDEN)
}
