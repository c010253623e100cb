//! The `Convex-Client` header: `<client>-<version>`.

use axum::http::HeaderMap;

use super::error::ApiError;

/// Client and version of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientVersion {
    /// E.g. `npm`, `npm-cli`, `python`.
    pub client: String,
    /// Major, minor and patch.
    pub version: (u64, u64, u64),
}

impl ClientVersion {
    /// Reads the header. None if the request has none.
    ///
    /// # Errors
    /// `InvalidClientVersion` if it cannot be read, `ClientVersionUnsupported` if the client is too old.
    pub fn from_headers(headers: &HeaderMap) -> Result<Option<Self>, ApiError> {
        let Some(value) = headers.get("convex-client") else { return Ok(None) };
        let version = value.to_str().ok().and_then(Self::parse).ok_or_else(|| {
            ApiError::bad_request(
                "InvalidClientVersion",
                "The header Convex-Client must look like `npm-1.49.0`: a client's name, a hyphen and a version.",
            )
        })?;
        let oldest = match version.client.as_str() {
            "npm" | "npm-cli" => (0, 19, 2),
            "python" | "python-convex" => (0, 0, 3),
            _ => (0, 0, 0),
        };
        if version.version < oldest {
            let (major, minor, patch) = oldest;
            return Err(ApiError::bad_request(
                "ClientVersionUnsupported",
                format!("This client is too old. Update it to {}-{major}.{minor}.{patch} or newer.", version.client),
            ));
        }
        Ok(Some(version))
    }

    /// Whether results without a `format` are in the encoded format, which clients expected before there was a choice.
    pub fn expects_encoded_values(&self) -> bool {
        match self.client.as_str() {
            "npm" | "npm-cli" => self.version < (1, 4, 1),
            "python" | "python-convex" => self.version < (0, 5, 0),
            _ => false,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        // The version may itself have a hyphen (`1.2.0-alpha.1`): it begins at the first hyphen before a digit.
        let split = text
            .char_indices()
            .position(|(at, c)| c == '-' && text[at + 1..].starts_with(|next: char| next.is_ascii_digit()))?;
        let (client, version) = (&text[..split], &text[split + 1..]);
        let core = version.split(['-', '+']).next()?;
        let mut numbers = core.split('.').map(|number| number.parse::<u64>());
        let mut next = || numbers.next()?.ok();
        let version = (next()?, next()?, next()?);
        (numbers.next().is_none() && !client.is_empty()).then(|| Self { client: client.to_owned(), version })
    }
}
