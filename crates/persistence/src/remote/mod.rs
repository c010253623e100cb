//! What the stores on database servers have in common: addresses, TLS settings, long keys, scans in pages, retries.

mod address;
mod keys;
mod retry;
mod scan;
mod tls;

use convex_wasm_values::ConvexObject;

use crate::{PersistenceError, Result, Timestamp};

pub use address::{Address, RemoteOptions};
pub use keys::{Parts, join};
pub use retry::{Failed, retry};
pub use scan::{Entry, Pages, scan};
pub use tls::TlsMode;

/// Format of the tables on a server.
pub const FORMAT: i64 = 1;

/// Servers' integers are signed; nanoseconds fit until the year 2262.
pub fn to_integer(timestamp: Timestamp) -> Result<i64> {
    i64::try_from(timestamp.0).map_err(|_| PersistenceError::Failed(format!("timestamp {timestamp} is out of range")))
}

/// The timestamp of a read; one beyond the server's range reads the newest.
pub fn to_column(at: Timestamp) -> i64 {
    to_integer(at).unwrap_or(i64::MAX)
}

/// A timestamp from its column.
pub fn from_integer(ts: i64) -> Result<Timestamp> {
    u64::try_from(ts).map(Timestamp).map_err(|_| PersistenceError::damaged("a timestamp is negative"))
}

/// A number of rows; a server has fewer than this can say.
pub fn to_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A document as it is stored.
pub fn to_json(document: &ConvexObject) -> Result<Vec<u8>> {
    serde_json::to_vec(document).map_err(|error| PersistenceError::Failed(error.to_string()))
}

/// A document from its column.
pub fn from_json(json: &[u8]) -> Result<ConvexObject> {
    serde_json::from_slice(json)
        .map_err(|error| PersistenceError::damaged(format!("a document does not parse: {error}")))
}

/// An entry of an index without the revision it leads to.
pub fn missing_revision() -> PersistenceError {
    PersistenceError::damaged("an index entry leads to a revision that is not there")
}
