//! A scan of an index: rows of the snapshot, fetched in chunks, merged with the transaction's own writes.

use std::collections::VecDeque;
use std::sync::Arc;

use convex_wasm_knobs::MAX_INDEX_FETCH_ROWS;
use convex_wasm_persistence::{IndexId, IndexRow, Key, KeyRange, Order, Timestamp, successor};
use convex_wasm_values::ConvexObject;

use crate::reader::Reader;
use crate::writes::Writes;
use crate::{ReadSet, Result};

/// A scan that can go on.
pub struct IndexScan {
    index: IndexId,
    order: Order,
    /// What the scan was asked for.
    range: KeyRange,
    /// What no row was returned from yet.
    remaining: KeyRange,
    /// Rows of the snapshot that were fetched and not returned yet.
    fetched: VecDeque<IndexRow>,
    /// What has not been fetched yet, or `None` if the snapshot has no more rows.
    unfetched: Option<KeyRange>,
    /// Rows to fetch next time; doubles each time.
    chunk: usize,
    finished: bool,
}

impl IndexScan {
    /// A scan of a range whose first fetch takes `chunk` rows.
    pub fn new(index: IndexId, range: KeyRange, order: Order, chunk: usize) -> Self {
        let chunk = chunk.clamp(1, MAX_INDEX_FETCH_ROWS.get().max(1));
        Self {
            index,
            order,
            remaining: range.clone(),
            unfetched: Some(range.clone()),
            range,
            fetched: VecDeque::new(),
            chunk,
            finished: false,
        }
    }

    /// The next row. Writes made since the row before count, if they lie ahead.
    pub async fn next(
        &mut self,
        reader: &Reader,
        at: Timestamp,
        writes: &Writes,
    ) -> Result<Option<(Key, Arc<ConvexObject>)>> {
        loop {
            if self.fetched.is_empty() {
                self.fetch(reader, at).await?;
            }
            let written = writes.first_in(self.index, &self.remaining, self.order);
            let stored = self.fetched.front().filter(|stored| match written {
                Some((key, _)) => self.is_before(&stored.key, key),
                None => true,
            });
            let (key, document) = match (stored, written) {
                (Some(stored), _) => (stored.key.clone(), Some(stored.versioned.document.clone())),
                (None, Some((key, document))) => (key.clone(), document.cloned()),
                (None, None) => {
                    self.finished = true;
                    return Ok(None);
                }
            };
            if self.fetched.front().is_some_and(|stored| stored.key == key) {
                self.fetched.pop_front();
            }
            self.advance(&key);
            if let Some(document) = document {
                return Ok(Some((key, document)));
            }
        }
    }

    /// Adds to a read set what was looked at so far: up to the last row, or everything if the scan came to its end.
    pub fn record(self, reads: &mut ReadSet) {
        let mut range = self.range;
        if !self.finished {
            match self.order {
                Order::Ascending => range.end = Some(self.remaining.start),
                Order::Descending => match self.remaining.end {
                    Some(end) => range.start = end,
                    // Nothing was looked at yet.
                    None => return,
                },
            }
        }
        reads.record(self.index, range);
    }

    fn is_before(&self, key: &Key, other: &Key) -> bool {
        match self.order {
            Order::Ascending => key < other,
            Order::Descending => key > other,
        }
    }

    fn advance(&mut self, key: &[u8]) {
        skip_to(&mut self.remaining, key, self.order);
    }

    async fn fetch(&mut self, reader: &Reader, at: Timestamp) -> Result<()> {
        let Some(range) = &mut self.unfetched else { return Ok(()) };
        if !range.is_empty() {
            let rows = reader.scan(self.index, range.clone(), at, self.order, self.chunk).await?;
            match rows.last() {
                Some(last) if rows.len() == self.chunk => skip_to(range, &last.key, self.order),
                _ => self.unfetched = None,
            }
            self.fetched = rows.into();
        }
        self.chunk = (self.chunk * 2).min(MAX_INDEX_FETCH_ROWS.get().max(1));
        Ok(())
    }
}

/// Removes from a range a key and what a scan meets before it.
fn skip_to(range: &mut KeyRange, key: &[u8], order: Order) {
    match order {
        Order::Ascending => range.start = successor(key),
        Order::Descending => range.end = Some(key.to_vec()),
    }
}
