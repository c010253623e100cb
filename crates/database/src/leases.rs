//! Which snapshots are being read, so that retention leaves them alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_persistence::Timestamp;
use parking_lot::Mutex;

/// The snapshots that are being read, and by how many.
#[derive(Default)]
pub struct Leases {
    readers: Mutex<BTreeMap<Timestamp, usize>>,
}

/// The right to read a snapshot. What it shows is kept until this is dropped.
pub struct Lease {
    leases: Arc<Leases>,
    timestamp: Timestamp,
}

impl Leases {
    /// Takes a lease.
    pub fn take(self: &Arc<Self>, timestamp: Timestamp) -> Lease {
        *self.readers.lock().entry(timestamp).or_default() += 1;
        Lease { leases: self.clone(), timestamp }
    }

    /// The oldest snapshot that is being read.
    pub fn oldest(&self) -> Option<Timestamp> {
        self.readers.lock().first_key_value().map(|(timestamp, _)| *timestamp)
    }
}

impl Lease {
    /// The snapshot.
    pub fn timestamp(&self) -> Timestamp {
        self.timestamp
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut readers = self.leases.readers.lock();
        if let Some(count) = readers.get_mut(&self.timestamp) {
            *count -= 1;
            if *count == 0 {
                readers.remove(&self.timestamp);
            }
        }
    }
}
