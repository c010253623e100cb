//! Documents that providers publish: where their keys are, and the keys. They are kept as long as their `Cache-Control`
//! says, and asked for again when a token names a key that is not there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use convex_wasm_knobs::{
    AUTH_DOCUMENT_CACHE_SECONDS, AUTH_DOCUMENT_MAX_BYTES, AUTH_DOCUMENT_REFRESH_SECONDS, AUTH_DOCUMENT_TIMEOUT_SECONDS,
};
use parking_lot::Mutex;
use reqwest::Response;
use reqwest::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use serde_json::Value as Json;

use super::error::AuthError;
use super::provider::{Algorithm, normalized};

/// Published documents by address. There are as many as an app's providers have.
#[derive(Default)]
pub struct Documents {
    client: reqwest::Client,
    kept: Mutex<HashMap<String, Arc<Slot>>>,
}

/// One document. Whoever needs it while it is fetched waits for that.
type Slot = tokio::sync::Mutex<Option<Document>>;

#[derive(Clone)]
struct Document {
    content: Arc<Json>,
    fetched: Instant,
    kept_for: Duration,
}

impl Documents {
    /// Where an OpenID provider has its keys.
    ///
    /// # Errors
    /// It does not say.
    pub async fn key_set_of(&self, domain: &str) -> Result<String, AuthError> {
        let url = format!("{}/.well-known/openid-configuration", domain.trim_end_matches('/'));
        let longest = Duration::MAX;
        let document =
            self.get(&url, longest).await.map_err(|error| AuthError::discovery(domain, format!("{url}: {error}")))?;
        let issuer = document["issuer"].as_str().unwrap_or_default();
        if normalized(issuer) != normalized(domain) {
            return Err(AuthError::discovery(domain, format!("{url} names another issuer: {issuer:?}")));
        }
        let keys = document["jwks_uri"].as_str();
        keys.map(str::to_owned).ok_or_else(|| AuthError::discovery(domain, format!("{url} has no `jwks_uri`")))
    }

    /// The keys of a key set for an algorithm: the one of this name, or all if no name is known.
    ///
    /// # Errors
    /// There are none, or the key set cannot be had.
    pub async fn keys(&self, jwks: &str, id: Option<&str>, algorithm: Algorithm) -> Result<Vec<Json>, AuthError> {
        let key_set = self.key_set(jwks, Duration::MAX).await?;
        let mut keys = matching(&key_set, id, algorithm);
        if keys.is_empty() {
            // Perhaps the provider has new keys. Tokens can name any key, so it is not asked for each of them.
            let old = Duration::from_secs(AUTH_DOCUMENT_REFRESH_SECONDS.get());
            let key_set = self.key_set(jwks, old).await?;
            keys = matching(&key_set, id, algorithm);
        }
        if keys.is_empty() {
            let name = id.map_or_else(|| "without a `kid`".to_owned(), |id| format!("with the kid {id:?}"));
            return Err(AuthError::invalid(format!(
                "Could not decode token: the JWKS has no key {name} for {}.",
                algorithm.name()
            )));
        }
        Ok(keys)
    }

    async fn key_set(&self, jwks: &str, newer_than: Duration) -> Result<Arc<Json>, AuthError> {
        if let Some(data) = jwks.strip_prefix("data:") {
            return Ok(Arc::new(data_url(data).map_err(|reason| key_set_error(&reason))?));
        }
        self.get(jwks, newer_than).await.map_err(|reason| key_set_error(&reason))
    }

    /// A document that is not older than allowed.
    async fn get(&self, url: &str, oldest: Duration) -> Result<Arc<Json>, String> {
        let slot = self.kept.lock().entry(url.to_owned()).or_default().clone();
        let mut document = slot.lock().await;
        if let Some(document) = &*document
            && document.fetched.elapsed() < document.kept_for.min(oldest)
        {
            return Ok(document.content.clone());
        }
        let fetched = Instant::now();
        let (content, kept_for) = self.fetch(url).await?;
        let content = Arc::new(content);
        *document = Some(Document { content: content.clone(), fetched, kept_for });
        Ok(content)
    }

    async fn fetch(&self, url: &str) -> Result<(Json, Duration), String> {
        let patience = Duration::from_secs(AUTH_DOCUMENT_TIMEOUT_SECONDS.get());
        let request = self.client.get(url).header(ACCEPT, "application/json").timeout(patience);
        let not_accessible = |error: reqwest::Error| {
            tracing::warn!(url, error = &error as &dyn std::error::Error, "a provider cannot be reached");
            format!("could not fetch it, check that the URL is accessible: {}", error.without_url())
        };
        let mut response = request.send().await.and_then(Response::error_for_status).map_err(not_accessible)?;
        let kind = header(&response, CONTENT_TYPE).split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if !matches!(kind.as_str(), "application/json" | "application/jwk-set+json") {
            return Err(format!("invalid content type {kind:?}, expected application/json"));
        }
        let kept_for = cache_time(header(&response, CACHE_CONTROL));
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(not_accessible)? {
            body.extend_from_slice(&chunk);
            if body.len() > AUTH_DOCUMENT_MAX_BYTES.get() {
                return Err(format!("it has more than {} bytes", AUTH_DOCUMENT_MAX_BYTES.get()));
            }
        }
        Ok((parse(&body)?, kept_for))
    }
}

fn header(response: &Response, name: reqwest::header::HeaderName) -> &str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// How long an answer may be kept (RFC 9111).
fn cache_time(cache_control: &str) -> Duration {
    let mut seconds = AUTH_DOCUMENT_CACHE_SECONDS.get();
    for directive in cache_control.split(',').map(str::trim) {
        match directive.split_once('=') {
            Some(("max-age", age)) => seconds = age.trim_matches('"').parse().unwrap_or(seconds),
            None if matches!(directive, "no-store" | "no-cache") => return Duration::ZERO,
            _ => {}
        }
    }
    Duration::from_secs(seconds)
}

fn parse(body: &[u8]) -> Result<Json, String> {
    serde_json::from_slice(body).map_err(|error| format!("Invalid JWKS response body: not valid JSON ({error})"))
}

/// The content of `data:[<type>][;base64],<content>` (RFC 2397).
fn data_url(data: &str) -> Result<Json, String> {
    let (kind, content) = data.split_once(',').ok_or("the data URL has no comma")?;
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(content).collect();
    if kind.ends_with(";base64") {
        return parse(&BASE64.decode(bytes).map_err(|error| format!("the data URL is no base64: {error}"))?);
    }
    parse(&bytes)
}

fn key_set_error(reason: &str) -> AuthError {
    AuthError::invalid(format!("Could not get the keys from the JWKS URL: {reason}"))
}

/// Keys of a set (RFC 7517) that may have signed something with this algorithm and key name.
fn matching(key_set: &Json, id: Option<&str>, algorithm: Algorithm) -> Vec<Json> {
    let fits = |key: &&Json| {
        let algorithm_fits = key["alg"].as_str().is_none_or(|name| name == algorithm.name());
        let id_fits = id.is_none_or(|id| key["kid"].as_str() == Some(id));
        algorithm_fits && id_fits && key["use"].as_str().is_none_or(|purpose| purpose == "sig")
    };
    key_set["keys"].as_array().into_iter().flatten().filter(fits).cloned().collect()
}
