//! Why a token is not accepted.

use axum::http::StatusCode;

use super::provider::Provider;
use crate::ApiError;

/// A token that is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AuthError {
    /// Convex's short code.
    pub code: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl AuthError {
    /// The token is not what a provider signs.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: "InvalidAuthHeader", message: message.into() }
    }

    /// The token of an OpenID provider is not in order.
    pub fn unauthenticated(reason: impl std::fmt::Display) -> Self {
        let reason = reason.to_string();
        let reason = reason.strip_prefix(COULD_NOT_VERIFY).unwrap_or(&reason);
        Self { code: "Unauthenticated", message: format!("{COULD_NOT_VERIFY}{reason}") }
    }

    /// A provider does not tell its keys.
    pub fn discovery(domain: &str, reason: impl std::fmt::Display) -> Self {
        Self {
            code: "AuthProviderDiscoveryFailed",
            message: format!("Auth provider discovery of {domain} failed: {reason}"),
        }
    }

    /// No provider has issued the token.
    pub fn no_provider(configured: &[Provider]) -> Self {
        let configured: Vec<String> = configured.iter().map(ToString::to_string).collect();
        let message = format!(
            "No auth provider found matching the given token. Check that `iss` and `aud` of the token are those in \
             auth.config.ts; configured providers: [{}]",
            configured.join(", ")
        );
        Self { code: "NoAuthProvider", message }
    }
}

const COULD_NOT_VERIFY: &str = "Could not verify OIDC token claim. ";

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        ApiError::new(StatusCode::UNAUTHORIZED, error.code, error.message)
    }
}
