//! The body that `npx convex deploy` pushes.

use serde::Deserialize;

/// A push: everything a deployment is made of.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushBody {
    /// Admin key; the header `Authorization` may carry it instead.
    #[serde(default)]
    pub admin_key: String,
    /// Whether nothing shall be changed.
    #[serde(default)]
    pub dry_run: bool,
    /// The app.
    pub app_definition: AppDefinition,
    /// Components, each an app of its own.
    #[serde(default)]
    pub component_definitions: Vec<serde_json::Value>,
    /// Packages that are not in the bundle.
    #[serde(default)]
    pub node_dependencies: Vec<NodeDependency>,
}

/// A package that modules for Node import and that is not in the bundle.
#[derive(Debug, Deserialize)]
pub struct NodeDependency {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The app of a push.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppDefinition {
    /// `schema.ts`, bundled for itself; None if the app has none.
    pub schema: Option<PushedModule>,
    /// Modules. Clients up to 1.31.5 call them `functions`.
    #[serde(alias = "functions", default)]
    pub changed_modules: Vec<PushedModule>,
    /// Modules that the client believes the server has already.
    #[serde(default)]
    pub unchanged_module_hashes: Vec<UnchangedModule>,
    /// Version of the `convex` package.
    #[serde(default)]
    pub udf_server_version: String,
}

/// A bundled module.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PushedModule {
    /// Canonical path, e.g. `messages.js`.
    pub path: String,
    /// JavaScript.
    pub source: String,
    /// Source map, as JSON text.
    #[serde(default)]
    pub source_map: Option<String>,
    /// Where it runs.
    #[serde(default)]
    pub environment: ModuleEnvironment,
}

/// Where a module runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModuleEnvironment {
    /// Convex's own runtime.
    #[default]
    Isolate,
    /// Node: the module says `"use node"`.
    Node,
}

/// A module that was left out because its hash is known.
#[derive(Debug, Deserialize)]
pub struct UnchangedModule {
    /// Canonical path.
    pub path: String,
    /// Lowercase hex SHA-256 of source and source map.
    pub sha256: String,
}
