//! Subscriptions: when does what a query read change?

mod interval_map;

use std::collections::HashMap;
use std::sync::Arc;

use convex_wasm_persistence::{IndexId, Timestamp};
use tokio::sync::watch;

use crate::history::LogEntry;
use crate::snapshots::Snapshots;
use crate::{Conflict, Error, ReadSet, Result};
use interval_map::IntervalMap;

pub use interval_map::SubscriberId;

/// A watch over what a query read, from [`crate::Database::subscribe`]. Dropping it ends it.
pub struct Subscription {
    /// `None` if it was invalid from the start, so that it is not registered.
    registered: Option<(Arc<Snapshots>, SubscriberId)>,
    invalidated: watch::Receiver<Option<Conflict>>,
}

impl Subscription {
    /// One that ended before it began.
    pub(crate) fn ended(conflict: Conflict) -> Self {
        Self { registered: None, invalidated: watch::Sender::new(Some(conflict)).subscribe() }
    }

    /// One that is registered under a number.
    pub(crate) fn registered(
        snapshots: Arc<Snapshots>,
        id: SubscriberId,
        invalidated: watch::Receiver<Option<Conflict>>,
    ) -> Self {
        Self { registered: Some((snapshots, id)), invalidated }
    }

    /// Waits for the first commit that changes something that was read; tells when and by whom. Gives the same answer
    /// each time. That commit is in the newest snapshot when this returns.
    pub async fn invalidated(&mut self) -> Result<Conflict> {
        match self.invalidated.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(conflict)) => Ok(conflict.clone()),
            _ => Err(Error::ShutDown),
        }
    }

    /// The newest snapshot at which a query would read the same, or else what changed it.
    pub fn check(&self) -> std::result::Result<Timestamp, Conflict> {
        let valid = self.registered.as_ref().map(|(snapshots, _)| snapshots.settled());
        match (&*self.invalidated.borrow(), valid) {
            (None, Some(timestamp)) => Ok(timestamp),
            (Some(conflict), _) => Err(conflict.clone()),
            // One that ended before it began has a conflict.
            (None, None) => Err(Conflict::unknown(Timestamp::MIN)),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some((snapshots, id)) = &self.registered {
            snapshots.unsubscribe(*id);
        }
    }
}

/// All subscriptions of a database that are valid.
#[derive(Default)]
pub struct Subscriptions {
    indexes: HashMap<IndexId, IntervalMap>,
    subscribers: HashMap<SubscriberId, Subscriber>,
    next: SubscriberId,
}

struct Subscriber {
    reads: Arc<ReadSet>,
    invalidated: watch::Sender<Option<Conflict>>,
}

impl Subscriptions {
    /// Adds a subscription.
    pub fn add(&mut self, reads: Arc<ReadSet>) -> (SubscriberId, watch::Receiver<Option<Conflict>>) {
        let id = self.next;
        self.next += 1;
        for (index, range) in reads.ranges() {
            self.indexes.entry(index).or_default().insert(&range, id);
        }
        let (invalidated, receiver) = watch::channel(None);
        self.subscribers.insert(id, Subscriber { reads, invalidated });
        (id, receiver)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.subscribers.len()
    }

    /// Removes a subscription, if it is still there.
    pub fn remove(&mut self, id: SubscriberId) {
        if let Some(subscriber) = self.subscribers.remove(&id) {
            self.remove_intervals(id, &subscriber.reads);
        }
    }

    /// Ends the subscriptions that a commit invalidates. Costs the logarithm of the number of intervals for each key that
    /// the commit changed, and something for each subscription that ends.
    pub fn invalidate(&mut self, commit: &LogEntry) {
        let mut hit = Vec::new();
        for change in &commit.changes {
            if let Some(intervals) = self.indexes.get(&change.index) {
                intervals.holders(&change.key, &mut |id| hit.push((id, change)));
            }
        }
        for (id, change) in hit {
            // The first change that hits removes the subscriber.
            if let Some(subscriber) = self.subscribers.remove(&id) {
                self.remove_intervals(id, &subscriber.reads);
                subscriber.invalidated.send_replace(Some(commit.conflict_with(change)));
            }
        }
    }

    fn remove_intervals(&mut self, id: SubscriberId, reads: &ReadSet) {
        for (index, range) in reads.ranges() {
            if let Some(intervals) = self.indexes.get_mut(&index) {
                intervals.remove(&range, id);
                if intervals.is_empty() {
                    self.indexes.remove(&index);
                }
            }
        }
    }
}
