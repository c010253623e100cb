//! Pushing an app: from the bundle the Convex CLI makes to a deployment that runs.
//!
//! ```text
//! PushBody ─▶ App ─▶ Builder: compile ─▶ initialise ─▶ analyze ─▶ BuiltApp ─▶ Deployment
//!              │                                                     └─▶ DeployReport
//!              └─▶ store: the app in the database, from which a restarted server builds it again
//! ```

mod analyze;
mod app;
mod body;
mod build;
mod compile;
mod crons;
mod error;
mod exclusions;
pub(crate) mod history;
mod initialise;
mod node;
mod report;
pub(crate) mod store;
mod unit_cache;

pub use app::{App, ImportPhase, hash};
pub use body::{AppDefinition, ModuleEnvironment, NodeDependency, PushBody, PushedModule, UnchangedModule};
pub use build::{Builder, BuiltApp, Progress};
pub use compile::CompiledModule;
pub(crate) use crons::apply as apply_crons;
pub use crons::{CronDiff, CronSpec};
pub use error::PushError;
pub use exclusions::Exclusions;
pub use history::KeptDeployment;
pub use initialise::{ImportHost, explain, initialise};
pub use report::{DeployReport, FunctionReport, ModuleReport, PlacedFinding};
pub use unit_cache::UnitCache;
