//! An app as it is pushed and stored: sources and what their evaluation depends on.

use std::collections::BTreeMap;

use convex_wasm_knobs::MAX_USER_MODULES;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::body::{AppDefinition, ModuleEnvironment, PushBody, PushedModule};
use super::error::PushError;

/// Module that says which identity providers are trusted. It is evaluated for itself, not with the functions.
pub const AUTH_CONFIG: &str = "auth.config.js";

/// Everything a deployment is made from. The same app gives the same functions and the same memory image.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct App {
    /// Modules by path.
    pub modules: BTreeMap<String, PushedModule>,
    /// The bundled `schema.ts`.
    pub schema: Option<PushedModule>,
    /// What module initialisation sees of the world.
    pub import_phase: ImportPhase,
    /// Versions of packages that modules for Node import and that are not bundled, by name.
    #[serde(default)]
    pub packages: BTreeMap<String, String>,
    /// Version of the `convex` package that bundled the app; empty if it is not known.
    #[serde(default)]
    pub server_version: String,
}

/// Clock and randomness of module initialisation, fixed for each push.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportPhase {
    /// Milliseconds since the epoch.
    pub time_ms: f64,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
}

impl App {
    /// The app of a push. `stored` has the modules that the client left out because they did not change.
    ///
    /// # Errors
    /// The push names modules we do not have, has bad paths, or uses what this server does not do.
    pub fn from_push(push: PushBody, stored: Option<&App>, import_phase: ImportPhase) -> Result<Self, PushError> {
        if !push.component_definitions.is_empty() {
            return Err(PushError::refused(
                "InvalidConvexConfig",
                "This server does not run components yet. Remove them from convex.config.ts.",
            ));
        }
        let packages = push.node_dependencies.into_iter().map(|package| (package.name, package.version)).collect();
        let AppDefinition { schema, changed_modules, unchanged_module_hashes, udf_server_version } =
            push.app_definition;
        let mut modules = BTreeMap::new();
        for module in changed_modules {
            check_path(&module.path)?;
            modules.insert(module.path.clone(), module);
        }
        for unchanged in unchanged_module_hashes {
            let module = stored
                .and_then(|app| app.modules.get(&unchanged.path))
                .filter(|module| hash(module) == unchanged.sha256)
                .ok_or_else(|| {
                    PushError::refused(
                        "MissingExistingModule",
                        format!(
                            "{} was not uploaded, and the server does not have it. Push all modules.",
                            unchanged.path
                        ),
                    )
                })?;
            modules.insert(unchanged.path, module.clone());
        }
        if modules.len() > MAX_USER_MODULES.get() {
            return Err(PushError::refused(
                "InvalidModules",
                format!("The app has {} modules (limit: {}).", modules.len(), MAX_USER_MODULES.get()),
            ));
        }
        Ok(Self { modules, schema, import_phase, packages, server_version: udf_server_version })
    }

    /// Modules that are compiled and linked: all but those for Node and the list of identity providers.
    pub fn isolate_modules(&self) -> impl Iterator<Item = &PushedModule> {
        self.modules
            .values()
            .filter(|module| module.environment == ModuleEnvironment::Isolate && module.path != AUTH_CONFIG)
    }

    /// The bundled `auth.config.ts`, if there is one.
    pub fn auth_config(&self) -> Option<&PushedModule> {
        self.modules.get(AUTH_CONFIG)
    }

    /// Modules that are new in this app or differ from those of `replaced`, and modules that are gone, by path.
    pub fn changed_modules(&self, replaced: Option<&App>) -> (Vec<String>, Vec<String>) {
        let before = replaced.map(|app| &app.modules);
        let same = |module: &PushedModule| {
            before.and_then(|modules| modules.get(&module.path)).is_some_and(|old| hash(old) == hash(module))
        };
        let added = self.modules.values().filter(|module| !same(module)).map(|module| module.path.clone()).collect();
        let gone = before.into_iter().flatten().filter(|(path, _)| !self.modules.contains_key(*path));
        (added, gone.map(|(path, _)| path.clone()).collect())
    }

    /// Modules for Node.
    pub fn node_modules(&self) -> impl Iterator<Item = &PushedModule> {
        self.modules.values().filter(|module| module.environment == ModuleEnvironment::Node)
    }
}

/// Whether a module is one of the developer's files, not a chunk they share.
pub fn is_entry(path: &str) -> bool {
    !path.starts_with("_deps/")
}

/// Lowercase hex SHA-256 of source and source map, as the CLI computes it.
pub fn hash(module: &PushedModule) -> String {
    let mut hash = Sha256::new();
    hash.update(&module.source);
    hash.update(module.source_map.as_deref().unwrap_or_default());
    hex::encode(hash.finalize())
}

fn check_path(path: &str) -> Result<(), PushError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/');
    let fine = path.ends_with(".js")
        && path.bytes().all(allowed)
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if fine {
        return Ok(());
    }
    Err(PushError::refused(
        "BadConvexModuleIdentifier",
        format!("{path:?} is no module path: letters, digits, `_`, `-` and `.` between slashes, ending in `.js`."),
    ))
}
