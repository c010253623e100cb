//! Timestamps as clients see them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use convex_wasm_database::Timestamp;
use serde::{Deserialize, Serialize};

/// A timestamp as base64 of eight bytes, little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct EncodedTimestamp(pub Timestamp);

/// A text that is no timestamp.
#[derive(Debug, thiserror::Error)]
#[error("a timestamp is base64 of eight bytes")]
pub struct InvalidTimestamp;

impl From<EncodedTimestamp> for String {
    fn from(timestamp: EncodedTimestamp) -> Self {
        BASE64.encode(timestamp.0.0.to_le_bytes())
    }
}

impl TryFrom<String> for EncodedTimestamp {
    type Error = InvalidTimestamp;

    fn try_from(text: String) -> Result<Self, InvalidTimestamp> {
        let bytes = BASE64.decode(text).ok().and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
        Ok(EncodedTimestamp(Timestamp(u64::from_le_bytes(bytes.ok_or(InvalidTimestamp)?))))
    }
}
