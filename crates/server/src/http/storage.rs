//! Files: uploads, and downloads with ranges.

use std::ops::Range;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use convex_wasm_database::FileContent;
use convex_wasm_storage::{FileKey, TokenError};
use futures::{StreamExt, TryStreamExt};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ApiError;
use crate::Backend;

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new().route("/api/storage/upload", post(upload)).route("/api/storage/{key}", get(download))
}

#[derive(Deserialize)]
struct UploadUrl {
    #[serde(default)]
    token: String,
}

async fn upload(
    State(backend): State<Arc<Backend>>,
    Query(url): Query<UploadUrl>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Value>, ApiError> {
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    backend.storage.addresses.check_token(&url.token, now_ms)?;
    let expected = expected_hash(&headers)?;
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let content = body.into_data_stream().map_err(std::io::Error::other).boxed();
    let written = backend.storage.files.write(content).await.map_err(|error| {
        ApiError::bad_request("UploadFailed", format!("The file could not be read or stored: {error}"))
    })?;
    if expected.is_some_and(|expected| expected != written.sha256) {
        return Err(ApiError::bad_request(
            "Sha256Mismatch",
            "The content does not have the SHA-256 in the header `Digest`.",
        ));
    }
    let file = FileContent { key: written.key.to_string(), sha256: written.sha256, size: written.size, content_type };
    let id = backend.add_file(&file).await?;
    Ok(Json(json!({ "storageId": id.to_string() })))
}

/// The hash of the header `Digest: sha-256=<base64>`.
fn expected_hash(headers: &HeaderMap) -> Result<Option<[u8; 32]>, ApiError> {
    let Some(digest) = headers.get("digest") else { return Ok(None) };
    let hash = digest.to_str().ok().and_then(|text| {
        let (algorithm, hash) = text.split_once('=')?;
        algorithm.eq_ignore_ascii_case("sha-256").then(|| BASE64.decode(hash).ok()?.try_into().ok())?
    });
    let invalid = || ApiError::bad_request("InvalidDigest", "The header `Digest` must be `sha-256=<base64>`.");
    hash.map(Some).ok_or_else(invalid)
}

async fn download(
    State(backend): State<Arc<Backend>>,
    Path(key): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let key = FileKey::parse(&key).ok_or_else(|| {
        ApiError::bad_request("InvalidStoragePath", format!("{key:?} is no file: a file has a UUID."))
    })?;
    let missing = || ApiError::new(StatusCode::NOT_FOUND, "FileNotFound", format!("There is no file {key}."));
    let file = backend.begin_system().file_by_key(key.as_str()).await?.ok_or_else(missing)?.content;
    let range = match wanted(&headers, file.size) {
        Wanted::All => None,
        Wanted::Range(range) => Some(range),
        Wanted::Unsatisfiable => {
            let size = [(header::CONTENT_RANGE, format!("bytes */{}", file.size))];
            return Ok((StatusCode::RANGE_NOT_SATISFIABLE, size).into_response());
        }
    };
    let sent = range.clone().unwrap_or(0..file.size);
    let content = backend.storage.files.read(&key, sent.clone()).await.map_err(|error| {
        tracing::error!(%error, %key, "a file cannot be read");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "InternalServerError", "The file cannot be read.")
    })?;
    let mut response = Body::from_stream(content.ok_or_else(missing)?).into_response();
    let mut set = |name, value: String| {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::CONTENT_LENGTH, (sent.end - sent.start).to_string());
    set(header::HeaderName::from_static("digest"), format!("sha-256={}", BASE64.encode(file.sha256)));
    set(header::CACHE_CONTROL, "private, max-age=2592000".to_owned());
    set(header::ACCEPT_RANGES, "bytes".to_owned());
    if let Some(content_type) = file.content_type {
        set(header::CONTENT_TYPE, content_type);
    }
    if let Some(range) = range {
        set(header::CONTENT_RANGE, format!("bytes {}-{}/{}", range.start, range.end - 1, file.size));
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    Ok(response)
}

/// What of a file a request wants.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    All,
    Range(Range<u64>),
    Unsatisfiable,
}

/// Reads the header `Range`, see RFC 9110, section 14.2. What is not understood counts as absent; several ranges are not
/// served.
fn wanted(headers: &HeaderMap, size: u64) -> Wanted {
    let header = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let Some(ranges) = header.and_then(|range| range.strip_prefix("bytes=")) else { return Wanted::All };
    if size == 0 {
        return Wanted::All;
    }
    if ranges.contains(',') {
        return Wanted::Unsatisfiable;
    }
    let Some((first, last)) = ranges.split_once('-') else { return Wanted::All };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let range = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Some(first), None) if last.trim().is_empty() => first..size,
        (None, Some(length)) if first.trim().is_empty() => size.saturating_sub(length)..size,
        _ => return Wanted::All,
    };
    if range.is_empty() { Wanted::Unsatisfiable } else { Wanted::Range(range) }
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        let code = match error {
            TokenError::Invalid => "StorageTokenInvalid",
            TokenError::Expired => "StorageTokenExpired",
        };
        Self::new(StatusCode::UNAUTHORIZED, code, error.to_string())
    }
}
