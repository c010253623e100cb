//! Users' tokens: which providers an app trusts, and whether a token is one of theirs.
//!
//! - `provider`: what `auth.config.ts` says
//! - `token`: a JSON Web Token, before and after its signature was checked (RFC 7515, RFC 7519)
//! - `documents`: discovery documents and key sets, fetched and kept (OpenID Connect Discovery 1.0, RFC 7517)
//! - `attributes`: what functions see of a user

mod attributes;
mod documents;
mod error;
mod provider;
mod token;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use convex_wasm_runner::Identity;
use parking_lot::RwLock;
use serde_json::Value as Json;

use documents::Documents;
pub use error::AuthError;
pub use provider::{Algorithm, Provider, providers_from_json};
use token::Token;

/// How far clocks of providers and ours may differ.
const TOLERANCE: Duration = Duration::from_secs(5);

/// A user who proved who they are.
pub struct VerifiedUser {
    /// What functions see.
    pub identity: Identity,
    /// When the proof ends.
    pub expires: SystemTime,
}

/// Verifies tokens with the providers of the deployed app.
#[derive(Default)]
pub struct Authenticator {
    providers: RwLock<Arc<Vec<Provider>>>,
    documents: Documents,
}

impl Authenticator {
    /// Trusts these providers from now on, and no others.
    pub fn trust(&self, providers: Vec<Provider>) {
        *self.providers.write() = Arc::new(providers);
    }

    /// The providers that are trusted.
    pub fn providers(&self) -> Vec<Provider> {
        self.providers.read().to_vec()
    }

    /// The user whose token this is.
    ///
    /// # Errors
    /// See [`AuthError`].
    pub async fn verify(&self, token: &str) -> Result<VerifiedUser, AuthError> {
        let token = Token::parse(token)?;
        let providers = self.providers.read().clone();
        let issuer = token.issuer()?;
        let provider = providers
            .iter()
            .find(|provider| provider.issued(issuer, &token.audience()))
            .ok_or_else(|| AuthError::no_provider(&providers))?;
        match provider {
            Provider::Oidc { domain, .. } => self.verify_oidc(&token, domain).await,
            Provider::CustomJwt { jwks, algorithm, .. } => self.verify_custom(&token, jwks, *algorithm).await,
        }
    }

    async fn verify_oidc(&self, token: &Token<'_>, domain: &str) -> Result<VerifiedUser, AuthError> {
        let unauthenticated = |error: AuthError| AuthError::unauthenticated(error.message);
        let algorithm = match token.algorithm() {
            "RS256" => Algorithm::RS256,
            "EdDSA" => Algorithm::EdDSA,
            other => return Err(AuthError::unauthenticated(format!("tokens signed with {other} are not accepted"))),
        };
        if token.audience().len() != 1 {
            return Err(AuthError::unauthenticated("the token must have exactly one audience (`aud`)"));
        }
        let jwks = self.documents.key_set_of(domain).await?;
        let keys = self.documents.keys(&jwks, token.key_id(), algorithm).await.map_err(unauthenticated)?;
        token.check_signature(algorithm, &keys).map_err(unauthenticated)?;
        let expires = token.check_times(SystemTime::now(), TOLERANCE).map_err(unauthenticated)?;
        let attributes = attributes::of_oidc(token.claims()).map_err(unauthenticated)?;
        Ok(user(attributes, expires))
    }

    async fn verify_custom(
        &self,
        token: &Token<'_>,
        jwks: &str,
        algorithm: Algorithm,
    ) -> Result<VerifiedUser, AuthError> {
        let key_id =
            token.key_id().ok_or_else(|| AuthError::invalid("Could not decode token: it is missing a 'kid'."))?;
        if token.algorithm() != algorithm.name() {
            return Err(AuthError::invalid(format!(
                "Could not decode token: it is signed with {}, not with {}.",
                token.algorithm(),
                algorithm.name()
            )));
        }
        let keys = self.documents.keys(jwks, Some(key_id), algorithm).await?;
        token.check_signature(algorithm, &keys)?;
        let expires = token.check_times(SystemTime::now(), TOLERANCE)?;
        Ok(user(attributes::of_custom(token.claims())?, expires))
    }
}

fn user(attributes: Json, expires: SystemTime) -> VerifiedUser {
    VerifiedUser { identity: Identity::User { attributes: Arc::new(attributes) }, expires }
}
