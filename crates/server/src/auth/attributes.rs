//! What `ctx.auth.getUserIdentity()` gives for the claims of a token.

use serde_json::{Map, Value as Json};

use super::error::AuthError;

/// Standard claims of OpenID Connect, and what Convex calls them.
const STANDARD: &[(&str, &str)] = &[
    ("name", "name"),
    ("given_name", "givenName"),
    ("family_name", "familyName"),
    ("nickname", "nickname"),
    ("preferred_username", "preferredUsername"),
    ("profile", "profileUrl"),
    ("picture", "pictureUrl"),
    ("website", "websiteUrl"),
    ("email", "email"),
    ("email_verified", "emailVerified"),
    ("gender", "gender"),
    ("birthdate", "birthday"),
    ("zoneinfo", "timezone"),
    ("locale", "language"),
    ("phone_number", "phoneNumber"),
    ("phone_number_verified", "phoneNumberVerified"),
    ("address", "address"),
    ("updated_at", "updatedAt"),
];
/// Claims of a token itself, not of its user.
const OF_THE_TOKEN: &[&str] = &["iss", "sub", "jti", "nbf", "fva"];
/// Further ones that are no attributes if the provider is not an OpenID provider.
const OF_A_CUSTOM_TOKEN: &[&str] = &["aud", "exp", "iat"];

/// The attributes of a user of an OpenID provider: standard claims under Convex's names, all others under their own.
///
/// # Errors
/// The token names no user.
pub fn of_oidc(claims: &Json) -> Result<Json, AuthError> {
    let mut attributes = identified(claims)?;
    for (claim, value) in claims.as_object().into_iter().flatten() {
        if OF_THE_TOKEN.contains(&claim.as_str()) || value.is_null() {
            continue;
        }
        let standard = STANDARD.iter().find(|(name, _)| name == claim);
        let name = standard.map_or(claim.as_str(), |(_, attribute)| attribute);
        let value = if claim == "updated_at" { date(value) } else { value.clone() };
        attributes.insert(name.to_owned(), value);
    }
    Ok(attributes.into())
}

/// The attributes of a user of another provider: all claims that are not about the token, those in objects also as `a.b`.
///
/// # Errors
/// The token names no user.
pub fn of_custom(claims: &Json) -> Result<Json, AuthError> {
    let mut attributes = identified(claims)?;
    let about_token = |name: &str| OF_THE_TOKEN.contains(&name) || OF_A_CUSTOM_TOKEN.contains(&name);
    for (name, value) in claims.as_object().into_iter().flatten().filter(|(name, _)| !about_token(name)) {
        attributes.insert(name.clone(), value.clone());
        flatten(name, value, &mut attributes);
    }
    Ok(attributes.into())
}

fn identified(claims: &Json) -> Result<Map<String, Json>, AuthError> {
    let claim = |name: &str| {
        let missing = || AuthError::invalid(format!("Could not decode token: it has no claim `{name}`."));
        claims[name].as_str().ok_or_else(missing)
    };
    let (issuer, subject) = (claim("iss")?, claim("sub")?);
    Ok(Map::from_iter([
        ("tokenIdentifier".to_owned(), format!("{issuer}|{subject}").into()),
        ("issuer".to_owned(), issuer.into()),
        ("subject".to_owned(), subject.into()),
    ]))
}

fn flatten(prefix: &str, value: &Json, attributes: &mut Map<String, Json>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let name = format!("{prefix}.{name}");
        attributes.insert(name.clone(), value.clone());
        flatten(&name, value, attributes);
    }
}

/// Seconds since the epoch as RFC 3339 has it; text as it is.
fn date(value: &Json) -> Json {
    let Some(seconds) = value.as_i64() else { return value.clone() };
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00").into()
}

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Days are counted from
/// 0000-03-01, so that a leap day is the last of its year; 400 years have 146,097 days.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day_of_month)
}
