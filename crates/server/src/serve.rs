//! Listening, and stopping without cutting anybody off.

use std::future::{Future, IntoFuture};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use convex_wasm_knobs::{HTTP_SERVER_MAX_CONCURRENT_REQUESTS, HTTP_SERVER_SHUTDOWN_SECONDS};
use futures::future::try_join_all;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower::limit::GlobalConcurrencyLimitLayer;

use crate::{Backend, http, site};

/// Serves a backend until `stop` is ready, then lets open requests end, for a while. HTTP actions have a listener of their
/// own.
///
/// # Errors
/// A listener fails.
pub async fn serve(
    listener: TcpListener,
    site: TcpListener,
    backend: Arc<Backend>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let limit = GlobalConcurrencyLimitLayer::new(HTTP_SERVER_MAX_CONCURRENT_REQUESTS.get());
    let stopping = watch::Sender::new(false);
    let start = |listener, router: Router| {
        let mut stopped = stopping.subscribe();
        axum::serve(listener, router.layer(limit.clone())).with_graceful_shutdown(async move {
            // The sender lives as long as the servers.
            let _ = stopped.wait_for(|stopped| *stopped).await;
        })
    };
    let servers = [start(listener, http::router(backend.clone())), start(site, site::router(backend))];
    let patience = async {
        stop.await;
        tracing::info!("stopping");
        stopping.send_replace(true);
        tokio::time::sleep(Duration::from_secs(HTTP_SERVER_SHUTDOWN_SECONDS.get())).await;
    };
    tokio::select! {
        result = try_join_all(servers.map(IntoFuture::into_future)) => result.map(|_| ()),
        () = patience => {
            tracing::warn!("some requests did not end in time");
            Ok(())
        }
    }
}
