//! Reads of snapshots: from the cache what it has, from the store the rest.

use std::sync::Arc;

use convex_wasm_persistence::{
    DocumentKey, IndexId, IndexRow, Key, KeyRange, Order, Persistence, Timestamp, Versioned,
};

use crate::Result;
use crate::cache::Gap;
use crate::snapshots::Snapshots;

/// Reads documents and ranges of indexes.
pub struct Reader {
    persistence: Arc<dyn Persistence>,
    snapshots: Arc<Snapshots>,
}

/// A document to be read, and where the store has it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The document.
    pub document: DocumentKey,
    /// The table's index by id.
    pub by_id: IndexId,
    /// The document's key there.
    pub key: Key,
}

impl Reader {
    /// A reader of a store.
    pub fn new(persistence: Arc<dyn Persistence>, snapshots: Arc<Snapshots>) -> Self {
        Self { persistence, snapshots }
    }

    /// A document at a snapshot, or that there is none; `None` if it is not in memory.
    pub fn cached(&self, document: DocumentKey, at: Timestamp) -> Option<Option<Versioned>> {
        self.snapshots.cache().document(document, at)
    }

    /// Documents of one table from the store.
    pub async fn documents(&self, places: &[Place], at: Timestamp) -> Result<Vec<Option<Versioned>>> {
        let Some(first) = places.first() else { return Ok(Vec::new()) };
        let keys = places.iter().map(|place| place.key.clone()).collect();
        let found = self.persistence.get(first.by_id, keys, at).await?;
        for (place, found) in places.iter().zip(&found) {
            self.snapshots.cache_document(place.document, at, found.clone());
        }
        Ok(found)
    }

    /// The first rows, at most `limit`, of a range of an index at a snapshot, in the order asked for. Fewer rows than
    /// `limit` mean that the range has no more.
    pub async fn scan(
        &self,
        index: IndexId,
        range: KeyRange,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> Result<Vec<IndexRow>> {
        let (mut rows, mut range) = (Vec::new(), range);
        loop {
            let mut cached = self.snapshots.cache().scan(index, &range, at, order, limit - rows.len());
            rows.append(&mut cached.rows);
            let Some(gap) = cached.gap else { return Ok(rows) };
            let wanted = limit - rows.len();
            let (mut fetched, rest) = self.fetch(index, gap, at, order, wanted).await?;
            rows.append(&mut fetched);
            match rest {
                Some(rest) if rows.len() < limit => range = rest,
                _ => return Ok(rows),
            }
        }
    }

    /// Reads a gap from the store, and puts it in memory; what of the range comes after it.
    async fn fetch(
        &self,
        index: IndexId,
        gap: Gap,
        at: Timestamp,
        order: Order,
        limit: usize,
    ) -> Result<(Vec<IndexRow>, Option<KeyRange>)> {
        let Gap { mut range, rest, is_missing } = gap;
        let rows = self.persistence.scan(index, range.clone(), at, order, limit).await?;
        if is_missing {
            if let Some(last) = rows.last().filter(|_| rows.len() == limit) {
                match order {
                    Order::Ascending => range.end = Some(convex_wasm_persistence::successor(&last.key)),
                    Order::Descending => range.start.clone_from(&last.key),
                }
            }
            let mut rows = rows.clone();
            if order == Order::Descending {
                rows.reverse();
            }
            self.snapshots.cache_rows(index, range, at, rows);
        }
        Ok((rows, rest))
    }
}
