//! The sync protocol: clients on WebSockets, whose queries stay up to date.

mod end;
mod live_query;
mod protocol;
mod session;

use std::sync::Arc;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use convex_wasm_knobs::{HTTP_SERVER_MAX_FUNCTION_BODY_BYTES, SYNC_READ_BUFFER_BYTES};

use crate::Backend;
use session::Session;

/// First version of the npm package that understands transitions in slices.
const CHUNKS_SINCE: (u32, u32) = (1, 28);

/// Routes of this module.
pub fn routes() -> Router<Arc<Backend>> {
    Router::new().route("/api/sync", get(other_client)).route("/api/{version}/sync", get(npm_client))
}

async fn other_client(State(backend): State<Arc<Backend>>, upgrade: WebSocketUpgrade) -> Response {
    accept(backend, upgrade, false)
}

async fn npm_client(
    State(backend): State<Arc<Backend>>,
    Path(version): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let mut parts = version.split('.').map_while(|part| part.parse().ok());
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    accept(backend, upgrade, version >= CHUNKS_SINCE)
}

fn accept(backend: Arc<Backend>, upgrade: WebSocketUpgrade, chunks: bool) -> Response {
    let limit = HTTP_SERVER_MAX_FUNCTION_BODY_BYTES.get();
    upgrade
        .read_buffer_size(SYNC_READ_BUFFER_BYTES.get())
        .max_message_size(limit)
        .max_frame_size(limit)
        .on_upgrade(move |socket| Session::new(backend, chunks).run(socket))
}
