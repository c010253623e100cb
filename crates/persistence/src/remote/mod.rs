//! What the stores on database servers have in common: addresses, TLS settings, the lease, long keys, scans
//! in pages, retries.

mod address;
mod keys;
mod lease;
mod retry;
mod scan;
mod tls;

use convex_wasm_values::ConvexObject;

use crate::{PersistenceError, Result};

pub use address::{Address, RemoteOptions};
pub use keys::{Parts, join};
pub use lease::Lease;
pub use retry::{Failed, retry};
pub use scan::{Entry, Pages, scan};
pub use tls::TlsMode;

/// Format of the tables on a server.
pub const FORMAT: i64 = 1;

/// A document as it is stored.
pub fn to_json(document: &ConvexObject) -> Result<Vec<u8>> {
    serde_json::to_vec(document).map_err(|error| PersistenceError::Failed(error.to_string()))
}
