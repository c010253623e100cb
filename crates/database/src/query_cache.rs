//! Results of queries that are still valid, so that the same query need not run again.

use std::collections::HashMap;
use std::hash::Hash;

use convex_wasm_persistence::Timestamp;
use parking_lot::Mutex;

use crate::Subscription;
use crate::cache::eviction::{Queues, Usage, Verdict};

/// Results by what they depend on besides the database: function, arguments, identity and journal, say. Bounded by bytes.
pub struct QueryCache<K, V> {
    state: Mutex<State<K, V>>,
}

struct State<K, V> {
    entries: HashMap<K, Entry<V>>,
    queues: Queues<K>,
}

struct Entry<V> {
    value: V,
    /// The snapshot that the query read.
    snapshot: Timestamp,
    subscription: Subscription,
    usage: Usage,
}

impl<K: Hash + Eq + Clone, V: Clone> QueryCache<K, V> {
    /// An empty cache of so many bytes.
    pub fn new(budget: usize) -> Self {
        Self { state: Mutex::new(State { entries: HashMap::new(), queues: Queues::new(budget) }) }
    }

    /// The result that the query has at a snapshot, if it is known.
    pub fn get(&self, key: &K, at: Timestamp) -> Option<V> {
        let state = &mut *self.state.lock();
        let entry = state.entries.get(key)?;
        let is_valid = entry.snapshot <= at
            && match entry.subscription.check() {
                Ok(valid) => at <= valid,
                Err(conflict) => at < conflict.timestamp,
            };
        is_valid.then(|| {
            entry.usage.touch();
            entry.value.clone()
        })
    }

    /// Keeps the result of a query that read a snapshot; `size` is its bytes with those of the key. A result of a later
    /// snapshot that is there already stays.
    pub fn put(&self, key: K, value: V, size: usize, snapshot: Timestamp, subscription: Subscription) {
        let state = &mut *self.state.lock();
        match state.entries.get_mut(&key) {
            Some(entry) if entry.snapshot >= snapshot => return,
            Some(entry) => {
                let before = std::mem::replace(&mut entry.usage.bytes, size);
                (entry.value, entry.snapshot, entry.subscription) = (value, snapshot, subscription);
                state.queues.resized(&entry.usage, before);
            }
            None => {
                let mut usage = Usage::of(size);
                state.queues.insert(key.clone(), &mut usage);
                state.entries.insert(key, Entry { value, snapshot, subscription, usage });
            }
        }
        while state.queues.is_full()
            && let Some(key) = state.queues.next()
        {
            let Some(entry) = state.entries.get_mut(&key) else { continue };
            if let Verdict::Remove = state.queues.judge(key.clone(), &mut entry.usage) {
                state.entries.remove(&key);
            }
        }
    }

    /// Bytes of the results and their keys.
    pub fn size(&self) -> usize {
        self.state.lock().queues.bytes()
    }
}
