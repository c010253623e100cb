//! What every request to a function carries beside its body.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use convex_wasm_runner::Identity;
use rand::Rng;

use super::client_version::ClientVersion;
use super::error::ApiError;
use super::identity;
use crate::Backend;

/// Caller, client and id of a request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// Who asks.
    pub identity: Identity,
    /// Which client asks.
    pub client: Option<ClientVersion>,
    /// 16 hexadecimal digits, shown in errors and logs.
    pub request_id: String,
}

impl FromRequestParts<Arc<Backend>> for RequestContext {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, backend: &Arc<Backend>) -> Result<Self, ApiError> {
        Ok(Self {
            identity: identity::of_request(&parts.headers, backend).await?,
            client: ClientVersion::from_headers(&parts.headers)?,
            request_id: request_id(&parts.headers),
        })
    }
}

/// The id the client chose, or a new one.
pub fn request_id(headers: &HeaderMap) -> String {
    headers
        .get("convex-request-id")
        .and_then(|value| value.to_str().ok())
        .filter(|id| {
            !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
        .map_or_else(new_request_id, str::to_owned)
}

/// A new id of a request.
pub fn new_request_id() -> String {
    format!("{:016x}", rand::rng().random::<u64>())
}
