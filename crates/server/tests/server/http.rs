//! What the server answers to requests that never reach a function.

use crate::support::{INSTANCE, Server, ok, refusal, send};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const CALL: &str = r#"{"path":"messages:list","args":{}}"#;

#[tokio::test]
async fn tells_who_it_is() {
    let server = Server::start().await;
    for (path, expected) in [("/version", env!("CARGO_PKG_VERSION")), ("/instance_name", INSTANCE)] {
        assert_eq!(server.get(path).send().await.unwrap().text().await.unwrap(), expected);
    }
    assert_eq!(server.get("/").send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn refuses_what_it_does_not_understand() {
    let server = Server::start().await;
    let refused = async |path: &str, body: &str| refusal(server.post(path, body.to_owned())).await;
    let bad = |code: &str| (400, code.to_owned());
    assert_eq!(refused("/api/query", "{").await, bad("BadJsonBody"));
    assert_eq!(refused("/api/query", "{}").await, bad("BadJsonBody"));
    assert_eq!(refused("/api/query", r#"{"path":"a:b","args":{},"format":"xml"}"#).await, bad("BadFormat"));
    assert_eq!(refused("/api/query", r#"{"path":"../a:b","args":{}}"#).await, bad("InvalidModulePath"));
    assert_eq!(refused("/api/mutation", r#"{"path":"a:b","args":[{},{}]}"#).await, bad("BadArguments"));
    assert_eq!(refused("/api/run/messages", "{}").await, bad("MissingIdentifier"));
    assert_eq!(refused("/api/nothing", "{}").await, (404, "NotFound".to_owned()));
    assert_eq!(refusal(server.get("/api/mutation")).await, (405, "MethodNotAllowed".to_owned()));
    assert_eq!(refusal(server.get("/api/query?path=a:b&args=%7B")).await, bad("BadJsonBody"));
}

#[tokio::test]
async fn refuses_bodies_that_are_too_large() {
    let server = Server::start().await;
    let body = json!({ "path": "a:b", "args": { "text": "x".repeat(20_000_000) } }).to_string();
    assert_eq!(refusal(server.post("/api/query", body)).await, (413, "RequestBodyTooLarge".to_owned()));
}

#[tokio::test]
async fn checks_who_asks() {
    let server = Server::start().await;
    let with = async |value: &str| refusal(server.post("/api/query", CALL).header("Authorization", value)).await;
    assert_eq!(with("Convex other|00").await, (401, "BadAdminKey".to_owned()));
    assert_eq!(with(&format!("Convex {INSTANCE}|zz")).await, (401, "BadAdminKey".to_owned()));
    assert_eq!(with("Basic").await, (400, "InvalidHeaderFailure".to_owned()));
    assert_eq!(with("Basic abcdef").await, (400, "InvalidAdminKey".to_owned()));
    assert_eq!(with("Bearer a.b.c").await, (401, "InvalidAuthHeader".to_owned()));
    assert_eq!(with(&format!("Convex {}:bm9uZQ==", server.key)).await, (400, "InvalidAdminKey".to_owned()));
    assert_eq!(refusal(server.post("/api/function", CALL)).await, (403, "Unauthorized".to_owned()));
    assert_eq!(refusal(server.post("/api/convex_wasm/deploy", "{}")).await, (403, "Unauthorized".to_owned()));
}

#[tokio::test]
async fn checks_which_client_asks() {
    let server = Server::start().await;
    let with = |value: &str| server.post("/api/query", CALL).header("Convex-Client", value);
    for bad in ["npm", "npm-1", "npm-1.x.0", "-1.2.3", "1.2.3"] {
        assert_eq!(refusal(with(bad)).await, (400, "InvalidClientVersion".to_owned()), "{bad}");
    }
    assert_eq!(refusal(with("npm-0.19.1")).await, (400, "ClientVersionUnsupported".to_owned()));
    for good in ["npm-1.49.0", "npm-cli-1.49.0", "python-0.7.0", "create-convex-0.0.1", "npm-1.50.0-alpha.1"] {
        ok(with(good)).await;
    }
}

#[tokio::test]
async fn answers_browsers_of_any_site() {
    let server = Server::start().await;
    let client = reqwest::Client::new();
    let preflight = client
        .request(Method::OPTIONS, format!("{}/api/query", server.url))
        .header("Origin", "https://app.example.com")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "convex-client,content-type")
        .send()
        .await
        .unwrap();
    let header = |name: &str| preflight.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("access-control-allow-origin"), "https://app.example.com");
    assert_eq!(header("access-control-allow-credentials"), "true");
    assert_eq!(header("access-control-allow-headers"), "convex-client,content-type");
    assert_eq!(header("access-control-max-age"), "86400");
}

#[tokio::test]
async fn without_an_app_there_are_no_functions() {
    let server = Server::start().await;
    let request = server.post("/api/query", CALL).header("Convex-Request-Id", "0123456789abcdef");
    let (status, answer) = send(request).await;
    assert_eq!(status, StatusCode::OK);
    let expected = "[Request ID: 0123456789abcdef] Server Error\nCould not find public function for 'messages:list'. \
                    Did you forget to run `npx convex dev`?";
    assert_eq!(answer, json!({ "status": "error", "errorMessage": expected }));
    let answer = ok(server.post("/api/run/messages/list", "{}")).await;
    let message = answer["errorMessage"].as_str().unwrap();
    assert!(message.contains("Could not find function for 'messages:list'"), "{message}");
    assert_eq!(answer["value"], Value::Null);
}
