//! Who is asking: the `Authorization` header.

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use convex_wasm_runner::Identity;

use super::error::ApiError;
use crate::Backend;
use crate::admin_key::InstanceSecret;

/// Reads who a request acts for. No header is an anonymous user.
///
/// # Errors
/// 400 for a header of no known form, 401 for a key or token that is not accepted here.
pub async fn of_request(headers: &HeaderMap, backend: &Backend) -> Result<Identity, ApiError> {
    match Credentials::of(headers)? {
        Credentials::None => Ok(Identity::Anonymous),
        Credentials::Convex(key) => admin(key, backend.secret(), backend.instance_name()),
        Credentials::Bearer(token) => Ok(backend.authenticator.verify(token).await?.identity),
    }
}

/// What the `Authorization` header holds.
enum Credentials<'a> {
    None,
    /// An admin key.
    Convex(&'a str),
    /// A user's token.
    Bearer(&'a str),
}

impl<'a> Credentials<'a> {
    fn of(headers: &'a HeaderMap) -> Result<Self, ApiError> {
        let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(Self::None) };
        let value = value.to_str().map_err(|_| {
            ApiError::bad_request("InvalidHeaderFailure", "The Authorization header has characters that are not ASCII.")
        })?;
        if value.len() < 7 {
            return Err(ApiError::bad_request("InvalidHeaderFailure", "The Authorization header is too short."));
        }
        match value.split_once(' ') {
            Some((scheme, key)) if scheme.eq_ignore_ascii_case("convex") => Ok(Self::Convex(key.trim())),
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Self::Bearer(token.trim())),
            _ => Err(ApiError::bad_request(
                "InvalidAdminKey",
                "The Authorization header must be `Convex <admin key>` or `Bearer <token>`.",
            )),
        }
    }
}

/// Demands an admin key, in the header or, as the CLI's pushes have it too, in the body.
///
/// # Errors
/// As [`of_request`]; 403 if there is no admin key.
pub fn require_admin(headers: &HeaderMap, in_body: &str, backend: &Backend) -> Result<(), ApiError> {
    let key = match Credentials::of(headers) {
        _ if !in_body.is_empty() => in_body,
        Ok(Credentials::Convex(key)) => key,
        Ok(Credentials::None | Credentials::Bearer(_)) => return Err(ApiError::admin_only()),
        Err(error) => return Err(error),
    };
    admin(key, backend.secret(), backend.instance_name()).map(|_| ())
}

/// `<key>` or `<key>:<base64 of a user's attributes as JSON>`.
fn admin(credentials: &str, secret: &InstanceSecret, instance: &str) -> Result<Identity, ApiError> {
    // The key itself has no colon after its `|`, so a later one begins the user's attributes.
    let bar = credentials.find('|').unwrap_or(0);
    let (key, user) = match credentials[bar..].split_once(':') {
        Some((rest, user)) => (&credentials[..bar + rest.len()], Some(user)),
        None => (credentials, None),
    };
    if !secret.accepts(key, instance) {
        return Err(ApiError::bad_admin_key());
    }
    let acting_as = user.map(decoded_user).transpose()?;
    Ok(Identity::Admin { acting_as })
}

/// An admin key, and the attributes of the user the admin acts as.
///
/// # Errors
/// 401 for a key that is not accepted here, 400 for attributes that name no user.
pub fn admin_acting_as(
    key: &str,
    user: Option<serde_json::Value>,
    secret: &InstanceSecret,
    instance: &str,
) -> Result<Identity, ApiError> {
    match (admin(key, secret, instance)?, user) {
        (_, Some(user)) => Ok(Identity::Admin { acting_as: Some(user_attributes(user)?) }),
        (identity, None) => Ok(identity),
    }
}

fn decoded_user(encoded: &str) -> Result<serde_json::Value, ApiError> {
    let bytes = BASE64.decode(encoded).map_err(|_| invalid_user())?;
    user_attributes(serde_json::from_slice(&bytes).map_err(|_| invalid_user())?)
}

fn invalid_user() -> ApiError {
    ApiError::bad_request(
        "InvalidAdminKey",
        "The user an admin acts as must be a JSON object with `tokenIdentifier`, or `issuer` and `subject`; after an admin \
         key it is base64.",
    )
}

fn user_attributes(user: serde_json::Value) -> Result<serde_json::Value, ApiError> {
    let invalid = invalid_user;
    let serde_json::Value::Object(mut user) = user else { return Err(invalid()) };
    if !user.contains_key("tokenIdentifier") {
        let text = |name: &str| user.get(name).and_then(|value| value.as_str());
        let identifier = format!("{}|{}", text("issuer").ok_or_else(invalid)?, text("subject").ok_or_else(invalid)?);
        user.insert("tokenIdentifier".to_owned(), identifier.into());
    }
    Ok(serde_json::Value::Object(user))
}
