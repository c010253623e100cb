//! JSON Web Tokens: three parts in base64, of which the last signs the others.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use ring::signature::{UnparsedPublicKey, VerificationAlgorithm};
use serde_json::Value as Json;

use super::error::AuthError;
use super::provider::Algorithm;

/// A token whose parts were decoded. Nothing in it is to be trusted before its signature was checked.
pub struct Token<'a> {
    signed: &'a str,
    signature: Vec<u8>,
    header: Json,
    claims: Json,
}

impl<'a> Token<'a> {
    /// Takes a token apart.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &'a str) -> Result<Self, AuthError> {
        let no_token = || {
            AuthError::invalid(
                "Could not parse JWT payload. Check that the token is a valid JWT: three base64-encoded parts separated \
                 by dots.",
            )
        };
        let (signed, signature) = text.rsplit_once('.').ok_or_else(no_token)?;
        let (header, claims) = signed.split_once('.').ok_or_else(no_token)?;
        let decode = |part: &str| BASE64.decode(part).map_err(|_| no_token());
        let json = |part: &str| serde_json::from_slice(&decode(part)?).map_err(|_| no_token());
        let (header, claims): (Json, Json) = (json(header)?, json(claims)?);
        if !header.is_object() || !claims.is_object() {
            return Err(no_token());
        }
        Ok(Self { signed, signature: decode(signature)?, header, claims })
    }

    /// Who says that they issued it.
    ///
    /// # Errors
    /// Nobody.
    pub fn issuer(&self) -> Result<&str, AuthError> {
        self.claims["iss"]
            .as_str()
            .ok_or_else(|| AuthError::invalid("Could not parse JWT payload: it has no issuer (the claim `iss`)."))
    }

    /// For whom it was issued.
    pub fn audience(&self) -> Vec<&str> {
        match &self.claims["aud"] {
            Json::String(one) => vec![one],
            Json::Array(several) => several.iter().filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// How it says that it is signed.
    pub fn algorithm(&self) -> &str {
        self.header["alg"].as_str().unwrap_or("nothing")
    }

    /// Name of the key it is signed with.
    pub fn key_id(&self) -> Option<&str> {
        self.header["kid"].as_str()
    }

    /// What it claims.
    pub fn claims(&self) -> &Json {
        &self.claims
    }

    /// Checks that one of the keys (JSON Web Keys) signed it.
    ///
    /// # Errors
    /// None did.
    pub fn check_signature(&self, algorithm: Algorithm, keys: &[Json]) -> Result<(), AuthError> {
        if keys.iter().any(|key| self.is_signed_with(algorithm, key).is_some()) {
            return Ok(());
        }
        Err(AuthError::invalid("Could not decode token: its signature is not valid."))
    }

    fn is_signed_with(&self, algorithm: Algorithm, key: &Json) -> Option<()> {
        let number = |name: &str| BASE64.decode(key[name].as_str()?).ok();
        let curve = |algorithm: &'static dyn VerificationAlgorithm, key: Vec<u8>| {
            UnparsedPublicKey::new(algorithm, key).verify(self.signed.as_bytes(), &self.signature).ok()
        };
        match (algorithm, key["kty"].as_str()?, key["crv"].as_str()) {
            (Algorithm::RS256, "RSA", _) => RsaPublicKeyComponents { n: number("n")?, e: number("e")? }
                .verify(&RSA_PKCS1_2048_8192_SHA256, self.signed.as_bytes(), &self.signature)
                .ok(),
            // An uncompressed point (SEC 1).
            (Algorithm::ES256, "EC", Some("P-256")) => {
                curve(&ECDSA_P256_SHA256_FIXED, [vec![4], number("x")?, number("y")?].concat())
            }
            (Algorithm::EdDSA, "OKP", Some("Ed25519")) => curve(&ED25519, number("x")?),
            _ => None,
        }
    }

    /// Checks that it is valid now; when that ends.
    ///
    /// # Errors
    /// It is too early or too late, or does not say when it ends.
    pub fn check_times(&self, now: SystemTime, tolerance: Duration) -> Result<SystemTime, AuthError> {
        let Some(expires) = self.time("exp") else {
            return Err(AuthError::invalid("Could not decode token: it does not say when it expires (`exp`)."));
        };
        if let Ok(ago) = now.duration_since(expires + tolerance) {
            let seconds = (ago + tolerance).as_secs();
            return Err(AuthError::invalid(format!("Token expired {seconds} seconds ago")));
        }
        for claim in ["nbf", "iat"] {
            if self.time(claim).is_some_and(|from| from > now + tolerance) {
                return Err(AuthError::invalid(format!("Token is not valid yet (`{claim}` is in the future)")));
            }
        }
        Ok(expires)
    }

    /// A claim in seconds since the epoch; None if it is none, or beyond what clocks show.
    fn time(&self, claim: &str) -> Option<SystemTime> {
        let seconds = Duration::try_from_secs_f64(self.claims[claim].as_f64()?).ok()?;
        UNIX_EPOCH.checked_add(seconds).filter(|time| time.checked_add(Duration::from_secs(3_600)).is_some())
    }
}
