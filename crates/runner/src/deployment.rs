//! A deployed app, ready to run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::function::Function;
use crate::http_actions::Route;
use crate::lane::Lane;
use crate::path::FunctionPath;
use crate::source_map::ModuleSourceMap;
use crate::v8::V8Lane;

/// The functions of a deployment and the lane that runs them. Never changes: a deploy makes a new one.
pub struct Deployment {
    functions: BTreeMap<FunctionPath, Arc<Function>>,
    source_maps: HashMap<String, ModuleSourceMap>,
    lane: Arc<dyn Lane>,
    actions: Option<Arc<V8Lane>>,
    node: Option<(Arc<V8Lane>, BTreeSet<String>)>,
    routes: Option<Vec<Route>>,
}

impl Deployment {
    /// A deployment of these functions; source maps are by module path.
    pub fn new(
        functions: impl IntoIterator<Item = Function>,
        source_maps: impl IntoIterator<Item = (String, Option<String>)>,
        lane: Arc<dyn Lane>,
    ) -> Self {
        Self {
            functions: functions.into_iter().map(|function| (function.path.clone(), Arc::new(function))).collect(),
            source_maps: source_maps
                .into_iter()
                .map(|(module, json)| (module.clone(), ModuleSourceMap::new(module, json)))
                .collect(),
            lane,
            actions: None,
            node: None,
            routes: None,
        }
    }

    /// The same deployment, whose actions run on this lane.
    pub fn with_actions(self, lane: Arc<V8Lane>) -> Self {
        Self { actions: Some(lane), ..self }
    }

    /// The same deployment, whose actions in these modules run on this lane.
    pub fn with_node(self, lane: Arc<V8Lane>, modules: BTreeSet<String>) -> Self {
        Self { node: Some((lane, modules)), ..self }
    }

    /// The same deployment, which answers HTTP requests on these routes.
    pub fn with_routes(self, routes: Vec<Route>) -> Self {
        Self { routes: Some(routes), ..self }
    }

    /// The routes of HTTP actions, if the app has a router.
    pub fn routes(&self) -> Option<&[Route]> {
        self.routes.as_deref()
    }

    /// All functions, by path.
    pub fn functions(&self) -> impl Iterator<Item = &Arc<Function>> {
        self.functions.values()
    }

    /// The function of a path.
    pub fn function(&self, path: &FunctionPath) -> Option<&Arc<Function>> {
        self.functions.get(path)
    }

    /// The source map of a module.
    pub fn source_map(&self, module: &str) -> Option<&ModuleSourceMap> {
        self.source_maps.get(module)
    }

    /// The lane that runs actions of the default runtime, if there is one.
    pub fn actions(&self) -> Option<&Arc<V8Lane>> {
        self.actions.as_ref()
    }

    /// The lane that runs the actions of a module, if there is one.
    pub fn actions_of(&self, module: &str) -> Option<&Arc<V8Lane>> {
        match &self.node {
            Some((lane, modules)) if modules.contains(module) => Some(lane),
            _ => self.actions(),
        }
    }

    /// The lane that runs queries and mutations.
    pub fn lane(&self) -> &dyn Lane {
        &*self.lane
    }
}
