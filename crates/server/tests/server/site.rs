//! HTTP actions on the site's port.

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::support::{App, Server};

const APP: &str = r#"
import { query, internalMutation, call, all, ConvexError } from "./_deps/lib.js";

export const note = internalMutation({ handler: async (value) => void (await call("1.0/insert", { table: "rows", value })) });
export const list = query({ handler: () => all("rows") });

const endpoint = (handler) => ({ isHttp: true, invokeHttpAction: handler });
const exact = {
  "GET /hello": endpoint((request) => new Response(`hello ${new URL(request.url).searchParams.get("name")}`, { headers: { "x-a": "1" } })),
  "POST /echo": endpoint((request) => new Response(request.body, { status: 201 })),
  "GET /fail": endpoint(() => { throw new Error("boom"); }),
  "GET /data": endpoint(() => { throw new ConvexError({ code: 7 }); }),
  "POST /note": endpoint(async (request) => {
    console.log("noting");
    await call("1.0/actions/mutation", { name: "http:note", args: await request.json() });
    return new Response(null, { status: 204 });
  }),
  "GET /who": endpoint(async (request) => {
    const user = await call("1.0/getUserIdentity", {}).catch((error) => error.message);
    return Response.json([request.headers.get("authorization"), user]);
  }),
  "GET /slow": endpoint(async ({ signal }) => {
    const note = (text) => call("1.0/actions/mutation", { name: "http:note", args: { text } });
    await note("begun");
    while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    await note("aborted");
    return new Response();
  }),
  "GET /url": endpoint((request) => new Response(request.url)),
  "GET /big": endpoint(() => new Response(new Uint8Array(30 << 20))),
};
const prefixes = { "GET /files/": endpoint((r) => new Response("short")), "GET /files/long/": endpoint((r) => new Response("long")) };
const find = (path, method) => exact[`${method} ${path}`] ??
  Object.entries(prefixes).sort(([a], [b]) => b.length - a.length).find(([key]) => `${method} ${path}`.startsWith(key))?.[1];
export default {
  isRouter: true,
  getRoutes: () => [
    ...Object.entries(exact).map(([key, handler]) => [key.split(" ")[1], key.split(" ")[0], handler]),
    ...Object.entries(prefixes).map(([key, handler]) => [`${key.split(" ")[1]}*`, key.split(" ")[0], handler]),
  ],
  runRequest: async (text, path) => {
    const request = Convex.jsSyscall("requestFromConvexJson", { convexJson: JSON.parse(text) });
    const response = await find(path, request.method === "HEAD" ? "GET" : request.method).invokeHttpAction(request);
    return JSON.stringify(Convex.jsSyscall("convexJsonFromResponse", { response }));
  },
};
"#;

struct Site {
    server: Server,
    client: Client,
}

impl Site {
    async fn start() -> Self {
        let server = Server::start_with_v8().await;
        server.deploy(App::new().module("http.js", APP)).await;
        Self { server, client: Client::new() }
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.server.site))
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let response = self.request(Method::GET, path).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }
}

#[tokio::test]
async fn requests_find_their_action_by_method_and_path() {
    let site = Site::start().await;
    assert_eq!(site.get("/hello?name=Ann").await, (200, "hello Ann".to_owned()));
    assert_eq!(site.get("/files/a").await, (200, "short".to_owned()));
    assert_eq!(site.get("/files/long/a").await, (200, "long".to_owned()));
    assert_eq!(site.get("/nothing").await, (404, "No matching routes found".to_owned()));
    assert_eq!(site.get("/echo").await, (404, "No matching routes found".to_owned()));
    let head = site.request(Method::HEAD, "/hello").send().await.unwrap();
    assert_eq!((head.status().as_u16(), head.headers()["x-a"].to_str().unwrap()), (200, "1"));
    assert!(!head.headers().contains_key("access-control-allow-origin"), "CORS is the app's own business");
    let through_main_port = site.server.get("/http/hello?name=Bob").send().await.unwrap();
    assert_eq!(through_main_port.text().await.unwrap(), "hello Bob");
    let proxied =
        site.request(Method::GET, "/url?a=b").header("x-forwarded-proto", "https").header("host", "app.example");
    assert_eq!(proxied.send().await.unwrap().text().await.unwrap(), "https://app.example/url?a=b");
}

#[tokio::test]
async fn an_app_without_a_router_has_no_http_actions() {
    let server = Server::start_with_v8().await;
    server.deploy(App::new()).await;
    let response = reqwest::get(&server.site).await.unwrap();
    assert_eq!(response.status().as_u16(), 404);
    assert!(response.text().await.unwrap().contains("does not have HTTP actions enabled"));
}

#[tokio::test]
async fn bodies_are_streamed_within_their_limits() {
    let site = Site::start().await;
    let body = vec![b'x'; 19 << 20];
    let response = site.request(Method::POST, "/echo").body(body.clone()).send().await.unwrap();
    assert_eq!(response.status().as_u16(), 201);
    assert!(response.bytes().await.unwrap() == body);
    let refused = site.request(Method::POST, "/echo").body(vec![0; 21 << 20]).send().await;
    // The server answers before it has read everything, which a client may meet as a broken connection.
    assert!(refused.is_err() || refused.unwrap().status().as_u16() == 413);
    let big = site.request(Method::GET, "/big").send().await.unwrap();
    assert!(big.bytes().await.is_err(), "a response that is too large was sent whole");
}

#[tokio::test]
async fn actions_call_functions_and_errors_are_json() {
    let site = Site::start().await;
    let noted = site.request(Method::POST, "/note").json(&json!({ "text": "hi" })).send().await.unwrap();
    assert_eq!(noted.status().as_u16(), 204);
    assert_eq!(site.server.query("http:list", json!({})).await["value"][0]["text"], "hi");
    let (status, body) = site.get("/fail").await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(status, 500);
    let code = body["code"].as_str().unwrap();
    assert!(code.starts_with("[Request ID: ") && code.ends_with("] Server Error: Uncaught Error: boom"), "{body}");
    assert!(body["trace"].as_str().unwrap().starts_with("Uncaught Error: boom\n    at "), "{body}");
    let body: Value = serde_json::from_str(&site.get("/data").await.1).unwrap();
    assert_eq!(body["data"], json!({ "code": 7.0 }));
    let who = site.request(Method::GET, "/who").header("authorization", "Basic abcdefgh").send().await.unwrap();
    let who: Value = who.json().await.unwrap();
    assert_eq!(who[0], "Basic abcdefgh");
    assert!(who[1].as_str().unwrap().contains("Authorization"), "{who}");
    assert_eq!(site.get("/who").await.1, "[null,null]");
}

#[tokio::test]
async fn an_action_learns_that_its_client_has_left() {
    let site = Site::start().await;
    let noted = async |text: &str| {
        let rows = async || site.server.query("http:list", json!({})).await["value"].as_array().unwrap().clone();
        while !rows().await.iter().any(|row| row["text"] == text) {}
    };
    let request = tokio::spawn(site.request(Method::GET, "/slow").send());
    noted("begun").await;
    request.abort();
    noted("aborted").await;
}
