//! The oracle: all documents in a map, and the plainest meaning of every operation on them.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_values::{ConvexObject, ConvexValue, decode_document, decode_patch};

use crate::history::Outcome;
use crate::workload::{Op, Query, decoded};

/// What an index orders a document by: the fields, `_creationTime`, the id.
pub type SortKey = Vec<Option<ConvexValue>>;

/// All documents of a moment: table and content by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    documents: BTreeMap<String, (&'static str, Arc<ConvexObject>)>,
}

pub fn sort_key(query: &Query, document: &ConvexObject) -> SortKey {
    let fields = query.index.map_or(&[][..], |(_, fields)| fields);
    fields.iter().chain(&["_creationTime", "_id"]).map(|field| document.get(*field).cloned()).collect()
}

fn id(document: &ConvexObject) -> String {
    document["_id"].as_str().unwrap().to_owned()
}

impl Model {
    /// Does what a transaction did, and checks that it saw what the model has.
    pub fn replay(&mut self, steps: &[(Op, Outcome)], what: &str) {
        let mut saved = Vec::new();
        for (op, outcome) in steps {
            match op {
                Op::BeginNested => saved.push(self.clone()),
                Op::CommitNested => drop(saved.pop()),
                Op::RollBackNested => *self = saved.pop().unwrap(),
                // Whether there is an index is not the model's business.
                Op::Query(query) | Op::Page { query, .. }
                    if query.index.is_some()
                        && matches!(outcome, Outcome::Refused("IndexNotFoundError" | "IndexBackfillingError")) => {}
                _ => {
                    let expected = self.apply(op, outcome);
                    assert_eq!(*outcome, expected, "{what}: {op:?}");
                }
            }
        }
    }

    /// What an operation gives. The id and the creation time of a new document are taken from the outcome.
    pub fn apply(&mut self, op: &Op, outcome: &Outcome) -> Outcome {
        match op {
            Op::Get(id) => Outcome::Document(self.documents.get(id).map(|(_, document)| document.clone())),
            Op::Insert { table, value } => {
                let Outcome::Document(Some(made)) = outcome else { return Outcome::Done };
                let mut document = decode_document(value).unwrap();
                for field in ["_id", "_creationTime"] {
                    document.insert(field.to_owned(), made[field].clone());
                }
                assert!(!self.documents.contains_key(&id(&document)), "an id was given twice");
                self.put(table, document)
            }
            Op::Patch { id, value } => self.change(id, |document| {
                for (name, value) in decode_patch(value).unwrap() {
                    match value {
                        Some(value) => document.insert(name, value),
                        None => document.remove(&name),
                    };
                }
            }),
            Op::Replace { id, value } => self.change(id, |document| {
                document.retain(|name, _| name.starts_with('_'));
                document.extend(decode_document(value).unwrap());
            }),
            Op::Delete(id) => match self.documents.remove(id) {
                Some((_, document)) => Outcome::Document(Some(document)),
                None => Outcome::Refused("NonexistentDocument"),
            },
            Op::Query(query) => Outcome::Rows(self.query(query)),
            Op::Page { query, after, size, .. } => {
                let mut rows = self.query(query);
                if let Some(after) = after {
                    rows.retain(|row| {
                        let key = sort_key(query, row);
                        if query.descending { key < *after } else { key > *after }
                    });
                }
                let is_done = rows.len() < *size;
                rows.truncate(*size);
                Outcome::Page { rows, is_done }
            }
            Op::Count(table) => {
                Outcome::Count(self.documents.values().filter(|(name, _)| name == table).count() as u64)
            }
            Op::BeginNested | Op::CommitNested | Op::RollBackNested => Outcome::Done,
        }
    }

    fn put(&mut self, table: &'static str, document: ConvexObject) -> Outcome {
        let document = Arc::new(document);
        self.documents.insert(id(&document), (table, document.clone()));
        Outcome::Document(Some(document))
    }

    fn change(&mut self, id: &str, change: impl FnOnce(&mut ConvexObject)) -> Outcome {
        let Some((table, document)) = self.documents.get(id).cloned() else {
            return Outcome::Refused("NonexistentDocument");
        };
        let mut document = ConvexObject::clone(&document);
        change(&mut document);
        self.put(table, document)
    }

    pub fn query(&self, query: &Query) -> Vec<Arc<ConvexObject>> {
        let fields = query.index.map_or(&[][..], |(_, fields)| fields);
        let matches = |document: &ConvexObject| {
            let equal = fields.iter().zip(&query.equal);
            let mut equal = equal.map(|(field, value)| document.get(*field) == decoded(value).as_ref());
            let next = || document.get(fields[query.equal.len()]);
            equal.all(|equal| equal)
                && query.lower.as_ref().is_none_or(|(value, inclusive)| {
                    let value = decoded(value);
                    next() > value.as_ref() || *inclusive && next() == value.as_ref()
                })
                && query.upper.as_ref().is_none_or(|(value, inclusive)| {
                    let value = decoded(value);
                    next() < value.as_ref() || *inclusive && next() == value.as_ref()
                })
        };
        let of_table = self.documents.values().filter(|(table, _)| *table == query.table);
        let mut rows: Vec<_> =
            of_table.filter(|(_, document)| matches(document)).map(|(_, document)| document.clone()).collect();
        rows.sort_by_cached_key(|row| sort_key(query, row));
        if query.descending {
            rows.reverse();
        }
        rows.truncate(query.limit.unwrap_or(usize::MAX));
        rows
    }
}
