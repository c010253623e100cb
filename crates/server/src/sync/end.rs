//! Why a connection ends, and how the client is told.

use axum::extract::ws::{CloseFrame, Message};
use convex_wasm_runner::CallError;

use super::protocol::ServerMessage;
use crate::ApiError;

/// Close codes of WebSocket.
const NORMAL: u16 = 1000;
const INTERNAL: u16 = 1011;
const TRY_AGAIN: u16 = 1013;

/// Why a connection ends.
#[derive(Debug)]
pub enum End {
    /// The client went away, or does not answer.
    Gone,
    /// The client made a mistake.
    Fatal(String),
    /// The client's credentials are not accepted.
    Unauthenticated {
        /// Why.
        error: String,
        /// Version of the identity, which did not change.
        base_version: u32,
        /// Whether the client was just changing it.
        attempted: bool,
    },
    /// The server could not, and trying again may help: a short code of Convex.
    TryAgain(&'static str),
    /// A fault of ours.
    Internal,
}

impl End {
    /// What the client is sent last.
    pub fn messages(self) -> Vec<Message> {
        let close = |code, reason: &str| Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        let said = |message| serde_json::to_string(&message).map(|text| Message::Text(text.into()));
        match self {
            End::Gone => Vec::new(),
            End::Fatal(error) => {
                let mut messages: Vec<Message> = said(ServerMessage::FatalError { error }).into_iter().collect();
                messages.push(close(NORMAL, "BadRequest"));
                messages
            }
            End::Unauthenticated { error, base_version, attempted } => {
                let message = ServerMessage::AuthError { error, base_version, auth_update_attempted: attempted };
                let mut messages: Vec<Message> = said(message).into_iter().collect();
                messages.push(close(NORMAL, "Unauthenticated"));
                messages
            }
            End::TryAgain(code) => vec![close(TRY_AGAIN, code)],
            End::Internal => vec![close(INTERNAL, "InternalServerError")],
        }
    }
}

impl From<CallError> for End {
    fn from(error: CallError) -> Self {
        match error.code() {
            "InternalServerError" => {
                tracing::error!(%error, "a connection ends by our fault");
                End::Internal
            }
            code => End::TryAgain(code),
        }
    }
}

impl From<ApiError> for End {
    fn from(error: ApiError) -> Self {
        End::Fatal(error.to_string())
    }
}

impl From<convex_wasm_database::Error> for End {
    fn from(error: convex_wasm_database::Error) -> Self {
        CallError::from(error).into()
    }
}
