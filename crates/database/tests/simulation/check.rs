//! Does the history agree with the model?

use std::collections::BTreeMap;

use convex_wasm_database::{MemoryPersistence, Persistence, Timestamp};
use convex_wasm_values::ConvexValue;
use futures::FutureExt;

use crate::history::{End, History, Outcome};
use crate::model::Model;
use crate::workload::{MARKERS, Op};

/// The model at every commit.
pub struct Timeline {
    states: BTreeMap<Timestamp, Model>,
}

impl Timeline {
    /// The state that a snapshot shows.
    pub fn at(&self, timestamp: Timestamp) -> &Model {
        self.states.range(..=timestamp).next_back().unwrap().1
    }

    fn before(&self, timestamp: Timestamp) -> &Model {
        self.at(Timestamp(timestamp.0 - 1))
    }

    pub fn newest(&self) -> &Model {
        self.states.last_key_value().unwrap().1
    }
}

/// When each transaction that left its marker was committed.
fn committed(store: &MemoryPersistence) -> BTreeMap<usize, Timestamp> {
    let marker = |content: &convex_wasm_values::ConvexObject| content.get("marker").and_then(ConvexValue::as_f64);
    let revisions = store.revisions(Timestamp::MIN, usize::MAX).now_or_never().unwrap().unwrap();
    revisions
        .into_iter()
        .filter_map(|revision| Some((marker(revision.content.as_deref()?)? as usize, revision.timestamp)))
        .collect()
}

/// Checks everything that clients saw, in all lives.
pub fn check(history: &mut History, store: &MemoryPersistence) -> Timeline {
    let committed = committed(store);
    let mut by_time = BTreeMap::new();
    for (number, record) in history.records.iter().enumerate() {
        let wrote = record.steps.iter().any(|(op, _)| matches!(op, Op::Insert { table: MARKERS, .. }));
        let written = committed.get(&number).copied();
        match record.end {
            End::Committed(timestamp) => {
                history.summary.committed += 1;
                assert!(written == Some(timestamp) || !wrote, "an acknowledged commit was lost: {record:?}");
            }
            End::Unknown => {
                history.summary.unknown += 1;
                history.summary.unknown_but_written += usize::from(written.is_some());
            }
            End::Aborted | End::Conflict => {
                history.summary.conflicts += usize::from(record.end == End::Conflict);
                assert_eq!(written, None, "what was refused was written: {record:?}");
            }
        }
        if let Some(timestamp) = written {
            assert!(by_time.insert(timestamp, record).is_none(), "two commits have one timestamp");
        }
    }

    let mut timeline = Timeline { states: BTreeMap::from([(Timestamp::MIN, Model::default())]) };
    for (timestamp, record) in by_time {
        let mut state = timeline.newest().clone();
        state.replay(&record.steps, "at its commit");
        timeline.states.insert(timestamp, state);
    }
    for record in &history.records {
        timeline.at(record.snapshot).clone().replay(&record.steps, "at its snapshot");
    }
    check_watches(history, &timeline);
    timeline
}

/// No change of a watched result went unnoticed.
fn check_watches(history: &mut History, timeline: &Timeline) {
    for watch in &history.watches {
        let result = |model: &Model| model.clone().apply(&watch.query, &Outcome::Done);
        let expected = result(timeline.at(watch.from));
        for (timestamp, state) in timeline.states.range(watch.from..=watch.checked) {
            assert_eq!(result(state), expected, "a change at {timestamp} was not noticed: {watch:?}");
        }
        history.summary.invalidated += usize::from(watch.invalidated.is_some());
        if let Some(timestamp) = watch.invalidated {
            // The state before it is what `checked` stands for.
            assert_eq!(result(timeline.before(timestamp)), expected);
        }
    }
}
