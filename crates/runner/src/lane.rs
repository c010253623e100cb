//! A lane runs the JavaScript of a deployment: ahead-of-time compiled code on Wasm, or V8.
//!
//! Nothing above this trait knows which lane a function runs on.

use convex_wasm_runtime::RunError;
use futures::future::BoxFuture;

use crate::execution::Execution;
use crate::path::FunctionPath;

/// One execution of a function, fully determined: the same invocation against the same answers of its host gives the same
/// result, on every lane.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The function.
    pub path: FunctionPath,
    /// Method of the registered function to call, e.g. `invokeQuery`.
    pub method: &'static str,
    /// JSON array of the arguments.
    pub arguments: String,
    /// Whether the execution may write.
    pub writable: bool,
    /// The fixed clock, in milliseconds since the epoch.
    pub time_ms: f64,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
}

/// Runs functions of one deployment.
pub trait Lane: Send + Sync {
    /// Name for reports and metrics, e.g. `wasm`.
    fn name(&self) -> &'static str;

    /// Runs a function against `host`. Answers the JSON text of the result and gives the host back; a lane that lost the
    /// host gives none. Dropping the future ends the execution and undoes what it did to the lane.
    fn run(
        &self,
        invocation: Invocation,
        host: Execution,
    ) -> BoxFuture<'_, (Result<String, RunError>, Option<Execution>)>;
}
