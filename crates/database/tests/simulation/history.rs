//! What clients did and saw.

use std::sync::Arc;

use convex_wasm_database::Timestamp;
use convex_wasm_values::ConvexObject;

use crate::workload::Op;

/// What an operation gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Done,
    Document(Option<Arc<ConvexObject>>),
    Rows(Vec<Arc<ConvexObject>>),
    Page {
        rows: Vec<Arc<ConvexObject>>,
        is_done: bool,
    },
    Count(u64),
    /// The function's fault: the short code.
    Refused(&'static str),
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// Still running, or its commit was never answered, or answered with an error that leaves it open.
    Unknown,
    /// Acknowledged.
    Committed(Timestamp),
    /// Certainly not committed.
    Aborted,
    /// Refused because of a conflict.
    Conflict,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub snapshot: Timestamp,
    pub steps: Vec<(Op, Outcome)>,
    pub end: End,
}

/// A query whose result was watched: what it read did not change after `from` before `invalidated`, or at all up to
/// `checked` if it was not invalidated.
#[derive(Clone, Debug, PartialEq)]
pub struct Watch {
    pub query: Op,
    pub from: Timestamp,
    pub invalidated: Option<Timestamp>,
    pub checked: Timestamp,
}

/// Everything that happened.
#[derive(Debug, Default, PartialEq)]
pub struct History {
    pub records: Vec<Record>,
    pub watches: Vec<Watch>,
    /// The newest commit that was acknowledged.
    pub acknowledged: Option<Timestamp>,
    /// Ids of documents that were made, committed or not.
    pub ids: Vec<String>,
    pub summary: Summary,
}

/// How often what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    pub committed: usize,
    pub conflicts: usize,
    pub unknown: usize,
    pub unknown_but_written: usize,
    pub invalidated: usize,
    pub pages: usize,
}

impl Summary {
    pub fn add(&mut self, other: Self) {
        self.committed += other.committed;
        self.conflicts += other.conflicts;
        self.unknown += other.unknown;
        self.unknown_but_written += other.unknown_but_written;
        self.invalidated += other.invalidated;
        self.pages += other.pages;
    }
}
