//! Requests to a running server.

use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::Value as Json;

use crate::exit::Failure;

/// A POST of JSON to `path` of the server at `url`.
pub fn post(url: &str, path: &str) -> RequestBuilder {
    reqwest::Client::new()
        .post(format!("{}{path}", url.trim_end_matches('/')))
        .header("Convex-Client", concat!("convex-wasm-", env!("CARGO_PKG_VERSION")))
        .header("Content-Type", "application/json")
}

/// A GET of `path` of the server at `url`.
pub fn get(url: &str, path: &str) -> RequestBuilder {
    reqwest::Client::new()
        .get(format!("{}{path}", url.trim_end_matches('/')))
        .header("Convex-Client", concat!("convex-wasm-", env!("CARGO_PKG_VERSION")))
}

/// Adds the admin key, if there is one.
pub fn authorized(request: RequestBuilder, admin_key: Option<&str>) -> RequestBuilder {
    match admin_key {
        Some(key) => request.header("Authorization", format!("Convex {key}")),
        None => request,
    }
}

/// Sends the request and reads the JSON answer. A refusal by the server is a failure with the server's own words.
pub async fn send(request: RequestBuilder, url: &str) -> Result<Json, Failure> {
    let response =
        request.send().await.map_err(|error| Failure::setup(format!("could not reach {url}"), causes(&error)))?;
    let status = response.status();
    let body = text(response, url).await?;
    if status == StatusCode::OK {
        return serde_json::from_str(&body).map_err(|error| Failure::setup(format!("{url} answered no JSON"), error));
    }
    let refusal: Option<Json> = serde_json::from_str(&body).ok();
    let part = |name| refusal.as_ref().and_then(|json| json[name].as_str());
    match (part("code"), part("message")) {
        (Some(code), Some(message)) => Err(Failure::app(format!("{message}\n({code}, HTTP {})", status.as_u16()))),
        _ => Err(Failure::setup(format!("{url} answered HTTP {}", status.as_u16()), body)),
    }
}

async fn text(response: Response, url: &str) -> Result<String, Failure> {
    response.text().await.map_err(|error| Failure::setup(format!("lost the answer of {url}"), causes(&error)))
}

/// An error with what caused it; reqwest's own text leaves that out.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
