//! A real server in this process, and small apps to deploy to it.

use std::path::Path;
use std::sync::Arc;

use convex_wasm_database::{Database, PersistenceError, SqlitePersistence};
use convex_wasm_runtime::{DirectoryCache, Engine};
use convex_wasm_server::push::{Builder, Exclusions, UnitCache};
use convex_wasm_server::{Backend, BackendOptions, InstanceSecret, serve};
use convex_wasm_storage::Files;
use convex_wasm_v8_workers::{Settings, Workers};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub const INSTANCE: &str = "test-instance";
const SECRET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// A server on a free port, with its database in a temporary folder.
pub struct Server {
    pub url: String,
    pub site: String,
    pub key: String,
    client: reqwest::Client,
    folder: Arc<tempfile::TempDir>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Server {
    pub async fn start() -> Self {
        Self::start_in(Arc::new(tempfile::tempdir().unwrap()), builder()).await
    }

    /// A server that runs on V8 what does not run on Wasm.
    pub async fn start_with_v8() -> Self {
        Self::start_with_v8_for(&[]).await
    }

    /// The same, and also the functions that these patterns name.
    pub async fn start_with_v8_for(patterns: &[&str]) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let node = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/chat/node_modules/.bin/node");
        let workers = Workers::new(Settings::new(node, folder.path().join("v8"))).unwrap();
        let excluded = Exclusions::new(patterns.iter().map(|pattern| (*pattern).to_owned()).collect());
        Self::start_in(folder, builder().with_v8(workers).without(excluded)).await
    }

    async fn start_in(folder: Arc<tempfile::TempDir>, builder: Builder) -> Self {
        let secret: InstanceSecret = SECRET.parse().unwrap();
        let key = secret.issue(INSTANCE);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let site_listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let site = format!("http://{}", site_listener.local_addr().unwrap());
        let backend = Backend::open(BackendOptions {
            database: open_database(folder.path()).await,
            instance_name: INSTANCE.to_owned(),
            secret,
            builder,
            origin: url.clone(),
            site: site.clone(),
            files: Files::open(folder.path().join("files")).unwrap(),
            recordings: None,
        })
        .await
        .unwrap();
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(serve(listener, site_listener, backend, async { stopped.await.unwrap_or_default() }));
        Self { url, site, key, client: reqwest::Client::new(), folder, stop, served }
    }

    /// Stops the server and starts another one on the same database.
    pub async fn restart(self) -> Self {
        let folder = self.folder.clone();
        self.stop.send(()).unwrap();
        self.served.await.unwrap().unwrap();
        Self::start_in(folder, builder()).await
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url))
    }

    pub fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.url)).header("Content-Type", "application/json").body(body)
    }

    pub fn admin(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("Authorization", format!("Convex {}", self.key))
    }

    pub async fn call(&self, kind: &str, path: &str, args: Value) -> Value {
        let body = json!({ "path": path, "args": [args], "format": "convex_encoded_json" });
        ok(self.post(&format!("/api/{kind}"), body.to_string())).await
    }

    pub async fn query(&self, path: &str, args: Value) -> Value {
        self.call("query", path, args).await
    }

    pub async fn mutation(&self, path: &str, args: Value) -> Value {
        self.call("mutation", path, args).await
    }

    /// Deploys and returns the report.
    pub async fn deploy(&self, app: App) -> Value {
        ok(self.push(app)).await
    }

    pub fn push(&self, app: App) -> RequestBuilder {
        self.admin(self.post("/api/convex_wasm/deploy", app.body().to_string()))
    }
}

/// Opens the database as soon as the tasks of a server that was stopped have let go of it.
async fn open_database(folder: &Path) -> Database {
    let persistence = loop {
        match SqlitePersistence::open(folder.join("test.sqlite3")) {
            Err(PersistenceError::InUse { .. }) => tokio::task::yield_now().await,
            opened => break opened.unwrap(),
        }
    };
    Database::open(Arc::new(persistence)).await.unwrap()
}

/// All tests share one cache: the guest's native code takes seconds to make.
fn builder() -> Builder {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let engine = Engine::new(DirectoryCache::open(cache.join("native")).unwrap()).unwrap();
    Builder::new(engine, UnitCache::open(cache.join("units")).unwrap())
}

