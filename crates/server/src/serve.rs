//! Listening, and stopping without cutting anybody off.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::{HTTP_SERVER_MAX_CONCURRENT_REQUESTS, HTTP_SERVER_SHUTDOWN_SECONDS};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tower::limit::GlobalConcurrencyLimitLayer;

use crate::{Backend, http};

/// Serves a backend until `stop` is ready, then lets open requests end, for a while.
///
/// # Errors
/// The listener fails.
pub async fn serve(
    listener: TcpListener,
    backend: Arc<Backend>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let router =
        http::router(backend).layer(GlobalConcurrencyLimitLayer::new(HTTP_SERVER_MAX_CONCURRENT_REQUESTS.get()));
    let stopping = Arc::new(Notify::new());
    let signal = stopping.clone();
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        stop.await;
        tracing::info!("stopping");
        signal.notify_one();
    });
    let patience = async {
        stopping.notified().await;
        tokio::time::sleep(Duration::from_secs(HTTP_SERVER_SHUTDOWN_SECONDS.get())).await;
    };
    tokio::select! {
        result = server.into_future() => result,
        () = patience => {
            tracing::warn!("some requests did not end in time");
            Ok(())
        }
    }
}
