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
pub fn of_request(headers: &HeaderMap, secret: &InstanceSecret, instance: &str) -> Result<Identity, ApiError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(Identity::Anonymous) };
    let value = value.to_str().map_err(|_| {
        ApiError::bad_request("InvalidHeaderFailure", "The Authorization header has characters that are not ASCII.")
    })?;
    if value.len() < 7 {
        return Err(ApiError::bad_request("InvalidHeaderFailure", "The Authorization header is too short."));
    }
    match value.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("convex") => admin(key.trim(), secret, instance),
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("bearer") => Err(no_provider()),
        _ => Err(ApiError::bad_request(
            "InvalidAdminKey",
            "The Authorization header must be `Convex <admin key>` or `Bearer <token>`.",
        )),
    }
}

/// Demands an admin key, in the header or, as the CLI's pushes have it too, in the body.
///
/// # Errors
/// As [`of_request`]; 403 if there is no admin key.
pub fn require_admin(headers: &HeaderMap, in_body: &str, backend: &Backend) -> Result<(), ApiError> {
    let identity = if in_body.is_empty() {
        of_request(headers, backend.secret(), backend.instance_name())?
    } else {
        admin(in_body, backend.secret(), backend.instance_name())?
    };
    if identity.is_admin() { Ok(()) } else { Err(ApiError::admin_only()) }
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

/// What users' tokens are answered with.
pub fn no_provider() -> ApiError {
    ApiError::new(
        axum::http::StatusCode::UNAUTHORIZED,
        "NoAuthProvider",
        "No auth provider found matching the given token: this server does not verify user tokens yet.",
    )
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
