//! Formats of values in requests and responses.

use convex_wasm_values::JsonFormat;

use super::client_version::ClientVersion;
use super::error::ApiError;

/// The format a request names, or the default of its client.
///
/// # Errors
/// `BadFormat` for an unknown name.
pub fn requested_format(name: Option<&str>, client: Option<&ClientVersion>) -> Result<JsonFormat, ApiError> {
    match name {
        None if client.is_some_and(ClientVersion::expects_encoded_values) => Ok(JsonFormat::Encoded),
        None | Some("json" | "convex_clean_json") => Ok(JsonFormat::Clean),
        Some("convex_encoded_json" | "convex_json") => Ok(JsonFormat::Encoded),
        Some("export_json") => Ok(JsonFormat::Export),
        Some(other) => Err(ApiError::bad_request(
            "BadFormat",
            format!("Unknown format {other:?}; use \"json\" or \"convex_encoded_json\"."),
        )),
    }
}
