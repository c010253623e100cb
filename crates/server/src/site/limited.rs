//! Bodies of bounded size.

use std::io;

use bytes::Bytes;
use convex_wasm_knobs::HTTP_ACTION_BODY_LIMIT;
use futures::{Stream, StreamExt};

/// The same stream, which fails where more than `HTTP_ACTION_BODY_LIMIT` bytes come.
pub fn limited(
    stream: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    what: &'static str,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let mut left = HTTP_ACTION_BODY_LIMIT.get();
    stream.map(move |piece| {
        let piece = piece?;
        match left.checked_sub(piece.len()) {
            Some(rest) => {
                left = rest;
                Ok(piece)
            }
            None => {
                let text =
                    format!("The body of the {what} is too large (limit: {} bytes).", HTTP_ACTION_BODY_LIMIT.get());
                tracing::warn!("{text}");
                Err(io::Error::other(text))
            }
        }
    })
}