/// The JSON of an answer with status 200.
pub async fn ok(request: RequestBuilder) -> Value {
    let (status, body) = send(request).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    body
}

/// Status and code of a refusal.
pub async fn refusal(request: RequestBuilder) -> (u16, String) {
    let (status, body) = send(request).await;
    assert!(body["message"].is_string(), "{status}: {body}");
    (status.as_u16(), body["code"].as_str().unwrap().to_owned())
}

pub async fn send(request: RequestBuilder) -> (StatusCode, Value) {
    let response: Response = request.send().await.unwrap();
    let status = response.status();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status}: {text}")))
}

/// An app, written without the `convex` package: `lib.js` registers functions the way that does.
#[derive(Clone, Default)]
pub struct App {
    modules: Vec<Value>,
    schema: Option<Value>,
    packages: Vec<Value>,
}

const LIBRARY: &str = r#"
const register = (kind, visibility) => ({ args, returns, handler }) => Object.assign(() => {}, {
  ["is" + kind]: true,
  ["is" + visibility]: true,
  // Those of actions get the id of the request first.
  ["invoke" + kind]: async (...values) => JSON.stringify((await handler(...JSON.parse(values.at(-1)))) ?? null),
  exportArgs: () => JSON.stringify(args ?? { type: "any" }),
  exportReturns: () => JSON.stringify(returns ?? null),
  _handler: handler,
});
export const query = register("Query", "Public");
export const internalQuery = register("Query", "Internal");
export const mutation = register("Mutation", "Public");
export const internalMutation = register("Mutation", "Internal");
export const action = register("Action", "Public");
export const internalAction = register("Action", "Internal");
export const call = async (op, argument) => JSON.parse(await Convex.asyncSyscall(op, JSON.stringify(argument)));
export const field = (type, optional = false) => ({ fieldType: typeof type === "string" ? { type } : type, optional });
export const object = (fields) => ({ type: "object", value: fields });
export const rows = async (query) => {
  const { queryId } = JSON.parse(Convex.syscall("1.0/queryStream", JSON.stringify({ query })));
  const found = [];
  for (;;) {
    const { value, done } = await call("1.0/queryStreamNext", { queryId });
    if (done) break;
    found.push(value);
  }
  Convex.syscall("1.0/queryCleanup", JSON.stringify({ queryId }));
  return found;
};
export const all = (tableName) =>
  rows({ source: { type: "FullTableScan", tableName, order: "asc" }, operators: [] });
export class ConvexError extends Error {
  constructor(data) {
    super(JSON.stringify(data));
    this.name = "ConvexError";
    this.data = JSON.stringify(data);
    this[Symbol.for("ConvexError")] = true;
    this.ConvexErrorSymbol = Symbol.for("ConvexError");
  }
}
"#;

impl App {
    /// An app with the library and nothing else.
    pub fn new() -> Self {
        Self::default().module("_deps/lib.js", LIBRARY)
    }

    /// Adds a module.
    pub fn module(self, path: &str, source: &str) -> Self {
        self.with(json!({ "path": path, "source": source, "environment": "isolate" }))
    }

    /// Adds a module as the push has it.
    pub fn with(mut self, module: Value) -> Self {
        self.modules.push(module);
        self
    }

    /// Sets the schema: the JSON that its `export()` gives.
    /// A package that is not bundled.
    pub fn package(mut self, package: Value) -> Self {
        self.packages.push(package);
        self
    }

    pub fn schema(mut self, schema: Value) -> Self {
        let source = format!("export default {{ tables: {{}}, export: () => {:?} }};", schema.to_string());
        self.schema = Some(json!({ "path": "schema.js", "source": source, "environment": "isolate" }));
        self
    }

    pub fn body(&self) -> Value {
        json!({
            "adminKey": "",
            "dryRun": false,
            "functions": "convex/",
            "appDefinition": {
                "definition": null,
                "dependencies": [],
                "schema": self.schema,
                "changedModules": self.modules,
                "unchangedModuleHashes": [],
                "udfServerVersion": "1.49.0",
            },
            "componentDefinitions": [],
            "nodeDependencies": self.packages,
        })
    }
}

/// Lowercase hex SHA-256, as the Convex CLI hashes a module without a source map.
pub fn sha256(text: &str) -> String {
    use sha2::Digest;
    hex::encode(sha2::Sha256::digest(text))
}
