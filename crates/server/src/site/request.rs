//! From an HTTP request to what an HTTP action is given.

use std::io;

use axum::extract::{OriginalUri, Request};
use axum::http::{HeaderMap, Method, header};
use convex_wasm_runner::{HttpRequest, Identity};
use futures::{StreamExt, TryStreamExt};

use super::limited::limited;
use crate::Backend;
use crate::http::ApiError;
use crate::http::{identity, request};

/// Bytes of the body, if the client said how many.
pub fn length(request: &Request) -> Option<u64> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// What an HTTP action is given of a request.
///
/// # Errors
/// 400 if a header is not text.
pub async fn read(request: Request, backend: &Backend) -> Result<HttpRequest, ApiError> {
    let (parts, body) = request.into_parts();
    let original = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |original| &original.0);
    let target = original.path_and_query().map_or("/", |target| target.as_str());
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.unwrap_or_else(|| backend.site().trim_start_matches("http://"));
    let url = format!("{}://{host}{target}", protocol(&parts.headers));
    // Authorization may be the app's own business: what we do not understand is no error before somebody asks who it is.
    let (identity, unauthenticated) = match identity::of_request(&parts.headers, backend).await {
        Ok(identity) => (identity, None),
        Err(error) => (Identity::Anonymous, Some(error.message)),
    };
    let has_body = !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
    let body = (has_body && !axum::body::HttpBody::is_end_stream(&body)).then(|| {
        let stream = body.into_data_stream().map_err(io::Error::other);
        limited(stream, "request").boxed()
    });
    Ok(HttpRequest {
        method: parts.method.to_string(),
        url,
        path: parts.uri.path().to_owned(),
        headers: headers(&parts.headers)?,
        body,
        identity,
        unauthenticated,
        request_id: request::request_id(&parts.headers),
    })
}

/// What the client used, as a proxy before us says.
fn protocol(headers: &HeaderMap) -> &'static str {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let forwarded = text("forwarded").to_ascii_lowercase();
    let secure = text("x-forwarded-proto").eq_ignore_ascii_case("https") || forwarded.contains("proto=https");
    if secure { "https" } else { "http" }
}

fn headers(headers: &HeaderMap) -> Result<Vec<(String, String)>, ApiError> {
    let pair = |(name, value): (&header::HeaderName, &header::HeaderValue)| {
        let value = std::str::from_utf8(value.as_bytes()).map_err(|_| {
            ApiError::bad_request("InvalidHeaderFailure", format!("The header {name} is not valid UTF-8."))
        })?;
        Ok((name.to_string(), value.to_owned()))
    };
    headers.iter().map(pair).collect()
}
