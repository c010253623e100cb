//! The HTTP interface: routes, and what holds for all of them.

pub(crate) mod answer;
mod body;
mod client_version;
mod consistent;
mod deploy;
mod environment;
mod error;
mod format;
pub(crate) mod functions;
pub(crate) mod identity;
mod info;
mod jobs;
mod logs;
mod metrics;
mod push;
mod push_answer;
pub(crate) mod request;
mod storage;
mod transfer;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use convex_wasm_knobs::HTTP_SERVER_TIMEOUT_SECONDS;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

pub use error::ApiError;

use crate::{Backend, site};

/// All routes of a backend.
pub fn router(backend: Arc<Backend>) -> Router {
    Router::new()
        .merge(info::routes())
        .merge(metrics::routes())
        .merge(functions::routes())
        .merge(consistent::routes())
        .merge(deploy::routes())
        .merge(push::routes())
        .merge(environment::routes())
        .merge(transfer::routes())
        .merge(logs::routes())
        .merge(jobs::routes())
        .merge(storage::routes())
        .merge(crate::sync::routes())
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        // Handlers bound the bodies they read themselves, see `body`.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn(time_limit))
        .layer(cors())
        .with_state(backend.clone())
        .nest("/http", site::router(backend))
}

/// Browsers on any site may call functions; credentials go in headers the page sets itself.
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .allow_methods([Method::GET, Method::POST, Method::OPTIONS, Method::PATCH, Method::DELETE, Method::PUT])
        .allow_credentials(true)
        .max_age(Duration::from_secs(86_400))
}

async fn time_limit(request: Request, next: Next) -> Result<Response, ApiError> {
    let limit = Duration::from_secs(HTTP_SERVER_TIMEOUT_SECONDS.get());
    tokio::time::timeout(limit, next.run(request)).await.map_err(|_| {
        ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            "RequestTimeout",
            format!("The request took longer than {} s.", limit.as_secs()),
        )
    })
}

async fn not_found(request: Request) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "NotFound", format!("There is nothing at {}.", request.uri().path()))
}

async fn method_not_allowed(request: Request) -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "MethodNotAllowed",
        format!("{} does not answer {}.", request.uri().path(), request.method()),
    )
}
