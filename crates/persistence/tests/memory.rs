//! The store in memory: the conformance suite.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;

use convex_wasm_persistence::MemoryPersistence;

/// A store that a test can let go of and find again.
struct MemoryStore(MemoryPersistence);

impl conformance::Store for MemoryStore {
    type Opened = MemoryPersistence;

    async fn open(&self) -> MemoryPersistence {
        self.0.clone()
    }
}

#[tokio::test]
async fn conforms() {
    conformance::check(|| MemoryStore(MemoryPersistence::new())).await;
}
