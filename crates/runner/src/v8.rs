//! The V8 lane: parked Node processes, each execution in a context of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::{
    DATABASE_UDF_USER_TIMEOUT_SECONDS, ISOLATE_ANALYZE_USER_TIMEOUT_SECONDS, NODE_ACTION_USER_TIMEOUT_SECS,
    V8_ACTION_USER_TIMEOUT_SECS,
};
use convex_wasm_runtime::RunError;
use convex_wasm_v8_workers::{ActionCall, Call, Claim, Entry, Phase, Program, Runtime, Streams, Workers};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::actions::Action;
use crate::execution::Execution;
use crate::lane::{Invocation, Lane};

/// One execution of an action.
pub(crate) struct ActionInvocation<'i> {
    /// Path of its module.
    pub(crate) module: &'i str,
    /// What of it is called.
    pub(crate) entry: Entry<'i>,
    /// JSON array of the arguments, or JSON of an HTTP request.
    pub(crate) arguments: &'i str,
    /// Streams that the arguments name.
    pub(crate) streams: Streams,
    /// Seed of `Math.random`.
    pub(crate) seed: [u8; 32],
    /// Environment variables.
    pub(crate) environment: &'i BTreeMap<String, String>,
    /// Time it may take in all.
    pub(crate) limit: Duration,
}

/// Runs the functions of one program.
pub struct V8Lane {
    workers: Workers,
    program: Arc<Program>,
}

impl V8Lane {
    /// A lane for the exports of a program.
    pub fn new(workers: Workers, program: Arc<Program>) -> Self {
        Self { workers, program }
    }

    /// Starts workers in advance, so that the first calls find them ready.
    pub fn warm_up(&self) {
        self.workers.prepare(&self.program);
    }

    /// What of a module an action's name means here, and the time it may take.
    pub(crate) fn entry<'n>(&self, name: &'n str) -> (Entry<'n>, Duration) {
        match self.program.runtime() {
            Runtime::Default => (Entry::Action(name), Duration::from_secs(V8_ACTION_USER_TIMEOUT_SECS.get())),
            Runtime::Node => (Entry::Node(name), Duration::from_secs(NODE_ACTION_USER_TIMEOUT_SECS.get())),
        }
    }

    /// Claims a worker for an action that waits for its turn.
    pub(crate) fn claim(&self) -> Option<Claim> {
        self.workers.claim(&self.workers.key(&self.program))
    }

    /// Runs an action, in the claimed worker if there is one.
    pub(crate) async fn act(
        &self,
        invocation: ActionInvocation<'_>,
        claim: Option<Claim>,
        host: Arc<Action>,
    ) -> Result<String, RunError> {
        let call = ActionCall {
            module: invocation.module,
            entry: invocation.entry,
            argument: invocation.arguments,
            streams: invocation.streams,
            seed: invocation.seed,
            environment: invocation.environment,
            limit: invocation.limit,
        };
        self.workers.act(&self.program, claim, &call, host).await
    }

    async fn execute(&self, invocation: Invocation, host: Execution) -> (Result<String, RunError>, Option<Execution>) {
        let call = Call {
            module: invocation.path.module(),
            export: invocation.path.function(),
            method: invocation.method,
            argument: &invocation.arguments,
            phase: if invocation.writable { Phase::Mutation } else { Phase::Query },
            time_ms: invocation.time_ms,
            seed: invocation.seed,
            import_budget: Duration::from_secs(ISOLATE_ANALYZE_USER_TIMEOUT_SECONDS.get()),
            budget: Duration::from_secs(DATABASE_UDF_USER_TIMEOUT_SECONDS.get()),
        };
        let (result, mut host) = self.workers.run(&self.program, &call, host).await;
        // V8 does not tell.
        host.observe_time();
        (result, Some(host))
    }
}

impl Lane for V8Lane {
    fn name(&self) -> &'static str {
        "v8"
    }

    fn run(
        &self,
        invocation: Invocation,
        host: Execution,
    ) -> BoxFuture<'_, (Result<String, RunError>, Option<Execution>)> {
        self.execute(invocation, host).boxed()
    }
}

impl Drop for V8Lane {
    fn drop(&mut self) {
        self.workers.retire(&self.program);
    }
}
