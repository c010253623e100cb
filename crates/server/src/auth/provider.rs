//! The providers that an app trusts.

use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::push::PushError;

/// An issuer that is shared by all customers of its company, so that its tokens mean nothing without an audience.
const SHARED_ISSUER: &str = "https://api.workos.com";

/// How tokens are signed (RFC 7518, RFC 8037).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    RS256,
    /// ECDSA on P-256 with SHA-256.
    ES256,
    /// Ed25519; only OpenID providers use it.
    EdDSA,
}

impl Algorithm {
    /// The name in a token's header.
    pub fn name(self) -> &'static str {
        match self {
            Self::RS256 => "RS256",
            Self::ES256 => "ES256",
            Self::EdDSA => "EdDSA",
        }
    }
}

/// An identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// An OpenID provider, which tells where its keys are.
    Oidc {
        /// Its issuer.
        domain: String,
        /// The audience of its tokens.
        application_id: String,
    },
    /// Anybody who signs tokens.
    CustomJwt {
        /// The issuer.
        issuer: String,
        /// Where the keys are; may be a `data:` URL.
        jwks: String,
        /// How tokens are signed.
        algorithm: Algorithm,
        /// The audience of the tokens; None accepts any.
        application_id: Option<String>,
    },
}

impl Provider {
    /// Whether a token of this issuer for this audience is the provider's.
    pub fn issued(&self, issuer: &str, audience: &[&str]) -> bool {
        let (own, application) = match self {
            Self::Oidc { domain, application_id } => (domain, Some(application_id)),
            Self::CustomJwt { issuer, application_id, .. } => (issuer, application_id.as_ref()),
        };
        normalized(own) == normalized(issuer)
            && application.is_none_or(|application| audience.contains(&application.as_str()))
    }

    /// The provider as clients show it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Oidc { domain, application_id } => json!({ "applicationID": application_id, "domain": domain }),
            Self::CustomJwt { issuer, jwks, algorithm, application_id } => json!({
                "type": "customJwt",
                "applicationID": application_id,
                "issuer": issuer,
                "jwks": jwks,
                "algorithm": algorithm,
            }),
        }
    }
}

impl std::fmt::Display for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Oidc { domain, application_id } => write!(f, "OIDC(domain={domain}, app_id={application_id})"),
            Self::CustomJwt { issuer, application_id, .. } => {
                write!(f, "CustomJWT(issuer={issuer}, app_id={})", application_id.as_deref().unwrap_or("none"))
            }
        }
    }
}

/// An issuer with its scheme and without a slash at its end: how issuers are compared.
pub fn normalized(issuer: &str) -> String {
    let issuer = issuer.trim_end_matches('/');
    if issuer.contains("://") { issuer.to_owned() } else { format!("https://{issuer}") }
}

/// The providers that the default export of `auth.config.ts` lists.
///
/// # Errors
/// It is not such a list.
pub fn providers_from_json(config: &Json) -> Result<Vec<Provider>, PushError> {
    let Some(providers) = config["providers"].as_array() else {
        return Err(not_matching("`providers` must be an array"));
    };
    providers.iter().map(provider).collect()
}

/// One element of `providers`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(rename = "type")]
    kind: Option<String>,
    domain: Option<String>,
    issuer: Option<String>,
    jwks: Option<String>,
    algorithm: Option<String>,
    #[serde(rename = "applicationID")]
    application_id: Option<String>,
}

fn provider(json: &Json) -> Result<Provider, PushError> {
    let written: Written = serde_json::from_value(json.clone()).map_err(|error| not_matching(error.to_string()))?;
    let missing = |field: &str| not_matching(format!("a provider has no `{field}`: {json}"));
    match written.kind.as_deref() {
        None | Some("oidc") => Ok(Provider::Oidc {
            domain: checked_url(&written.domain.ok_or_else(|| missing("domain"))?)?,
            application_id: written.application_id.ok_or_else(|| missing("applicationID"))?,
        }),
        Some("customJwt") => {
            let issuer = checked_url(&written.issuer.ok_or_else(|| missing("issuer"))?)?;
            let jwks = written.jwks.ok_or_else(|| missing("jwks"))?;
            let algorithm = algorithm(&written.algorithm.ok_or_else(|| missing("algorithm"))?)?;
            let application_id = written.application_id;
            if application_id.is_none() && normalized(&issuer) == SHARED_ISSUER {
                return Err(PushError::refused(
                    "InsecureConfiguration",
                    format!("Tokens of {issuer} are issued for many apps: set `applicationID` in auth.config.ts."),
                ));
            }
            let jwks = if jwks.starts_with("data:") { jwks } else { checked_url(&jwks)? };
            Ok(Provider::CustomJwt { issuer, jwks, algorithm, application_id })
        }
        Some(other) => Err(not_matching(format!("{other:?} is no type of a provider (`oidc` or `customJwt`)"))),
    }
}

fn algorithm(name: &str) -> Result<Algorithm, PushError> {
    match name {
        "RS256" => Ok(Algorithm::RS256),
        "ES256" => Ok(Algorithm::ES256),
        other => Err(PushError::refused(
            "InvalidSignatureAlgorithm",
            format!("{other:?} in auth.config.ts is not supported: `algorithm` must be `RS256` or `ES256`."),
        )),
    }
}

/// The address, with `https://` if it had no scheme.
fn checked_url(text: &str) -> Result<String, PushError> {
    let invalid = |reason: &str| {
        PushError::refused("InvalidProviderDomainUrl", format!("Invalid provider domain URL {text:?}: {reason}."))
    };
    let has_scheme = text.contains("://");
    let whole = if has_scheme { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&whole).map_err(|error| invalid(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("the scheme must be https or http"));
    }
    let host = url.host_str().unwrap_or_default();
    if !has_scheme && host != "localhost" && !host.contains('.') {
        return Err(invalid("it is no domain name"));
    }
    Ok(whole)
}

fn not_matching(reason: impl std::fmt::Display) -> PushError {
    PushError::refused("AuthConfigNotMatchingSchemaError", format!("auth.config.ts is not valid: {reason}."))
}
