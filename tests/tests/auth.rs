//! Users' tokens: an identity provider of our own, an app that trusts it, and what functions see of its users.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, ensure};
use convex_wasm_tests::{developer::Developer, places};
use reqwest::StatusCode;
use serde_json::{Value, json};

const WHO: &str = r#"
import { queryGeneric as query, mutationGeneric as mutation } from "convex/server";
export const user = query({ args: {}, handler: (ctx) => ctx.auth.getUserIdentity() });
export const change = mutation({ args: {}, handler: (ctx) => ctx.auth.getUserIdentity() });
"#;
const AUTH_CONFIG: &str = r#"
export default {
  providers: [
    { domain: process.env.ISSUER!, applicationID: "chat" },
    { type: "customJwt", issuer: process.env.ISSUER!, jwks: `${process.env.ISSUER}/jwks`, algorithm: "ES256" },
    { type: "customJwt", issuer: "https://gone.example.com", jwks: `${process.env.ISSUER}/gone`, algorithm: "RS256" },
    { type: "customJwt", issuer: "https://text.example.com", jwks: "data:text/plain,nothing", algorithm: "RS256" },
  ],
};
"#;

/// A provider in a process of its own; it ends when its standard input is closed.
struct Issuer {
    process: Child,
    url: String,
}

impl Issuer {
    fn start() -> anyhow::Result<Self> {
        let mut process = Command::new(places::node().canonicalize()?)
            .arg(places::project().join("tests/node/issuer.mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("the issuer has an output")?).read_line(&mut line)?;
        Ok(Issuer { process, url: line.trim().to_owned() })
    }

    async fn ask(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = reqwest::Client::new().post(format!("{}{path}", self.url)).json(body);
        Ok(request.send().await?.json().await?)
    }

    /// A token with these claims beside issuer, subject and an hour of life.
    async fn token(&self, algorithm: &str, claims: Value) -> anyhow::Result<String> {
        self.sign(json!({ "alg": algorithm, "claims": self.claims(claims) })).await
    }

    async fn sign(&self, what: Value) -> anyhow::Result<String> {
        Ok(self.ask("/sign", &what).await?.as_str().context("a token is text")?.to_owned())
    }

    fn claims(&self, claims: Value) -> Value {
        let mut all = json!({ "iss": self.url, "sub": "ann", "iat": now(), "exp": now() + 3_600 });
        for (name, value) in claims.as_object().into_iter().flatten() {
            all[name] = value.clone();
        }
        all
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        // It may have ended on its own.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// The status and body of a query made with a token.
async fn who(developer: &Developer, token: &str) -> anyhow::Result<(StatusCode, Value)> {
    let request = reqwest::Client::new().post(format!("{}/api/query", developer.backend.url()));
    let response = request.bearer_auth(token).json(&json!({ "path": "who:user", "args": {} })).send().await?;
    Ok((response.status(), response.json().await?))
}

/// The user a token stands for.
async fn user(developer: &Developer, token: &str) -> anyhow::Result<Value> {
    let (status, answer) = who(developer, token).await?;
    ensure!(status == StatusCode::OK && answer["status"] == "success", "{status}: {answer}");
    Ok(answer["value"].clone())
}

/// Checks that a token is refused with a code and a text with these fragments.
async fn refused(developer: &Developer, token: &str, code: &str, fragments: &[&str]) -> anyhow::Result<()> {
    let (status, answer) = who(developer, token).await?;
    let message = answer["message"].as_str().unwrap_or_default();
    let as_expected = status == StatusCode::UNAUTHORIZED && answer["code"] == code;
    ensure!(as_expected && fragments.iter().all(|fragment| message.contains(fragment)), "{status}: {answer}");
    Ok(())
}

#[tokio::test]
async fn tokens_of_trusted_providers_name_their_users() -> anyhow::Result<()> {
    let issuer = Issuer::start()?;
    let developer = Developer::new()?;
    developer.write("who.ts", WHO)?;
    developer.write("auth.config.ts", AUTH_CONFIG)?;

    // Providers are part of the app: one that cannot be read is refused with what to do.
    let unset = developer.fails(&["deploy", "--yes", "--typecheck", "disable"])?;
    assert!(unset.contains("ISSUER"), "{unset}");
    developer.succeeds(&["env", "set", "ISSUER", &issuer.url])?;
    developer.succeeds(&["deploy", "--yes", "--typecheck", "disable"])?;
    let still_used = developer.fails(&["env", "unset", "ISSUER"])?;
    assert!(still_used.contains("ISSUER"), "{still_used}");

    // OpenID providers: standard claims under Convex's names, others under their own.
    let claims = json!({
        "aud": "chat", "given_name": "Ann", "email_verified": true, "picture": "p.png", "updated_at": 951_782_400,
        "org": { "role": "admin" }, "jti": "1",
    });
    let identifier = format!("{}|ann", issuer.url);
    for algorithm in ["RS256", "EdDSA"] {
        let user = user(&developer, &issuer.token(algorithm, claims.clone()).await?).await?;
        let expected = BTreeMap::from([
            ("tokenIdentifier", json!(identifier)),
            ("subject", json!("ann")),
            ("givenName", json!("Ann")),
            ("emailVerified", json!(true)),
            ("pictureUrl", json!("p.png")),
            ("updatedAt", json!("2000-02-29T00:00:00+00:00")),
            ("org", json!({ "role": "admin" })),
            ("aud", json!("chat")),
            ("jti", Value::Null),
        ]);
        for (name, value) in expected {
            assert_eq!(user[name], value, "{name} of {user}");
        }
    }

    // Any other issuer: all claims are the user's.
    let custom =
        user(&developer, &issuer.token("ES256", json!({ "org": { "role": "admin" }, "name": "Ann" })).await?).await?;
    let expected = json!({
        "tokenIdentifier": identifier, "issuer": issuer.url, "subject": "ann",
        "org": { "role": "admin" }, "org.role": "admin", "name": "Ann",
    });
    assert_eq!(custom, expected);

    // Keys are fetched once, and again when the provider has new ones.
    let fetched = issuer.ask("/fetched", &Value::Null).await?;
    user(&developer, &issuer.token("RS256", claims.clone()).await?).await?;
    assert_eq!(issuer.ask("/fetched", &Value::Null).await?, fetched);

    // Nobody, and somebody whose token is not in order.
    assert_eq!(developer.backend.call("query", "who:user", json!({})).await?, Value::Null);
    let chat = json!({ "aud": "chat" });
    let good = issuer.token("RS256", chat.clone()).await?;
    let other = issuer.token("RS256", json!({ "aud": "chat", "sub": "bob" })).await?;
    let (signed, _) = good.rsplit_once('.').context("a token has parts")?;
    let (_, signature) = other.rsplit_once('.').context("a token has parts")?;
    refused(&developer, &format!("{signed}.{signature}"), "Unauthenticated", &["signature"]).await?;
    refused(&developer, "no.token", "InvalidAuthHeader", &["JWT", "three base64-encoded parts"]).await?;
    let nobodys = json!({ "alg": "RS256", "claims": { "sub": "ann" } });
    refused(&developer, &issuer.sign(nobodys).await?, "InvalidAuthHeader", &["issuer", "iss"]).await?;
    let stranger = issuer.token("RS256", json!({ "iss": "https://stranger.example.com" })).await?;
    refused(&developer, &stranger, "NoAuthProvider", &["No auth provider found matching", "app_id=chat"]).await?;
    let wrong_algorithm = issuer.token("ES256", chat.clone()).await?;
    refused(&developer, &wrong_algorithm, "Unauthenticated", &["ES256"]).await?;
    let late = issuer.token("RS256", json!({ "aud": "chat", "exp": now() - 60 })).await?;
    refused(&developer, &late, "Unauthenticated", &["Token expired", "seconds ago"]).await?;
    let late = issuer.token("ES256", json!({ "exp": now() - 60 })).await?;
    refused(&developer, &late, "InvalidAuthHeader", &["Token expired", "seconds ago"]).await?;
    let early = issuer.token("ES256", json!({ "nbf": now() + 60 })).await?;
    refused(&developer, &early, "InvalidAuthHeader", &["nbf"]).await?;
    let custom = issuer.claims(json!({}));
    let unnamed = issuer.sign(json!({ "alg": "ES256", "kid": null, "claims": custom })).await?;
    refused(&developer, &unnamed, "InvalidAuthHeader", &["missing a 'kid'"]).await?;
    let unknown = issuer.sign(json!({ "alg": "ES256", "kid": "k9", "claims": custom })).await?;
    refused(&developer, &unknown, "InvalidAuthHeader", &["Could not decode token", "kid", "k9"]).await?;
    let gone = issuer.token("RS256", json!({ "iss": "https://gone.example.com" })).await?;
    refused(&developer, &gone, "InvalidAuthHeader", &["JWKS", "URL", "accessible"]).await?;
    let text = issuer.token("RS256", json!({ "iss": "https://text.example.com" })).await?;
    refused(&developer, &text, "InvalidAuthHeader", &["Invalid JWKS response body", "not valid JSON"]).await?;

    // The npm clients.
    let clients = Command::new(places::node().canonicalize()?)
        .arg(places::project().canonicalize()?.join("tests/node/auth.mjs"))
        .args([developer.backend.url(), &issuer.url])
        .current_dir(places::chat())
        .status()?;
    ensure!(clients.success(), "the clients failed");
    Ok(())
}
