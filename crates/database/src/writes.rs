//! The writes of a transaction before they are committed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use convex_wasm_persistence::{DocumentKey, IndexId, Key, KeyRange, Order, TabletId, Timestamp, Versioned};
use convex_wasm_values::value::object_size;
use convex_wasm_values::{ConvexObject, ConvexValue, InternalId};

use crate::catalog::{Catalog, Table};

/// What a transaction does to a document.
#[derive(Clone, Debug)]
pub struct Write {
    /// The document in the snapshot.
    pub old: Option<Versioned>,
    /// The document after the transaction, or `None` if it is deleted.
    pub new: Option<Arc<ConvexObject>>,
    /// Bytes that count as written.
    pub size: usize,
}

/// All writes of a transaction, and how they change its view of the indexes.
#[derive(Default)]
pub struct Writes {
    documents: BTreeMap<DocumentKey, Write>,
    /// Keys that lead to another document than in the snapshot, or nowhere (`None`).
    overlay: HashMap<IndexId, BTreeMap<Key, Option<Arc<ConvexObject>>>>,
    /// What every write replaced, oldest first.
    undo: Vec<(DocumentKey, Option<Write>)>,
}

/// A moment in a transaction to which its writes can be undone.
#[derive(Clone, Copy, Debug)]
pub struct Savepoint(usize);

impl Writes {
    /// The write to a document, if there is one.
    pub fn get(&self, key: DocumentKey) -> Option<&Write> {
        self.documents.get(&key)
    }

    /// The writes in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&DocumentKey, &Write)> {
        self.documents.iter()
    }

    /// How many documents a table gains.
    pub fn gain(&self, table: TabletId) -> i64 {
        let (first, last) = (InternalId([0; InternalId::LENGTH]), InternalId([0xFF; InternalId::LENGTH]));
        let of_table = DocumentKey { tablet: table, id: first }..=DocumentKey { tablet: table, id: last };
        self.documents
            .range(of_table)
            .map(|(_, write)| i64::from(write.new.is_some()) - i64::from(write.old.is_some()))
            .sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Gives a document of a table new content. `old` is what the snapshot has.
    pub fn set(&mut self, table: &Table, key: DocumentKey, old: Option<Versioned>, new: Option<Arc<ConvexObject>>) {
        let size = new.as_deref().map_or(0, object_size);
        // A document that is made and deleted in one transaction was never there.
        let write = (old.is_some() || new.is_some()).then_some(Write { old, new, size });
        let before = self.replace(table, key, write);
        self.undo.push((key, before));
    }

    /// Remembers this moment.
    pub fn savepoint(&self) -> Savepoint {
        Savepoint(self.undo.len())
    }

    /// Undoes every write since a moment. The catalog is the one of now, which knows all tables written.
    pub fn rollback(&mut self, savepoint: Savepoint, catalog: &Catalog) {
        while self.undo.len() > savepoint.0
            && let Some((key, before)) = self.undo.pop()
        {
            if let Some(table) = catalog.tablet(key.tablet) {
                self.replace(table, key, before);
            }
        }
    }

    /// The first key at an end of a range that leads elsewhere than in the snapshot.
    pub fn first_in(
        &self,
        index: IndexId,
        range: &KeyRange,
        order: Order,
    ) -> Option<(&Key, Option<&Arc<ConvexObject>>)> {
        if range.is_empty() {
            return None;
        }
        let end = range.end.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut keys = self.overlay.get(&index)?.range::<Key, _>((Bound::Included(&range.start), end));
        let (key, document) = match order {
            Order::Ascending => keys.next()?,
            Order::Descending => keys.next_back()?,
        };
        Some((key, document.as_ref()))
    }

    fn replace(&mut self, table: &Table, key: DocumentKey, write: Option<Write>) -> Option<Write> {
        let before = match write.clone() {
            Some(write) => self.documents.insert(key, write),
            None => self.documents.remove(&key),
        };
        for index in &table.indexes {
            let overlay = self.overlay.entry(index.id).or_default();
            for document in before.iter().flat_map(Write::documents) {
                overlay.remove(&index.key(document));
            }
            if let Some(write) = &write {
                if let Some(old) = &write.old {
                    overlay.insert(index.key(&old.document), None);
                }
                if let Some(new) = &write.new {
                    overlay.insert(index.key(new), Some(new.clone()));
                }
            }
        }
        before
    }
}

impl Write {
    /// The write as it is committed at a timestamp: with that in place of `db.vars.commitTs`.
    pub fn at(&self, timestamp: Timestamp) -> Cow<'_, Self> {
        match &self.new {
            Some(new) if new.values().any(ConvexValue::holds_commit_ts) => {
                let mut document = ConvexObject::clone(new);
                // Nanoseconds fit until the year 2262.
                let timestamp = i64::try_from(timestamp.0).unwrap_or(i64::MAX);
                document.values_mut().for_each(|value| value.resolve_commit_ts(timestamp));
                Cow::Owned(Self { new: Some(Arc::new(document)), ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    fn documents(&self) -> impl Iterator<Item = &Arc<ConvexObject>> {
        self.old.iter().map(|old| &old.document).chain(&self.new)
    }
}
