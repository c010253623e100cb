//! Numbers and documents as columns of a table.

use std::sync::Arc;

use convex_wasm_values::ConvexObject;

use crate::{PersistenceError, Result, Timestamp};

/// Databases' integers are signed; nanoseconds fit until the year 2262.
pub fn to_integer(timestamp: Timestamp) -> Result<i64> {
    i64::try_from(timestamp.0).map_err(|_| PersistenceError::Failed(format!("timestamp {timestamp} is out of range")))
}

/// The timestamp of a read; one beyond the database's range reads the newest.
pub fn to_column(at: Timestamp) -> i64 {
    to_integer(at).unwrap_or(i64::MAX)
}

/// A timestamp from its column.
pub fn from_integer(ts: i64) -> Result<Timestamp> {
    u64::try_from(ts).map(Timestamp).map_err(|_| PersistenceError::damaged("a timestamp is negative"))
}

/// A number of rows; a table has fewer than this can say.
pub fn to_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The content of a revision from its column.
pub fn from_json(json: &[u8], timestamp: Timestamp) -> Result<Arc<ConvexObject>> {
    serde_json::from_slice(json).map(Arc::new).map_err(|error| {
        PersistenceError::damaged(format!("the document of a revision of {timestamp} does not parse: {error}"))
    })
}
